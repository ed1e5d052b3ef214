"""Collections of imported apps have slugs of their own, and show what their manifests say."""

import os
import urllib.request

import pytest
from checkouts import STARLARK, Checkout, counts, outcome, write
from ctl_scene import device, email, key, new_app, numbers, publish, query, refused
from images import frames_of, gif, png, solid, webp
from server import wait_until

__all__ = ["device", "email", "key"]  # fixtures

pytestmark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK"), reason="built without the Starlark renderer")


@pytest.fixture
def folder(tmp_path):
    """A function that makes a checkout whose apps have these slugs."""
    def make(name):
        path = tmp_path / name
        path.mkdir(parents=True)
        return Checkout(str(path))
    return make


@pytest.fixture
def run(running, email):
    def run(checkout, *options):
        return running.ctl("app", "import", checkout.folder, "--account", email, *options)
    return run


def unique(word):
    return f"{word}{next(numbers)}"


def listed(running, key, query_string=""):
    return {(app["name"], app.get("collection")): app
            for app in running.get("/v1/apps" + query_string, key=key).json()}


def test_a_second_source_replaces_nothing(running, run, folder, email, device, key):
    """Installed apps of the first source stay, with their settings, and each source keeps its own."""
    weather = unique("weather")
    ours, theirs = folder(unique("ours")), folder(unique("theirs"))
    for checkout, text in ((ours, "ours"), (theirs, "theirs")):
        checkout.add("weather", id=weather, name=weather.title(), script=STARLARK % text)
    assert counts(run(ours)) == outcome(made=1)
    running.ctl("installation", "create", "--device", device["id"], "--app", weather)
    before = query(running, "SELECT id, deployed_version_id, generation FROM app WHERE slug = %s", weather)
    for expected in (outcome(made=1), outcome(unchanged=1)):
        assert counts(run(theirs)) == expected
    assert query(running, "SELECT id, deployed_version_id, generation FROM app WHERE slug = %s "
                 "ORDER BY created_at LIMIT 1", weather) == before
    assert counts(run(ours)) == outcome(unchanged=1)
    both = [app["collection"] for (name, _), app in listed(running, key).items() if name == weather.title()]
    assert sorted(both) == sorted(os.path.basename(checkout.folder) for checkout in (ours, theirs))
    assert {app["collection"] for app in running.ctl("app", "list", "--account", email)
            if app["slug"] == weather} == set(both)
    # The slug means the app of the collection that was added first.
    made = running.ctl("installation", "create", "--device", device["id"], "--app", weather)
    assert made["app"]["id"] == str(before[0][0])


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_an_own_app_stops_no_import(running, run, folder, email, device, key, visibility):
    """An import takes place beside the account's own app, which the slug means from then on."""
    clock = unique("clock")
    own = running.ctl("app", "create", "--account", email, "--name", "Mine", "--slug", clock,
                      "--visibility", visibility)
    checkout = folder(unique("community"))
    checkout.add("clock", id=clock, name=clock)
    answer = run(checkout)
    assert counts(answer) == outcome(made=1) and answer["apps"][0]["slug"] == clock
    upload = {"version": "1", "scriptContent": "def main():\n    return []\n",
              "scriptLanguage": "STARLARK"}
    assert running.post(f"/v1/apps/{clock}/upload", upload, key=key).status == 201
    assert running.ctl("app", "review", own["id"], "1", "approve")["status"] == "APPROVED"
    made = running.ctl("installation", "create", "--device", device["id"], "--app", clock)
    assert made["app"] == {"id": own["id"], "name": "Mine"}


def test_a_private_app_stops_nobody_s_own_one(running, email, key):
    slug = unique("clock")
    ours = running.ctl("app", "create", "--account", email, "--name", "One", "--slug", slug)
    other = f"{unique('other')}@example.org"
    running.ctl("account", "create", other, "--name", "Bob")
    create = ("app", "create", "--account", other, "--name", "Two", "--slug", slug)
    theirs = running.ctl(*create)
    assert refused(running, 4, *create) == "there is an app with this slug already"
    # For each account the slug means its own app; for an operator it means neither.
    answer = running.post(f"/v1/apps/{slug}/upload", {
        "version": "1", "scriptContent": "x", "scriptLanguage": "STARLARK"}, key=key)
    assert answer.status == 201
    assert [running.ctl("app", "show", app["id"])["versions"] for app in (ours, theirs)] == [1, 0]
    assert ours["id"] in (text := refused(running, 4, "app", "disable", slug)) and theirs["id"] in text
    # Only one of them can be public.
    create = ("app", "create", "--name", "Three", "--slug", unique("sun"), "--visibility", "public", "--account")
    running.ctl(*create, email)
    refused(running, 4, *create, other)


def test_an_app_of_the_instance_comes_before_collections(running, run, folder, email, key):
    checkout = folder(unique("community"))
    slug = unique("sun")
    checkout.add("sun", id=slug)
    run(checkout)
    other = f"{unique('other')}@example.org"
    running.ctl("account", "create", other, "--name", "Bob")
    desk = running.ctl("device", "create", "--account", other, "--name", "Desk")
    app = new_app(running, email, "--visibility", "public")
    publish(running, key, app)
    # A draft of another account shadows nothing.
    draft = new_app(running, email, "--visibility", "public")
    query(running, "UPDATE app SET slug = %s WHERE id = %s", slug, draft["id"])
    made = running.ctl("installation", "create", "--device", desk["id"], "--app", slug)
    assert made["app"]["id"] not in (app["id"], draft["id"])
    query(running, "UPDATE app SET slug = %s WHERE id = %s", unique("draft"), draft["id"])
    query(running, "UPDATE app SET slug = %s WHERE id = %s", slug, app["id"])
    made = running.ctl("installation", "create", "--device", desk["id"], "--app", slug)
    assert made["app"]["id"] == app["id"]
    assert running.ctl("app", "show", slug)["id"] == app["id"]


# ---- which collection ----

def collections(running):
    return dict(query(running, "SELECT name, source FROM app_collection"))


def test_names_of_collections(running, run, folder):
    """The name is that of the repository, or else of the folder. A given name takes precedence, and the
    folder keeps it."""
    checkout = folder("clone")
    owner = unique("owner")
    checkout.add("app")
    write(os.path.join(checkout.folder, ".git/config"), "[core]\n\tbare = false\n[remote \"origin\"]\n"
          f"\turl = https://me:s@cret@git.example/{owner}/apps.git\n\tfetch = x\n[branch \"main\"]\n\turl = no\n")
    assert run(checkout)["collection"] == f"{owner}/apps"
    assert collections(running)[f"{owner}/apps"] == f"https://git.example/{owner}/apps.git"
    again = folder("another clone")
    again.prefix = checkout.prefix
    again.add("app")
    write(os.path.join(again.folder, ".git/config"),
          f"[remote \"origin\"]\nurl=https://git.example/{owner}/apps.git")
    answer = run(again)
    assert (answer["collection"], counts(answer)) == (f"{owner}/apps", outcome(unchanged=1))

    plain = folder(unique("plain"))
    plain.add("app")
    name = unique("Named")
    assert run(plain, "--collection", name)["collection"] == name
    answer = run(plain)
    assert (answer["collection"], counts(answer)) == (name, outcome(unchanged=1))


def test_two_folders_of_one_name(running, run, folder):
    """The collection must be named: an import never confuses two sources."""
    name = unique("apps")
    first, second = folder(f"a/{name}"), folder(f"b/{name}")
    second.prefix = first.prefix
    for checkout in (first, second):
        checkout.add("weather", script=STARLARK % checkout.folder)
    run(first)
    email = query(running, "SELECT email FROM account ORDER BY created_at DESC LIMIT 1")[0][0]
    text = refused(running, 4, "app", "import", second.folder, "--account", email)
    assert f"\"{name}\" from elsewhere" in text and "--collection" in text
    other = unique("second")
    assert counts(run(second, "--collection", other)) == outcome(made=1)
    assert counts(run(first)) == outcome(unchanged=1)
    assert counts(run(second)) == outcome(unchanged=1)
    assert counts(run(second, "--collection", name)) == outcome(updated=1)


def test_a_dry_run_makes_no_collection(running, run, folder):
    checkout = folder(unique("dry"))
    checkout.add("app")
    answer = run(checkout, "--dry-run")
    assert counts(answer) == outcome(made=1)
    assert answer["collection"] not in collections(running)


def test_apps_from_before_collections_had_names(running, run, folder, email):
    """The next import of unnamed collections joins the collection of most of its apps; another source gets
    another collection."""
    checkout, other = folder(unique("old")), folder(unique("new"))
    for name in ("one", "two", "three"):
        checkout.add(name)
    run(checkout)
    query(running, "UPDATE app_collection SET name = 'imported', source = NULL WHERE name = %s",
          os.path.basename(checkout.folder))
    other.prefix = checkout.prefix
    other.add("one", script=STARLARK % "other")
    other.add("four")
    assert counts(run(other)) == outcome(made=2)
    del checkout
    same = folder(unique("moved"))
    same.prefix = other.prefix
    for name in ("one", "two", "five"):
        same.add(name)
    answer = run(same)
    assert counts(answer) == outcome(made=1, unchanged=2)
    assert answer["collection"] == os.path.basename(same.folder)
    assert "imported" not in collections(running)


# ---- what manifests say ----

def test_category_and_tags(running, run, folder, key):
    checkout = folder(unique("c"))
    name = unique("Tagged")
    checkout.add("app", name=name, category="Transport", tags=["bus", "sp\u00e4t", "a\nb", "x" * 50, None, ["n"]])
    run(checkout)
    [app] = [app for app in running.get("/v1/apps", key=key).json() if app["name"] == name]
    assert app["category"] == "Transport" and "brokenReason" not in app
    assert app["tags"] == ["bus", "sp\u00e4t", "a b", "x" * 39 + "\u2026"]
    assert counts(run(checkout)) == outcome(unchanged=1)
    checkout.add("app", name=name, tags=[str(number) for number in range(30)])
    assert counts(run(checkout)) == outcome(updated=1)
    [app] = [app for app in running.get("/v1/apps", key=key).json() if app["name"] == name]
    assert "category" not in app and app["tags"] == [str(number) for number in range(20)]


def test_broken_apps_are_hidden_unless_asked_for(running, run, folder, email, key):
    checkout = folder(unique("c"))
    good, broken, silent = (unique(word) for word in ("good", "broken", "silent"))
    checkout.add("good", name=good, brokenReason="It was.")
    checkout.add("broken", name=broken, broken=True, brokenReason="Its API is gone.")
    checkout.add("silent", name=silent, broken=True)
    answer = run(checkout)
    assert answer["broken"] == 2 and counts(answer) == outcome(made=3)
    remarks = {app["folder"]: app["remark"] for app in answer["apps"]}
    assert remarks["apps/broken"] == "its manifest says that it is broken: Its API is gone."

    def reasons(apps):
        return {app["name"]: app.get("brokenReason") for app in apps
                if app["name"] in (good, broken, silent)}
    all_of_them = {good: None, broken: "Its API is gone.", silent: "Its collection gives no reason."}
    for options, expected in (("", {good: None}), ("?broken=false", {good: None}), ("?broken=true", all_of_them),
                              ("?limit=1000&broken=true", all_of_them), ("?limit=1000", {good: None})):
        assert reasons(running.get("/v1/apps" + options, key=key).json()) == expected
    assert running.get("/v1/apps?broken=yes", key=key).status == 400
    assert reasons(running.ctl("app", "list", "--account", email)) == {good: None}
    assert reasons(running.ctl("app", "list", "--account", email, "--broken")) == all_of_them
    checkout.add("broken", name=broken, broken=False, brokenReason="Its API is gone.")
    assert counts(run(checkout)) == outcome(updated=1, unchanged=2)
    assert reasons(running.ctl("app", "list", "--account", email)) == {good: None, broken: None}


def test_what_is_installed_of_a_broken_app_goes_on(running, run, folder, email, device):
    checkout = folder(unique("c"))
    checkout.add("app")
    run(checkout)
    running.ctl("installation", "create", "--device", device["id"], "--app", checkout.slug("app"))
    checkout.add("app", broken=True)
    run(checkout)

    def poll():
        with urllib.request.urlopen(device["pollUrl"]) as answer:
            return answer.headers.get("Tronbyt-Brightness") or answer.status
    wait_until(poll, "an answer")
    assert running.ctl("installation", "create", "--device", device["id"], "--app",
                       checkout.slug("app"))["app"]["name"] == "App"


# ---- pictures ----

def pictures(running, checkout):
    """By app: bytes of the imported file, until it is decoded, and whether there is a picture."""
    wait_until(lambda: not query(running, "SELECT 1 FROM app_own_picture WHERE checked_at IS NULL"), "all checks")
    return dict(query(running, """SELECT right(slug, -%s), picture FROM app
        JOIN app_own_picture ON app_own_picture.app_id = app.id WHERE slug LIKE %s""",
                      len(checkout.prefix) + 1, checkout.prefix + "-%"))


def test_the_folder_s_own_picture(running, run, folder):
    """A picture with the app's name comes first, then another one of the panel's size, then a magnified
    one. Images that the app draws with do not count."""
    checkout = folder(unique("c"))
    red, green = (webp(solid(color)) for color in ((255, 0, 0), (0, 255, 0)))
    large = webp(solid(size=(640, 320)))
    checkout.add("abc_news", id=checkout.slug("named"), files={
        "a.webp": green, "AbcNews.webp": red, "abcnews@2x.webp": large, "abcnews.gif": gif([solid()])})
    checkout.add("other", files={"large.webp": large, "preview.gif": gif([solid((0, 255, 0))]), "z.webp": large})
    checkout.add("shot", files={"odd.gif": gif([solid(size=(640, 330))]),
                                "shot.gif": gif([solid((0, 0, 255), size=(640, 320))])})
    checkout.add("drawn", files={"icon.png": png(solid())})
    checkout.add("png", files={"png.png": png(solid((0, 255, 0)))})
    checkout.add("huge", files={"huge.webp": red + bytes(1024 * 1024)})
    checkout.add("page", files={"page.webp": red + bytes(200_000)})
    checkout.add("broken picture", id=checkout.slug("bad"), files={"broken picture.webp": red[:-8]})
    os.symlink("/etc/passwd", os.path.join(checkout.folder, "apps/drawn/drawn.webp"))
    os.mkfifo(os.path.join(checkout.folder, "apps/drawn/drawn.gif"))
    os.mkdir(os.path.join(checkout.folder, "apps/drawn/drawn.png"))
    answer = run(checkout)
    assert counts(answer) == outcome(made=8) and answer["pictures"] == 6
    assert {app["folder"].removeprefix("apps/"): app["picture"] for app in answer["apps"]} == {
        "abc_news": "AbcNews.webp", "other": "preview.gif", "png": "png.png", "shot": "shot.gif", "drawn": None, "huge": None,
        "page": "page.webp", "broken picture": "broken picture.webp"}
    found = pictures(running, checkout)
    assert set(found) == {"named", "other", "png", "shot", "page", "bad"} and found["bad"] is None
    assert {name: bytes(frames_of(bytes(picture))[0][0][:3]) for name, picture in found.items() if picture} == {
        "named": bytes((255, 0, 0)), "other": bytes((0, 255, 0)), "png": bytes((0, 255, 0)), "shot": bytes((0, 0, 255)),
        "page": bytes((255, 0, 0))}
    assert counts(run(checkout)) == outcome(unchanged=8)
    # Another picture, then none.
    write(os.path.join(checkout.folder, "apps/abc_news/AbcNews.webp"), green)
    os.unlink(os.path.join(checkout.folder, "apps/other/preview.gif"))
    assert counts(run(checkout)) == outcome(updated=2, unchanged=6)
    found = pictures(running, checkout)
    assert set(found) == {"named", "other", "png", "shot", "page", "bad"}
    assert frames_of(bytes(found["named"]))[0][0][:3] == bytes((0, 255, 0))
