"""/v0/devices/{deviceId}/push_app: an app is rendered with the caller's settings, and shown as a push."""

import pytest
from app_forms import renders
from apps import make_app
from older import UNTYPED, entries, entry, push, v0
from world import UNKNOWN_ID, images, until_refused

pytestmark = renders

RED, GREEN = (255, 0, 0), (0, 255, 0)
BOX = """
load("render.star", "render")
load("schema.star", "schema")

def main(config):
    if config.get("nothing"):
        return []
    if config.get("fail"):
        fail("it is broken: " + config.get("key", "no key"))
    return render.Root(child = render.Box(color = config.get("color", "#00ff00")))

def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "key", name = "Key", desc = "Secret", icon = "key", secret = True),
        schema.Toggle(id = "on", name = "On", desc = "Or off", icon = "gear", default = False),
    ])
"""


LONG = """load("render.star", "render")
def main():
    return render.Root(delay = 1000, show_full_animation = True, child = render.Animation(children = [
        render.Box(width = number + 1, color = "#f00") for number in range(%d)]))
"""


def push_app(device, app, **members):
    """Sends a request like programs that fill in all members."""
    body = {"app_id": app, "config": {}, "installationID": None, "publish": "foreground"} | members
    return device.account.post(v0(device, "/push_app"), body, fields=UNTYPED)


def solid(color):
    return images.webp(images.solid(color))


@pytest.fixture(scope="module")
def owner(world):
    return world.account()


@pytest.fixture(scope="module")
def app(owner):
    return make_app(owner).published(script=BOX)


@pytest.fixture
def screen(owner, app):
    assert app.slug
    return owner.device()


def test_temporary(world, screen, app):
    """Members that the form lacks are given to the app; null counts as missing."""
    answer = push_app(screen, app.slug, config={"color": "#ff0000", "on": None, "other": "x"})
    assert answer.ok() == {} and answer["Displayd-Shown"] == "never"
    screen.shows(solid(RED))
    assert entries(screen) == []
    assert world.sql("SELECT duration_s FROM showing WHERE device_id = %s", screen.id) == [(15,)]
    assert push_app(screen, app.id).ok() == {}
    screen.shows(solid(GREEN))


@pytest.mark.parametrize("seconds, shown_s", [(20, 20), (59, 59), (90, 60)])
def test_a_whole_animation(world, owner, screen, seconds, shown_s):
    """It is shown to its end, but for a minute at most."""
    long = make_app(owner).published(script=LONG % seconds)
    assert push_app(screen, long.slug).ok() == {}
    assert world.sql("SELECT duration_s FROM showing WHERE device_id = %s", screen.id) == [(shown_s,)]


def test_entry(screen, app):
    """The entry counts as pushed: a program finds and removes it."""
    assert push_app(screen, app.slug, installationID="Washer").ok() == {}
    screen.shows(solid(GREEN))
    assert entries(screen) == [entry("Washer")]
    assert push_app(screen, app.slug, installationID="Washer", config={"color": "#ff0000"}).ok() == {}
    screen.shows(solid(RED))
    assert entries(screen) == [entry("Washer")]
    path = v0(screen, "/installations/Washer")
    assert screen.account.request("DELETE", path, body={}, fields=UNTYPED).ok() == {}


@pytest.mark.parametrize("members", [{"publish": "background"}, {"background": True},
                                     {"publish": "foreground", "background": True}])
def test_in_the_background(screen, app, members):
    assert push_app(screen, app.slug, installationID="a").status == 200
    screen.shows(solid(GREEN))
    answer = push_app(screen, app.slug, installationID="b", config={"color": "#ff0000"}, **members)
    assert answer.ok() == {}
    assert screen.ids() == ["a", "b"]
    # Without an ID it is shown at once.
    assert push_app(screen, app.slug, config={"color": "#ff0000"}, **members).status == 200
    screen.shows(solid(RED))


def test_settings_of_all_types(screen, app):
    assert push_app(screen, app.slug, config={"color": "#ff0000", "on": True, "other": 7, "more": {"a": [1]}}).ok() == {}
    screen.shows(solid(RED))


@pytest.mark.parametrize("coalesce", ["door", "A_b-9", "x" * 64, None])
def test_a_push_that_replaces_one_that_waits(screen, app, coalesce):
    """coalesceID is accepted: the newest temporary image counts anyway."""
    for color in ("#0000ff", "#ff0000"):
        assert push_app(screen, app.slug, coalesceID=coalesce, config={"color": color}).ok() == {}
    screen.shows(solid(RED))
    image = images.text(images.png(images.solid(GREEN)))
    assert screen.account.post(v0(screen, "/push"), {"image": image, "coalesceID": coalesce}, fields=UNTYPED).ok() == {}
    screen.shows(solid(GREEN))


@pytest.mark.parametrize("members, pointers", [
    ({"app_id": ""}, ["/app_id"]), ({"app_id": None}, ["/app_id"]), ({"app_id": "x" * 65}, ["/app_id"]),
    ({"app_id": 1}, ["/app_id"]), ({"installationID": "x" * 65}, ["/installationID"]),
    ({"installationID": "a/b"}, ["/installationID"]), ({"installationId": "."}, ["/installationId"]),
    ({"installationID": "a", "installationId": "b"}, ["/installationId"]),
    ({"publish": "later"}, ["/publish"]), ({"publish": 1}, ["/publish"]), ({"background": "true"}, ["/background"]),
    ({"config": []}, ["/config"]), ({"coalesceID": ""}, ["/coalesceID"]), ({"coalesceID": "a b"}, ["/coalesceID"]),
    ({"coalesceID": "x" * 65}, ["/coalesceID"]),
    ({"config": {str(number): "" for number in range(201)}}, ["/config"]),
    ({"config": {"a": "x" * 65536}}, ["/config"]), ({"config": {"a": "x\0"}}, ["/config/a"]),
    ({"config": {"on": "maybe"}}, ["/config/on"]), ({"unknown": 1}, ["/unknown"]),
    ({"image": "x", "duration": 5}, ["/duration", "/image"])])
def test_faults(screen, app, members, pointers):
    body = members if "app_id" in members else members | {"app_id": app.slug}
    assert sorted(push_app(screen, **({"app": body.pop("app_id")} | body)).faults()) == pointers
    assert screen.ids() == []


def test_at_the_bounds(screen, app):
    assert push_app(screen, app.slug, installationID="x" * 64, config={"a": "x" * 65535}).ok() == {}
    assert push_app(screen, app.slug, config={str(number): "" for number in range(200)}).ok() == {}
    assert push_app(screen, app.slug, installationID="", deviceID=7, background=None).ok() == {}
    assert screen.ids() == ["x" * 64]


def test_apps_that_are_not_there(world, screen, app):
    others = make_app(world.account()).published(script=BOX)
    for name in ("no-such-app", UNKNOWN_ID, others.slug, others.id, make_app(screen.account).slug):
        assert push_app(screen, name).problem(404)["detail"] == "there is no such app"
    assert screen.ids() == []


def test_an_app_without_a_picture(screen, app):
    assert push_app(screen, app.slug, config={"nothing": "x"}).problem(409)["detail"] == (
        "the app has nothing to show now")
    failed = push_app(screen, app.slug, config={"fail": "x", "key": "a-secret-value"}).problem(409)
    assert "it is broken" in failed["detail"] and "a-secret-value" not in failed["detail"]
    broken = make_app(screen.account).published(script="x (")
    assert push_app(screen, broken.slug).problem(409)


def test_who_may(world, screen, app):
    def ask(**options):
        return screen.account.post(v0(screen, "/push_app"), {"app_id": app.slug}, fields=UNTYPED, **options)

    assert ask(key=screen.account.new_key("push")).ok() == {}
    assert ask(key=None).problem(401) and ask(key=screen.link_key).problem(401)
    other = world.account()
    assert other.post(v0(screen, "/push_app"), {"app_id": app.slug}).problem(403)
    assert other.post(f"/v0/devices/{UNKNOWN_ID}/push_app", {"app_id": app.slug}).problem(404)


def test_the_limit_of_pushes(start):
    world = start(rate_limit=100000)
    device = world.account().device()
    refused = until_refused(lambda: push_app(device, "none"), 8)[-1]
    assert refused.problem(429) and "Retry-After" in refused


def test_the_id_of_an_app(screen, app):
    """Either form of the ID works."""
    made = screen.account.post(screen.path + "/installations", {"app": app.slug}).json()["id"]
    for name in (made, made.replace("-", "")):
        wanted = {"/installationID": "is the ID of an app's installation on this device"}
        assert push_app(screen, app.slug, installationID=name).faults() == wanted
        assert push(screen, installationID=name).faults() == wanted
    assert screen.ids() == [made]


# ---- an entry by its ID alone ----

PAINT = """
load("render.star", "render")
load("schema.star", "schema")

def main(config):
    if config.get("color") == "fail":
        fail("key " + config.get("key", "none"))
    if config.get("key") == "hush":
        return render.Root(child = render.Box(color = config.get("color", "#00ff00")))
    return render.Root(child = render.Box(color = "#0000ff" if config.get("color") else "#ffffff"))

def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "color", name = "Color", desc = "Color", icon = "brush", default = ""),
        schema.Text(id = "key", name = "Key", desc = "Secret", icon = "key", secret = True),
    ])
"""
BLUE, WHITE = (0, 0, 255), (255, 255, 255)


@pytest.fixture(scope="module")
def painter(owner):
    return make_app(owner).published(script=PAINT)


def installed(screen, app, **settings):
    body = {"app": app.slug, "settings": settings}
    return screen.account.post(screen.path + "/installations", body).json()["id"]


def alone(screen, name, **members):
    return screen.account.post(v0(screen, "/push_app"), {"installationID": name} | members, fields=UNTYPED)


def test_an_entry_of_an_app_alone(world, screen, painter):
    """It is rendered with its own settings, secrets too, and shown for one turn. The entry stays as it is."""
    made = installed(screen, painter, color="#ff0000", key="hush")
    path = f"{screen.path}/installations/{made}"
    screen.account.request("PATCH", path, body={"displaySeconds": 45, "isEnabled": False}).ok()
    before = screen.account.get(path).ok()
    for name in (made, made.replace("-", ""), made.upper().replace("-", "")):
        assert alone(screen, name).ok() == {}
        screen.shows(solid(RED))
        assert alone(screen, name, app_id=None, config={}, background=False, coalesceID="x").ok() == {}
        assert alone(screen, None, installationId=name, app_id="", config={"color": None}).ok() == {}
    assert world.sql("SELECT duration_s FROM showing WHERE device_id = %s", screen.id) == [(45,)]
    assert screen.ids() == [made]
    after = screen.account.get(path).ok()
    assert {name: after[name] for name in ("settings", "secrets", "isEnabled", "displaySeconds")} == {
        name: before[name] for name in ("settings", "secrets", "isEnabled", "displaySeconds")}


def test_settings_of_the_caller_replace_those_of_the_entry(screen, painter):
    """Secrets too: a key that may only push must not send them to a host that it names in a setting."""
    made = installed(screen, painter, color="#ff0000", key="hush")
    assert alone(screen, made, config={"color": "#00ff00"}).ok() == {}
    screen.shows(solid(BLUE))
    assert alone(screen, made, config={"other": "x"}).ok() == {}
    screen.shows(solid(WHITE))
    assert alone(screen, made, config={"key": "hush"}).ok() == {}
    screen.shows(solid(GREEN))
    key = screen.account.new_key("push")
    failed = alone(screen, made, config={"color": "fail"}).problem(409)
    assert "key none" in failed["detail"]
    assert screen.account.post(v0(screen, "/push_app"), {"installationID": made}, key=key).ok() == {}
    screen.shows(solid(RED))
    assert set(alone(screen, made, config={"color": "x" * 65536}).faults()) == {"/config"}


def test_an_entry_of_an_app_in_the_background(screen, painter):
    """It shows a picture of its own in each turn anyway."""
    made = installed(screen, painter, color="#ff0000", key="hush")
    screen.account.request("PATCH", f"{screen.path}/installations/{made}", body={"isEnabled": False}).ok()
    assert push(screen, installationID="other").status == 200
    before = screen.shown()
    for members in ({"background": True}, {"publish": "background"}):
        assert alone(screen, made, **members).ok() == {}
        assert screen.shown() == before


def test_a_pushed_entry_alone(world, screen):
    """It is shown again, and stays as long as it would have."""
    first, second = (images.png(images.solid(color)) for color in (RED, GREEN))
    for name, picture in (("a", first), ("b", second)):
        assert push(screen, image=images.text(picture), installationID=name).status == 200
    screen.shows(solid(GREEN))
    assert alone(screen, "a").ok() == {}
    screen.shows(solid(RED))
    assert alone(screen, "b", background=True).ok() == {}
    assert screen.ids() == ["a", "b"]
    assert alone(screen, "a", config={"x": "y"}).faults() == {"/config": "must be left out for a pushed image"}
    # The entry stays as it is, with its end, and the bytes of a temporary image no longer count.
    of_entry = "SELECT picture_hash, picture_generation, expires_at, position FROM installation WHERE device_id = %s AND id = 'a'"
    world.sql("UPDATE installation SET expires_at = present_time() + interval '100 s' WHERE device_id = %s AND id = 'a'", screen.id)
    before = world.sql(of_entry, screen.id)
    assert push(screen).status == 200
    answer = alone(screen, "a")
    assert answer.ok() == {} and answer["Displayd-Shown"]
    screen.shows(solid(RED))
    assert world.sql(of_entry, screen.id) == before
    assert world.sql("SELECT picture_bytes = pushed_bytes(id) FROM device WHERE id = %s", screen.id) == [(True,)]
    for name, color in (("b", GREEN), ("a", RED)):
        assert alone(screen, name).ok() == {}
        screen.shows(solid(color))


def test_an_entry_alone_that_is_not_there(world, screen, app):
    for name in ("none", UNKNOWN_ID, UNKNOWN_ID.replace("-", "")):
        assert alone(screen, name).faults() == {"/installationID": "is not in the device's rotation: app_id is required"}
    other = world.account().device()
    assert push(other, installationID="theirs").status == 200
    assert set(alone(screen, None, installationId="theirs").faults()) == {"/installationId"}
    for name in ("", None):
        assert alone(screen, name).faults() == {
            "/app_id": "is required without the installationID of an entry of the rotation"}
    made = screen.account.post(screen.path + "/installations", {"app": app.slug}).json()["id"]
    world.sql("UPDATE app SET status = 'disabled' WHERE id = %s", app.id)
    try:
        assert "has disabled this app" in alone(screen, made).problem(409)["detail"]
    finally:
        world.sql("UPDATE app SET status = 'active' WHERE id = %s", app.id)


# ---- texts ----


@pytest.mark.parametrize("style", ["regular", "scrolling", "title"])
def test_texts(screen, style):
    """Texts as Home Assistant sends them: all members, unchosen ones as null."""
    config = {"content": "Hi", "font": None, "color": "#ff0000", "title": "T" if style == "title" else None,
              "titlecolor": "#00ff00", "titlefont": None, "background_color": "#0000ff", "emoji": None}
    assert push_app(screen, f"text-{style}", config=config).ok() == {}
    first = screen.shown()
    assert push_app(screen, f"text-{style}", config=config | {"content": "Ho"}).ok() == {}
    assert screen.shown() != first


def test_a_text_with_all_members(screen):
    long = "A text of many words that does not fit into one line. " * 4
    for style in ("regular", "scrolling", "title"):
        config = {"content": long, "font": "tom-thumb", "color": "#fff", "title": "Title", "titlecolor": "#0f0",
                  "titlefont": "5x8", "background_color": "#000033", "emoji": "\U0001f600"}
        assert push_app(screen, f"text-{style}", config=config, installationID="Text").ok() == {}
    assert entries(screen) == [entry("Text")]
    assert push_app(screen, "text-regular").ok() == {}
    assert push_app(screen, "text-regular", config={"content": "x", "font": "none"}).problem(409)


def test_an_own_app_of_that_name_counts(world, screen):
    own = make_app(screen.account)
    world.sql("UPDATE app SET slug = 'text-regular' WHERE id = %s", own.id)
    own.slug = "text-regular"
    own.published(script=BOX)
    assert push_app(screen, "text-regular", config={"content": "Hi"}).ok() == {}
    screen.shows(solid(GREEN))
