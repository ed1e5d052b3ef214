"""The table of the hosts that apps have asked: what is noted there meets the removal of an app, and is
forgotten after a month."""

import os
import uuid
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest
from people import wait_until
from rendered import app, author, reviewer, statement, store, webp, world_without_engines

__all__ = ["app", "author", "reviewer", "world_without_engines"]  # fixtures
HOSTS = "a.example b.example"
NOTHING = str(uuid.UUID(int=0))


class Session:
    """A connection to the database of its own, which runs the server's statements. One that waits for
    a lock does so in a thread."""

    def __init__(self, world):
        self.world = world
        self.connection = psycopg2.connect(world.database)
        self.connection.autocommit = True
        self.thread = ThreadPoolExecutor(1)
        self.pid = self.connection.get_backend_pid()
        self.run("SET deadlock_timeout = '50ms'")

    def run(self, sql, parameters=None):
        with self.connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetchall() if cursor.description else []

    def begin(self, name, **parameters):
        """Returns when the statement has ended, or waits for a lock."""
        running = self.thread.submit(self.run, statement(name), parameters)
        wait_until(lambda: running.done() or self.waits(), f"the end of {name}, or a lock")
        return running

    def waits(self):
        return self.world.sql("SELECT wait_event_type = 'Lock' FROM pg_stat_activity "
                              "WHERE pid = %s", self.pid)[0][0]


@pytest.fixture
def sessions(world):
    made = [Session(world) for _ in range(3)]
    yield made
    for one in made:
        one.thread.shutdown()
        one.connection.close()


def render(world, app):
    """Something that the app has made, and that is being made again."""
    place, claim = os.urandom(32), str(uuid.uuid4())
    store(world, place.hex(), app.version_id, webp(1))
    world.sql("UPDATE render SET claimed_by = %s, claimed_until = now() + interval '1 hour' "
              "WHERE place = %s", claim, place)
    return {
        "place": place, "version_id": app.version_id, "claim": claim, "engine": "x", "is_good": True,
        "is_blamed": False, "picture": webp(2), "is_whole": False, "took_us": 1, "max_age_s": 60,
        "interval_s": 60, "log": "", "problem": None, "hosts": HOSTS}


@pytest.mark.parametrize("name", ["render_store", "app_hosts_note"])
def test_the_removal_of_an_app_while_its_hosts_are_noted(world, author, app, sessions, name):
    """None of the two locks something, and then waits for the other one."""
    asking, removing, holding = sessions
    parameters = {"app_id": app.id, "hosts": HOSTS}
    if name == "render_store":
        parameters = render(world, app)
    world.sql("INSERT INTO app_host VALUES (%s, 'a.example', now() - interval '2 days')", app.id)
    holding.run("BEGIN")
    holding.run("SELECT FROM app_host WHERE app_id = %s FOR UPDATE", [app.id])
    asked = asking.begin(name, **parameters)
    removed = removing.begin("account_removal_apps", account_id=author.person.id)
    holding.run("ROLLBACK")
    assert len(asked.result()) == 1
    if removed.result() == [(0, True)]:  # it was locked, and left for later
        assert removing.begin("account_removal_apps",
                              account_id=author.person.id).result() == [(1, False)]
    assert world.sql("SELECT id FROM app WHERE id = %s", app.id) == []
    assert world.sql("SELECT host FROM app_host WHERE app_id = %s", app.id) == []


OLD = ("INSERT INTO app_host SELECT %s, n || '.old.example', now() - interval '31 days' "
       "FROM generate_series(1, %s) AS n")
NEW = "INSERT INTO app_host VALUES (%s, 'new.example', now() - interval '29 days')"


def test_hosts_are_forgotten_after_a_month(world, app):
    world.sql(NEW, app.id)
    world.sql(OLD, app.id, 250)  # more than a portion
    wait_until(lambda: world.sql("SELECT host FROM app_host WHERE app_id = %s", app.id) ==
               [("new.example",)], "what is left")


def test_hosts_of_all_apps_are_forgotten(world, author, sessions):
    """In a transaction, so that the server sees nothing of them."""
    session = sessions[0]
    session.run("BEGIN")
    session.run("DELETE FROM app_host")
    apps = [str(uuid.uuid4()) for _ in range(7)]
    for one in apps:
        session.run("INSERT INTO app (id, account_id, slug, name) VALUES (%s, %s, %s, 'App')",
                    [one, author.person.id, "a" + one])
        session.run(OLD, [one, 3])
        session.run(NEW, [one])
    [[count]] = session.run("SELECT count(*) FROM app")
    after, is_left, portions, forgotten = NOTHING, True, 0, 0
    while is_left or after != NOTHING:
        [[some, after, is_left]] = session.run(
            statement("app_hosts_forget"), {"after_id": after, "row_limit": 2})
        assert some <= 2 and is_left == (some == 2)
        forgotten += some
        portions += 1
        assert portions <= count + 3 * len(apps), (count, forgotten, some, after, is_left)
    assert forgotten == 3 * len(apps)
    left = session.run("SELECT app_id::text, host FROM app_host")
    assert sorted(left) == sorted((one, "new.example") for one in apps)
    session.run("ROLLBACK")
