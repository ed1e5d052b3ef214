"""A server built without renderers of apps: all but pictures works, and messages name what is missing."""

import os
import subprocess

import pytest
from ctl_scene import app, device, email, key, published, refused
from server import DISPLAYCTL

__all__ = ["app", "device", "email", "key", "published"]  # fixtures
pytestmark = pytest.mark.skipif(bool(os.environ.get("HAS_STARLARK")), reason="there is an engine")


def test_apps_are_kept_reviewed_and_installed(running, device, published):
    entry = running.ctl("installation", "create", "--device", device["id"], "--app",
                        published["slug"])
    shown = running.ctl("installation", "show", entry["id"], "--device", device["id"])
    assert shown["id"] == entry["id"]


def test_a_form_is_not_there(running, device, published):
    told = refused(running, 4, "installation", "create", "name=x", "--device", device["id"],
                   "--app", published["slug"])
    assert told.startswith("the app's form is unavailable: ")
    assert "built without the Starlark renderer" in told


@pytest.mark.parametrize("name, words", [
    ("mine.star", "built without the Starlark renderer"),
    ("mine.ts", "built without the TypeScript renderer"),
])
def test_displayctl_says_what_is_missing(tmp_path, name, words):
    (tmp_path / name).write_text("")
    done = subprocess.run([DISPLAYCTL, "app", "render", tmp_path / name, "--check"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert words in done.stderr and "run tools/setup" in done.stderr
