"""Authors: apps, drafts, versions and deployments."""

import hashlib
import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest
from authors import SCRIPT, Author, audited
from events import Events
from lists import next_target
from people import TIMESTAMP, UNKNOWN_ID, Browser, Person
from verdicts import GOOD, can_run


@pytest.fixture
def author(world):
    return Author(world)


@pytest.fixture
def reviewer(world):
    return Person(world, is_reviewer=True).browser()


ENDPOINTS = [("GET", "", None), ("PATCH", "", {"name": "x"}), ("GET", "/draft", None),
             ("PUT", "/draft", {"scriptContent": "", "scriptLanguage": "STARLARK", "revision": 0}),
             ("GET", "/versions", None), ("GET", f"/versions/{UNKNOWN_ID}/script", None),
             ("POST", "/versions", {"version": "1", "scriptContent": "x",
                                    "scriptLanguage": "STARLARK"}),
             ("POST", "/deploy", {"version": "1"})]


@pytest.mark.parametrize("method, path, body", ENDPOINTS)
def test_for_its_author_only(world, author, reviewer, method, path, body):
    """Reviewers and administrators cannot see it either; the answer is the same as for a missing app."""
    app = author.make(visibility="public")
    administrator = Person(world, is_administrator=True).browser()
    for stranger in (reviewer, administrator):
        stranger.request(method, app.path + path, body=body).problem(403)
        stranger.request(method, "/web/studio/nothing" + path, body=body).problem(404)
    Browser(world).request(method, app.path + path, body=body).problem(401)
    assert app.shown()["name"] == "Clock" and app.draft()["revision"] == 0


def test_make(world, author):
    answer = author.browser.post("/web/studio", {
        "slug": "a-clock", "name": "<b>Uhr</b> \U0001f570", "description": "The time,\nbig"})
    assert answer.status == 201
    app = answer.json()
    assert TIMESTAMP.fullmatch(app["createdAt"])
    assert {name: app[name] for name in app if name not in ("id", "createdAt")} == {
        "slug": "a-clock", "name": "<b>Uhr</b> \U0001f570", "description": "The time,\nbig",
        "visibility": "private", "status": "draft", "version": None, "pendingVersion": None}
    assert author.browser.get("/web/studio").ok() == [app]
    assert author.browser.get("/web/studio/a-clock").ok() == app
    assert author.browser.get(f"/web/studio/{app['id']}").ok() == app
    problem = author.browser.post("/web/studio", {"slug": "a-clock", "name": "x"}).problem(409)
    assert problem["detail"] == "there is an app with this slug already"
    administrator = Person(world, is_administrator=True).browser()
    assert audited(administrator, "a-clock") == [("app.create", author.person.email)]


def test_slugs_are_an_account_s_own(world):
    """Slugs belong to an account until its apps are public: then all accounts share them."""
    slug = f"own-{secrets.token_hex(4)}"
    first, second = Author(world), Author(world)
    made = [author.browser.post("/web/studio", {"slug": slug, "name": name}).json()["id"]
            for author, name in ((first, "One"), (second, "Two"))]
    for author, app in zip((first, second), made):
        assert author.browser.get(f"/web/studio/{slug}").ok()["id"] == app
    first.browser.patch(f"/web/studio/{slug}", {"visibility": "public"}).ok()
    problem = second.browser.patch(f"/web/studio/{slug}", {"visibility": "public"}).problem(409)
    assert problem["detail"] == "there is an app with this slug already"
    assert second.browser.get(f"/web/studio/{slug}").ok()["id"] == made[1]
    third = Author(world)
    assert third.browser.get(f"/web/studio/{slug}").status == 403  # the public app of another account
    third.browser.post("/web/studio", {"slug": slug, "name": "x", "visibility": "public"}).problem(409)


@pytest.mark.parametrize("fields, pointer", [
    ({"slug": ""}, "/slug"), ({"slug": "-a"}, "/slug"), ({"slug": "a-"}, "/slug"),
    ({"slug": "A"}, "/slug"), ({"slug": "a" * 65}, "/slug"), ({"slug": UNKNOWN_ID}, "/slug"),
    ({"name": ""}, "/name"), ({"name": " "}, "/name"), ({"name": "x" * 101}, "/name"),
    ({"description": "x" * 501}, "/description"), ({"description": "\u001b"}, "/description"),
    ({"visibility": "legacy"}, "/visibility"), ({"visibility": None}, "/visibility"),
    ({"status": "active"}, "/status")])
def test_what_is_wrong_with_a_new_app(author, fields, pointer):
    answer = author.browser.post("/web/studio", {"slug": "never-made", "name": "x", **fields})
    assert list(answer.faults()) == [pointer]
    assert author.browser.get("/web/studio").ok() == []


def test_change(author):
    app = author.make()
    for change in ({"name": "Big clock"}, {"description": "For walls"}, {"visibility": "public"},
                   {"description": "", "visibility": "private"}):
        shown = author.browser.patch(app.path, change).ok()
        assert {name: shown[name] for name in change} == change
        assert app.shown() == shown
    author.browser.patch(app.path, {}).problem(400)
    assert list(author.browser.patch(app.path, {"slug": "other"}).faults()) == ["/slug"]


def test_at_most_five_thousand(world, author):
    """Only apps that an account makes count. An app inherited from another account never blocks the removal
    of that account."""
    app = author.make()
    world.sql("UPDATE account SET app_count = 5000 WHERE id = %s", author.person.id)
    problem = author.browser.post("/web/studio", {"slug": "one-more", "name": "x"}).problem(409)
    assert "5000" in problem["detail"]
    other = Author(world).make()
    world.sql("UPDATE app SET account_id = %s WHERE id = %s", author.person.id, other.id)
    assert len(author.browser.get("/web/studio").ok()) == 2
    world.sql("DELETE FROM app WHERE id = %s", app.id)
    assert author.browser.post("/web/studio", {"slug": "one-more", "name": "x"}).status == 201


def test_a_draft_changes_no_version(author):
    app = author.make()
    assert app.draft() == {"scriptLanguage": "STARLARK", "scriptContent": "", "revision": 0,
                           "updatedAt": None}
    app.submitted("1.0", SCRIPT)
    saved = app.save("export default 1", 0, "TYPESCRIPT").ok()
    assert saved["revision"] == 1 and TIMESTAMP.fullmatch(saved["updatedAt"])
    assert app.draft() == {"scriptLanguage": "TYPESCRIPT", "scriptContent": "export default 1",
                           **saved}
    [version] = app.versions()
    script = author.browser.get(f"{app.path}/versions/{version['id']}/script").ok()
    assert script == {"version": "1.0", "scriptLanguage": "STARLARK", "scriptContent": SCRIPT}
    # An empty draft is a draft.
    assert app.save("", 1).ok()["revision"] == 2
    assert app.draft()["scriptContent"] == ""


def test_a_version_becomes_the_draft(author):
    app = author.make()
    app.submitted("1.0", SCRIPT)
    world, key = author.world, author.key()

    def take(version, of=app.slug, by=key):
        return world.request("POST", f"/v1/apps/{of}/versions/{version}/draft", key=by)

    with Events(author.browser) as page:
        assert take("1.0").ok()["revision"] == 1
        page.topic(f"draft:{app.slug}:1")
    assert app.draft()["scriptContent"] == SCRIPT
    app.save("export default 1", 1, "TYPESCRIPT").ok()
    saved = take("1.0", of=app.id).ok()
    assert app.draft() == {"scriptLanguage": "STARLARK", "scriptContent": SCRIPT, **saved} and saved["revision"] == 3
    # A window with an older text does not overwrite it.
    app.save("late", 2).problem(409)
    assert take("2.0").problem(404)["code"] == "version_not_found"
    other = Author(world)
    assert take("1.0", of=app.id, by=other.key()).status in (403, 404)
    assert app.draft()["revision"] == 3
    world.sql("UPDATE account SET byte_limit = 1 WHERE id = %s", author.person.id)
    assert take("1.0").status == 200  # it grows by nothing
    app.save("", 4).ok()
    assert take("1.0").problem(409)["code"] == "bytes_too_many"
    assert app.draft()["scriptContent"] == ""


def test_two_windows_do_not_overwrite_each_other(author):
    app = author.make()
    assert app.save("first", 0).ok()["revision"] == 1
    for revision in (0, 2):
        assert "changed elsewhere" in app.save("late", revision).problem(409)["detail"]
    assert app.draft()["scriptContent"] == "first"
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda n: app.save(f"window {n}", 1).status, range(8)))
    assert sorted(statuses) == [200] + [409] * 7
    assert app.draft()["revision"] == 2


def test_racing_first_drafts(author):
    app = author.make()
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda n: app.save(f"window {n}", 0).status, range(8)))
    assert sorted(statuses) == [200] + [409] * 7


def test_size_of_a_draft(author):
    app = author.make()
    assert app.save("\u00e9" * 500_000, 0).status == 200
    assert list(app.save("x" * 1_000_001, 1).faults()) == ["/scriptContent"]
    assert list(app.save("x", -1).faults()) == ["/revision"]
    assert list(app.save("x", 1, "PYTHON").faults()) == ["/scriptLanguage"]
    assert app.draft()["revision"] == 1


def test_submit_and_deploy(world, author, reviewer):
    """The rules are those of the public API: test_apps.py of test/api tests them in full."""
    app = author.make(visibility="public")
    first = app.publish(reviewer, "1.0", "one")
    app.publish(reviewer, "2.0", "two")
    assert [(entry["version"], entry["status"], entry["deployed"]) for entry in app.versions()] == [
        ("2.0", "APPROVED", True), ("1.0", "APPROVED", False)]
    assert app.versions()[0]["checksum"] == "sha256:" + hashlib.sha256(b"STARLARK\ntwo").hexdigest()
    shown = author.browser.post(app.path + "/deploy", {"version": "1.0"}).ok()
    assert shown["id"] == first and shown["deployed"]
    assert app.shown()["version"] == "1.0"
    assert author.browser.post(app.path + "/deploy", {"version": "1.0"}).status == 200
    author.browser.post(app.path + "/deploy", {"version": "3.0"}).problem(404)
    app.submitted("3.0")
    assert app.shown()["pendingVersion"] == "3.0"
    author.browser.post(app.path + "/deploy", {"version": "3.0"}).problem(409)
    assert "version 3.0 of the app awaits review" in app.submit("4.0").problem(409)["detail"]
    assert app.shown()["version"] == "1.0"
    # Deploying the deployed version adds no audit entry.
    administrator = Person(world, is_administrator=True).browser()
    assert [action for action, _ in audited(administrator, app.slug)] == [
        "app.create", "version.approve", "version.approve", "app.deploy"]
    assert audited(administrator, app.slug + " 1.0")[-1] == ("app.deploy", author.person.email)


def test_the_api_sees_what_the_pages_do(world, author, reviewer):
    app = author.make()
    app.submitted("1.0", "one")
    key = author.person.key()
    [version] = world.get(f"/v1/apps/{app.slug}/versions", key=key).json()
    can_run(world.sql, app.id, "1.0")
    assert version | {"check": GOOD} == app.versions()[0]
    reviewer.post(f"/web/reviews/{version['id']}", {"status": "APPROVED"}).ok()
    assert (app.id, "1.0") in [(listed["id"], listed["version"])
                               for listed in world.get("/v1/apps", key=key).json()]
    answer = world.request("POST", f"/v1/apps/{app.slug}/deploy", body={"version": "1.0"}, key=key)
    assert answer.status == 200
    assert answer.json() | {"check": GOOD} == app.versions()[0]


def test_deploys_by_key_are_in_the_log(world, author, reviewer):
    app = author.make()
    app.publish(reviewer, "1.0", "one")
    app.publish(reviewer, "2.0", "two")
    assert world.request("POST", f"/v1/apps/{app.slug}/deploy", body={"version": "1.0"},
                         key=author.person.key()).status == 200
    administrator = Person(world, is_administrator=True).browser()
    assert audited(administrator, app.slug)[-1] == ("app.deploy", author.person.email)


def test_scripts_of_others_are_not_found(world, author):
    mine, other = author.make(), Author(world).make()
    version = other.submitted()
    for name in (version, UNKNOWN_ID, "1.0"):
        author.browser.get(f"{mine.path}/versions/{name}/script").problem(404)


def test_parts(world, author):
    world.sql("INSERT INTO app (id, account_id, slug, name) SELECT gen_random_uuid(), %s, "
              "'part-' || left(%s, 8) || n, n::text FROM generate_series(1, 130) AS n",
              author.person.id, author.person.id)
    everything = author.browser.get("/web/studio").ok()
    assert len(everything) == 130
    target = "/web/studio?limit=100"
    answer = author.browser.get(target)
    assert answer.ok() == everything[:100]
    rest = author.browser.get(next_target(target, answer))
    assert rest.ok() == everything[100:] and "Link" not in rest
