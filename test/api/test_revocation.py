"""A revoked key stops working on every worker of every instance, even if hints are lost."""

import contextlib
import os
import signal
import time

import psycopg2
import pytest
from former import account as exported_account
from former import device as exported
from world import SECRETS, images, request_bytes, sha256, state_of, wait_until

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


def slow(client, account, method, target, body):
    """Sends a request without the last byte of its body, and returns that, as bytes."""
    data = request_bytes(method, target, body=body, key=account.key)
    client.send(data[:-1])
    return data[-1:]


def test_revoked_while_a_body_arrives(world):
    """A body that takes longer than a second is answered with the rights at its end."""
    account = world.account()
    device = account.device()
    body = {"image": images.text(images.png())}
    targets = (("POST", f"{device.path}/push", body), ("POST", "/v1/push", {**body, "devices": "all"}),
               ("PATCH", device.path, {"brightness": 1}))
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(contextlib.closing(world.client())) for _ in targets]
        begun = time.monotonic()
        rests = [slow(client, account, *target) for client, target in zip(clients, targets)]
        wait_until(lambda: world.sql("SELECT last_used_at IS NOT NULL FROM api_key WHERE account_id = %s",
                                     account.id) == [(True,)], "a head that was read")
        account.revoke()
        world.sql("SELECT pg_notify('displayd_hint', 'key:' || %s)", sha256(account.key).hex())
        with world.each_worker() as others:
            wait_until_refused(others, account.key)
        wait_until(lambda: time.monotonic() - begun > 1.2, "a body that is slow")
        for client, rest in zip(clients, rests):
            client.send(rest)
            answer = client.answer()
            assert answer.problem(401)["detail"] == "the API key is not valid"
            assert len([name for name, _ in answer.fields if name == "WWW-Authenticate"]) == 1
    assert world.sql("SELECT generation, brightness <> 1 FROM device WHERE id = %s", device.id) == [
        (0, True)]


def test_revoked_while_pushes_wait_for_a_thread(start):
    """A push that waits longer than a second for a worker thread is answered with the rights at the end of its wait."""
    world = start(workers=1)
    account = world.account()
    device = account.device()
    slow_picture = images.text(images.animation("GIF", [images.noise(n).quantize(200) for n in range(12)], 50))
    names = [str(number) for number in range(20)]
    [worker] = world.workers()
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(contextlib.closing(world.client())) for _ in names]
        for client, name in zip(clients, names):
            client.send(request_bytes("POST", f"{device.path}/push", key=account.key, body={
                "image": slow_picture, "installationId": name, "background": True}))
        assert clients[0].answer().ok() == {}
        # All others are admitted: the first one took far longer than their heads.
        os.kill(worker, signal.SIGSTOP)
        wait_until(lambda: state_of(worker) == "T", "a stopped worker")
        stopped = time.monotonic()
        account.revoke()
        world.sql("SELECT pg_notify('displayd_hint', 'key:' || %s)", sha256(account.key).hex())
        wait_until(lambda: time.monotonic() - stopped > 1.2, "pushes that wait long")
        os.kill(worker, signal.SIGCONT)
        answers = [client.answer() for client in clients[1:]]
    stored = {names[0], *(name for name, answer in zip(names[1:], answers) if answer.status == 200)}
    for answer in answers:
        if answer.status != 200:
            assert answer.problem(401)["detail"] == "the API key is not valid"
            fields = [name for name, _ in answer.fields]
            assert len(fields) == len(set(fields)), fields
    assert answers[-1].status == 401
    assert {row[0] for row in world.sql("SELECT id FROM installation WHERE device_id = %s", device.id)} == stored


def test_a_key_that_is_limited_while_pushes_wait_for_a_thread(start):
    """The scope counts, too: a push to a device that the key no longer has is 403."""
    world = start(workers=1)
    account = world.account()
    device, other = account.device(), account.device()
    slow_picture = images.text(images.animation("GIF", [images.noise(n).quantize(200) for n in range(12)], 50))
    [worker] = world.workers()
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(contextlib.closing(world.client())) for _ in range(20)]
        for number, client in enumerate(clients):
            client.send(request_bytes("POST", f"{(device, other)[number % 2].path}/push", key=account.key, body={
                "image": slow_picture, "installationId": str(number), "background": True}))
        assert clients[0].answer().ok() == {}
        os.kill(worker, signal.SIGSTOP)
        wait_until(lambda: state_of(worker) == "T", "a stopped worker")
        stopped = time.monotonic()
        world.sql("UPDATE api_key SET device_ids = ARRAY[%s]::uuid[] WHERE account_id = %s", device.id, account.id)
        world.sql("SELECT pg_notify('displayd_hint', 'key:' || %s)", sha256(account.key).hex())
        wait_until(lambda: time.monotonic() - stopped > 1.2, "pushes that wait long")
        os.kill(worker, signal.SIGCONT)
        answers = [client.answer() for client in clients[1:]]
    assert answers[-1].problem(403)["code"] == "key_for_other_devices" and answers[-2].ok() == {}


@pytest.mark.parametrize("what", ["a change", "an import", "a push to several"])
def test_revoked_while_the_database_is_slow(world, what):
    """What an operation reads before it writes may take long: it writes with the rights at the end of that."""
    account = world.account()
    device = account.device()
    method, target, body = {
        "a change": ("PATCH", device.path, {"brightness": 1}),
        "an import": ("POST", "/v1/import/tronbyt", exported_account([exported("Desk"), exported("Shelf")])),
        "a push to several": ("POST", "/v1/push", {"image": images.text(images.png()), "devices": "all"}),
    }[what]

    def waits():
        return world.sql("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'device'::regclass") == [(1,)]

    with contextlib.closing(psycopg2.connect(world.database)) as locked, contextlib.closing(world.client()) as client:
        with locked.cursor() as cursor:
            cursor.execute("LOCK TABLE device IN ACCESS EXCLUSIVE MODE")
        client.send(request_bytes(method, target, body=body, key=account.key))
        wait_until(waits, "a statement that waits")
        account.revoke()
        world.sql("SELECT pg_notify('displayd_hint', 'key:' || %s)", sha256(account.key).hex())
        revoked = time.monotonic()
        wait_until(lambda: time.monotonic() - revoked > 1.2, "a statement that is slow")
        locked.rollback()
        assert client.answer().problem(401)["code"] == "key_invalid"
    assert world.sql("SELECT name, generation, brightness <> 1 FROM device WHERE account_id = %s", account.id) == [
        ("Desk", 0, True)]


@pytest.mark.parametrize("end, status", [("revoked_at = clock_timestamp()", 401), ("ends_at = clock_timestamp()", 401),
                                         ("device_ids = ARRAY[gen_random_uuid()]", 403), ("name = 'the same'", 200)])
def test_pushes_that_wait_behind_a_locked_row(world, end, status):
    """A write whose turn comes after a second is made with the rights of then."""
    account = world.account()
    device = account.device()
    body = {"image": images.text(images.png()), "background": True}
    with contextlib.closing(psycopg2.connect(world.database)) as locked, contextlib.ExitStack() as stack:
        with locked.cursor() as cursor:
            cursor.execute("SELECT FROM device WHERE id = %s FOR UPDATE", (device.id,))
        clients = [stack.enter_context(contextlib.closing(world.client())) for _ in range(8)]
        for number, client in enumerate(clients):
            client.send(request_bytes("POST", f"{device.path}/push", key=account.key,
                                      body={**body, "installationId": str(number)}))
        wait_until(lambda: world.sql("SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                                     "AND datname = current_database()") == [(True,)], "a push that waits")
        world.sql(f"UPDATE api_key SET {end} WHERE account_id = %s", account.id)
        world.sql("SELECT pg_notify('displayd_hint', 'key:' || %s)", sha256(account.key).hex())
        ended = time.monotonic()
        wait_until(lambda: time.monotonic() - ended > 1.2, "pushes that wait long")
        locked.rollback()
        assert {client.answer().status for client in clients} == {status}
    assert world.sql("SELECT count(*) FROM installation WHERE device_id = %s", device.id) == [(8 * (status == 200),)]


def test_a_slow_body_of_a_valid_key(start):
    """The second look takes no token of the rate limit, and leaves no field twice."""
    world = start("--rate-limit", "50")
    account = world.account()
    device = account.device()
    with contextlib.closing(world.client()) as client:
        rest = slow(client, account, "PATCH", device.path, {"brightness": 1})
        begun = time.monotonic()
        wait_until(lambda: time.monotonic() - begun > 1.2, "a body that is slow")
        client.send(rest)
        answer = client.answer()
    names = [name for name, _ in answer.fields]
    assert answer.json()["brightness"] == 1 and len(names) == len(set(names))
    assert "RateLimit" in names


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
