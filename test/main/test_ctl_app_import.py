"""displayctl app import: a checkout of many apps becomes apps of an account."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.request

import psycopg2.extensions
import pytest
from checkouts import STARLARK, Checkout, counts, outcome, write
from ctl_scene import database_of, device, email, key, numbers, on_terminal, query, refused
from hostile_scripts import LIMIT, STEPS
from images import frames_of
from private_socket import BUSY, Between, ask_operator, serve_between
from server import DISPLAYCTL, CtlError, amount, run_ctl, wait_until

__all__ = ["device", "email", "key"]  # fixtures

pytestmark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK"), reason="built without the Starlark renderer")
needs_typescript = pytest.mark.skipif(
    not os.environ.get("HAS_TYPESCRIPT"), reason="built without the TypeScript renderer")

TYPESCRIPT = """import { Root, Text } from "panel";
export default function main() { return Root({ child: Text({ content: "x" }) }); }
"""
PIXEL = b"\x89PNG\r\n\x1a\n\0\xff"


@pytest.fixture
def checkout(tmp_path):
    return Checkout(str(tmp_path))


@pytest.fixture
def run(running, email, checkout):
    def run(*options):
        return running.ctl("app", "import", checkout.folder, "--account", email, *options)
    return run


def versions(server, slug):
    return query(server, """SELECT app_version.name, script_language, script_content, checksum,
        app_version.status, review_summary, app_version.id = deployed_version_id
        FROM app_version JOIN app ON app.id = app_version.app_id WHERE slug = %s
        ORDER BY sequence""", slug)


def test_an_app_of_one_file(running, run, checkout, key, email):
    checkout.add("clock", name="My clock", summary="Tells the time", desc="In words.")
    answer = run()
    assert counts(answer) == outcome(made=1)
    [app] = answer["apps"]
    assert (app["folder"], app["slug"], app["outcome"], app["remark"]) == (
        "apps/clock", checkout.slug("clock"), "made", None)

    [listed] = [entry for entry in running.get("/v1/apps", key=key).json()
                if entry["name"] == "My clock"]
    assert listed["description"] == "Tells the time\nIn words."
    assert listed["author"] == {"name": "Ada"} and listed["version"] == app["version"]
    [own] = running.ctl("app", "list", "--account", email)
    assert (own["slug"], own["visibility"], own["status"], own["version"]) == (
        app["slug"], "public", "active", app["version"])

    [(name, language, script, checksum, status, summary, deployed)] = versions(running, app["slug"])
    assert (language, status, deployed) == ("STARLARK", "APPROVED", True)
    assert re.fullmatch(r"[0-9a-f]{16}", name) and checksum.startswith(f"sha256:{name}")
    assert "Imported" in summary
    assert script.startswith("-- main.star --\nload(")
    assert "\n-- manifest.yaml --\n---\nid: " in script


def test_an_app_of_several_files(running, run, checkout):
    """Files that no script names are not imported."""
    checkout.add("many", files={
        "main.star": 'load("lib/a.star", "a")\nload("images/dot.png", dot = "file")\n'
                     "def main():\n    return a(dot.readall())",
        "lib/a.star": "def a(dot):\n    return []\n", "images/dot.png": PIXEL, "many.webp": PIXEL,
        "README.md": "Read me", "locales/de.json": "{}\n", ".git/config": "x\n"})
    assert counts(run()) == outcome(made=1)
    script = versions(running, checkout.slug("many"))[0][2]
    assert re.findall(r"(?m)^-- (.*) --$", script) == [
        "images/dot.png;base64", "lib/a.star", "locales/de.json", "main.star", "manifest.yaml"]
    assert base64.b64decode(script.split(";base64 --\n")[1].split("\n")[0]) == PIXEL
    assert "    return a(dot.readall())\n-- manifest.yaml --\n" in script


@needs_typescript
def test_an_app_in_typescript(running, run, checkout):
    checkout.add("typed", script=TYPESCRIPT, file="typed.ts")
    assert counts(run()) == outcome(made=1)
    [(_, language, script, *_)] = versions(running, checkout.slug("typed"))
    assert language == "TYPESCRIPT"
    assert re.findall(r"(?m)^-- (.*) --$", script) == ["manifest.yaml", "typed.ts"]
    assert script.split("-- typed.ts --\n")[1].rstrip("\n") == TYPESCRIPT.rstrip("\n")


def test_what_is_as_it_was_is_not_written(running, run, checkout):
    checkout.add("one")
    checkout.add("two", broken=True)
    assert counts(run()) == outcome(made=2)
    entries = query(running, "SELECT count(*) FROM audit_entry")
    assert counts(run()) == outcome(unchanged=2)
    assert query(running, "SELECT count(*) FROM audit_entry") == entries
    assert len(versions(running, checkout.slug("one"))) == 1


def test_what_is_new(running, run, checkout):
    """New content makes a version. Old content deploys its version again."""
    checkout.add("app", script=STARLARK % "old")
    old = run()["apps"][0]["version"]
    checkout.add("app", script=STARLARK % "new")
    answer = run()
    assert counts(answer) == outcome(updated=1)
    assert [version[0] for version in versions(running, checkout.slug("app"))] == [
        old, answer["apps"][0]["version"]]

    checkout.add("app", script=STARLARK % "old")
    assert counts(run()) == outcome(updated=1)
    deployed = [version[0] for version in versions(running, checkout.slug("app")) if version[-1]]
    assert deployed == [old] and len(versions(running, checkout.slug("app"))) == 2


def test_details_that_somebody_has_changed(running, run, checkout):
    checkout.add("app")
    run()
    query(running, """UPDATE app SET name = 'Other', visibility = 'private', author = NULL
        WHERE slug = %s""", checkout.slug("app"))
    assert counts(run()) == outcome(updated=1)
    assert query(running, "SELECT name, author, visibility FROM app WHERE slug = %s",
                 checkout.slug("app")) == [("App", "Ada", "private")]
    assert len(versions(running, checkout.slug("app"))) == 1


def test_a_disabled_app_stays_so(running, run, checkout):
    checkout.add("app")
    run()
    running.ctl("app", "disable", checkout.slug("app"))
    checkout.add("app", script=STARLARK % "new")
    assert counts(run()) == outcome(updated=1)
    assert query(running, "SELECT status FROM app WHERE slug = %s",
                 checkout.slug("app")) == [("disabled",)]


# Each remark has one of these words.
HOSTILE = {
    "syntax": ("def main(:\n", ("main.star:1:11: got ':'",)),
    "no main": ("x = 1\n", ("main",)),
    "endless": ("def f():\n    while True:\n        pass\nf()\n", STEPS),
    "memory": ("x = ['x' * 1000000 + str(i) for i in range(5000)]\n", LIMIT),
    "schema": ("def main():\n    return []\ndef get_schema():\n    return {}['x']\n",
               ("main.star:4:14: key",)),
}


def test_broken_apps_stop_nothing(running, run, checkout):
    for name, (script, _) in HOSTILE.items():
        checkout.add(name, script=script)
        checkout.add(f"{name} good")
    checkout.add("nothing", script=None)
    checkout.add("large", files={"main.star": STARLARK % ("x" * (8 << 20))})
    checkout.add("nearly", files={"main.star": STARLARK % ("x" * 3_000_000)})
    checkout.add("bad name", files={b"caf\xe9.star".decode(errors="surrogateescape"): "x = 1\n"})
    write(os.path.join(checkout.folder, "apps/odd/manifest.yaml"), "id: [\n")
    write(os.path.join(checkout.folder, "apps/list/manifest.yaml"), "- id\n")
    answer = run()
    assert counts(answer) == outcome(made=len(HOSTILE) + 1, failed=len(HOSTILE) + 5)
    remarks = {app["folder"].removeprefix("apps/"): app["remark"] for app in answer["apps"]}
    for name, (_, words) in HOSTILE.items():
        assert any(word in remarks[name] for word in words), (name, remarks[name])
        assert remarks[f"{name} good"] is None
    assert "is larger than 8 MiB" in remarks["large"]
    assert "UTF-8" in remarks["bad name"]
    assert remarks["odd"].startswith("manifest.yaml:2:1: ")
    assert remarks["list"] == "manifest.yaml: must have names with values"
    assert not versions(running, checkout.slug("syntax"))
    assert counts(run()) == outcome(unchanged=len(HOSTILE) + 1, failed=len(HOSTILE) + 5)


def test_words_of_the_network_are_not_enough(run, checkout):
    checkout.add("says", script='fail("no network here")\ndef main():\n    return []\n')
    checkout.add("good")
    answer = run()
    assert counts(answer) == outcome(made=1, failed=1)
    assert "main.star:1:5: fail: no network here" in [app["remark"] for app in answer["apps"]]


def test_what_the_community_calls_broken(run, checkout):
    checkout.add("app", broken=True)
    for what in ("made", "unchanged"):
        answer = run()
        assert counts(answer) == outcome(**{what: 1})
        assert answer["apps"][0]["remark"] == "its manifest says that it is broken"


def test_a_folder_does_not_steer_the_terminal(running, email, checkout):
    write(os.path.join(checkout.folder, "apps/a\x1b]0;x\x07b/manifest.yaml"), "id: [\n")
    write(os.path.join(checkout.folder, b"apps/caf\xe9".decode(errors="surrogateescape"),
                       "manifest.yaml"), "- id\n")
    command = [DISPLAYCTL, "--state-dir", running.state_dir, "app", "import", checkout.folder,
               "--account", email]
    command += ["--database", running.database] if running.database else []
    printed = subprocess.run(command, capture_output=True, timeout=120, check=False,
                             env=running.environment).stdout
    assert b"\x1b" not in printed and b"\x07" not in printed
    assert b"apps/a\\u001b]0;x\\u0007b: not imported: " in printed and b"apps/caf?: not imported: " in printed


def test_a_form_that_wants_the_network(run, checkout):
    """A form that needs the network is read when somebody installs the app."""
    checkout.add("net", script='load("http.star", "http")\ndef main():\n    return []\n'
                 'def get_schema():\n    http.get("http://127.0.0.1:9/")\n')
    answer = run()
    assert counts(answer) == outcome(made=1)
    assert "network" in answer["apps"][0]["remark"]


@pytest.mark.parametrize("manifest, name, description, author", [
    ("name: |\n  Two\n  lines\nsummary: >-\n  One\n  line\n", "Two lines", "One line", None),
    ("name: ~\nsummary: null\nauthor: 'null'\n", "SLUG", "", "null"),
    ("name: \"a\\0\\x1bb\"\ntags: [name]\nmore: {name: c}\n", "a  b", "", None),
    ("name: " + "\u00fc" * 101 + "\ndesc: " + "d" * 600, "\u00fc" * 99 + "\u2026", "d" * 499 + "\u2026",
     None),
    (f"name: a\nsummary: s\ndesc: {'d' * 500}\n", "a", "s", None),
    ("name: a\nsummary: Same\ndesc: same, and more\n", "a", "same, and more", None),
    ("!!map {name: !!str 5, author: 1.5}", "5", "", "1.5"),
    ("name: a\n---\nauthor: b\n", "a", "", None)])
def test_what_manifests_say(running, run, checkout, manifest, name, description, author):
    slug = checkout.slug("app")
    write(os.path.join(checkout.folder, slug, "manifest.yaml"), manifest)
    write(os.path.join(checkout.folder, slug, "main.star"), STARLARK % "x")
    assert counts(run()) == outcome(made=1)
    assert query(running, "SELECT name, description, author FROM app WHERE slug = %s", slug) == [
        (slug if name == "SLUG" else name, description, author)]


def test_slugs(running, run, checkout, email):
    running.ctl("app", "create", "--account", email, "--name", "x", "--slug",
                checkout.slug("taken"))
    checkout.add("one", id=f"{checkout.prefix} Same_Name!")
    checkout.add("two", id=checkout.slug("same-name"), packageName=checkout.slug("package"))
    checkout.add("taken", packageName=checkout.slug("given"))
    checkout.add(checkout.slug("folder"), id=None)
    checkout.add("none", id="\u00e9", packageName="!")
    shutil.move(os.path.join(checkout.folder, "apps/none"),
                os.path.join(checkout.folder, "apps/\u00e9"))
    answer = run()
    slugs = {app["folder"].removeprefix("apps/"): app["slug"] for app in answer["apps"]}
    assert slugs == {"one": checkout.slug("same-name"), "two": checkout.slug("package"),
                     "taken": checkout.slug("taken"), "\u00e9": None,
                     checkout.slug("folder"): checkout.slug("folder")}
    assert counts(answer) == outcome(made=4, failed=1)
    # An app that is imported first takes nothing from the others.
    checkout.add(checkout.slug("a"), id=f"{checkout.prefix} SAME NAME")
    again = run()
    assert {app["folder"].removeprefix("apps/"): app["slug"] for app in again["apps"]} == slugs | {
        checkout.slug("a"): checkout.slug("a")}
    assert counts(again) == outcome(made=1, unchanged=4, failed=1)


def test_other_apps_are_left_alone(running, run, checkout, email):
    """Apps of other accounts stay, and so do apps that were not imported, which have slugs of their own."""
    name = checkout.slug("app")
    checkout.add(name, id=name)
    assert counts(run()) == outcome(made=1)
    other = f"other{next(numbers)}@example.org"
    running.ctl("account", "create", other, "--name", "Bob")
    assert refused(running, 1, "app", "import", checkout.folder, "--account",
                   other) == "no app was imported"
    assert running.ctl("app", "list", "--account", other) == []

    own = checkout.slug("own")
    running.ctl("app", "create", "--account", email, "--name", "Mine", "--slug", own)
    checkout.add(own, id=own)
    assert counts(run()) == outcome(made=1, unchanged=1)
    assert query(running, "SELECT name, version_count FROM app WHERE slug = %s ORDER BY created_at", own) == [
        ("Mine", 0), (own.title(), 1)]


def test_dry_run(running, run, checkout, email):
    checkout.add("good")
    checkout.add("bad", script="def main(:\n")
    answer = run("--dry-run")
    assert counts(answer) == outcome(made=1, failed=1)
    assert running.ctl("app", "list", "--account", email) == []


def test_for_a_person(running, run, checkout, email):
    checkout.add("bad", script="def main(:\n")
    checkout.add("good")
    text = running.ctl("app", "import", checkout.folder, "--account", email, json_output=False)
    assert re.fullmatch(r"apps/bad: not imported: main\.star:1:11: got .*\n"
                        r"made       1\nupdated    0\nunchanged  0\nfailed     1\n", text)


def test_its_progress_on_a_terminal(running, checkout, email):
    """A line that is written again each second, also while no app is done. In a log: unit test ctl_progress."""
    checkout.add_many(2)
    holder = database_of(running)
    holder.cursor().execute("LOCK TABLE app IN SHARE MODE")  # nothing is stored

    def release(text):
        if b"\r0 of 2" in text:
            holder.rollback()

    code, text = on_terminal(running, "app", "import", checkout.folder, "--account", email, on_output=release)
    holder.close()
    assert code == 0 and "\r0 of 2\r" in text and "\r2 of 2\r\n" in text
    quiet = subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "app", "import", checkout.folder, "--account",
                            email], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    assert " of 2" not in quiet.stdout and quiet.stderr == ""


def test_servers_are_told(running, run, checkout):
    checkout.add("app")
    run()
    database = database_of(running)
    database.set_isolation_level(psycopg2.extensions.ISOLATION_LEVEL_AUTOCOMMIT)
    database.cursor().execute("LISTEN displayd_hint")
    checkout.add("app", script=STARLARK % "new")
    run()
    [(app, generation)] = query(running, "SELECT id, generation FROM app WHERE slug = %s",
                                checkout.slug("app"))
    wanted = {f"app:{app}:{generation}", "changed:00000000-0000-0000-0000-000000000000:apps"}

    def heard():
        database.poll()
        return wanted <= {word for notice in database.notifies for word in notice.payload.split()}
    wait_until(heard, "the hints")
    database.close()


def test_two_imports_at_once(running, run, checkout):
    many = checkout.add_many(amount(15, 30))
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(run())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 2 and all(answer["failed"] == 0 for answer in answers)
    for number in range(many):
        assert len(versions(running, checkout.slug(f"app{number}"))) == 1


def test_an_interrupted_import_goes_on(running, run, checkout, email):
    many = checkout.add_many(amount(80, 200))
    command = [DISPLAYCTL, "--state-dir", running.state_dir, "app", "import", checkout.folder,
               "--account", email]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: query(running, "SELECT count(*) > 10 FROM app WHERE slug LIKE %s",
                                 checkout.prefix + "-%")[0][0], "some apps")
        process.kill()
    answer = counts(run())
    # The server may store apps that it was just asked for after the second import has read what is there.
    assert answer["failed"] == 0 and answer["unchanged"] > 10 and answer["updated"] <= 2
    assert answer["made"] + answer["updated"] + answer["unchanged"] == many
    assert query(running, """SELECT count(*), sum(version_count), count(deployed_version_id) FROM app
        WHERE slug LIKE %s""", checkout.prefix + "-%") == [(many, many, many)]


def test_a_worker_that_is_killed_stops_no_import(running, run, checkout):
    """A killed worker does not stop an import: each request may be repeated, whatever its outcome."""
    many = checkout.add_many(amount(30, 60))
    answers = []
    thread = threading.Thread(target=lambda: answers.append(run()))
    thread.start()
    wait_until(lambda: query(running, "SELECT count(*) > 3 FROM app WHERE slug LIKE %s",
                             checkout.prefix + "-%")[0][0], "some apps")
    for pid in running.workers():
        os.kill(pid, signal.SIGKILL)
    thread.join()
    [answer] = answers
    assert answer["failed"] == 0 and answer["made"] + answer["updated"] == many
    assert query(running, """SELECT count(*), sum(version_count), count(deployed_version_id) FROM app
        WHERE slug LIKE %s""", checkout.prefix + "-%") == [(many, many, many)]
    assert counts(run()) == outcome(unchanged=many)


class BusyFor(Between):
    """Answers 503 for some apps."""

    def busy(self, app):
        turns = self.server.turns
        if app == "1-never":
            turns.append(time.monotonic())
            return True
        if app.startswith("2-held"):
            wait_until(lambda: turns and time.monotonic() - turns[0] > 25, "a large part of the patience")
        # Until no request asks for the first app.
        return app == "3-late" and time.monotonic() - turns[-1] < 3

    def choose(self, body):
        name = body.get("origin", "") if body else ""
        return BUSY if self.busy(name.partition("-")[2]) else self.pass_on(body)


def test_an_app_that_stays_busy_costs_no_other_its_time(running, email, checkout, tmp_path):
    """A busy app costs no other its time: the others have a minute of their own, as long as any app is answered."""
    for app in ("1-never", *(f"2-held{number}" for number in range(7)), "3-late"):
        checkout.add(app)
    place = tmp_path / "state"
    place.mkdir()
    with serve_between(running, place, BusyFor, turns=[]):
        answer = run_ctl("--state-dir", str(place), "app", "import", checkout.folder, "--account", email)
    assert {app["folder"]: app["remark"] for app in answer["apps"] if app["outcome"] == "failed"} == {
        "apps/1-never": "the server answered with status 503"}


APP = {"slug": "hostile", "name": "Hostile", "origin": "hostile", "scriptLanguage": "STARLARK",
       "scriptContent": "def main():\n    return []\n"}


@pytest.mark.parametrize("change, member", [
    ({"slug": "../x"}, "/slug"), ({"name": "a\u0000b"}, "/name"), ({"name": "x" * 101}, "/name"),
    ({"origin": ""}, "/origin"), ({"scriptContent": ""}, "/scriptContent"),
    ({"scriptContent": "x" * ((8 << 20) + 1)}, "/scriptContent"), ({"scriptLanguage": "C"}, "/scriptLanguage"),
    ({"tags": ["x"] * 21}, "/tags"), ({"tags": [7]}, "/tags"), ({"tags": ["x" * 41]}, "/tags"),
    ({"tags": "x"}, "/tags"), ({"picture": "%"}, "/picture"), ({"picture": "A" * 1398105}, "/picture"),
    ({"brokenReason": "\u001b"}, "/brokenReason"), ({"more": 1}, "/more")])
def test_requests_that_are_no_apps(running, email, change, member):
    def ask(path, body, **fields):
        return ask_operator(running, "POST", "/web/admin/collections" + path, body, **fields)
    whose = {"Displayd_Account": email}
    chosen = json.loads(ask("", {"name": f"hostile-{member[1:]}", "source": "/x", "isGiven": True, "lines": ""},
                            **whose).body)
    path = f"/{chosen['collectionId']}/apps"
    answer = ask(path, APP | change, **whose)
    assert answer.status == 400
    assert [fault["pointer"] for fault in json.loads(answer.body)["errors"]] == [member]
    assert ask(path, APP).status == 400 and ask("", {"name": "x", "source": "x", "lines": ""}).status == 400
    assert ask(path, APP, Displayd_Account="nobody@example.org").status == 404
    assert ask("/none/apps", APP, **whose).status == 404
    assert query(running, "SELECT count(*) FROM app WHERE slug = 'hostile'") == [(0,)]


def test_what_is_imported_is_on_the_panel(running, run, checkout, email):
    """Imported apps reach the panel, and a newer import changes their installations without an action of
    their owners."""
    colours = {}

    def paint(app, red, green, blue):
        colours[app] = (red, green, blue)
        checkout.add(app, script="""load("render.star", "render")
load("lib.star", "colour")
def main(config):
    return render.Root(child = render.Box(color = colour))
""", files={"lib.star": f'colour = "#{red:02x}{green:02x}{blue:02x}"\n'})

    paint("one", 255, 0, 0)
    paint("two", 0, 0, 255)
    run()
    device = running.ctl("device", "create", "--account", email, "--name", "Desk")
    for app in colours:
        running.ctl("installation", "create", "--device", device["id"], "--app", checkout.slug(app))

    def poll():
        with urllib.request.urlopen(device["pollUrl"]) as answer:
            return {bytes(frame[:3]) for frame, _ in frames_of(answer.read())}

    def wait_for_all():
        missing = {bytes(colour) for colour in colours.values()}

        def come():
            missing.difference_update(poll())
            return not missing
        wait_until(come, f"{missing} on the panel")
    wait_for_all()
    paint("two", 0, 255, 0)
    assert counts(run()) == outcome(updated=1, unchanged=1)
    wait_for_all()


@pytest.mark.parametrize("options, code, text", [
    (("--account", "nobody@example.org"), 3, "there is no account nobody@example.org"),
    (("--account", "x"), 2, "--account must "), ((), 2, "app import needs --account")])
def test_wrong_usage(running, checkout, options, code, text):
    checkout.add("app")
    assert refused(running, code, "app", "import", checkout.folder, *options).startswith(text)


def test_no_checkout(running, tmp_path, email):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(CtlError) as caught:
            running.ctl("app", "import", str(path), "--account", email)
        assert caught.value.code == 3
