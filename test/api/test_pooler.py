"""A pooler between displayd and PostgreSQL is detected and refused by name; a pooler of sessions may be allowed."""

import psycopg2
import pytest
from panel import Panel
from pooler import PROGRAM, Pooler
from world import SECRETS, World, images, wait_until

from server import Server, run_ctl

pytestmark = pytest.mark.skipif(not PROGRAM, reason="PgBouncer is not installed")


@pytest.fixture
def pooled(postgres):
    poolers = []

    def make(mode, **options):
        poolers.append(Pooler(postgres, postgres.create_database(), mode, **options))
        return poolers[-1]

    yield make
    for one in poolers:
        one.__exit__()


def refused(url, *arguments):
    server = Server(*arguments, database=url)
    try:
        assert server.launch().wait() == 5
        return server.log()
    finally:
        server.remove()


@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_it_is_refused_by_its_name(pooled, mode):
    log = refused(pooled(mode).url)
    assert "a pooler such as PgBouncer is in front of it, and --session-pooler is not set" in log


@pytest.mark.parametrize("round_robin", [0, 1])
def test_one_that_shares_sessions_is_refused_always(pooled, round_robin):
    log = refused(pooled("transaction", round_robin=round_robin).url, "--session-pooler")
    assert "the pooler in front of it does not keep sessions apart" in log


def test_one_that_keeps_sessions_may_be_allowed(pooled):
    url = pooled("session").url
    with World(url, "--session-pooler", "--rate-limit", "0") as one, \
            World(url, "--session-pooler", "on", "--rate-limit", "0") as other:
        account = one.account()
        device = account.device()
        made = one.server.ctl("key", "create", "--account", account.email)
        SECRETS.add(made["key"])
        with Panel(other.server, device) as panel:
            panel.wait_for_picture()
            for shade in (50, 150, 250):
                picture = images.png(images.solid((shade, 1, 2)))
                assert device.push(picture).ok() == {}
                device.shows(picture, other)
                panel.wait_for_picture()
        # Workers cache a key until NOTIFY tells them.
        clients = [client for world in (one, other) for client in world.clients()]
        for client in clients:
            assert client.request("GET", device.path, key=made["key"]).status == 200
        one.server.ctl("key", "revoke", made["id"], "--yes")
        for client in clients:
            wait_until(lambda client=client: client.request(
                "GET", device.path, key=made["key"]).status == 401, "a revoked key")
            client.close()


def test_displayctl_tells_of_it(pooled):
    url = pooled("session").url
    shown = run_ctl("--database", url, "database", "show")
    assert shown["isPooled"] is True
    assert shown["address"]["host"] == psycopg2.extensions.parse_dsn(url)["host"]
