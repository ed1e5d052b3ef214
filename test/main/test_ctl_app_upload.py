"""displayctl app upload and app deploy: on the server's machine as its operator, and with --server and an API key."""

import json
import os
import subprocess

import pytest
from ctl_scene import app, device, email, key, new_app, refused
from laptop import keyed, laptop
from server import DISPLAYCTL, CtlError

__all__ = ["app", "device", "email", "key", "keyed", "laptop"]  # fixtures

pytestmark = pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no app can be loaded")

DRAW = 'load("render.star", "render")\n\ndef draw():\n    return render.Root(child = render.Text("%s"))\n'
MAIN = 'load("draw.star", "draw")\n\ndef main():\n    return draw()\n'


@pytest.fixture
def folder(tmp_path, app):
    """The folder of an app, which its manifest names."""
    path = tmp_path / "checkout"
    path.mkdir()
    (path / "manifest.yaml").write_text(f"---\nid: {app['slug']}\nname: Clock\n")
    (path / "main.star").write_text(MAIN)
    (path / "draw.star").write_text(DRAW % "1")
    return path


def upload(caller, *arguments):
    """Uploads by the operator's or a laptop's displayctl."""
    return caller.ctl("app", "upload", *map(str, arguments))


def failed(caller, *arguments):
    with pytest.raises(CtlError) as caught:
        upload(caller, *arguments)
    return caught.value


@pytest.mark.parametrize("who", ["operator", "key"])
def test_upload_and_deploy(running, keyed, folder, app, who):
    caller = running if who == "operator" else keyed
    first = upload(caller, folder, "1.0")
    assert (first["app"], first["version"], first["status"]) == (app["slug"], "1.0", "PENDING")
    assert first["check"]["state"] == "good" and first["check"]["bytes"] > 20
    # The words are those of app render --check, which names the cost of another run.
    said = subprocess.run([DISPLAYCTL, "app", "render", folder, "--check"], check=True, capture_output=True, text=True)
    assert first["check"]["summary"].split(";")[0] in said.stdout
    assert "no version of" in caller.refused(4, "app", "deploy", app["slug"]) if who == "key" else (
        "no version of" in refused(running, 4, "app", "deploy", app["slug"]))
    running.ctl("version", "approve", app["slug"], "1.0")
    # Without a name, the content names the version.
    (folder / "draw.star").write_text(DRAW % "2")
    second = upload(caller, folder, "--app", app["id"])
    assert second["check"]["state"] == "good" and second["version"] not in ("", "1.0")
    running.ctl("version", "approve", app["slug"], second["version"])
    back = caller.ctl("app", "deploy", app["slug"], "1.0")
    assert (back["version"], back["deployed"]) == ("1.0", True)
    assert caller.ctl("app", "deploy", app["slug"])["version"] == second["version"]
    text = caller.ctl("app", "upload", str(folder), "3.0", json_output=False) if who == "operator" else None
    assert text is None or (text.startswith(f"{app['slug']} 3.0 awaits review\n") and " bytes; took " in text)


def test_a_version_that_cannot_run(running, keyed, folder, app):
    (folder / "draw.star").write_text("def draw():\n    return [\n\n")
    error = failed(keyed, folder, "1.0")
    assert error.code == 1 and "the version cannot run, so it cannot be approved" in error.text
    done = subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "app", "render", folder, "--check"], check=False,
                          capture_output=True, text=True)
    [told] = [line for line in done.stderr.splitlines() if "draw.star:" in line]
    assert told.startswith(f"{folder}/draw.star:4:1: ")
    # The same line as of app render --check, in the author's own file.
    [version] = running.ctl("version", "list", app["slug"])
    running.ctl("app", "review", app["slug"], "1.0", "reject")
    done = subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "app", "upload", folder, "1.1"], check=False,
                          capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout.splitlines() == [f"{app['slug']} 1.1 awaits review", told]
    assert version["status"] == "PENDING"
    assert refused(running, 4, "version", "approve", app["slug"], "1.1") == (
        "the version cannot run, so it cannot be approved: " + told.split("/")[-1])


def test_what_is_refused(running, keyed, folder, app, email, tmp_path):
    assert keyed.refused(3, "app", "upload", str(folder), "--app", "nothing") == (
        "there is no app nothing; see displayctl app create")
    assert "No such file" in keyed.refused(1, "app", "upload", str(tmp_path / "nothing"))
    empty = tmp_path / "empty"
    empty.mkdir()
    assert keyed.refused(1, "app", "upload", str(empty)) == f"{empty}: there is no script in it, NAME.star or NAME.ts"
    (empty / "x.star").write_text("def main():\n    return []\n" + "#" * 1_000_000 + "\n")
    assert "bytes, with the files that it loads, maximum 1000000" in keyed.refused(1, "app", "upload", str(empty))
    upload(keyed, folder, "1.0")
    assert "awaits review" in keyed.refused(4, "app", "upload", str(folder), "2.0")
    assert "there is no version 9" in keyed.refused(3, "app", "deploy", app["slug"], "9")
    assert "PENDING" in keyed.refused(4, "app", "deploy", app["slug"], "1.0")
    public = new_app(running, email, "--visibility", "public")
    assert keyed.refused(4, "app", "deploy", public["slug"]) == (
        "the versions of a public app cannot be listed with an API key: name the VERSION")


def test_a_single_script_in_a_folder_without_manifest(running, app, tmp_path):
    (tmp_path / app["slug"]).mkdir()
    (tmp_path / app["slug"] / "x.star").write_text("def main():\n    return []\n")
    assert upload(running, tmp_path / app["slug"])["app"] == app["slug"]
    running.ctl("app", "review", app["slug"], running.ctl("version", "list", app["slug"])[0]["version"], "reject")
    script = tmp_path / f"{app['slug']}.star"
    script.write_text("def main():\n    return [\n")
    error = failed(running, script, "2")
    assert error.code == 1
    assert json.dumps("app.star") not in error.text
