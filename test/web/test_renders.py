"""Apps on panels, rendered by the engines: when, and by which worker. test_render_failures.py tests failures."""

import json
import os

import pytest
from devices import panel_of, path_of, poll_answer
from people import wait_until
from rendered import (BLUE, GREEN, HEAD, RED, author, installed, make_due, place_of, published, rendered, reviewer,
                      script, seen, shows)

import images

__all__ = ["author", "reviewer"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no engine is built")
SETTLE = os.path.join(os.path.dirname(__file__), "../../sql/query/render_settle.sql")
ID_NONE = "00000000-0000-0000-0000-000000000000"

NOTHING = "def main():\n    return []\n"


def place(world, made):
    return place_of(world, made["device"]["id"], made["entry"])


def settle(world):
    """Does the periodic work of a worker: clears old render keys of installations."""
    with open(SETTLE, encoding="utf-8") as file:
        text = file.read().replace(":row_limit", "200").replace(":after_device", f"'{ID_NONE}'")
    return world.sql(text.replace(":after_id", "''"))[0][0]


def test_an_installed_app_is_shown(world, author, reviewer, browser):
    app = published(author, reviewer, script("#f00"))
    made = installed(browser, app)
    with panel_of(world, made) as panel:
        seen(panel, RED)
    [(took_us, problem, failures, claimed)] = rendered(
        world, app, "took_us, problem, failures, claimed_by")
    assert took_us > 0 and problem is None and failures == 0 and claimed is None


def test_a_panel_that_polls(world, author, reviewer, browser):
    made = installed(browser, published(author, reviewer, script("#f00")))
    poll_answer(world, made["link"])
    wanted = images.frames_of(images.webp(images.solid((255, 0, 0))))
    wait_until(lambda: images.frames_of(poll_answer(world, made["link"]).body) == wanted, "red")


def test_secret_settings_are_used_and_masked(world, author, reviewer, browser):
    """The script gets secret settings; its output and errors are stored without them."""
    app = published(author, reviewer, HEAD + '''
load("schema.star", "schema")
def main(config):
    print("the key is " + config.get("key", "none"))
    if config.get("fails") == "true":
        fail("wrong " + config.get("key"))
    return render.Root(child = render.Box(color = "#0f0" if config.get("key") == "open-sesame" else "#f00"))
def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "key", name = "Key", desc = "Key", icon = "key", secret = True),
        schema.Toggle(id = "fails", name = "Fails", desc = "Fails", icon = "bug", default = False)])
''')
    made = installed(browser, app)
    path = f"/web/devices/{made['device']['id']}/rotation/{made['entry']}"

    def put(**settings):
        browser.request("PUT", path + "/settings", body={"settings": settings}).ok()

    put(key="open-sesame")
    with panel_of(world, made) as panel:
        seen(panel, GREEN)
        assert browser.get(path + "/render").ok()["log"] == ["the key is ****"]
        put(fails="true")
        wait_until(lambda: browser.get(path + "/render").ok()["problem"], "a failure")
    problem = browser.get(path + "/render").ok()["problem"]
    assert problem["message"].endswith("wrong ****") and problem["kind"] == "script"
    # The rotation, and the list of devices, report the same.
    [entry] = browser.get(path.rpartition("/")[0]).ok()["entries"]
    assert entry["problem"] == problem["message"]
    [named] = browser.get(f"/web/entries?devices={made['device']['id']}").ok()["entries"]
    assert (named["name"], named["isFailing"]) == (entry["appName"], True)
    assert "open-sesame" not in str(rendered(world, app, "render::text"))


def test_storing_a_picture_again_changes_no_index(world, author, reviewer, browser):
    app = published(author, reviewer, script("#f00"))
    with panel_of(world, installed(browser, app)) as panel:
        seen(panel, RED)
    indexes = world.sql("SELECT indexdef FROM pg_indexes WHERE tablename = 'render'")
    assert {text.partition(" USING ")[2] for [text] in indexes} == {
        "btree (place, version_id)", "btree (version_id)", "btree (engine)"}
    hashes = rendered(world, app, "picture_hash, left(encode(sha256(picture), 'hex'), 32), "
                                  "previous_hash, previous_picture")
    assert hashes[0][0] == hashes[0][1] and hashes[0][2:] == (None, None)


def test_the_author_sees_no_settings_of_an_owner(world, author, reviewer, browser):
    """Authors do not see any settings of an owner, even public ones. The owner does."""
    app = published(author, reviewer, HEAD + '''
load("schema.star", "schema")
load("http.star", "http")
def main(config):
    if config.get("url"):
        http.get(config.get("url"))
    fail("nobody is called " + config.get("name", "x"))
def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "url", name = "URL", desc = "Where", icon = "gear"),
        schema.Text(id = "name", name = "Name", desc = "Whose", icon = "user")])
''')
    made = installed(browser, app)
    path = f"/web/devices/{made['device']['id']}/rotation/{made['entry']}"

    def put(**settings):
        browser.request("PUT", path + "/settings", body={"settings": settings}).ok()

    def seen_by_owner(words):
        problem = browser.get(path + "/render").ok()["problem"]
        return problem and words in problem["message"]

    put(name="Grace H")
    with panel_of(world, made):
        wait_until(lambda: seen_by_owner("nobody is called Grace H"), "a failure")
        put(name="Grace H", url="https://grace.invalid/?key=1234")
        wait_until(lambda: seen_by_owner('Get "https://grace.invalid": '), "another failure")
    shown = author.browser.get(app.path + "/renders").ok()
    messages = [failure["problem"]["message"] for failure in shown["failures"]]
    assert any("nobody is called ****" in message for message in messages), messages
    assert any('Get "https://****": ' in message for message in messages), messages
    assert "race" not in json.dumps(shown) and "1234" not in json.dumps(shown)
    assert shown["hosts"] == []
    assert browser.get(f"/web/apps/{app.slug}").ok()["hosts"] == []


def test_the_author_sees_a_failure_whatever_its_words(world, author, reviewer, browser):
    """The failure is shown without its NUL, which PostgreSQL's JSON cannot contain."""
    app = published(author, reviewer, HEAD + 'def main():\n    fail("a\\000b \\\\u0000 <b>")\n')
    with panel_of(world, installed(browser, app)):
        wait_until(lambda: rendered(world, app, "problem IS NOT NULL") == [(True,)], "a failure")
        [failure] = author.browser.get(app.path + "/renders").ok()["failures"]
    assert failure["problem"]["message"] == "fail: a b \\u0000 <b>"


def test_two_time_zones(world, author, reviewer, browser):
    """Each time zone has its own picture, right to the minute."""
    zones = HEAD + """
def main(config):
    offset = time.now().hour - time.now().in_location("UTC").hour
    tokyo = config.get("$tz") == "Asia/Tokyo"
    return render.Root(child = render.Box(color = ["#f00", "#0f0"][offset % 24 // 9 * int(tokyo)]))
"""
    app = published(author, reviewer, zones)
    for zone, color in (("UTC", RED), ("Asia/Tokyo", GREEN)):
        with panel_of(world, installed(browser, app, timezone=zone)) as panel:
            seen(panel, color)


def test_one_render_for_many_panels_of_two_instances(world, author, reviewer, browser, start):
    other = start("--rate-limit", "0", database=world.database)
    app = published(author, reviewer, script("#00f", max_age=3600))
    made = [installed(browser, app) for _ in range(6)]
    panels = [panel_of(one, each) for each, one in zip(made, (world, other) * 3)]
    try:
        for panel in panels:
            seen(panel, BLUE)
    finally:
        for panel in panels:
            panel.panel.close()
    [(generation, picture_generation)] = rendered(world, app, "generation, picture_generation")
    assert generation == picture_generation  # it was rendered once


def test_deploy_and_rollback_on_two_instances(world, author, reviewer, browser, start):
    other = start("--rate-limit", "0", database=world.database)
    app = published(author, reviewer, script("#f00"))
    with panel_of(world, installed(browser, app)) as here, \
            panel_of(other, installed(browser, app)) as there:
        for panel in (here, there):
            seen(panel, RED)
        app.publish(reviewer, "2.0", script("#0f0"))
        for panel in (here, there):
            seen(panel, GREEN)
        author.browser.post(app.path + "/deploy", {"version": "1.0"}).ok()
        for panel in (here, there):
            seen(panel, RED)
    assert len(rendered(world, app)) == 1  # the picture of the other version is gone


def test_changes_before_the_first_picture_take_no_picture_away(world, author, reviewer, browser):
    app = published(author, reviewer, HEAD + """
load("schema.star", "schema")

def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "color", name = "Color", desc = "", icon = "brush")])

def main(config):
    return render.Root(child = render.Box(color = config.get("color", "#f00")))
""")
    made = installed(browser, app)
    with panel_of(world, made) as panel:
        seen(panel, RED)
    first = place(world, made)

    def put(color):
        answer = browser.request(
            "PUT", f"{path_of(made['device'])}/rotation/{made['entry']}/settings",
            body={"settings": {"color": color}})
        assert answer.status == 200, answer
        return place(world, made)

    passed = put("none")  # no panel is online, so nothing is rendered there
    put("neither")
    with panel_of(world, made):
        wait_until(lambda: any(rendered(world, app, "problem IS NOT NULL AS failed")[-1]), "a failure")
        last = put("nor this")
        [[shown]] = world.sql("SELECT picture IS NOT NULL FROM app_entry WHERE id = %s", made["entry"])
        assert shown
    assert images.frames_of(poll_answer(world, made["link"]).body) == \
        images.frames_of(images.webp(images.solid(RED)))
    left = [row[0] for row in world.sql("SELECT encode(place, 'hex') FROM left_place")]
    assert passed in left and first not in left and last not in left
    put("#0f0")
    with panel_of(world, made) as panel:
        seen(panel, GREEN)
    assert settle(world) >= 1 and settle(world) == 0
    left = [row[0] for row in world.sql("SELECT encode(place, 'hex') FROM left_place")]
    assert first in left and place(world, made) not in left
    [[shown]] = world.sql("SELECT picture IS NOT NULL FROM app_entry WHERE id = %s", made["entry"])
    assert shown
    put("#00f")
    assert settle(world) == 0  # only the shown picture exists


def test_nothing_to_show_is_left_out_until_there_is(world, author, reviewer, browser):
    app = published(author, reviewer, NOTHING)
    made = installed(browser, app)
    with panel_of(world, made) as panel:
        wait_until(lambda: rendered(world, app, "has_nothing") == [(True,)], "its render")
        app.publish(reviewer, "2.0", script("#0f0"))
        seen(panel, GREEN)
        app.publish(reviewer, "3.0", NOTHING)
        count = len(panel.pictures)
        panel.wait_for(lambda: len(panel.pictures) > count)
        assert not shows(panel, GREEN)  # the picture for nothing to show


def test_a_disabled_app_is_neither_rendered_nor_shown(world, author, reviewer, browser):
    app = published(author, reviewer, script("#f00"))
    made = installed(browser, app)
    with panel_of(world, made) as panel:
        seen(panel, RED)
        world.sql("UPDATE app SET status = 'disabled', generation = generation + 1 WHERE id = %s",
                  app.id)
        world.sql("SELECT pg_notify('displayd_hint', 'app:' || id || ':' || generation) FROM app "
                  "WHERE id = %s", app.id)
        panel.wait_for(lambda: not shows(panel, RED))  # the picture for nothing to show
        make_due(world, app)
        before = rendered(world, app, "generation")
        other = published(author, reviewer, script("#0f0"))
        with panel_of(world, installed(browser, other)) as watch:
            seen(watch, GREEN)  # others are
        assert rendered(world, app, "generation") == before
        assert not shows(panel, RED)


def test_what_nobody_needs_is_removed(world, author, reviewer, browser):
    app = published(author, reviewer, script("#f00"))
    made, stays = installed(browser, app), installed(browser, app, timezone="Asia/Tokyo")
    for one in (made, stays):
        with panel_of(world, one) as panel:
            seen(panel, RED)
    assert len(rendered(world, app)) == 2
    [(place,)] = world.sql("SELECT place FROM installation WHERE id = %s", made["entry"])
    browser.delete(f"{path_of(made['device'])}/rotation/{made['entry']}")
    world.sql("UPDATE left_place SET left_at = now() - interval '2 minutes'")
    wait_until(lambda: len(rendered(world, app)) == 1, "its removal")
    # Rows of other tests may be leaving at the same time.
    assert world.sql("SELECT count(*) FROM left_place WHERE place = %s", place) == [(0,)]
    with panel_of(world, stays) as panel:
        seen(panel, RED)


def test_settings_reach_the_script_those_that_are_secret_too(world, author, reviewer, browser):
    app = published(author, reviewer, HEAD + """
load("schema.star", "schema")

def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "name", name = "Name", desc = "", icon = "user"),
        schema.Text(id = "key", name = "Key", desc = "", icon = "key", secret = True),
    ])

def main(config):
    is_known = config.get("name") == "Ada" and config.get("key") == "swordfish"
    return render.Root(child = render.Box(color = "#0f0" if is_known else "#f00"))
""")
    made = installed(browser, app)
    with panel_of(world, made) as panel:
        seen(panel, RED)
        answer = browser.request(
            "PUT", f"{path_of(made['device'])}/rotation/{made['entry']}/settings",
            body={"settings": {"name": "Ada", "key": "swordfish"}})
        assert answer.status == 200, answer
        seen(panel, GREEN)
    assert "swordfish" not in str(world.sql("SELECT settings FROM installation WHERE id = %s",
                                            made["entry"]))


@pytest.mark.skipif(not os.environ.get("HAS_TYPESCRIPT"), reason="no engine is built")
def test_typescript_is_compiled_after_its_upload(world, author, reviewer, browser):
    app = author.make(visibility="public")

    def compiled(version):
        return wait_until(lambda: world.sql(
            "SELECT javascript, verdict FROM version_check LEFT JOIN app_compiled USING (version_id) "
            "WHERE version_id = %s AND checked_at IS NOT NULL", version), "the compiler")

    broken = app.submitted("1.0", "export default function main(: string) {}", "TYPESCRIPT")
    [(javascript, verdict)] = compiled(broken)
    assert javascript is None and json.loads(verdict)["problem"]["line"] == 1
    answer = reviewer.post(f"/web/reviews/{broken}", {"status": "APPROVED"})
    assert "cannot run" in answer.problem(409)["detail"]
    for told in (reviewer.get(f"/web/reviews/{broken}").ok(), app.versions()[0]):
        assert told["check"] == json.loads(verdict) and told["check"]["problem"]["kind"] == "script"
    reviewer.post(f"/web/reviews/{broken}", {"status": "REJECTED", "reason": "No"}).ok()
    good = app.submitted("2.0", """
import { Box, Root } from "panel";
export default function main(): unknown {
    return Root({ child: Box({ color: "#00f" as string }) });
}
""", "TYPESCRIPT")
    [(javascript, verdict)] = compiled(good)
    assert json.loads(verdict)["state"] == "good" and "as string" not in javascript.split("sourceMappingURL")[0]
    reviewer.post(f"/web/reviews/{good}", {"status": "APPROVED"}).ok()
    with panel_of(world, installed(browser, app)) as panel:
        seen(panel, BLUE)
