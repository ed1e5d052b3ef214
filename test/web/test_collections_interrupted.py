"""Collections when something else fails meanwhile: an instance, the database, the server of the archive."""

import contextlib
import os
import signal
import threading

import pytest
from filling import processes
from people import Person, World, wait_until
from postgres import Postgres, has_ended
from release_server import install
from test_collections import ARCHIVE, PATH, app, counts, end_of, stored, tar
from trusting import certificate, folder, host

__all__ = ["certificate", "folder", "host"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS") or not os.environ.get("HAS_STARLARK"),
                                reason="this build has no egress or no Starlark")
HINT = "SELECT pg_notify('displayd_hint', 'changed:00000000-0000-0000-0000-000000000000:admin')"


@pytest.fixture(scope="module")
def prefix(folder, certificate):
    return install(folder / "own", certificate[0])


@pytest.fixture(autouse=True)
def repository(host):
    yield host
    for stop in [*host.gates.values(), *host.dripping.values()]:
        stop.set()
    host.clear()


def start(stack, database, prefix):
    arguments = ("--rate-limit", "0", "--egress-allow", "127.0.0.0/8", "--egress-allow", "::1")
    return stack.enter_context(World(database, *arguments, prefix=prefix))


def ask(browser, host, content, **more):
    host.answers[ARCHIVE] = content
    return browser.post(PATH, {"url": host.root + ARCHIVE, "folder": "apps", "isForAll": True, **more}).json()


def many(count):
    return {name: content for number in range(count) for name, content in app(f"app{number}").items()}


def imported(world):
    return world.sql("SELECT count(*) FROM app WHERE collection_id IS NOT NULL")[0][0]


def again(world, lease=None):
    """Ends the pause before a further try, or that lease."""
    world.sql("UPDATE app_archive SET leased_until = '-infinity' WHERE state = 'waiting' OR lease = %s", lease)


def test_two_instances(postgres, prefix, host):
    """One of them fetches. If it is killed, the other one does all of it once the lease has ended."""
    with contextlib.ExitStack() as stack:
        database = postgres.create_database()
        one = start(stack, database, prefix)
        host.gates[ARCHIVE] = threading.Event()
        made = ask(Person(one, is_administrator=True).browser(), host, tar(app("sun") | app("moon")))
        wait_until(lambda: one.sql("SELECT bytes FROM app_archive")[0][0] > 0, "progress")
        other = start(stack, database, prefix)
        browser = Person(other, is_administrator=True).browser()
        # Both are asked to look, and answer what came after: the one that has nothing does not begin.
        other.sql(HINT)
        lease = other.sql("SELECT lease, leased_until FROM app_archive")[0]
        wait_until(lambda: other.sql("SELECT leased_until > %s FROM app_archive", lease[1])[0][0], "an extended lease")
        assert host.seen == [ARCHIVE] and other.sql("SELECT lease FROM app_archive")[0][0] == lease[0]
        every = set().union(*processes(one.server).values())
        one.server.kill()
        wait_until(lambda: all(map(has_ended, every)), "the end of its processes")  # some give their work back
        again(other, lease[0])
        host.gates[ARCHIVE].set()
        other.sql(HINT)
        shown = end_of(browser, made)
        assert (shown["state"], counts(shown)) == ("done", {"made": 2}), shown["problem"]
        assert host.seen == [ARCHIVE, ARCHIVE]
        assert len(stored(other)) == 2


def test_a_slow_server(postgres, prefix, host):
    """It is given up after 30 s, with the reason. A later try goes on."""
    with contextlib.ExitStack() as stack:
        world = start(stack, postgres.create_database(), prefix)
        browser = Person(world, is_administrator=True).browser()
        host.dripping[ARCHIVE] = threading.Event()
        made = ask(browser, host, tar(app("sun")))
        shown = end_of(browser, made)
        assert shown["state"] == "failed" and "less than 1 kB a second" in shown["problem"], shown
        host.dripping.pop(ARCHIVE).set()
        browser.post(f"{PATH}/{made['id']}/fetch").ok()
        assert counts(end_of(browser, made)) == {"made": 1}


def test_the_egress_ends(postgres, prefix, host):
    """Its end is no fault of the archive: the collection is fetched once more."""
    with contextlib.ExitStack() as stack:
        world = start(stack, postgres.create_database(), prefix)
        browser = Person(world, is_administrator=True).browser()
        host.gates[ARCHIVE] = threading.Event()
        made = ask(browser, host, tar(app("sun")))
        wait_until(lambda: world.sql("SELECT bytes FROM app_archive")[0][0] > 0, "progress")
        for pid in processes(world.server)["egress"]:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: world.sql("SELECT state FROM app_archive")[0][0] == "waiting", "a fetch that was given back")
        assert "unavailable at the moment" in browser.get(f"{PATH}/{made['id']}").json()["problem"]
        host.gates[ARCHIVE].set()
        again(world)
        world.sql(HINT)
        assert counts(end_of(browser, made)) == {"made": 1}


def test_the_database_is_away(prefix, host):
    """In the middle of an import, which goes on, and imports nothing twice."""
    with Postgres() as own, contextlib.ExitStack() as stack:
        world = start(stack, own.create_database(), prefix)
        made = ask(Person(world, is_administrator=True).browser(), host, tar(many(60)))
        wait_until(lambda: imported(world) >= 5, "five apps")
        own.stop()
        wait_until(lambda: world.server.get("/readyz").status == 503, "a server without its database")
        world.connection.close()
        own.start()
        wait_until(lambda: world.server.get("/readyz").status == 200, "a server that has it again")
        again(world)
        world.sql(HINT)
        shown = end_of(Person(world, is_administrator=True).browser(), made)
        assert shown["state"] == "done" and shown["madeCount"] + shown["unchangedCount"] == 60, shown
        assert len(stored(world)) == imported(world) == 60
