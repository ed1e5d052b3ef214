"""Apps with a form, and people who install them. A module that imports the fixtures at the end gets them as
its own."""

import base64
import os

import pytest
from authors import Author
from people import Person

RENDERERS = os.path.join(os.path.dirname(os.path.realpath(os.environ["DISPLAYD"])),
                         "../../subprojects")


def needs(*languages):
    """Marks modules and tests that need a build with the renderers."""
    return [pytest.mark.skipif(
        not os.path.exists(os.path.join(RENDERERS, f"render-{name}", f"render-{name}")),
        reason=f"built without render-{name}") for name in languages]


FORM = """
load("render.star", "render")
load("schema.star", "schema")

def main(config):
    print("text is", config.get("text"))
    if config.get("text") == "nothing":
        return None
    if config.get("text") == "fail":
        fail("asked to")
    return render.Root(child = render.Text(config.get("text") or "", color = config.get("color")))

def find(pattern, config):
    return [schema.Option(display = pattern + d, value = (config.get("key") or "none")[::-1]) for d in ["a", "b"]]

def near(location, config):
    return [schema.Option(display = location, value = "here")]

def more(kind):
    if kind == "b":
        return [schema.Text(id = "extra", name = "Extra", desc = "More", icon = "gear")]
    return []

def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "text", name = "Text", desc = "What", icon = "font", default = "hello"),
        schema.Text(id = "key", name = "Key", desc = "Secret", icon = "key", secret = True),
        schema.Color(id = "color", name = "Colour", desc = "Which", icon = "brush", default = "#fff"),
        schema.Toggle(id = "on", name = "On", desc = "Or off", icon = "gear", default = False),
        schema.Dropdown(id = "kind", name = "Kind", desc = "Kind", icon = "gear", default = "a", options = [
            schema.Option(display = "A", value = "a"), schema.Option(display = "B", value = "b")]),
        schema.Typeahead(id = "found", name = "Found", desc = "Search", icon = "gear", handler = find),
        schema.LocationBased(id = "near", name = "Near", desc = "Near", icon = "gear", handler = near),
        schema.OAuth2(id = "auth", name = "Sign in", desc = "There", icon = "user", handler = more,
            client_id = "x", authorization_endpoint = "https://example.org/", scopes = ["all"]),
    ] + EXTRA)
"""
PLAIN = FORM.replace("EXTRA", "[]")
GENERATED = FORM.replace("EXTRA", """[
        schema.Generated(id = "more", source = "kind", handler = more)]""")
MADE = FORM.replace("EXTRA", """[
        schema.Generated(id = "more", source = "kind", handler = made)]""").replace("def get_schema", """
def made(kind, config):
    if config.get("text") == "fail":
        fail("asked to, knowing %s" % config.get("token"))
    if kind == "a":
        return []
    return [
        schema.Text(id = "extra", name = "Extra", desc = "More", icon = "gear"),
        schema.Text(id = "token", name = "Token", desc = config.get("token") or "", icon = "key", secret = True),
    ]

def get_schema""").replace('print("text is", config.get("text"))',
                           'print("token is", config.get("token"), "extra is", config.get("extra"))')
BROKEN = "def main(config):\n    return nobody\n"


def publish(author, reviewer, script, version="1.0"):
    app = author.make(visibility="public")
    app.publish(reviewer, version, script)
    return app


class Owner:
    """A person with a device."""

    def __init__(self, world):
        self.person = Person(world)
        self.person.device()
        self.browser = self.person.browser()
        self.device = str(world.sql("SELECT id FROM device WHERE account_id = %s",
                                    self.person.id)[0][0])

    def install(self, app, **settings):
        return self.browser.post(f"/web/devices/{self.device}/apps",
                                 {"app": app.slug, "settings": settings})

    def installed(self, app, **settings):
        answer = self.install(app, **settings)
        assert answer.status == 201, answer.body
        return Entry(self, answer.json()["id"])

    def preview(self, app, settings=None, **members):
        return self.browser.post(f"/web/apps/{app.slug}/preview",
                                 {"deviceId": self.device, "settings": settings or {}, **members})

    def ask(self, app, field, parameter, **members):
        return self.browser.post(f"/web/apps/{app.slug}/handler",
                                 {"fieldId": field, "parameter": parameter, **members})


class Entry:
    """An installation."""

    def __init__(self, owner, entry_id):
        self.owner = owner
        self.id = entry_id
        self.path = f"/web/devices/{owner.device}/rotation/{entry_id}"

    def shown(self):
        return self.owner.browser.get(self.path + "/settings").ok()

    def set(self, **settings):
        return self.owner.browser.request("PUT", self.path + "/settings",
                                          body={"settings": settings})

    def row(self):
        return self.owner.person.world.sql(
            "SELECT settings, secret_settings, settings_hash FROM installation"
            " WHERE device_id = %s AND id = %s", self.owner.device, self.id)[0]


def pointers(answer):
    return {error["pointer"] for error in answer.problem(400)["errors"]}


def webp(answer):
    return base64.b64decode(answer["picture"])


@pytest.fixture(scope="module")
def reviewer(world):
    return Person(world, is_reviewer=True).browser()


@pytest.fixture(scope="module")
def author(world):
    return Author(world, name="Ada Lovelace")


@pytest.fixture(scope="module")
def plain(author, reviewer):
    return publish(author, reviewer, PLAIN)


@pytest.fixture
def owner(world):
    return Owner(world)
