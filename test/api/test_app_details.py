"""An installable app, and its form as JSON Schema."""

import json
import secrets

import jsonschema
import pytest
import scene
from app_forms import ALL, MAKER, published, renders
from apps import make_app
from world import UNKNOWN_ID, images


def details(account, name):
    return account.get(f"/v1/apps/{name}")


def schema_of(account, name):
    answer = account.get(f"/v1/apps/{name}/schema")
    schema = answer.ok()
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


def takes(schema, settings):
    return jsonschema.Draft202012Validator(schema).is_valid(settings)


# ---- the app ----


def test_source(world, account):
    app = published(account)
    path = f"/v1/apps/{app.id}/source"
    source = account.get(path).ok()
    [[script]] = world.sql("SELECT script_content FROM app_version WHERE app_id = %s", app.id)
    assert source == {"version": "1.0", "scriptLanguage": "STARLARK", "scriptContent": script}
    assert account.get(f"/v1/apps/{app.slug}/source").ok() == source
    # A private app has no source for others, and a version that is not deployed none for anybody.
    other = world.account()
    other.get(path).problem(404)
    world.sql("UPDATE app SET visibility = 'public' WHERE id = %s", app.id)
    assert other.get(path).ok() == source
    world.sql("UPDATE app SET status = 'disabled' WHERE id = %s", app.id)
    for name in (app.id, UNKNOWN_ID, "none"):
        assert account.get(f"/v1/apps/{name}/source").problem(404)["code"] == "app_not_found"


def test_details(world, account):
    app = published(account)
    shown = details(account, app.id).ok()
    (name,), = world.sql("SELECT name FROM account WHERE id = %s", account.id)
    shown.pop("picture")
    assert shown == {"id": app.id, "slug": app.slug, "name": "Clock", "description": "Shows the time",
                     "version": "1.0", "author": {"name": name}, "isPrivate": True, "hosts": []}
    assert details(account, app.slug).ok()["id"] == app.id


def test_what_a_collection_says(world, account):
    app = published(account, visibility="public")
    collection = f"c-{secrets.token_hex(4)}"
    world.sql("WITH c AS (INSERT INTO app_collection (id, name) VALUES (gen_random_uuid(), %s) "
              "RETURNING id) UPDATE app SET collection_id = c.id, category = 'clocks', "
              "tags = '[\"time\"]', author = 'Grace', broken_reason = 'gone' FROM c "
              "WHERE app.id = %s", collection, app.id)
    world.sql("INSERT INTO app_own_picture (app_id, source_hash, picture, picture_hash, "
              "checked_at) VALUES (%s, sha256('x'), 'x', %s, now())", app.id, "0" * 32)
    shown = details(account, app.id).ok()
    assert (shown["collection"], shown["category"], shown["tags"], shown["brokenReason"]) == (
        collection, "clocks", ["time"], "gone")
    assert shown["author"] == {"name": "Grace"} and shown["picture"]


def test_picture(world, account):
    app = make_app(account).published(script=scene.SCRIPT)  # of an app that draws nothing
    path = app.path + "/picture"
    account.get(path).problem(404)
    scene.picture(world, app.id)
    answer = account.get(path)
    assert (answer.status, answer["Content-Type"]) == (200, "image/webp")
    assert images.frames_of(answer.body) == images.frames_of(images.webp(images.gradient(0)))
    assert account.get(f"/v1/apps/{app.slug}/picture", fields=[
        ("If-None-Match", answer["ETag"])]).status == 304
    assert details(account, app.id).ok()["picture"]


@pytest.mark.parametrize("path", ["", "/picture", "/schema"])
def test_what_cannot_be_installed(world, account, path):
    other = world.account()
    private, public = published(other), published(other, visibility="public")
    draft, disabled = make_app(account), published(account)
    world.sql("UPDATE app SET status = 'disabled' WHERE id = %s", disabled.id)
    for name in (private.id, private.slug, draft.id, draft.slug, disabled.id, UNKNOWN_ID, "no-such",
                 "%2e%2e", "x" * 500):
        account.get(f"/v1/apps/{name}{path}").problem(404)
    assert details(account, public.slug).ok()["isPrivate"] is False
    account.get(f"/v1/apps/{public.id}{path}", key=None).problem(401)


def test_a_slug_means_the_own_app_first(world, account):
    other = published(world.account(), visibility="public")
    own = published(account)
    world.sql("UPDATE app SET slug = %s WHERE id = %s", other.slug, own.id)
    assert details(account, other.slug).ok()["id"] == own.id
    assert details(account, other.id).ok()["id"] == other.id


# ---- the form ----


@renders
def test_schema(account):
    app = published(account, ALL)
    schema = schema_of(account, app.id)
    assert schema == schema_of(account, app.slug)
    assert (schema["title"], schema["type"], schema["additionalProperties"]) == ("Clock", "object", False)
    fields = schema["properties"]
    assert list(fields) == ["text", "key", "color", "on", "kind", "when", "where", "found", "photo"]
    assert fields["text"] == {"type": "string", "title": "Text", "description": "What",
                              "default": "hello"}
    assert [name for name, field in fields.items() if field.get("writeOnly")] == ["key"]
    good = {"text": "", "key": "k", "color": "#FFaa00", "on": "true", "kind": "b",
            "where": json.dumps({"lat": "1", "lng": "2"}), "when": "", "found": "", "photo": ""}
    assert takes(schema, good) and takes(schema, {}) and takes(schema, {"key": None})
    for name, value in (("color", "#ffaa0"), ("on", "yes"), ("on", True), ("kind", "c"), ("auth", "x"),
                        ("text", 1), ("text", None), ("other", "x")):
        assert not takes(schema, {**good, name: value}), name


@renders
def test_schema_of_a_form_that_makes_fields(account):
    schema = schema_of(account, published(account, ALL + MAKER).id)
    assert "more" not in schema["properties"]
    assert takes(schema, {"made": "x"}) and not takes(schema, {"made": 1})


@renders
def test_schema_without_fields(account):
    assert schema_of(account, published(account).id)["properties"] == {}


@renders
def test_fields_of_one_name(account):
    """If fields share a name, the app accepts values that fit one of them, and one secret field makes all secret."""
    schema = schema_of(account, published(account, """
        schema.Toggle(id = "x", name = "On", desc = "", icon = "gear", default = False),
        schema.Text(id = "x", name = "Key", desc = "", icon = "gear", secret = True),""").id)
    assert schema["properties"]["x"]["writeOnly"] is True
    assert takes(schema, {"x": "anything"})


@renders
def test_a_script_without_a_form(account):
    app = published(account, "nobody")
    for _ in range(2):  # the second time from the cache
        assert "form" in account.get(app.path + "/schema").problem(409)["detail"]
