"""displayctl sets the settings of apps as the pages do: it checks them against the form and encrypts secrets."""

import json
import os
import subprocess

import pytest
from ctl_scene import app, device, email, key, published, query, refused
from engines import engines_version
from server import DISPLAYCTL

__all__ = ["app", "device", "email", "key", "published"]  # fixtures
SCHEMA = {"version": "1", "schema": [
    {"type": "text", "id": "name", "name": "Name", "description": "", "icon": "user"},
    {"type": "onoff", "id": "big", "name": "Big", "description": "", "icon": "user"},
    {"type": "text", "id": "token", "name": "Token", "description": "", "icon": "key",
     "secret": True},
]}


@pytest.fixture
def form(running, published):
    """Stores the form of the app, so that no engine is needed."""
    query(running, "INSERT INTO app_schema (version_id, locale, engine, schema, hosts) "
                   "SELECT deployed_version_id, 'en', %s, %s, '' FROM app WHERE slug = %s", engines_version(),
          json.dumps(SCHEMA), published["slug"])
    return published


@pytest.fixture
def entry(running, device, form):
    return running.ctl("installation", "create", "name=Ada", "--device", device["id"], "--app",
                       form["slug"])


def stored(server, entry):
    return query(server, "SELECT settings, secret_settings, settings_hash FROM installation "
                         "WHERE id = %s", entry["id"])[0]


def show(server, device, entry):
    shown = server.ctl("installation", "show", entry["id"], "--device", device["id"])
    return shown["settings"], bool(shown["secrets"])


def test_create(running, device, entry):
    assert show(running, device, entry) == ({"name": "Ada"}, False)
    settings, secret, settings_hash = stored(running, entry)
    assert (settings, secret) == ('{"name":"Ada"}', None) and len(bytes(settings_hash)) == 32


def test_update_leaves_the_others(running, device, entry):
    running.ctl("installation", "update", entry["id"], "big=true", "--device", device["id"])
    assert show(running, device, entry)[0] == {"name": "Ada", "big": "true"}
    shown = running.ctl("installation", "update", entry["id"], "name=Bo", "--device", device["id"],
                        "--display-seconds", "30")
    assert shown["displaySeconds"] == 30
    assert show(running, device, entry)[0] == {"name": "Bo", "big": "true"}


def test_a_secret_by_a_file(running, device, entry):
    """A secret read from a file is encrypted, stays if other settings change, and is removed by null."""
    update = [DISPLAYCTL, "--state-dir", running.state_dir, "installation", "update", entry["id"],
              "--device", device["id"], "--settings", "-"]
    done = subprocess.run(update, input='{"token": "hunter2hunter2"}', capture_output=True,
                          text=True, check=True)
    assert "hunter2" not in done.stdout + done.stderr
    assert show(running, device, entry) == ({"name": "Ada"}, True)
    _, secret, first_hash = stored(running, entry)
    assert b"hunter2" not in bytes(secret)
    running.ctl("installation", "update", entry["id"], "name=Bo", "--device", device["id"])
    assert show(running, device, entry) == ({"name": "Bo"}, True)
    running.ctl("installation", "update", entry["id"], "name=Ada", "--device", device["id"])
    assert bytes(stored(running, entry)[2]) == bytes(first_hash)
    subprocess.run(update, input='{"token": null}', text=True, check=True, capture_output=True)
    assert show(running, device, entry) == ({"name": "Ada"}, False)


def test_no_secret_in_arguments(running, device, form, entry):
    text = refused(running, 2, "installation", "update", entry["id"], "token=hunter2", "--device",
                   device["id"])
    assert text.startswith("the setting token is secret") and "hunter2" not in text
    assert "--settings FILE" in refused(running, 2, "installation", "create", "token=x", "--device",
                                        device["id"], "--app", form["slug"])


@pytest.mark.parametrize("arguments, code, reason", [
    (["name"], 2, "a setting must be KEY=VALUE"),
    (["=x"], 2, "a setting must be KEY=VALUE; the key is missing"),
    (["colour=red"], 2, "the app has no setting colour"),
    (["big=maybe"], 2, "the setting big must be "),
    (["name=a", "name=b"], 2, "the setting name is given twice"),
    (["--settings", "/nowhere"], 2, "--settings: /nowhere: No such file"),
    (["--settings", "/dev/null"], 2, "--settings: /dev/null must hold a JSON object"),
])
def test_refusals(running, device, entry, arguments, code, reason):
    before = stored(running, entry)
    assert refused(running, code, "installation", "update", entry["id"], "--device", device["id"],
                   *arguments).startswith(reason)
    assert [bytes(one) if isinstance(one, memoryview) else one for one in stored(running, entry)
            ] == [bytes(one) if isinstance(one, memoryview) else one for one in before]


def test_unknown(running, device, form):
    told = refused(running, 3, "installation", "create", "name=x", "--device", device["id"], "--app", "nothing")
    assert told == "there is no app nothing that this device can install; an app of its owner must be deployed"
    assert refused(running, 3, "installation", "update", "nothing", "name=x", "--device",
                   device["id"]) == "the device has no installation nothing"
    assert form


@pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no app can be loaded")
def test_a_form_that_was_never_shown(running, device, key, app):
    script = ('load("render.star", "render")\nload("schema.star", "schema")\n'
              'def main(config):\n    return render.Root(child = render.Box())\n'
              'def get_schema():\n    return schema.Schema(version = "1", fields = [schema.Text('
              'id = "who", name = "Who", desc = "", icon = "user")])\n')
    answer = running.post(f"/v1/apps/{app['slug']}/upload", {
        "version": "1", "scriptContent": script, "scriptLanguage": "STARLARK"}, key=key)
    assert answer.status == 201
    running.ctl("app", "review", app["slug"], "1", "approve")
    entry = running.ctl("installation", "create", "who=Ada", "--device", device["id"], "--app",
                        app["slug"])
    assert show(running, device, entry)[0] == {"who": "Ada"}
