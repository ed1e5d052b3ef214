"""Apps on panels that fail, or whose server fails: which picture stays, and when the next try is."""

import json
import os

import pytest
from devices import panel_of, path_of, poll_answer
from people import UNKNOWN_ID, Person, wait_until
from rendered import (GREEN, HEAD, RED, author, installed, make_due, published, rendered, reviewer, script, seen)

import images

__all__ = ["author", "reviewer"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no engine is built")

BROKEN = HEAD + 'def main():\n    print("before")\n    fail("it is broken")\n'
ENDLESS = HEAD + 'def main():\n    for _ in range(1 << 40):\n        pass\n'
# Uses all the memory that it can get.
GREEDY = 'def main():\n    x = [0]\n    for _ in range(1 << 40):\n        x = x + x\n    return []\n'


def test_a_failing_version_takes_no_picture_away(world, author, reviewer, browser):
    app = published(author, reviewer, script("#f00"))
    made = installed(browser, app)
    with panel_of(world, made) as panel:
        seen(panel, RED)
        app.publish(reviewer, "2.0", BROKEN)

        def failed():
            return [row for row in rendered(world, app, "problem, log, failures") if row[0]]

        [(problem, log, failures)] = wait_until(failed, "the problem")
        problem = json.loads(problem)
        assert problem["kind"] == "script" and "it is broken" in problem["message"]
        assert problem["line"] == 5 and "before" in log and failures == 0
    assert images.frames_of(poll_answer(world, made["link"]).body) == \
        images.frames_of(images.webp(images.solid(RED)))


def test_three_crashes_pause_it(world, author, reviewer, browser):
    app = published(author, reviewer, GREEDY)
    made = installed(browser, app)
    for count in (1, 2, 3):
        with panel_of(world, made):
            wait_until(lambda: rendered(world, app, "failures") == [(count,)], f"failure {count}")
        [(problem, paused_s)] = rendered(
            world, app, "problem, extract(epoch FROM paused_until - rendered_at)::int")
        assert json.loads(problem)["kind"] in ("crash", "limit")
        assert paused_s is None if count < 3 else 55 <= paused_s <= 65
        if count < 3:
            make_due(world, app)
    for count, minutes in ((4, 2), (5, 4), (12, 360), (13, 360)):
        world.sql("UPDATE version_crashes SET paused_until = now() FROM app_version "
                  "WHERE app_version.id = version_id AND app_id = %s", app.id)
        make_due(world, app, "failures = %s, paused_until = now(),", count - 1)
        with panel_of(world, made):
            wait_until(lambda: rendered(world, app, "failures") == [(count,)], f"failure {count}")
        [(paused_s,)] = rendered(world, app,
                                 "extract(epoch FROM paused_until - rendered_at)::int")
        assert abs(paused_s - 60 * minutes) < 5


def test_a_failing_entry_is_tried_at_once(world, author, reviewer, browser):
    """Its pause ends, at most once in 10 s; other entries have none."""
    app = published(author, reviewer, BROKEN)
    made = installed(browser, app)
    path = f"/web/devices/{made['device']['id']}/rotation/{made['entry']}/retry"
    with panel_of(world, made):
        wait_until(lambda: [row for row in rendered(world, app, "problem") if row[0]], "the problem")
        later = browser.post(path).problem(429)
        assert later["code"] == "requests_too_many" and 1 <= int(browser.post(path)["Retry-After"]) <= 10
        world.sql("UPDATE render SET rendered_at = rendered_at - interval '1 hour', failures = 5, "
                  "due_at = now() + interval '1 hour', paused_until = now() + interval '1 hour' FROM app_version "
                  "WHERE app_version.id = version_id AND app_id = %s", app.id)
        assert browser.post(path).ok() == {}
        wait_until(lambda: rendered(world, app, "rendered_at > now() - interval '30 minutes', paused_until IS NULL")
                   == [(True, True)], "another try")
        app.publish(reviewer, "2.0", script("#f00"))
    tried = world.server.ctl("installation", "retry", made["entry"], "--device", made["device"]["id"])
    assert tried["appName"] == "Clock" and tried["problem"] is None, tried
    assert browser.post(path.replace(made["entry"], UNKNOWN_ID)).problem(404)


def test_who_may_try_again(world, author, reviewer, browser):
    """Not a key for pushes, for another panel or of another account, nor with another panel's entry."""
    app = published(author, reviewer, BROKEN)
    made, other = installed(browser, app), installed(browser, app)
    key = browser.post("/web/keys", {"name": "all"}).json()["key"]

    def retry(device, entry, key):
        return world.request("POST", f"/v1/devices/{device}/installations/{entry}/retry", key=key)

    def narrow(**wish):
        return browser.post("/web/keys", {"name": "narrow", **wish}).json()["key"]

    device, entry = made["device"]["id"], made["entry"]
    assert retry(device, entry, narrow(scope="push")).problem(403)["code"] == "key_too_narrow"
    one_panel = narrow(scope="devices", deviceIds=[other["device"]["id"]])
    assert retry(device, entry, one_panel).problem(403)["code"] == "key_for_other_devices"
    retry(other["device"]["id"], entry, one_panel).problem(404)
    stranger = Person(world)
    stranger.device()
    assert retry(device, entry, stranger.key()).problem(403)
    for name in (UNKNOWN_ID, "none", "x" * 65, "%00", "..", "%2e%2e", "\u202e".encode().hex()):
        assert retry(device, name, key).status == 404, name
    assert retry(device, entry, "nothing").problem(401)
    assert retry(other["device"]["id"], other["entry"], one_panel).status in (200, 429)



def test_three_crashes_pause_it_at_its_other_places(world, author, reviewer, browser):
    """None of the other render keys has a picture yet; other apps are rendered meanwhile."""
    app = published(author, reviewer, GREEDY)
    zones = ("UTC", "Asia/Tokyo", "Europe/Zagreb", "America/New_York")
    made = [installed(browser, app, timezone=zone) for zone in zones]
    for count, one in enumerate(made[:3], 1):
        with panel_of(world, one):
            wait_until(lambda: len(rendered(world, app, "failures")) == count
                       and rendered(world, app, "failures") == [(1,)] * count, "a crash")
    watch = installed(browser, published(author, reviewer, script("#0f0")))
    with panel_of(world, made[3]), panel_of(world, watch) as panel:
        seen(panel, GREEN)
    assert len(rendered(world, app)) == 3
    path = f"{path_of(made[3]['device'])}/rotation/{made[3]['entry']}/render"
    assert browser.get(path).ok()["versionPaused"]
    world.sql("UPDATE version_crashes SET paused_until = now() FROM app_version "
              "WHERE app_version.id = version_id AND app_id = %s", app.id)
    with panel_of(world, made[3]):
        wait_until(lambda: rendered(world, app, "failures") == [(1,)] * 4, "its try")


def test_one_that_fails_rests_for_longer_each_time(world, author, reviewer, browser):
    app = published(author, reviewer, BROKEN)
    made = installed(browser, app)
    for count, rest_s in ((1, 15), (2, 30), (3, 60), (6, 300), (30, 300)):
        make_due(world, app, "misses = %s,", count - 1)
        with panel_of(world, made):
            wait_until(lambda: rendered(world, app, "misses") == [(count,)], f"failure {count}")
        [(due_s,)] = rendered(world, app, "extract(epoch FROM due_at - rendered_at)::float8")
        assert max(15, 0.89 * rest_s) <= due_s <= 1.11 * rest_s
    assert rendered(world, app, "failures") == [(0,)]


def test_another_engine_renders_anew(world, author, reviewer, browser, start):
    """Another engine renders everything again within minutes, each render key once, whatever age the old
    engine allowed."""
    apps = [published(author, reviewer, script("#f00")) for _ in range(2)]
    made = [installed(browser, app) for app in apps]
    for one in made:
        with panel_of(world, one) as panel:
            seen(panel, RED)
    ids = [app.id for app in apps]
    late = ("UPDATE render SET engine = 'another', due_at = now() + interval '1 day', "
            "paused_until = now() + interval '1 day' FROM app_version "
            "WHERE app_version.id = version_id AND app_id = ANY (%s::uuid[])")
    world.sql(late, ids)
    planned = ("SELECT bool_and(engine <> 'another' AND paused_until IS NULL "
               "AND due_at < now() + interval '11 minutes'), sum(generation) FROM render "
               "JOIN app_version ON app_version.id = version_id WHERE app_id = ANY (%s::uuid[])")
    [(_, before)] = world.sql(planned, ids)
    other = start("--rate-limit", "0", database=world.database)
    wait_until(lambda: world.sql(planned, ids)[0][0], "that both are due soon")
    [(_, after)] = world.sql(planned, ids)
    assert after > before
    for app in apps:
        make_due(world, app)
    with panel_of(other, made[0]):
        wait_until(lambda: world.sql(planned, ids)[0][1] > after, "a render")


def test_an_instance_dies_while_it_renders(world, author, reviewer, browser, start):
    slow = start("--rate-limit", "0", database=world.database)
    app = published(author, reviewer, ENDLESS)
    made = installed(browser, app)
    with panel_of(slow, made):
        wait_until(lambda: rendered(world, app, "claimed_by IS NOT NULL") == [(True,)], "a claim")
        [(claim,)] = rendered(world, app, "claimed_by::text")
        slow.server.process.kill()
    with panel_of(world, made):
        # The script ends by its limit there, or by the clock if the machine is busy.
        wait_until(lambda: rendered(world, app, "problem IS NOT NULL") == [(True,)], "the other instance")
    assert rendered(world, app, "claimed_by::text") != [(claim,)]
