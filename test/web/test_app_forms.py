"""Forms of apps, previews, and pictures of the catalogue, with the real renderers."""

import itertools
import json

import pytest
from authors import Author
from forms import (BROKEN, GENERATED, PLAIN, Entry, Owner, author, needs, owner, plain, pointers,
                   publish, reviewer, webp)
from people import OWN_PAGE, UNKNOWN_ID, Browser, Person, wait_until
from world import until_refused

__all__ = ["author", "owner", "plain", "reviewer"]  # fixtures
pytestmark = needs("starlark")


@pytest.fixture(scope="module")
def generated(author, reviewer):
    return publish(author, reviewer, GENERATED)


# ---- the form ----

def test_for_those_who_are_signed_in(world, plain, owner):
    browser = Browser(world)
    browser.get(f"/web/apps/{plain.slug}/schema").problem(401)
    browser.get(f"/web/apps/{plain.slug}/picture").problem(401)
    browser.post(f"/web/apps/{plain.slug}/preview", {"deviceId": owner.device}).problem(401)
    browser.post(f"/web/apps/{plain.slug}/handler", {"fieldId": "x", "parameter": ""}).problem(401)


def test_form(owner, plain):
    form = owner.browser.get(f"/web/apps/{plain.slug}/schema").ok()
    assert (form["version"], form["language"]) == ("1.0", "STARLARK")
    assert form["unavailable"] is None and form["problem"] is None
    fields = {field["id"]: field for field in form["fields"]}
    assert list(fields) == ["text", "key", "color", "on", "kind", "found", "near", "auth"]
    assert fields["text"]["defaultValue"] == "hello" and fields["key"]["secret"]
    assert [option["value"] for option in fields["kind"]["options"]] == ["a", "b"]
    assert "not possible" in fields["auth"]["unavailable"]
    again = owner.browser.get(f"/web/apps/{plain.id}/schema?deviceId={owner.device}").ok()
    assert again == form


def test_form_is_kept(world, owner, plain):
    owner.browser.get(f"/web/apps/{plain.slug}/schema").ok()
    rows = world.sql("SELECT schema FROM app_schema JOIN app ON app.deployed_version_id = version_id"
                     " WHERE app.id = %s", plain.id)
    assert json.loads(rows[0][0])["schema"][0]["id"] == "text"


def test_forms_in_few_languages_are_kept(world, owner, author, reviewer):
    app = publish(author, reviewer, PLAIN)
    [[version]] = world.sql("SELECT deployed_version_id FROM app WHERE id = %s", app.id)
    world.sql("DELETE FROM app_schema WHERE version_id = %s", version)
    # Forms not used for a month are removed first, then the least used ones, even if recent.
    world.sql("INSERT INTO app_schema (version_id, locale, engine, schema, use_count, used_at) "
              "SELECT %s, 'xx-' || n, '', '', 100 - n, CASE WHEN n = 10 THEN now() - interval '31 days' "
              "ELSE now() - (40 - n) * interval '1 day' * 0.5 END FROM generate_series(10, 39) AS n", version)
    owner.browser.get(f"/web/apps/{app.slug}/schema").ok()
    kept = {row[0] for row in world.sql("SELECT locale FROM app_schema WHERE version_id = %s", version)}
    assert kept == {"en"} | {f"xx-{n}" for n in range(11, 30)}


def test_a_walk_through_the_languages_takes_no_used_form_away(world, owner, author, reviewer):
    app = publish(author, reviewer, PLAIN)
    path = f"/web/apps/{app.slug}/schema"

    def uses():
        return world.sql("SELECT use_count FROM app_schema JOIN app ON app.deployed_version_id = version_id "
                         "WHERE app.id = %s AND locale = 'en'", app.id)

    owner.browser.get(path).ok()
    author.browser.get(path).ok()
    assert uses() == [(0,)]  # not within a minute
    world.sql("UPDATE app_schema SET used_at = used_at - interval '61 seconds'")
    owner.browser.get(path).ok()
    author.browser.get(path).ok()
    wait_until(lambda: uses() == [(1,)], "a count of the other account's use")
    world.sql("UPDATE app_schema SET used_at = used_at - interval '61 minutes'")
    author.browser.get(path).ok()
    wait_until(lambda: uses() == [(2,)], "a count of the same account's use, an hour later")
    for number in range(21):
        world.sql("UPDATE device SET locale = %s WHERE id = %s", f"aa-{number:02}", owner.device)
        owner.browser.get(f"{path}?deviceId={owner.device}").ok()
    world.sql("UPDATE device SET locale = 'en' WHERE id = %s", owner.device)
    assert uses() == [(2,)]


def test_form_of_a_broken_script(owner, author, reviewer):
    app = publish(author, reviewer, BROKEN)
    form = owner.browser.get(f"/web/apps/{app.slug}/schema").ok()
    assert form["fields"] == [] and form["unavailable"] is None
    assert form["problem"]["kind"] == "script" and form["problem"]["line"] == 2
    assert "nobody" in form["problem"]["message"]


def test_unknown_apps_and_devices(world, owner, author, reviewer, plain):
    private = author.make(visibility="private")
    private.publish(reviewer, "1.0", PLAIN)
    other = Owner(world)
    for slug in ("no-such-app", UNKNOWN_ID, private.slug):
        owner.browser.get(f"/web/apps/{slug}/schema").problem(404)
        owner.browser.post(f"/web/apps/{slug}/preview", {"deviceId": owner.device}).problem(404)
    author.browser.get(f"/web/apps/{private.slug}/schema").ok()
    for device in (other.device, UNKNOWN_ID, "x"):
        owner.browser.get(f"/web/apps/{plain.slug}/schema?deviceId={device}").problem(404)
        owner.browser.post(f"/web/apps/{plain.slug}/preview", {"deviceId": device}).problem(404)


# ---- previews ----

STEERING = "\u202e\u2066\u061c\x9b\x7f"


def test_a_script_steers_no_terminal(author):
    """Control characters do not reach the terminal of a person who reads the raw answer. The texts stay the same."""
    script = f'def main():\n    print("log {STEERING}")\n    fail("no {STEERING}")\n'
    answer = author.browser.post(author.make().path + "/preview",
                                 {"scriptLanguage": "STARLARK", "scriptContent": script})
    shown = answer.ok()
    assert "\u202e\u2066" in shown["log"][0] and "\u202e\u2066" in shown["problem"]["message"]
    assert not set(STEERING) & set(answer.body.decode())


def test_preview(owner, plain):
    preview = owner.preview(plain, {"text": "hi", "color": "#f00"}).ok()
    assert webp(preview)[:4] == b"RIFF" and webp(preview)[8:12] == b"WEBP"
    assert preview["log"] == ["text is hi"] and preview["problem"] is None
    assert not preview["hasNothing"] and preview["durationMs"] == 0 and preview["tookMs"] >= 1
    assert preview["hosts"] == []
    assert webp(owner.preview(plain, {"text": "hi", "color": "#0f0"}).ok()) != webp(preview)


def test_preview_without_settings_has_the_defaults(owner, plain):
    assert owner.preview(plain).ok()["log"] == ["text is hello"]


ZONED = """
load("render.star", "render")
load("schema.star", "schema")

def main(config):
    print("in", config.get("$tz"))
    return render.Root(child = render.Box())

def find(pattern, config):
    return [schema.Option(display = config.get("$tz"), value = "x")]

def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Typeahead(id = "found", name = "Found", desc = "Search", icon = "gear", handler = find),
        schema.Location(id = "here", name = "Here", desc = "Where", icon = "gear")])
"""


def test_zone_of_the_device(world, owner, author, reviewer):
    """Previews and handlers get the zone of the device; test_renders.py tests that for renders."""
    app = publish(author, reviewer, ZONED)
    world.sql("UPDATE device SET timezone = 'Asia/Tokyo' WHERE id = %s", owner.device)
    assert owner.preview(app).ok()["log"] == ["in Asia/Tokyo"]
    assert owner.preview(app, {"$tz": "UTC"}).ok()["log"] == ["in Asia/Tokyo"]
    answer = owner.ask(app, "found", "", deviceId=owner.device).ok()
    assert [option["display"] for option in answer["options"]] == ["Asia/Tokyo"]


def test_place_has_all_its_texts(owner, author, reviewer):
    app = publish(author, reviewer, ZONED)
    entry = owner.installed(app, here=json.dumps({"lat": 45.8, "lng": "15.9", "locality": "Zagreb"}))
    assert json.loads(entry.shown()["settings"]["here"]) == {
        "lat": "45.8", "lng": "15.9", "description": "Zagreb", "locality": "Zagreb",
        "place_id": "", "timezone": "Europe/Zagreb"}


def test_preview_of_nothing(owner, plain):
    preview = owner.preview(plain, {"text": "nothing"}).ok()
    assert preview["picture"] is None and preview["hasNothing"] and preview["problem"] is None


def test_preview_that_fails(owner, plain):
    preview = owner.preview(plain, {"text": "fail"}).ok()
    assert preview["picture"] is None and not preview["hasNothing"]
    assert preview["log"] == ["text is fail"]
    assert preview["problem"]["kind"] == "script" and "asked to" in preview["problem"]["message"]
    assert preview["problem"]["line"] == 10


def test_all_faults_at_once(owner, plain):
    wrong = {"color": "red", "on": "maybe", "kind": "c", "text": 7, "auth": "x"}
    assert pointers(owner.preview(plain, wrong)) == {"/settings/text"}  # types are checked first
    del wrong["text"]
    assert pointers(owner.preview(plain, wrong)) == {f"/settings/{name}" for name in wrong}
    assert pointers(owner.install(plain, **wrong)) == {f"/settings/{name}" for name in wrong}


def test_unknown_settings_are_left_out(owner, plain):
    entry = owner.installed(plain, text="a", nobody="x")
    assert entry.shown()["settings"] == {"text": "a"}


def test_too_large(owner, plain):
    assert pointers(owner.install(plain, text="x" * 70_000)) == {"/settings"}
    owner.installed(plain, text="x" * 60_000)
    many = {str(i): "" for i in range(201)}
    assert pointers(owner.install(plain, **many)) == {"/settings"}


# ---- handlers ----

def test_typeahead_and_location_based(owner, plain):
    answer = owner.ask(plain, "found", "z").ok()
    assert answer["problem"] is None, answer
    assert answer["options"] == [{"display": "za", "text": "za", "value": "enon"},
                                 {"display": "zb", "text": "zb", "value": "enon"}]
    assert answer["fields"] == [] and answer["problem"] is None
    where = json.dumps({"lat": "45.8", "lng": "15.9"})
    assert owner.ask(plain, "near", where).ok()["options"][0]["display"] == where


def test_generated(owner, generated):
    assert owner.ask(generated, "more", "a").ok()["fields"] == []
    fields = owner.ask(generated, "more", "b").ok()["fields"]
    assert [(field["id"], field["type"]) for field in fields] == [("extra", "text")]
    entry = owner.installed(generated, kind="b", extra="x")
    assert entry.shown()["settings"] == {"kind": "b", "extra": "x"}


def test_handlers_that_there_are_not(owner, plain):
    for field in ("text", "nobody", "auth"):
        assert pointers(owner.ask(plain, field, "")) == {"/fieldId"}


def test_handler_gets_stored_secrets(owner, plain):
    entry = owner.installed(plain, key="hidden-away")
    members = {"deviceId": owner.device, "installationId": entry.id}
    assert owner.ask(plain, "found", "", **members).ok()["options"][0]["value"] == "yawa-neddih"
    assert owner.ask(plain, "found", "").ok()["options"][0]["value"] == "enon"


# ---- authors and reviewers ----

def test_draft_preview(author, plain):
    def preview(script, **members):
        return author.browser.post(plain.path + "/preview", {
            "scriptLanguage": "STARLARK", "scriptContent": script, **members}).ok()

    shown = preview(PLAIN, settings={"text": "a", "color": "wrong", "nobody": "x"})
    assert webp(shown)[:4] == b"RIFF" and len(shown["fields"]) == 8
    assert shown["log"] == ["text is a"]
    broken = preview(BROKEN)
    assert broken["picture"] is None and broken["fields"] == []
    assert (broken["problem"]["line"], broken["problem"]["file"]) == (2, "app.star")
    assert preview("")["problem"] and preview("")["picture"] is None
    zone = 'load("time.star", "time")\nload("render.star", "render")\n' \
           'def main():\n    print(time.now().format("-0700"))\n    return []\n'
    assert preview(zone, timezone="Asia/Kolkata")["log"] == ["+0530"]
    assert preview(zone)["log"] == ["+0000"]
    assert pointers(author.browser.post(plain.path + "/preview", {
        "scriptLanguage": "COBOL", "scriptContent": "", "timezone": "Mars/Base"})) == {
            "/scriptLanguage", "/timezone"}


def test_draft_handler(author, plain):
    answer = author.browser.post(plain.path + "/handler", {
        "scriptLanguage": "STARLARK", "scriptContent": PLAIN, "fieldId": "found",
        "parameter": "q", "settings": {"key": "typed"}}).ok()
    assert answer["options"][1] == {"display": "qb", "text": "qb", "value": "depyt"}


def test_drafts_are_their_authors(owner, plain):
    body = {"scriptLanguage": "STARLARK", "scriptContent": PLAIN}
    for path in ("/preview", "/handler"):
        owner.browser.post(plain.path + path, {**body, **(
            {"fieldId": "found", "parameter": ""} if path == "/handler" else {})}).problem(403)
    owner.browser.get(plain.path + "/renders").problem(403)


def test_review_preview(world, author, reviewer, owner):
    app = author.make(visibility="public")
    version = app.submitted("1.0", PLAIN)
    shown = reviewer.post(f"/web/reviews/{version}/preview", {"settings": {"text": "r"}}).ok()
    assert webp(shown)[:4] == b"RIFF" and shown["log"] == ["text is r"] and shown["fields"]
    reviewer.post(f"/web/reviews/{UNKNOWN_ID}/preview", {}).problem(404)
    owner.browser.post(f"/web/reviews/{version}/preview", {}).problem(403)


def test_review_handler(author, reviewer, owner):
    version = author.make(visibility="public").submitted("1.0", PLAIN)
    path = f"/web/reviews/{version}/handler"
    question = {"fieldId": "found", "parameter": "q", "settings": {"key": "typed"}}
    answer = reviewer.post(path, question).ok()
    assert answer["options"][0] == {"display": "qa", "text": "qa", "value": "depyt"}
    assert pointers(reviewer.post(path, {**question, "fieldId": "text"})) == {"/fieldId"}
    reviewer.post(f"/web/reviews/{UNKNOWN_ID}/handler", question).problem(404)
    owner.browser.post(path, question).problem(403)


def test_form_knows_no_zone(owner, author, reviewer):
    """A form is stored for all accounts, so it gets no zone."""
    app = publish(author, reviewer, PLAIN.replace(
        'name = "Text"', 'name = time.now().format("-0700")').replace(
            'load("render.star", "render")',
            'load("render.star", "render")\nload("time.star", "time")'))
    owner.person.world.sql("UPDATE device SET timezone = 'Asia/Kolkata' WHERE id = %s",
                            owner.device)
    form = owner.browser.get(f"/web/apps/{app.slug}/schema?deviceId={owner.device}").ok()
    assert form["fields"][0]["name"] == "+0000"


def test_authors_see_what_their_own_devices_print(world, author, reviewer, owner):
    app = publish(author, reviewer, PLAIN)

    def shown_by(who, line):
        entry = who.installed(app, text=line)
        world.sql("INSERT INTO render (place, version_id, rendered_at, log) SELECT installation.place,"
                  " app.deployed_version_id, clock_timestamp(), %s FROM installation JOIN app ON"
                  " app.id = installation.app_id WHERE installation.id = %s RETURNING 1",
                  line + "\n", entry.id)

    def seen():
        return author.browser.get(app.path + "/renders").ok()["ownLog"]

    shown_by(owner, "somebody's")
    assert seen() == []
    own = Owner(world)
    world.sql("UPDATE device SET account_id = (SELECT account_id FROM app WHERE id = %s)"
              " WHERE id = %s RETURNING 1", app.id, own.device)
    own.browser = author.browser
    shown_by(own, "my own")
    shown_by(owner, "somebody's again")
    assert seen() == ["my own"]


def test_renders_of_a_fresh_app(author, owner, reviewer):
    app = publish(author, reviewer, PLAIN)
    assert author.browser.get(app.path + "/renders").ok() == {
        "version": "1.0", "installations": 0, "renders": 0, "failing": 0, "lastRenderedAt": None,
        "averageMs": None, "pausedUntil": None, "failures": [], "hosts": [], "ownLog": []}
    draft = author.make()
    assert author.browser.get(draft.path + "/renders").ok()["version"] is None


@needs("typescript")[0]
def test_draft_in_typescript(author, plain):
    def preview(script):
        return author.browser.post(plain.path + "/preview", {
            "scriptLanguage": "TYPESCRIPT", "scriptContent": script, "settings": {"name": "Ada"},
        }).ok()

    head = 'import { Root, Text, form, type Input } from "panel";\n'
    shown = preview(head + """export const schema = [
        form.Text({ id: "name", name: "Name", desc: "Whose", icon: "user" })];
    export default function main({ config }: Input) {
        console.log(config.name);
        return Root({ child: Text({ content: config.name ?? "" }) });
    }
    """)
    assert shown["problem"] is None, shown["problem"]["message"]
    assert webp(shown)[:4] == b"RIFF" and shown["log"] == ["Ada"]
    assert [field["id"] for field in shown["fields"]] == ["name"]
    wrong = preview(head + "export default function main( {\n")
    assert wrong["picture"] is None and wrong["problem"]["line"] >= 2
    assert wrong["problem"]["kind"] == "script"
    thrown = preview(head + 'export default function main() {\n  throw new Error("so it is");\n}\n')
    assert "so it is" in thrown["problem"]["message"] and thrown["problem"]["line"] == 3


def test_endless_draft_costs_itself_only(author, plain):
    endless = author.browser.post(plain.path + "/preview", {
        "scriptLanguage": "STARLARK", "scriptContent": "def main():\n    while True:\n        pass\n"})
    # The last preview, which the clock ended on a busy machine.
    assert endless.ok()["problem"]["kind"] in ("limit", "crash", "unavailable")


# ---- limits ----

AT_ONCE = 50  # more than the burst, since a busy machine runs them slower than tokens grow


def test_previews_of_an_account_are_limited(start):
    world = start()
    author = Author(world)
    app = author.make()
    body = {"scriptLanguage": "STARLARK", "scriptContent": "def main():\n    return []\n"}
    answer = until_refused(lambda: author.browser.post(app.path + "/preview", body), AT_ONCE)[-1]
    assert "too many previews" in answer.problem(429)["detail"]
    assert int(answer["Retry-After"]) >= 1


def test_forms_that_are_run_count_as_previews(start):
    """Each read of a failing form runs the script again once the failure is a minute old, and counts as a preview."""
    world = start()
    author, owner = Author(world), Owner(world)
    reviewer = Person(world, is_reviewer=True).browser()
    app, good = publish(author, reviewer, BROKEN), publish(author, reviewer, PLAIN)
    entry = Entry(owner, owner.browser.post(f"/web/devices/{owner.device}/apps",
                                            {"app": app.slug}).json()["id"])
    assert owner.browser.get(f"/web/apps/{good.slug}/schema").ok()["fields"]
    world.sql("CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
    world.sql("CREATE TRIGGER forget BEFORE INSERT ON app_schema_failure FOR EACH ROW "
              "EXECUTE FUNCTION forget()")
    world.sql("DELETE FROM app_schema_failure")
    looks = itertools.cycle([
        lambda: owner.browser.get(f"/web/apps/{app.slug}/schema"), lambda: entry.set(a="b"),
        lambda: owner.browser.get(entry.path + "/settings"), lambda: owner.install(app, a="b")])
    answer = until_refused(lambda: next(looks)(), AT_ONCE)[-1]
    assert "too many previews" in answer.problem(429)["detail"]
    # A stored form needs no run.
    assert owner.browser.get(f"/web/apps/{good.slug}/schema").ok()["fields"]


def test_server_that_renders_nothing(start):
    world = start("--renderers", "0")
    author, owner = Author(world), Owner(world)
    app = publish(author, Person(world, is_reviewer=True).browser(), PLAIN)
    form = owner.browser.get(f"/web/apps/{app.slug}/schema").ok()
    assert form["fields"] == [] and "renders no apps" in form["unavailable"]
    preview = owner.preview(app).ok()
    assert preview["problem"]["kind"] == "unavailable" and preview["picture"] is None
    entry = Entry(owner, owner.browser.post(f"/web/devices/{owner.device}/apps",
                                            {"app": app.slug}).json()["id"])
    assert "renders no apps" in entry.shown()["unavailable"]
    assert "renders no apps" in owner.install(app, text="x").problem(409)["detail"]


# ---- pictures of the catalogue ----

def test_catalogue_picture(world, owner, author, reviewer):
    app = publish(author, reviewer, PLAIN)

    def shown():
        return owner.browser.get(f"/web/apps/{app.slug}").ok()

    wait_until(lambda: shown()["picture"], "a picture in the catalogue")
    answer = owner.browser.get(f"/web/apps/{app.slug}/picture")
    assert answer.status == 200 and answer["Content-Type"] == "image/webp"
    assert answer["Cache-Control"] == "private, no-cache"
    again = owner.browser.get(f"/web/apps/{app.slug}/picture",
                              fields=(*OWN_PAGE, ("If-None-Match", answer["ETag"])))
    assert again.status == 304
    listed = {one["slug"]: one for one in owner.browser.get("/web/apps").ok()}
    assert listed[app.slug]["picture"] == shown()["picture"] and listed[app.slug]["hosts"] == []


def test_no_picture_of_a_broken_app(world, owner, author, reviewer):
    app = publish(author, reviewer, BROKEN)
    wait_until(lambda: world.sql(
        "SELECT made_at FROM app_picture JOIN app ON app.deployed_version_id = version_id"
        " WHERE app.id = %s AND made_at IS NOT NULL", app.id), "an attempt")
    assert owner.browser.get(f"/web/apps/{app.slug}").ok()["picture"] is None
    owner.browser.get(f"/web/apps/{app.slug}/picture").problem(404)
