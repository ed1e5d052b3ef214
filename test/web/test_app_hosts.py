"""The table of hosts that apps have asked: entries written beside the removal of an app, and their removal
after a month."""

import uuid

import pytest
from lock_sessions import Session
from people import wait_until
from rendered import app, author, reviewer, statement, world_without_engines

__all__ = ["app", "author", "reviewer", "world_without_engines"]  # fixtures
HOSTS = "a.example b.example"
NOTHING = str(uuid.UUID(int=0))


@pytest.fixture
def sessions(world):
    with Session(world) as asking, Session(world) as removing, Session(world) as holding:
        yield asking, removing, holding


def test_the_removal_of_an_app_while_its_hosts_are_noted(world, author, app, sessions):
    """The removal of an app and the entry of its hosts never deadlock."""
    asking, removing, holding = sessions
    # Its versions go first.
    world.sql("UPDATE app SET is_removed = true, status = 'disabled', deployed_version_id = NULL WHERE id = %s", app.id)
    world.sql("DELETE FROM app_version WHERE app_id = %s", app.id)
    world.sql("INSERT INTO app_host VALUES (%s, 'a.example', now() - interval '2 days')", app.id)
    holding.run("BEGIN")
    holding.run("SELECT FROM app_host WHERE app_id = %s FOR UPDATE", [app.id])
    asked = asking.begin("app_hosts_note", app_id=app.id, hosts=HOSTS)
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
    """Runs in a transaction, so that the server does not see it."""
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
