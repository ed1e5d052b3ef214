"""Apps with a form, of a test's account."""

import os

import pytest
from apps import make_app

RENDERERS = os.path.join(os.path.dirname(os.path.realpath(os.environ["DISPLAYD"])),
                         "../../subprojects")
renders = pytest.mark.skipif(
    not os.path.exists(os.path.join(RENDERERS, "render-starlark", "render-starlark")),
    reason="built without render-starlark")

FIELDS = """
load("render.star", "render")
load("schema.star", "schema")

def main(config):
    return render.Root(child = render.Text(config.get("text") or ""))

def find(pattern):
    return []

def more(kind):
    return []

def get_schema():
    return schema.Schema(version = "1", fields = [%s])
"""
ALL = """
    schema.Text(id = "text", name = "Text", desc = "What", icon = "font", default = "hello"),
    schema.Text(id = "key", name = "Key", desc = "Secret", icon = "key", secret = True),
    schema.Color(id = "color", name = "Colour", desc = "Which", icon = "brush", default = "#fff",
        palette = ["#ff0000"]),
    schema.Toggle(id = "on", name = "On", desc = "Or off", icon = "gear", default = False),
    schema.Dropdown(id = "kind", name = "Kind", desc = "Kind", icon = "gear", default = "a", options = [
        schema.Option(display = "A", value = "a"), schema.Option(display = "B", value = "b")]),
    schema.DateTime(id = "when", name = "When", desc = "When", icon = "clock"),
    schema.Location(id = "where", name = "Where", desc = "Where", icon = "pin"),
    schema.Typeahead(id = "found", name = "Found", desc = "Search", icon = "gear", handler = find),
    schema.PhotoSelect(id = "photo", name = "Photo", desc = "Which", icon = "gear"),
    schema.OAuth2(id = "auth", name = "Sign in", desc = "There", icon = "user", handler = more,
        client_id = "x", authorization_endpoint = "https://example.org/", scopes = ["all"]),
"""
MAKER = 'schema.Generated(id = "more", source = "kind", handler = more),'


def published(account, fields=None, **options):
    app = make_app(account, **options)
    return app.published(script=FIELDS % (fields or ""))
