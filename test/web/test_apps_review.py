"""Reviewers: the queue, the contents of a version, and decisions."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from authors import SCRIPT, Author, audited
from lists import next_target
from people import TIMESTAMP, UNKNOWN_ID, Browser, Person
from verdicts import GOOD


@pytest.fixture
def author(world):
    return Author(world, name="Ada <i>Lovelace</i>")


@pytest.fixture
def reviewer(world):
    return Person(world, is_reviewer=True, name="Grace Hopper").browser()


def decide(browser, version, status="APPROVED", **fields):
    return browser.post(f"/web/reviews/{version}", {"status": status, **fields})


@pytest.mark.parametrize("method, path, body", [
    ("GET", "", None), ("GET", f"/{UNKNOWN_ID}", None), ("GET", f"/{UNKNOWN_ID}/scripts", None),
    ("POST", f"/{UNKNOWN_ID}", {"status": "APPROVED"})])
def test_for_reviewers_only(world, author, reviewer, method, path, body):
    administrator = Person(world, is_administrator=True).browser()
    for other in (author.browser, administrator):
        other.request(method, "/web/reviews" + path, body=body).problem(403)
    Browser(world).request(method, "/web/reviews" + path, body=body).problem(401)
    if path:
        reviewer.request(method, "/web/reviews" + path, body=body).problem(404)
        reviewer.request(method, "/web/reviews" + path.replace(UNKNOWN_ID, "x"),
                         body=body).problem(404)


def test_the_queue(author, reviewer):
    first, second = author.make(name="First"), author.make(name="Second", visibility="public")
    ids = [second.submitted("0.1"), first.submitted("1.0", "x", "TYPESCRIPT")]
    queue = [entry for entry in reviewer.get("/web/reviews").ok() if entry["id"] in ids]
    assert [entry["id"] for entry in queue] == ids  # oldest first
    assert TIMESTAMP.fullmatch(queue[1].pop("createdAt"))
    assert queue[1] == {"id": ids[1], "version": "1.0", "scriptLanguage": "TYPESCRIPT",
                        "slug": first.slug, "appName": "First", "author": "Ada <i>Lovelace</i>",
                        "deployedVersion": None, "isOwn": False}
    decide(reviewer, ids[0]).ok()
    assert ids[0] not in [entry["id"] for entry in reviewer.get("/web/reviews").ok()]


def test_parts_of_the_queue(world, author, reviewer):
    submitted = [author.make().submitted() for _ in range(3)]
    found, target = [], "/web/reviews?limit=2"
    while target:
        answer = reviewer.get(target)
        found += [entry["id"] for entry in answer.ok()]
        target = next_target(target, answer)
    assert [one for one in found if one in submitted] == submitted


def test_what_is_seen(author, reviewer):
    app = author.make(description="For walls", visibility="public")
    first = app.publish(reviewer, "1.0", "one")
    version = app.submitted("2.0", SCRIPT + "# two\n")
    shown = reviewer.get(f"/web/reviews/{version}").ok()
    assert (shown["appName"], shown["description"], shown["status"], shown["deployedVersion"]) == (
        "Clock", "For walls", "PENDING", "1.0")
    assert shown["mayReview"] and not shown["isOwn"]
    assert reviewer.get(f"/web/reviews/{version}/scripts").ok() == {
        "scriptLanguage": "STARLARK", "scriptContent": SCRIPT + "# two\n", "deployedVersion": "1.0",
        "deployedVersionId": first, "deployedContent": "one"}
    decide(reviewer, version).ok()
    shown = reviewer.get(f"/web/reviews/{version}").ok()
    assert (shown["status"], shown["deployedVersion"], shown["mayReview"]) == (
        "APPROVED", "2.0", False)


@pytest.mark.parametrize("message", [
    "<script>alert(1)</script>", "\u202e\u2028 \"{'\\", "\\u0000 \U0001f642", "x" * 4000])
def test_why_a_version_cannot_run(world, author, reviewer, message):
    """The verdict is shown as it is stored, whatever it contains. Other people cannot see it."""
    app = author.make()
    version = app.submitted("1.0", "x", "TYPESCRIPT")
    problem = {"kind": "script", "message": message, "file": "app.ts", "line": 3, "column": 7}
    wanted = GOOD | {"state": "bad", "summary": f"line 3, column 7: {message}", "problem": problem}
    world.sql("UPDATE version_check SET is_bad = true, verdict = %s, checked_at = now() WHERE version_id = %s",
              json.dumps(wanted), version)
    assert reviewer.get(f"/web/reviews/{version}").ok()["check"] == wanted
    assert [told["check"] for told in app.versions()] == [wanted]
    answer = author.browser.get(app.path + "/versions?limit=1").ok()
    assert answer[0]["check"] == wanted
    assert "cannot run" in decide(reviewer, version).problem(409)["detail"]
    decide(reviewer, version, "REJECTED", reason="No").ok()
    assert app.versions()[0]["check"] == wanted


def test_approval_publishes(world, author, reviewer):
    app = author.make(visibility="public")
    owner = Person(world).browser()
    version = app.submitted()
    assert app.shown()["status"] == "pending"
    owner.get(f"/web/apps/{app.slug}").problem(404)
    done = decide(reviewer, version, summary="Good").ok()
    assert (done["id"], done["status"]) == (version, "APPROVED")
    assert app.shown()["status"] == "active" and app.shown()["version"] == "1.0"
    [shown] = app.versions()
    assert (shown["status"], shown["reviewSummary"], shown["deployed"]) == ("APPROVED", "Good", True)
    assert owner.get(f"/web/apps/{app.slug}").ok()["version"] == "1.0"


def test_comments_at_lines(author, reviewer):
    app = author.make()
    said = "<script>alert(1)</script>\nand more"
    decide(reviewer, app.submitted(), "CHANGES_REQUESTED", comments=[
        {"comment": said, "line": 2}, {"comment": "In all: fine."}]).ok()
    [shown] = app.versions()
    assert shown["status"] == "CHANGES_REQUESTED" and not shown["deployed"]
    for comment in shown["reviewComments"]:
        assert TIMESTAMP.fullmatch(comment.pop("createdAt"))
    assert shown["reviewComments"] == [
        {"author": "Grace Hopper", "comment": said, "line": 2},
        {"author": "Grace Hopper", "comment": "In all: fine.", "line": None}]
    assert app.shown()["status"] == "pending"
    assert app.submit("1.1").status == 201  # the next one


def test_rejection_has_a_reason(world, author, reviewer):
    app = author.make()
    version = app.submitted()
    assert list(decide(reviewer, version, "REJECTED").faults()) == ["/reason"]
    decide(reviewer, version, "REJECTED", reason="It is a clock again.").ok()
    [shown] = app.versions()
    assert (shown["status"], shown["rejectionReason"]) == ("REJECTED", "It is a clock again.")
    administrator = Person(world, is_administrator=True).browser()
    assert [action for action, _ in audited(administrator, app.slug)] == [
        "app.create", "version.reject"]


@pytest.mark.parametrize("fields, pointer", [
    ({"status": "PENDING"}, "/status"), ({"status": None}, "/status"), ({}, "/summary"),
    ({"summary": "x", "reason": "x"}, "/reason"), ({"summary": ""}, "/summary"), ({"summary": " \n"}, "/summary"),
    ({"summary": "x" * 4001}, "/summary"), ({"summary": "\u001b"}, "/summary"),
    ({"comments": "x"}, "/comments"), ({"comments": None}, "/comments"),
    ({"comments": [{"comment": "x"}] * 201}, "/comments"), ({"comments": ["x"]}, "/comments"),
    ({"comments": [{"line": 1}]}, "/comments"), ({"comments": [{"comment": ""}]}, "/comments"),
    ({"comments": [{"comment": "x", "line": 0}]}, "/comments"),
    ({"comments": [{"comment": "x", "line": None}]}, "/comments"),
    ({"comments": [{"comment": "x", "author": "me"}]}, "/comments")])
def test_what_is_wrong_with_a_decision(author, reviewer, fields, pointer):
    app = author.make()
    version = app.submitted()
    answer = reviewer.post(f"/web/reviews/{version}", {"status": "CHANGES_REQUESTED", **fields})
    assert list(answer.faults()) == [pointer]
    assert app.versions()[0]["status"] == "PENDING"


def test_a_fault_names_its_comment(author, reviewer):
    answer = decide(reviewer, author.make().submitted(), comments=[
        {"comment": "fine"}, {"comment": "", "line": 3}])
    assert answer.problem(400)["detail"].startswith("comments number 2: comment must have 1 to 4000")


def test_two_hundred_long_comments(author, reviewer):
    app = author.make()
    comments = [{"comment": "x" * 4000, "line": n + 1} for n in range(200)]
    decide(reviewer, app.submitted(), comments=comments).ok()
    assert len(app.versions()[0]["reviewComments"]) == 200


def test_one_decision(world, author, reviewer):
    """One decision succeeds, however many are made at once."""
    app = author.make()
    version = app.submitted()
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda n: decide(
            reviewer, version, *(["APPROVED"] if n % 2 else ["REJECTED"]),
            **({} if n % 2 else {"reason": "no"})), range(6)))
    assert sorted(answer.status for answer in answers) == [200] + [409] * 5
    status = app.versions()[0]["status"]
    assert f"it is {status}" in decide(reviewer, version).problem(409)["detail"]


def test_nobody_reviews_his_own(world, author):
    """Authors cannot review their own versions if there is another reviewer."""
    own = Author(world, is_reviewer=True)
    Person(world, is_reviewer=True)
    app = own.make()
    version = app.submitted()
    entry = next(one for one in own.browser.get("/web/reviews").ok() if one["id"] == version)
    assert entry["isOwn"]
    shown = own.browser.get(f"/web/reviews/{version}").ok()
    assert shown["isOwn"] and not shown["mayReview"]
    assert "another reviewer must decide" in decide(own.browser, version).problem(403)["detail"]
    assert app.versions()[0]["status"] == "PENDING"


def test_the_only_reviewer_does(start):
    """A single reviewer may review own apps: otherwise a server with one person could never publish. An
    account that is being removed does not count as a reviewer."""
    world = start("--rate-limit", "0")
    own = Author(world, is_reviewer=True)
    world.sql("UPDATE account SET is_reviewer = false WHERE email = 'first@example.org'")
    world.sql("INSERT INTO account (id, email, name, is_reviewer, closed_at) VALUES "
              "(gen_random_uuid(), 'gone@example.org', 'x', true, clock_timestamp() + "
              "interval '1 hour')")
    app = own.make()
    version = app.submitted()
    shown = own.browser.get(f"/web/reviews/{version}").ok()
    assert shown["isOwn"] and shown["mayReview"]
    decide(own.browser, version).ok()
    assert app.shown()["status"] == "active"


def test_a_disabled_app_stays_so(world, author, reviewer):
    app = author.make(visibility="public")
    app.publish(reviewer)
    world.server.ctl("app", "disable", app.slug)
    decide(reviewer, app.submitted("2.0")).ok()
    assert app.shown()["status"] == "disabled" and app.shown()["version"] == "2.0"
    reviewer.get(f"/web/apps/{app.slug}").problem(404)


def test_displayctl_reviews_as_well(world, author, administrator):
    app = author.make()
    app.submitted("1.0", SCRIPT)
    world.server.ctl("app", "review", app.slug, "1.0", "approve", "--author", "Charles")
    assert app.versions()[0]["status"] == "APPROVED"
    assert audited(administrator, app.slug)[-1] == ("version.approve", "displayctl")
