"""Bytes that an account stores, as its owner and administrators see them; removal of versions by their author."""

from concurrent.futures import ThreadPoolExecutor

import devices
import images
import pytest
from authors import Author, audited
from people import UNKNOWN_ID, Person

DEFAULT = 256 * 1024 * 1024
PNG = images.text(images.png(images.noise(1)))


def reviewer_of(world):
    return Person(world, is_reviewer=True).browser()


def storage(browser):
    found = browser.get("/web/account/storage").ok()
    return found["bytes"], found["bytesAllowed"]


def deeds(administrator, target):
    return [action for action, _ in audited(administrator, target)]


def stored(app):
    """Bytes of the app by its sum, after a check that the sum matches the stored data."""
    [(summed, there)] = app.author.world.sql(
        "SELECT content_bytes, coalesce((SELECT octet_length(script_content) FROM app_draft"
        " WHERE app_id = app.id), 0) + coalesce((SELECT sum(octet_length(script_content))"
        " FROM app_version WHERE app_id = app.id), 0) FROM app WHERE id = %s", app.id)
    assert summed == there
    return summed


def test_an_administrator_sets_the_limit(world, administrator):
    person = Person(world)
    browser = person.browser()
    assert storage(browser) == (0, DEFAULT)
    device = devices.add(browser)["device"]
    browser.post(f"/web/devices/{device['id']}/push", {"image": PNG, "installationId": "a"}).ok()
    used, _ = storage(browser)
    assert used > 0
    path = f"/web/admin/accounts/{person.id}"
    changed = administrator.patch(path, {"byteLimit": used + 1}).ok()
    assert (changed["bytes"], changed["bytesAllowed"], changed["byteLimit"]) == (used, used + 1, used + 1)
    assert storage(browser) == (used, used + 1)
    told = browser.post(f"/web/devices/{device['id']}/push", {"image": PNG, "installationId": "b"}).problem(409)
    assert f"take {used} bytes, maximum {used + 1}" in str(told)
    [shown] = administrator.get(f"/web/admin/accounts?q={person.email}").ok()
    assert shown == changed
    assert deeds(administrator, person.email + ":") == ["account.limit"]
    assert administrator.patch(path, {"byteLimit": 0}).ok()["bytesAllowed"] == DEFAULT
    for faulty in (-1, 10 ** 15 + 1, 1.5, "1", None):
        assert list(administrator.patch(path, {"byteLimit": faulty}).faults()) == ["/byteLimit"]
    browser.patch(path, {"byteLimit": 5}).problem(403)
    administrator.patch(path, {"byteLimit": 5, "isReviewer": True}).ok()
    assert sorted(deeds(administrator, person.email + ":")) == [
        "account.limit", "account.limit", "account.limit", "account.roles"]


def test_drafts_replace_expired_entries(world):
    author = Author(world)
    app = author.make()
    device = author.person.device()
    body = {"image": PNG, "installationId": "n", "background": True}
    author.browser.post(f"/web/devices/{device}/push", body).ok()
    world.sql("UPDATE account SET byte_limit = 1000 WHERE id = %s", author.person.id)
    app.save("x" * 1000, 0).problem(409)
    world.sql("UPDATE installation SET expires_at = now() - interval '1 s', expires_generation = picture_generation")
    app.save("x" * 1000, 0).ok()
    assert stored(app) == 1000


def test_drafts(world):
    author = Author(world)
    app = author.make()
    world.sql("UPDATE account SET byte_limit = 1000 WHERE id = %s", author.person.id)
    app.save("x" * 900, 0).ok()
    assert stored(app) == 900
    app.save("x" * 1000, 1).ok()
    told = app.save("x" * 1001, 2).problem(409)
    assert "take 1000 bytes, maximum 1000" in str(told)
    assert app.draft()["scriptContent"] == "x" * 1000
    app.submit(script="x").problem(409)
    world.sql("UPDATE account SET byte_limit = 10 WHERE id = %s", author.person.id)
    app.save("y" * 1000, 2).ok()
    app.save("y" * 20, 3).ok()
    app.save("y" * 21, 4).problem(409)
    app.save("", 4).ok()
    app.save("y" * 10, 5).ok()
    assert stored(app) == 10
    # A draft that was changed elsewhere is reported, with and without room.
    assert "changed elsewhere" in str(app.save("z", 1).problem(409))


def test_a_version_that_its_author_removes(world, administrator):
    author, reviewer = Author(world), reviewer_of(world)
    app = author.make()
    first = app.publish(reviewer, "1.0", "x" * 100)
    second = app.publish(reviewer, "2.0", "y" * 200)
    third = app.submitted("3.0", "z" * 300)
    assert stored(app) == 600
    browser = author.browser
    told = browser.delete(f"{app.path}/versions/{second}").problem(409)
    assert "deployed" in str(told)
    assert browser.delete(f"{app.path}/versions/{first}").ok() == {}
    assert browser.delete(f"{app.path}/versions/{third}").ok() == {}
    assert [version["version"] for version in app.versions()] == ["2.0"]
    assert stored(app) == 200
    browser.delete(f"{app.path}/versions/{first}").problem(404)
    browser.delete(f"{app.path}/versions/{UNKNOWN_ID}").problem(404)
    browser.delete(f"{app.path}/versions/first").problem(404)
    # Version names are never used twice, and there is room for review again.
    app.submit("1.0").problem(409)
    assert app.submit("3.0").problem(409)
    app.submitted("4.0")
    assert deeds(administrator, f"{app.slug} 1.0") == ["version.approve", "version.remove"]
    assert third not in str(reviewer.get("/web/reviews?limit=1000").ok())
    reviewer.post(f"/web/reviews/{third}", {"status": "APPROVED"}).problem(404)


def test_what_a_version_has_rendered_goes_in_portions(world):
    author, reviewer = Author(world), reviewer_of(world)
    app = author.make()
    version = app.publish(reviewer, "1.0")
    app.publish(reviewer, "2.0")
    world.sql("INSERT INTO render (place, version_id) SELECT sha256(n::text::bytea), %s "
              "FROM generate_series(1, 2500) AS n", version)
    world.sql("CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
              "IF (SELECT count(*) FROM gone) > 1000 THEN RAISE 'too many'; END IF; RETURN NULL; END $$")
    world.sql("CREATE TRIGGER few AFTER DELETE ON render REFERENCING OLD TABLE AS gone "
              "FOR EACH STATEMENT EXECUTE FUNCTION few()")
    try:
        author.browser.delete(f"{app.path}/versions/{version}").ok()
    finally:
        world.sql("DROP FUNCTION few() CASCADE")
    assert [shown["version"] for shown in app.versions()] == ["2.0"]


def test_only_its_author_removes_a_version(world):
    author, other = Author(world), Author(world)
    app, another = author.make(visibility="public"), other.make()
    reviewer = reviewer_of(world)
    app.publish(reviewer)
    version = app.submitted("2.0")
    other.browser.delete(f"{app.path}/versions/{version}").problem(403)
    other.browser.delete(f"{another.path}/versions/{version}").problem(404)
    assert len(app.versions()) == 2


def test_an_app_without_versions_is_a_draft_again(world):
    author = Author(world)
    app = author.make()
    version = app.submitted()
    assert app.shown()["status"] == "pending"
    author.browser.delete(f"{app.path}/versions/{version}").ok()
    assert app.shown()["status"] == "draft"
    app.submitted("2.0")
    assert app.shown()["status"] == "pending"


@pytest.mark.parametrize("_", range(3))
def test_two_at_once(world, _):
    """A review, a deploy or an upload runs beside the removal: one of both succeeds, and the sum is right."""
    author, reviewer = Author(world), reviewer_of(world)
    app = author.make()
    app.publish(reviewer, "1.0", "x" * 10)
    second = app.publish(reviewer, "2.0", "x" * 20)
    app.author.browser.post(app.path + "/deploy", {"version": "1.0"}).ok()
    third = app.submitted("3.0", "x" * 30)
    asks = (lambda: author.browser.delete(f"{app.path}/versions/{second}"),
            lambda: author.browser.post(app.path + "/deploy", {"version": "2.0"}),
            lambda: author.browser.delete(f"{app.path}/versions/{third}"),
            lambda: reviewer.post(f"/web/reviews/{third}", {"status": "APPROVED"}),
            lambda: app.submit("2.0"))
    with ThreadPoolExecutor(len(asks)) as pool:
        answers = list(pool.map(lambda ask: ask().status, asks))
    assert answers[4] == 409
    names = {version["version"]: version["deployed"] for version in app.versions()}
    assert ("2.0" in names) == (answers[0] != 200) and ("3.0" in names) == (answers[2] != 200)
    assert list(names.values()).count(True) == 1
    assert {answer in (200, 404, 409) for answer in answers} == {True}
    stored(app)


def test_apps_that_somebody_inherits(world):
    """Inherited apps do not count for the successor."""
    author, heir = Author(world), Author(world)
    app = author.make(visibility="public")
    app.publish(reviewer_of(world), "1.0", "def main():\n    return None\n" + "#" * 1000)
    world.sql("UPDATE app SET account_id = %s WHERE id = %s", heir.person.id, app.id)
    assert storage(heir.browser)[0] == 0
