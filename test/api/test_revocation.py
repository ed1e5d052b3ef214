"""A revoked key stops working on every worker of every instance, even if hints are lost."""

import contextlib
import os
import signal

import pytest
from world import SECRETS, sha256, wait_until

PATH = "/v1/account/"


@contextlib.contextmanager
def warmed(key, *worlds):
    """A connection to each worker; all workers have cached the key."""
    clients = [client for world in worlds for client in world.clients()]
    assert {client.request("GET", PATH, key=key).status for client in clients} == {200}
    yield clients
    for client in clients:
        client.close()


def wait_until_refused(clients, key):
    for client in clients:
        wait_until(lambda client=client: client.request("GET", PATH, key=key).status == 401,
                   "a worker that refuses the key")


def end_hint_connections(world):
    for pid in world.hint_backends():
        world.sql("SELECT pg_terminate_backend(%s)", pid)


def is_ready(client):
    return client.request("GET", "/readyz").status == 200


@pytest.fixture
def alone(start):
    """A server that no other test needs."""
    return start()


def test_by_displayctl(world, start):
    """The key stops at all workers of two instances on one database."""
    account = world.account()
    account.device()
    made = world.server.ctl("key", "create", "--account", account.email, "--name", "one")
    SECRETS.add(made["key"])
    other = start(database=world.database)
    with warmed(made["key"], world, other) as clients:
        world.server.ctl("key", "revoke", made["id"], "--yes")
        wait_until_refused(clients, made["key"])
        # Other keys of the account still work.
        assert {client.request("GET", PATH, key=account.key).status for client in clients} == {200}


def test_revoked_before_it_was_seen(world, account):
    account.revoke()
    account.get(PATH).problem(401)


def test_without_hint_connections(postgres, alone):
    """Workers get no hints, and cache a key for less than a second."""
    account = alone.account()
    name = alone.sql("SELECT current_database()")[0][0]
    postgres.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
    try:
        with warmed(account.key, alone) as clients:
            end_hint_connections(alone)
            for client in clients:
                wait_until(lambda client=client: not is_ready(client), "no hints")
                answer = client.request("GET", "/readyz")
                assert "notifications" in answer.problem(503)["detail"]
                assert client.request("GET", PATH, key=account.key).status == 200
            account.revoke()
            wait_until_refused(clients, account.key)
    finally:
        postgres.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
    for client in alone.clients():
        wait_until(lambda client=client: is_ready(client), "hints")
        client.close()


def test_hint_connections_that_break_all_the_time(alone):
    account = alone.account()
    with warmed(account.key, alone) as clients:
        account.revoke()
        for client in clients:
            def is_refused(client=client):
                end_hint_connections(alone)
                return client.request("GET", PATH, key=account.key).status == 401
            wait_until(is_refused, "a worker that refuses the key")


def test_hint_connections_that_hang(alone):
    """The server processes of these connections hang, but the connections still count as open for a while."""
    account = alone.account()
    hung = alone.hint_backends()
    assert len(hung) == len(alone.workers())
    with warmed(account.key, alone) as clients:
        for pid in hung:
            os.kill(pid, signal.SIGSTOP)
        try:
            account.revoke()
            alone.sql("SELECT pg_notify('displayd_hint', %s)", f"key:{sha256(account.key).hex()}")
            wait_until_refused(clients, account.key)
        finally:
            for pid in hung:
                os.kill(pid, signal.SIGCONT)
        for client in clients:
            wait_until(lambda client=client: is_ready(client), "hints")


def test_hint_that_was_lost(alone):
    """The hint was sent while no worker listened: once the connection is back, all keys are dropped."""
    account = alone.account()
    with warmed(account.key, alone) as clients:
        account.revoke()
        end_hint_connections(alone)
        wait_until_refused(clients, account.key)


def test_hint_that_means_nothing(alone):
    """Any program that may connect to the database can send arbitrary hints."""
    account = alone.account()
    with warmed(account.key, alone) as clients:
        for payload in ("", " ", "key:", "key:zz", "key:" + "0" * 64, "key:" + "0" * 65, "x" * 7000,
                        "device:", "device:x", "device:0190163d-8694-739b-aea5-966c26f8ad91",
                        "device:0190163d-8694-739b-aea5-966c26f8ad91:-1", "push:a:b", "app::",
                        "key:\u00e9 \u00e9", "a " * 3000):
            alone.sql("SELECT pg_notify('displayd_hint', %s)", payload)
        assert {client.request("GET", PATH, key=account.key).status for client in clients} == {200}
        assert all(is_ready(client) for client in clients)
