"""States of versions and apps: reviews, publication, and constraints of the database that hold for every
caller and parallel change."""

import concurrent.futures

import psycopg2
import pytest
from apps import DECISIONS, make_app
from world import TIMESTAMP, wait_until

from server import CtlError


@pytest.fixture
def app(account):
    return make_app(account)


@pytest.fixture
def background():
    with concurrent.futures.ThreadPoolExecutor() as pool:
        yield pool


class Transaction:
    """A transaction that stays open while others meet it."""

    def __init__(self, world):
        self.world = world
        self.connection = psycopg2.connect(world.database)

    def __call__(self, statement, *values):
        with self.connection.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else None

    def wait_for_others(self, count=1):
        """Waits until this many transactions wait for this one or for each other."""
        wait_until(lambda: self.world.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND wait_event_type = 'Lock'")[0][0] >= count, "somebody who waits")

    def commit(self):
        self.connection.commit()
        self.connection.close()


@pytest.fixture
def transaction(world):
    held = Transaction(world)
    yield held
    held.connection.close()


# ---- reviews ----

def test_approval_publishes_at_once(app):
    fresh = app.uploaded()
    reviewed = app.review()
    assert reviewed == {"id": fresh["id"], "version": "1.0", "status": "APPROVED",
                        "reviewedAt": reviewed["reviewedAt"]}
    assert TIMESTAMP.fullmatch(reviewed["reviewedAt"])
    assert app.versions() == [{**fresh, "status": "APPROVED", "deployed": True,
                               "reviewedAt": reviewed["reviewedAt"]}]
    assert app.status() == "active"


def test_approval_with_remarks(app):
    app.uploaded()
    app.review("1.0", "approve", "--summary", "Fine \u2028 \U0001f4a1", "--comment", "Nice")
    version = app.version()
    assert version["reviewSummary"] == "Fine \u2028 \U0001f4a1"
    assert version["rejectionReason"] is None
    assert [entry["comment"] for entry in version["reviewComments"]] == ["Nice"]


def test_rejection(app):
    app.published("1")
    fresh = app.uploaded("2")
    reviewed = app.review("2", "reject", "--reason", "It \"crashes\"\n\\", "--summary", "No")
    assert reviewed["status"] == "REJECTED"
    assert app.version("2") == {**fresh, "status": "REJECTED", "reviewSummary": "No",
                                "rejectionReason": "It \"crashes\"\n\\",
                                "reviewedAt": reviewed["reviewedAt"]}
    assert app.deployed() == ["1"]


def test_rejection_always_has_a_reason(app):
    app.uploaded()
    app.review("1.0", "reject")
    assert app.version()["rejectionReason"]


def test_request_for_changes(app):
    fresh = app.uploaded()
    app.review("1.0", "request-changes", "--summary", "Nearly", "--author", "Zo\u00eb",
               "--comment", "Name it", "--line", "12", "--comment=\"Tabs\", 2\u00d7\t\n\u2029",
               "--comment", "Last", "--line=2147483647")
    version = app.version()
    assert version["status"] == "CHANGES_REQUESTED"
    assert version["rejectionReason"] is None and version["reviewSummary"] == "Nearly"
    for entry in version["reviewComments"]:
        assert set(entry) == {"author", "comment", "line", "createdAt"}
        assert TIMESTAMP.fullmatch(entry["createdAt"])
        assert entry["author"] == "Zo\u00eb"
    assert [(entry["comment"], entry["line"]) for entry in version["reviewComments"]] == [
        ("Name it", 12), ("\"Tabs\", 2\u00d7\t\n\u2029", None), ("Last", 2147483647)]
    assert {name for name in fresh if fresh[name] != version[name]} == {
        "status", "reviewedAt", "reviewSummary", "reviewComments"}


@pytest.mark.parametrize("decision", DECISIONS)
def test_no_outcome_stands_before_the_next_upload(app, decision):
    app.uploaded("1")
    app.upload("2").problem(409)
    app.review("1", decision)
    assert app.uploaded("2")["status"] == "PENDING"
    assert app.names() == ["2", "1"]


@pytest.mark.parametrize("first", DECISIONS)
@pytest.mark.parametrize("second", DECISIONS)
def test_version_is_reviewed_once(app, first, second):
    app.uploaded()
    app.review("1.0", first)
    before = app.versions()
    with pytest.raises(CtlError, match=f"is not awaiting review: it is {DECISIONS[first]}") as caught:
        app.review("1.0", second, "--comment", "Again")
    assert caught.value.code == 4
    assert app.versions() == before


def test_version_whose_name_looks_like_a_flag(world, app):
    """Such a name must not block the app."""
    for name in ("-1", "--yes", "--json", "--"):
        app.uploaded(name)
        reviewed = world.server.ctl("app", "review", "--summary", "x", "--", app.slug, name,
                                    "approve")
        assert (reviewed["version"], reviewed["status"]) == (name, "APPROVED")


# ---- the app's own state ----

def test_first_submission_makes_an_app_pending(app):
    assert app.status() == "draft" and not app.is_listed()
    app.upload("a b").problem(400)
    assert app.status() == "draft"
    app.uploaded("1")
    assert app.status() == "pending" and not app.is_listed()
    for number, decision in enumerate(("reject", "request-changes")):
        app.review(str(number + 1), decision)
        assert app.status() == "pending" and not app.is_listed() and app.deployed() == []
        app.uploaded(str(number + 2))
    app.review("3")
    assert app.status() == "active" and app.is_listed() and app.deployed() == ["3"]


@pytest.mark.parametrize("decision", DECISIONS)
def test_active_app_stays_live_during_a_review(app, decision):
    app.published("1")
    app.uploaded("2")
    assert app.status() == "active" and app.is_listed() and app.deployed() == ["1"]
    app.review("2", decision)
    assert app.status() == "active" and app.is_listed()
    assert app.deployed() == ["2" if decision == "approve" else "1"]


def test_approval_after_a_rollback_publishes_again(app):
    app.published("1").published("2")
    app.deploy("1").ok()
    app.uploaded("3")
    assert app.deployed() == ["1"]
    app.review("3")
    assert app.deployed() == ["3"]
    assert app.deploy("2").ok()["deployed"] is True
    assert app.deployed() == ["2"]


@pytest.mark.parametrize("versions, status", [
    ([], "draft"), ([("1", None)], "pending"), ([("1", "reject")], "pending"),
    ([("1", "approve")], "active"), ([("1", "approve"), ("2", "reject")], "active")])
def test_enabling_returns_the_state_before(world, app, versions, status):
    for version, decision in versions:
        app.uploaded(version)
        if decision:
            app.review(version, decision)
    assert app.status() == status
    for _ in range(2):
        assert world.server.ctl("app", "disable", app.id)["status"] == "disabled"
        assert not app.is_listed()
    for _ in range(2):
        assert world.server.ctl("app", "enable", app.id)["status"] == status
        assert app.is_listed() == (status == "active")


@pytest.mark.parametrize("decision, status", [
    (None, "pending"), ("reject", "pending"), ("approve", "active")])
def test_work_while_disabled_counts_once_enabled(world, app, decision, status):
    world.server.ctl("app", "disable", app.slug)
    app.uploaded("1")
    if decision:
        app.review("1", decision)
    assert app.status() == "disabled" and not app.is_listed()
    assert world.server.ctl("app", "enable", app.slug)["status"] == status
    assert app.status() == status


# ---- what the database lets nobody do ----

SNAPSHOT = ["id = gen_random_uuid()", "app_id = gen_random_uuid()", "name = 'x'",
            "script_language = 'TYPESCRIPT'", "script_content = script_content || ' '",
            "checksum = 'sha256:0'", "created_at = created_at - interval '1 ms'"]


@pytest.mark.parametrize("change", SNAPSHOT)
@pytest.mark.parametrize("decision", [None, "approve", "reject"])
def test_snapshot_never_changes(world, app, change, decision):
    app.uploaded()
    if decision:
        app.review("1.0", decision)
    before = app.versions()
    for role in ("origin", "replica", "local"):
        with pytest.raises(psycopg2.errors.IntegrityConstraintViolation):
            world.sql(f"BEGIN; SET LOCAL session_replication_role = {role}; "
                      f"UPDATE app_version SET {change} WHERE app_id = '{app.id}'; COMMIT")
        world.sql("ROLLBACK")
    assert app.versions() == before


def test_order_of_submission_never_changes(world, app):
    app.uploaded()
    with pytest.raises(psycopg2.Error):
        world.sql("UPDATE app_version SET sequence = DEFAULT WHERE app_id = %s", app.id)


@pytest.mark.parametrize("change", ["status = 'PENDING', reviewed_at = NULL", "status = 'APPROVED'",
                                    "review_summary = 'x'", "reviewed_at = now()"])
def test_review_never_changes(world, app, change):
    app.uploaded()
    app.review("1.0", "request-changes")
    with pytest.raises(psycopg2.errors.IntegrityConstraintViolation):
        world.sql(f"UPDATE app_version SET {change} WHERE app_id = %s", app.id)


def test_version_cannot_be_removed(world, app):
    app.uploaded()
    for statement in ("DELETE FROM app_version WHERE app_id = %s",
                      "TRUNCATE app_version CASCADE -- %s",
                      "SET LOCAL session_replication_role = replica; "
                      "DELETE FROM app_version WHERE app_id = %s",
                      "SET LOCAL session_replication_role = replica; "
                      "TRUNCATE app_version CASCADE -- %s"):
        with pytest.raises(psycopg2.errors.IntegrityConstraintViolation):
            world.sql("BEGIN; " + statement + "\n; COMMIT", app.id)
        world.sql("ROLLBACK")
    assert app.names() == ["1.0"]
    # It is removed with its app.
    world.sql("DELETE FROM app WHERE id = %s", app.id)
    assert world.sql("SELECT count(*) FROM app_version WHERE app_id = %s", app.id) == [(0,)]


@pytest.mark.parametrize("statement", [
    # Only an approved version of the same app is deployed.
    "UPDATE app SET deployed_version_id = v.id FROM app_version v WHERE app.id = '{app}' "
    "AND v.app_id = app.id AND v.status = 'PENDING'",
    "UPDATE app SET deployed_version_id = v.id FROM app_version v WHERE app.id = '{app}' "
    "AND v.app_id = '{other}'",
    "UPDATE app SET deployed_version_id = gen_random_uuid() WHERE id = '{app}'",
    # A single version awaits review, and names are used once.
    "INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum) "
    "VALUES (gen_random_uuid(), '{app}', '3', 'STARLARK', 'x', '')",
    "INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, "
    "reviewed_at) VALUES (gen_random_uuid(), '{app}', '1', 'STARLARK', 'x', '', 'REJECTED', now())",
    # The state of an app matches its versions.
    "UPDATE app SET status = 'draft' WHERE id = '{app}'",
    "UPDATE app SET deployed_version_id = NULL WHERE id = '{app}'",
    "UPDATE app SET status = 'gone' WHERE id = '{app}'",
    "UPDATE app SET visibility = 'hidden' WHERE id = '{app}'",
])
def test_constraints(world, app, statement):
    app.published("1")
    app.uploaded("2")
    other = make_app(app.account).published("1")
    with pytest.raises(psycopg2.errors.IntegrityError):
        world.sql(statement.format(app=app.id, other=other.id))
    assert app.names() == ["2", "1"] and app.deployed() == ["1"]


# ---- those who meet ----

def test_review_that_comes_second_says_what_the_first_decided(transaction, background, app):
    app.uploaded()
    transaction("UPDATE app_version SET status = 'REJECTED', reviewed_at = clock_timestamp() "
                "WHERE app_id = %s", app.id)
    second = background.submit(app.review)
    transaction.wait_for_others()
    transaction.commit()
    with pytest.raises(CtlError, match="it is REJECTED"):
        second.result()
    assert app.version()["status"] == "REJECTED" and app.status() == "pending"


def test_upload_beside_enabling(world, transaction, background, app):
    """An app with a submission is not a draft, whichever transaction ends first."""
    world.server.ctl("app", "disable", app.slug)
    transaction("SELECT FROM app WHERE id = %s FOR UPDATE", app.id)
    enabled = background.submit(world.server.ctl, "app", "enable", app.slug)
    transaction.wait_for_others()
    uploaded = background.submit(app.upload)
    wait_until(lambda: uploaded.done() or world.sql(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
        "AND datname = current_database()")[0][0] >= 2, "an upload that is done or waits")
    transaction.commit()
    enabled.result()
    assert uploaded.result().status == 201
    assert app.status() == "pending"


@pytest.mark.parametrize("what", ["upload", "deploy"])
def test_app_that_goes_meanwhile(transaction, background, app, what):
    app.published("1")
    transaction("DELETE FROM app WHERE id = %s", app.id)
    answer = background.submit(app.upload, "2") if what == "upload" else background.submit(
        app.deploy, "1")
    transaction.wait_for_others()
    transaction.commit()
    answer.result().problem(404)


def test_device_that_goes_meanwhile(transaction, background, account):
    device = account.device()
    transaction("DELETE FROM device WHERE id = %s", device.id)
    answers = [background.submit(account.request, "PATCH", device.path, body={"volume": 1}),
               background.submit(device.push), background.submit(device.push, installationId="x")]
    transaction.wait_for_others()
    transaction.commit()
    for answer in answers:
        answer.result().problem(404)
