"""Own scripts: installed on a device at once, approved by their owner, and never public without a review."""

import base64
import io
import os
import secrets
import tarfile
import zipfile

import pytest
from authors import Author
from people import Person, wait_until
from verdicts import can_run

pytestmark = pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no engine is built")

SCRIPT = """load("render.star", "render")
def main(config):
    return render.Root(child = render.Text("{}"))
"""
OWN = "Installed by its owner; nobody else has reviewed it."


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return base64.b64encode(out.getvalue()).decode()


class Home:
    """An author with a device."""

    def __init__(self, world):
        self.world = world
        self.author = Author(world)
        self.browser = self.author.browser
        self.device = self.author.person.device()
        self.path = f"/web/devices/{self.device}/scripts"
        self.name = f"Own {secrets.token_hex(4)}"
        self.slug = self.name.lower().replace(" ", "-")
        self.studio = f"/web/studio/{self.slug}"

    def try_install(self, text="one", **members):
        body = {"name": self.name, "scriptContent": SCRIPT.format(text), "scriptLanguage": "STARLARK", **members}
        return self.browser.post(self.path, {name: one for name, one in body.items() if one is not None})

    def install(self, *arguments, **members):
        answer = self.try_install(*arguments, **members)
        assert answer.status == 201, answer
        return answer.json()

    def try_archive(self, content):
        return self.browser.post(self.path, {"name": self.name, "archive": content})

    def entries(self):
        return [entry["appId"] for entry in self.browser.get(f"/web/devices/{self.device}/rotation").ok()["entries"]]


@pytest.fixture
def home(world):
    return Home(world)


@pytest.fixture
def reviewer(world):
    return Person(world, is_reviewer=True).browser()


def reviewed(home, reviewer, version, text):
    """Submits a version, which a reviewer approves."""
    made = home.browser.post(home.studio + "/versions", {
        "version": version, "scriptContent": SCRIPT.format(text), "scriptLanguage": "STARLARK"})
    assert made.status == 201, made
    shown = reviewer.get(f"/web/reviews/{made.json()['id']}").ok()
    can_run(home.world.sql, home.browser.get(home.studio).ok()["id"], version)
    reviewer.post(f"/web/reviews/{made.json()['id']}", {"status": "APPROVED"}).ok()
    return shown


def test_a_script_is_on_the_device_at_once(home):
    made = home.install()
    assert made["isNew"] and made["slug"] == home.slug and home.entries() == [made["appId"]]
    app = home.browser.get(home.studio).ok()
    assert (app["visibility"], app["status"], app["version"]) == ("private", "active", made["version"])
    [version] = home.browser.get(home.studio + "/versions").ok()
    assert version["status"] == "APPROVED" and version["deployed"] and version["reviewSummary"] == OWN
    assert [remark["author"] for remark in version["reviewComments"]] == ["Some One"]
    again = home.install("two")
    assert not again["isNew"] and again["id"] == made["id"] and again["version"] != made["version"]
    assert home.install()["version"] == made["version"] and home.entries() == [made["appId"]]
    assert len(home.browser.get(home.studio + "/versions").ok()) == 2
    other = home.author.person.device()
    assert home.browser.post(f"/web/devices/{other}/scripts", {
        "name": home.name, "scriptContent": SCRIPT.format("one"), "scriptLanguage": "STARLARK"}).json()["id"] != made["id"]
    [(count,)] = home.world.sql("SELECT count(*) FROM audit_entry WHERE action = 'app.install' AND target = %s",
                                f"{home.slug} {made['version']}")
    assert count >= 1


def test_it_is_never_public_without_a_review(home, reviewer):
    """Not by its visibility, a rollback or a further version, and reviewers see all of what would be shown."""
    made = home.install("own")
    refused = home.browser.patch(home.studio, {"visibility": "public"}).problem(409)
    assert refused["code"] == "version_not_reviewed", refused
    shown = reviewed(home, reviewer, "1.0", "own")
    assert shown["deployedVersion"] is None  # nothing that a reviewer has read
    home.browser.patch(home.studio, {"visibility": "public"}).ok()
    for path, ask in ((home.studio, home.browser.post), (f"/v1/apps/{home.slug}", None)):
        body = {"version": made["version"]}
        answer = ask(path + "/deploy", body) if ask else home.world.request(
            "POST", path + "/deploy", body=body, key=home.author.key())
        assert answer.problem(409)["code"] == "version_not_reviewed"
    assert home.try_install("more").problem(409)["code"] == "slug_used"
    assert home.browser.get(home.studio).ok()["version"] == "1.0"
    shown = reviewed(home, reviewer, "2.0", "own")
    assert shown["deployedVersion"] == "1.0"
    home.browser.patch(home.studio, {"visibility": "private"}).ok()
    home.browser.post(home.studio + "/deploy", {"version": made["version"]}).ok()
    home.browser.patch(home.studio, {"visibility": "public"}).problem(409)
    with pytest.raises(Exception, match="only its owner"):
        home.world.sql("UPDATE app SET visibility = 'legacy' WHERE id = %s", made["appId"])


def test_uploads_stay_in_review(home):
    made = home.install()
    answer = home.world.request("POST", f"/v1/apps/{home.slug}/upload", key=home.author.key(), body={
        "version": "9", "scriptContent": SCRIPT.format("nine"), "scriptLanguage": "STARLARK"})
    assert answer.status == 201 and answer.json()["status"] == "PENDING"
    assert home.browser.get(home.studio).ok()["version"] == made["version"]


def test_a_folder(home):
    """Hidden files are left out; the manifest names the app."""
    manifest = f"id: {home.slug}\nname: Clock of {home.slug}\nsummary: Shows one\n"
    made = home.try_archive(zipped({"clock/clock.star": SCRIPT.format("one"), "clock/manifest.yaml": manifest,
                                    "__MACOSX/clock/._clock.star": "x", "clock/.git/config": "x"}))
    assert made.status == 201, made
    assert made.json()["slug"] == home.slug and made.json()["name"] == f"Clock of {home.slug}"
    made = home.try_archive(zipped({"app.ts": "export default function main() { return [] }\n"}))
    assert made.status == 201, made
    assert home.browser.get(home.studio + "/versions").ok()[0]["scriptLanguage"] == "TYPESCRIPT"
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo("a.star")
        member.size = len(SCRIPT)
        archive.addfile(member, io.BytesIO(SCRIPT.encode()))
    assert home.try_archive(base64.b64encode(out.getvalue()).decode()).status == 201


HOSTILE = [({"../../etc/passwd": "x"}, "leads out of it"), ({}, "has no files"), ({"readme.md": "x"}, "has 1 to 1000000"),
           ({"a.star": "x" * 1_100_000}, "1 to 1000000 bytes"), ({"a.star": "\xff"}, None),
           ({f"f{number}.star": "" for number in range(2001)}, "more than 2,000 files"),
           ({"a.star": SCRIPT, "big.png": b"\0" * (9 << 20)}, "larger than 8 MiB"),
           ({"a.star": SCRIPT, "a": b"\0" * (5 << 20), "b": b"\0" * (5 << 20)}, "more than 8 MiB"),
           ({"a.star": SCRIPT, "bomb": b"\0" * (40 << 20)}, "more than 200 times")]


@pytest.mark.parametrize("files, words", HOSTILE)
def test_hostile_archives(home, files, words):
    answer = home.try_archive(zipped(files))
    assert answer.status in (400, 409) and home.entries() == [], answer
    if words and answer.status == 400:
        assert any(word in str(answer.json()) for word in (words, "1 to 1000000 bytes")), answer.json()


@pytest.mark.parametrize("archive", ["!", "", "UEsDBA==", base64.b64encode(b"x" * 1000).decode(), "UEsFBgAA"])
def test_not_an_archive(home, archive):
    assert "archive" in str(home.try_archive(archive).problem(400)["errors"])
    assert home.entries() == []


@pytest.mark.parametrize("members, pointer", [
    ({"scriptContent": None}, ""), ({"scriptLanguage": None}, ""), ({"archive": "UEsF"}, "/archive"), ({"name": "\u2603"}, "/name"),
    ({"name": ""}, "/name"), ({"scriptContent": ""}, "/scriptContent"), ({"scriptLanguage": "C"}, "/scriptLanguage")])
def test_bodies_of_own_scripts(home, members, pointer):
    faults = home.try_install(**members).problem(400)["errors"]
    assert pointer in [fault["pointer"] for fault in faults]


def test_a_script_that_cannot_run(home):
    """Nothing is stored of it, and an installed version stays."""
    problem = home.try_install(scriptContent="def main(:\n").problem(409)
    assert problem["code"] == "script_invalid" and ":1:" in problem["detail"], problem
    home.browser.get(home.studio).problem(404)
    made = home.install()
    home.try_install(scriptContent="x = 1 // 0\n").problem(409)
    assert home.browser.get(home.studio).ok()["version"] == made["version"]


def test_limits(home):
    """A full device, an account without room, a disabled app: all of it, or nothing."""
    world, account = home.world, home.author.person.id
    world.sql("UPDATE account SET byte_limit = 10 WHERE id = %s", account)
    assert home.try_install().problem(409)["code"] == "bytes_too_many"
    world.sql("UPDATE account SET byte_limit = 0 WHERE id = %s", account)
    world.sql("WITH d AS (UPDATE device SET generation = generation + 100 WHERE id = %s RETURNING id) "
              "INSERT INTO installation (device_id, id, app_id, position) SELECT d.id, 'e' || n, %s, n FROM d, generate_series(1, 100) AS n",
              home.device, Home(world).install()["appId"])
    assert home.try_install().problem(409)["code"] == "entries_too_many"
    world.sql("DELETE FROM installation WHERE device_id = %s", home.device)
    home.browser.get(home.studio).problem(404)
    made = home.install()
    world.sql("UPDATE app SET status = 'disabled' WHERE id = %s", made["appId"])
    assert home.try_install("two").problem(409)["code"] == "slug_used"
    assert world.sql("SELECT status FROM app WHERE id = %s", made["appId"]) == [("disabled",)]


def test_a_removed_version_s_name(home):
    """The same script can be installed again after its version was removed."""
    first = home.install("one")
    home.install("two")
    [version] = [one for one in home.browser.get(home.studio + "/versions").ok() if one["version"] == first["version"]]
    home.browser.delete(f"{home.studio}/versions/{version['id']}").ok()
    again = home.install("one")
    assert again["version"].startswith(first["version"] + "-")


def test_keys(home):
    """A key of the whole account may; a key for chosen devices, or for less, may not; other accounts' devices are theirs."""
    body = {"name": home.name, "scriptContent": SCRIPT.format("key"), "scriptLanguage": "STARLARK"}
    path = f"/v1/devices/{home.device}/scripts"

    def ask(**wish):
        made = home.browser.post("/web/keys", {"name": "k", **wish}).json()
        return home.world.request("POST", path, body=body, key=made["key"])

    assert ask(scope="devices").problem(403)["code"] == "key_too_narrow"
    assert ask(scope="all", deviceIds=[home.device]).problem(403)["code"] == "key_for_chosen_devices"
    assert ask(scope="all").status == 201
    stranger = Home(home.world)
    stranger.browser.post(home.path, body).problem(403)
    wait_until(lambda: home.entries(), "the entry")
