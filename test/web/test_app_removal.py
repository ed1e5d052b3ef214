"""An app whose account is being removed: once marked, it cannot be used, and its versions are removed."""

import psycopg2
import pytest
from authors import Author
from events import Events
from lock_sessions import Session
from people import Person
from rendered import author, reviewer, statement, world_without_engines
from server import CtlError

__all__ = ["author", "reviewer", "world_without_engines"]  # fixtures


@pytest.fixture
def session(world):
    with Session(world) as one:
        yield one


def mark(session, author):
    marked = session.run(statement("account_removal_mark_apps"),
                         {"account_id": author.person.id, "row_limit": 10})
    assert marked[0][1] is False


def test_a_marked_app_is_not_there(world, author, reviewer, session):
    app = author.make(visibility="public")
    app.publish(reviewer)
    waiting = app.submitted("2.0")
    key = author.person.key()
    with Events(reviewer) as of_reviews, Events(author.browser) as of_apps:
        mark(session, author)
        of_reviews.topic("reviews")
        of_apps.topic("apps")

    for path in ("", "/versions", "/draft"):
        author.browser.get(app.path + path).problem(404)
    app.submit("3.0").problem(404)
    for path in ("versions", "versions/1.0"):
        world.get(f"/v1/apps/{app.slug}/{path}", key=key).problem(404)
    body = {"version": "3.0", "scriptContent": "x", "scriptLanguage": "STARLARK"}
    world.request("POST", f"/v1/apps/{app.slug}/upload", body=body, key=key).problem(404)
    world.request("POST", f"/v1/apps/{app.slug}/deploy", body={"version": "1.0"},
                  key=key).problem(404)

    assert waiting not in [entry["id"] for entry in reviewer.get("/web/reviews").ok()]
    assert waiting not in [entry["id"] for entry in reviewer.get("/web/reviews?limit=100").ok()]
    reviewer.get(f"/web/reviews/{waiting}").problem(404)
    reviewer.post(f"/web/reviews/{waiting}", {"status": "APPROVED"}).problem(404)
    assert app.slug not in str(author.person.browser().get("/web/apps").ok())
    assert app.slug not in str(world.server.ctl("app", "list"))
    with pytest.raises(CtlError):
        world.server.ctl("app", "show", app.slug)
    assert author.browser.get("/web/account/removal").ok()["keptApps"] == 0


def test_an_app_with_versions_waits_for_its_portions(author, reviewer, session):
    """An app that is marked while others of its account are removed keeps its rows for later portions."""
    author.make(visibility="public").publish(reviewer)
    mark(session, author)
    assert session.run(statement("account_removal_apps"), {"account_id": author.person.id}) == [(0, True)]
    assert author.browser.get("/web/studio").ok() == []


def test_a_marked_app_is_not_given_away(world, author, reviewer, session):
    """A marked app has no successor, neither by an instance that knows of the mark nor by an older one."""
    app = author.make(visibility="public")
    app.publish(reviewer)
    other = Person(world)
    other.device()
    world.sql("INSERT INTO installation (device_id, id, app_id, position) "
              "SELECT id, 'x', %s, 1 FROM device WHERE account_id = %s", app.id, other.id)
    mark(session, author)
    session.run("BEGIN")
    session.run("UPDATE account SET closed_at = now() - interval '1 year' WHERE id = %s",
                [author.person.id])
    session.run(statement("account_closed_next"))
    assert session.run("SELECT account_id::text FROM app WHERE id = %s", [app.id]) == [
        (author.person.id,)]
    with pytest.raises(psycopg2.IntegrityError) as caught:
        session.run("UPDATE app SET account_id = %s WHERE id = %s", [other.id, app.id])
    assert caught.value.diag.constraint_name == "app_removal_final"
    session.run("ROLLBACK")


KEEP = {"locale": "zz", "engine": "x", "schema": "{}", "hosts": "", "account_id": None}
FAIL = {"locale": "zz", "reach": 0, "engine": "x", "kind": 1, "message": "", "file": "", "line": 0,
        "column": 0}


@pytest.mark.parametrize("name, table, parameters", [
    ("app_schema_keep", "app_schema (version_id, locale, engine, schema) SELECT %s, n::text, '', ''",
     KEEP),
    ("app_schema_fail", 'app_schema_failure (version_id, locale, reach, engine, kind, message, file, '
     'line, "column") SELECT %s, n::text, 0, \'\', 1, \'\', \'\', 0, 0', FAIL)])
def test_versions_go_while_their_schemas_are_kept(world, reviewer, name, table, parameters):
    """The removal of versions and the storing of their forms never deadlock."""
    author = Author(world)
    app = author.make()
    version = app.publish(reviewer)
    world.sql(f"INSERT INTO {table} FROM generate_series(1, 20) AS n", version)
    with Session(world) as asking, Session(world) as removing, Session(world) as holding:
        mark(holding, author)
        holding.run("BEGIN")
        holding.run(f"SELECT FROM {table.split()[0]} WHERE version_id = %s FOR UPDATE", [version])
        asked = asking.begin(name, version_id=version, **parameters)
        portion = {"account_id": author.person.id, "row_limit": 10}
        removed = removing.begin("account_removal_versions", **portion)
        holding.run("ROLLBACK")
        assert asked.result() in ([], [(version,)])
        if removed.result() == [(0, True)]:  # it was locked, and left for later
            assert removing.begin("account_removal_versions", **portion).result() == [(1, False)]
    assert world.sql("SELECT id FROM app_version WHERE id = %s", version) == []


def test_large_schemas_go_in_portions(world, author, reviewer, session):
    app = author.make()
    version = app.publish(reviewer)
    world.sql("INSERT INTO app_schema (version_id, locale, engine, schema) "
              "SELECT %s, n::text, '', repeat('x', 1000) FROM generate_series(1, 15) AS n", version)
    mark(session, author)
    portion = {"account_id": author.person.id, "row_limit": 10}
    assert session.run(statement("account_removal_schemas"), portion) == [(10, True)]
    assert session.run(statement("account_removal_schemas"), portion) == [(5, False)]
    assert session.run(statement("account_removal_versions"), portion) == [(1, False)]
