"""One worker of an instance sends and receives hints for all, the carrier, and another one takes over from it."""

import contextlib
import os
import re
import signal
import time

import psycopg2
import pytest
from panel import Panel
from world import SECRETS, World, images, state_of, wait_until

from postgres import Postgres

PATH = "/v1/account/"
WORKERS = 4


@pytest.fixture(scope="module")
def cluster():
    with Postgres() as postgres:
        yield postgres


@pytest.fixture
def alone(cluster):
    with World(cluster.create_database(), "--rate-limit", "0", workers=WORKERS) as world:
        yield world


def carriers(world):
    """The carriers until now, in order."""
    return [int(pid) for pid in re.findall(r'msg="listens to hints for all workers" pid=(\d+)', world.server.log())]


@contextlib.contextmanager
def warmed(world, pids):
    """Connections to these workers, which have cached a new key of a new account; and its revocation."""
    account = world.account()
    account.device()
    made = world.server.ctl("key", "create", "--account", account.email, "--name", "one")
    SECRETS.add(made["key"])
    clients = [world.client_of(pid) for pid in pids]

    def revoke():
        world.server.ctl("key", "revoke", made["id"], "--yes")
        end = time.monotonic() + 1
        refused = set()
        while len(refused) < len(clients):
            for client in clients:
                asked = time.monotonic()
                status = client.request("GET", PATH, key=made["key"]).status
                assert status == 401 or asked < end, "a revoked key was let in after a second"
                if status == 401:
                    refused.add(client)

    assert {client.request("GET", PATH, key=made["key"]).status for client in clients} == {200}
    yield revoke
    for client in clients:
        client.close()


def test_one_is_chosen(alone):
    assert len(carriers(alone)) == 1


def test_it_is_killed(alone):
    [victim] = carriers(alone)
    others = [pid for pid in alone.workers() if pid != victim]
    with warmed(alone, others) as revoke:
        alone.kill_worker(victim)
        revoke()
    wait_until(lambda: len(carriers(alone)) == 2, "another one that listens")
    with warmed(alone, others) as revoke:
        revoke()


def test_it_is_stopped(alone):
    [victim] = carriers(alone)
    others = [pid for pid in alone.workers() if pid != victim]
    with warmed(alone, others) as revoke:
        os.kill(victim, signal.SIGSTOP)
        try:
            revoke()
            wait_until(lambda: len(carriers(alone)) == 2, "another one that listens")
        finally:
            os.kill(victim, signal.SIGCONT)
    with warmed(alone, alone.workers()) as revoke:
        revoke()
    assert carriers(alone)[-1] != victim


def test_a_reload(cluster, tmp_path):
    settings = tmp_path / "displayd.conf"
    settings.write_text("rate-limit = 0\n")
    with World(cluster.create_database(), "--config", str(settings), workers=WORKERS) as world:
        before = world.workers()
        settings.write_text("rate-limit = 1000000\n")
        world.server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: carriers(world)[-1] not in before, "a new worker that listens")
        wait_until(lambda: not set(before) & set(world.workers()), "the end of the old workers")
        with warmed(world, world.workers()) as revoke:
            revoke()


def test_the_database_is_away_while_it_changes(alone, cluster):
    [victim] = carriers(alone)
    cluster.kill()
    alone.kill_worker(victim)
    cluster.start()
    wait_until(lambda: len(carriers(alone)) >= 2, "another one that listens")
    wait_until(lambda: alone.get("/readyz").status == 200, "the server")
    with warmed(alone, alone.workers()) as revoke:
        revoke()


def test_words_of_newer_kinds(alone):
    connection = psycopg2.connect(alone.database)
    connection.autocommit = True
    with connection.cursor() as cursor:
        for word in ("newer:kind", "newer", ":", "x" * 2000, "x" * 2001, "\x7f"):
            cursor.execute("SELECT pg_notify('displayd_hint', %s)", [word])
    connection.close()
    with warmed(alone, alone.workers()) as revoke:
        revoke()


@contextlib.contextmanager
def panel_at(world, pid, device):
    """A panel that is connected to this worker: the others are stopped meanwhile."""
    others = [worker for worker in world.workers() if worker != pid]
    for other in others:
        os.kill(other, signal.SIGSTOP)
        wait_until(lambda other=other: state_of(other) == "T", "a stopped worker")
    try:
        panel = Panel(world.server, device)
    finally:
        for other in others:
            os.kill(other, signal.SIGCONT)
    with panel:
        yield panel


def read_until(panel, picture):
    expected = images.frames_of(picture)
    panel.wait_for(lambda message: isinstance(message, bytes) and images.frames_of(message) == expected)
    return time.monotonic()


@pytest.mark.parametrize("ending", (signal.SIGKILL, signal.SIGSTOP))
def test_a_panel_meanwhile(alone, ending):
    """Pictures that are pushed elsewhere come within two seconds."""
    device = alone.account().device()
    first, second = images.png(images.solid((255, 0, 0))), images.png(images.solid((0, 0, 255)))
    with World(alone.database, workers=1) as elsewhere, contextlib.closing(elsewhere.client()) as client:
        def push(picture):
            answer = client.request("POST", f"{device.path}/push", key=device.account.key,
                                    body={"image": images.text(picture)})
            assert answer.status == 200
            return time.monotonic()

        [victim] = carriers(alone)
        witness = next(pid for pid in alone.workers() if pid != victim)
        with panel_at(alone, witness, device) as panel:
            push(first)
            read_until(panel, first)
            if ending == signal.SIGKILL:
                alone.kill_worker(victim)
            else:
                os.kill(victim, ending)
            try:
                pushed = push(second)
                assert read_until(panel, second) - pushed < 2
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGCONT)
        wait_until(lambda: len(carriers(alone)) >= 2, "another one that listens")
