"""Collections of apps that the server fetches from an archive by https."""

import gzip
import io
import os
import tarfile
import threading
import zipfile

import pytest
from people import Person, World, wait_until
from release_server import install
from trusting import certificate, folder, host, trusting

__all__ = ["certificate", "folder", "host", "trusting"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS") or not os.environ.get("HAS_STARLARK"),
                                reason="this build has no egress or no Starlark")
PATH = "/web/collections"
ARCHIVE = "/tronbyt/apps/archive/main.tar.gz"
SCRIPT = """load("render.star", "render")
def main(config):
    return render.Root(child = render.Text("{}"))
"""
MANIFEST = "id: {0}\nname: {1}\nsummary: Shows {1}\nauthor: Ada\ncategory: clocks\ntags:\n  - time\n"


@pytest.fixture
def repository(trusting, host):
    for gate in [*host.gates.values(), *host.dripping.values()]:
        gate.set()
    host.clear()
    wait_until(lambda: trusting.sql("SELECT count(*) FROM app_archive WHERE state IN ('waiting', 'fetching')")[0][0] == 0, "their end")
    trusting.sql("DELETE FROM app_archive")
    trusting.sql("UPDATE app_collection SET name = id::text")
    return host


@pytest.fixture
def browser(trusting):
    return Person(trusting, is_administrator=True).browser()


def app(name, text=None, **more):
    """Files of an app."""
    files = {"manifest.yaml": MANIFEST.format(name, name.title()), f"{name}.star": SCRIPT.format(text or name)}
    return {f"apps-main/apps/{name}/{file}": content for file, content in (files | more).items()}


def tar(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in files.items():
            content = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(name)
            if content is None:
                member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            else:
                member.size = len(content)
            archive.addfile(member, io.BytesIO(content or b""))
    return out.getvalue()


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def add(browser, repository, content, path=ARCHIVE, folder="apps"):
    repository.answers[path] = content
    made = browser.post(PATH, {"url": repository.root + path, "folder": folder, "isForAll": True}).json()
    return end_of(browser, made)


def end_of(browser, made):
    at = f"{PATH}/{made['id']}"
    return wait_until(lambda: (shown := browser.get(at).ok())["state"] not in ("waiting", "fetching") and shown, "its end", 300)


def again(browser, shown, repository=None, content=None, path=ARCHIVE):
    if content is not None:
        repository.answers[path] = content
    browser.post(f"{PATH}/{shown['id']}/fetch").ok()
    return end_of(browser, shown)


def came(shown):
    return sorted((one["folder"], one["state"]) for one in shown["apps"])


def counts(shown):
    return {name: shown[name + "Count"] for name in ("made", "updated", "unchanged", "failed", "held", "gone") if shown[name + "Count"]}


def stored(trusting, name="tronbyt/apps"):
    return trusting.sql("SELECT app.slug, app.name, app.category, app.tags, app.broken_reason, app_version.status FROM app "
                        "JOIN app_collection ON app_collection.id = collection_id AND app_collection.name = %s "
                        "JOIN app_version ON app_version.id = deployed_version_id ORDER BY 1", name)


@pytest.mark.parametrize("pack", (tar, zipped))
def test_an_archive(repository, browser, trusting, pack):
    shown = add(browser, repository, pack(app("sun") | app("moon") | {"apps-main/README.md": "Apps"}))
    assert (shown["state"], shown["problem"], shown["name"], shown["appCount"]) == ("done", None, "tronbyt/apps", 2), shown["problem"]
    assert came(shown) == [("moon", "made"), ("sun", "made")] and counts(shown) == {"made": 2}
    assert stored(trusting) == [(slug, slug.title(), "clocks", '["time"]', None, "APPROVED") for slug in ("moon", "sun")]
    assert counts(again(browser, shown)) == {"unchanged": 2}
    assert [one["id"] for one in browser.get(PATH).ok()] == [shown["id"]]
    deeds = [(entry["action"], entry["target"]) for entry in browser.get("/web/admin/audit?q=collection").ok()]
    assert ("collection.add", shown["url"]) in deeds and ("collection.update", shown["url"]) in deeds


def test_changes(repository, browser, trusting):
    """New, changed, failed and gone; a failing app keeps its last version."""
    first = app("sun") | app("moon") | app("star") | app("comet")
    shown = add(browser, repository, tar(first))
    assert counts(shown) == {"made": 4}
    second = app("sun", "changed") | app("moon", **{"moon.star": "def main(: pass"}) | app("star") | app("new")
    shown = again(browser, shown, repository, tar(second))
    assert came(shown) == [("comet", "gone"), ("moon", "failed"), ("new", "made"), ("sun", "updated")], shown
    assert shown["unchangedCount"] == 1 and shown["state"] == "done"
    assert "moon.star" in next(one["reason"] for one in shown["apps"] if one["folder"] == "moon")
    reasons = {slug: reason for slug, _, _, _, reason, _ in stored(trusting)}
    assert reasons == {"comet": "It has left its collection.", "moon": None, "new": None, "star": None, "sun": None}
    # It comes back, and says nothing any more.
    shown = again(browser, shown, repository, tar(first))
    assert ("comet", "updated") in came(shown)
    assert {reason for _, _, _, _, reason, _ in stored(trusting) if reason} == {"It has left its collection."}  # of new


def test_the_same_archive_by_its_tag(repository, browser):
    repository.etags[ARCHIVE] = '"one"'
    shown = add(browser, repository, tar(app("sun")))
    assert counts(shown) == {"made": 1}
    repository.answers[ARCHIVE] = b"never sent"
    same = again(browser, shown)
    assert (same["state"], counts(same), came(same)) == ("done", {"made": 1}, [("sun", "made")])
    repository.etags[ARCHIVE] = '"two"'
    shown = again(browser, shown, repository, tar(app("sun", "two")))
    assert counts(shown) == {"updated": 1}


def test_what_waits_for_an_administrator(repository, browser, trusting):
    shown = add(browser, repository, tar(app("sun") | app("moon") | app("star")))
    secret = SCRIPT.format("x") + "# schema.Text(id = 'key', secret = True)\n"
    newer = tar(app("sun", "see https://new.example/x") | app("moon", **{"moon.star": secret}) | app("star", "harmless"))
    shown = again(browser, shown, repository, newer)
    assert (shown["state"], came(shown)) == ("held", [("moon", "held"), ("star", "updated"), ("sun", "held")]), shown
    reasons = {one["folder"]: one["reason"] for one in shown["apps"]}
    assert reasons["sun"] == "names new hosts: new.example" and reasons["moon"] == "asks for a new secret"
    assert again(browser, shown)["state"] == "held"
    browser.post(f"{PATH}/{shown['id']}/confirm").ok()
    shown = end_of(browser, shown)
    assert (shown["state"], came(shown)) == ("done", [("moon", "updated"), ("sun", "updated")])
    # A third are gone.
    shown = again(browser, shown, repository, tar(app("sun") | app("moon")))
    assert shown["state"] == "held" and "1 of its 3 apps are gone" in shown["problem"] and not shown["apps"]
    browser.post(f"{PATH}/{shown['id']}/confirm").ok()
    shown = end_of(browser, shown)
    assert shown["state"] == "done" and ("star", "gone") in came(shown), shown


def bomb():
    return gzip.compress(bytes(64 << 20))


@pytest.mark.parametrize("content, words", [
    (lambda: tar({"a/" * (1 << 18) + str(number): "" for number in range(300)}), "too long"),
    (lambda: zipped(app("sun")).replace(b"PK\x01\x02", b"PK\x01\x03"), "list of files is damaged"),
    (lambda: tar({"a": tar(app("sun"))}), "no folder"),
    (b"", "is empty"), (b"<!DOCTYPE html>", "is a web page"), (b"PK\x03\x04", "list of files is damaged"), (bomb, "compressed more than"),
    (lambda: zipped({f"apps-main/apps/{number}": "" for number in range(60_000)}), "more than 50,000 files and folders"),
    (lambda: tar(app("sun"))[:-20], "cut off"), (lambda: tar({"a/../../b": "x"}), "leads out"), (lambda: tar({"/etc/x": "x"}), "leads out"),
    (lambda: tar({"a/b": "x"}), "no folder"), (lambda: zipped({"a/b": "x"}), "no folder")],
    ids=["long-names", "index", "nested", "empty", "page", "broken", "bomb", "many", "cut", "up", "absolute", "none", "empty-zip"])
def test_hostile_archives(repository, browser, trusting, content, words):
    """The reason is shown, and what was there before stays."""
    before = add(browser, repository, tar(app("sun")))
    shown = again(browser, before, repository, content() if callable(content) else content)
    assert shown["state"] == "failed" and words in shown["problem"], shown["problem"]
    assert [row[0] for row in stored(trusting)] == ["sun"] and stored(trusting)[0][4] is None
    assert counts(again(browser, before, repository, tar(app("sun")))) == {"unchanged": 1}


def test_faults_of_single_apps(repository, browser, trusting):
    """They leave the others as they are."""
    files = app("sun") | app("link") | app("odd") | app("yaml") | app("bad")
    files |= {"apps-main/apps/link/passwd": None, "apps-main/apps/odd/a\x01b.star": "x", "apps-main/apps/yaml/manifest.yaml": "a: [",
              "apps-main/apps/bad/bad.star": b"\xff\xfe"}
    shown = add(browser, repository, tar(files))
    assert came(shown) == [("bad", "failed"), ("link", "failed"), ("odd", "failed"), ("sun", "made"), ("yaml", "failed")], shown
    assert all(one["reason"] for one in shown["apps"] if one["state"] == "failed")
    assert "link" in {one["folder"]: one["reason"] for one in shown["apps"]}["link"]


def test_an_archive_that_cannot_be_had(repository, browser, trusting):
    for url, words in ((repository.root + "/nothing", "answers 404"), ("https://localhost:1/", "port 1"),
                       ("https://nothing.invalid/", "not found")):
        shown = end_of(browser, browser.post(PATH, {"url": url, "isForAll": True}).json())
        assert shown["state"] == "failed" and words in shown["problem"], shown
        browser.delete(f"{PATH}/{shown['id']}").ok()
    for wrong in ("http://a.org/", "", "https://", "https://u@a.org/", "https://a b/", None, 1):
        browser.post(PATH, {"url": wrong, "isForAll": True}).problem(400)
    assert Person(trusting).browser().post(PATH, {"url": "https://a.example/", "isForAll": True}).status == 403
    browser.get(f"{PATH}/00000000-0000-7000-8000-000000000000").problem(404)


def test_redirects_and_progress(repository, browser, trusting):
    """As GitHub's archives lead to another host; the server is restarted in the middle, and goes on."""
    repository.answers["/elsewhere"] = tar(app("sun") | app("moon"))
    repository.gates["/elsewhere"] = threading.Event()
    repository.answers[ARCHIVE] = repository.root + "/elsewhere"
    made = browser.post(PATH, {"url": repository.root + ARCHIVE, "folder": "apps", "isForAll": True}).json()
    shown = wait_until(lambda: (now := browser.get(f"{PATH}/{made['id']}").ok())["bytes"] > 0 and now, "progress")
    assert (shown["state"], shown["step"], shown["sizeBytes"]) == ("fetching", "download", len(repository.answers["/elsewhere"]))
    trusting.server.restart()
    repository.gates["/elsewhere"].set()
    assert counts(end_of(browser, made)) == {"made": 2}


def test_one_that_is_removed_while_it_is_fetched(repository, browser):
    """Its download ends, although its server sends fast enough."""
    repository.dripping[ARCHIVE], repository.drops[ARCHIVE] = threading.Event(), 1000
    repository.answers[ARCHIVE] = bytes(10 << 20)
    made = browser.post(PATH, {"url": repository.root + ARCHIVE, "folder": "apps", "isForAll": True}).json()
    wait_until(lambda: browser.get(f"{PATH}/{made['id']}").ok()["bytes"] > 0, "progress")
    browser.delete(f"{PATH}/{made['id']}").ok()
    wait_until(lambda: ARCHIVE in repository.left, "the end of the download", 30)


def test_a_server_that_cannot_unpack(postgres, folder, certificate, host):
    """Five tries, with a while between them: a repository is not asked without end."""
    prefix = install(folder / "other", certificate[0])
    (folder / "other/libexec/displayd/render-starlark").unlink()
    with World(postgres.create_database(), "--egress-allow", "127.0.0.0/8", "--egress-allow", "::1", prefix=prefix) as world:
        host.clear()
        host.answers[ARCHIVE] = tar(app("sun"))
        browser = Person(world, is_administrator=True).browser()
        at = f"{PATH}/{browser.post(PATH, {'url': host.root + ARCHIVE, 'isForAll': True}).json()['id']}"
        hint = "SELECT pg_notify('displayd_hint', 'changed:00000000-0000-0000-0000-000000000000:admin')"
        for number in range(1, 6):
            shown = wait_until(lambda tries=number: host.seen.count(ARCHIVE) >= tries and
                               (now := browser.get(at).ok())["state"] == "waiting" and now, "the end of a try")
            assert "cannot unpack" in shown["problem"] and host.seen.count(ARCHIVE) == number
            assert world.sql("UPDATE app_archive SET leased_until = '-infinity' WHERE leased_until > now() RETURNING id")
            world.sql(hint)
        shown = wait_until(lambda: (now := browser.get(at).ok())["state"] == "failed" and now, "its end")
        assert "cannot unpack" in shown["problem"] and host.seen.count(ARCHIVE) == 5


def test_a_worker_that_is_killed(repository, browser, trusting):
    """What was imported is not imported again."""
    names = [f"app{number}" for number in range(60)]
    repository.answers[ARCHIVE] = tar({name: content for one in names for name, content in app(one).items()})
    made = browser.post(PATH, {"url": repository.root + ARCHIVE, "folder": "apps", "isForAll": True}).json()
    wait_until(lambda: trusting.sql("SELECT count(*) FROM app WHERE slug = 'app9'")[0][0], "the ninth app")
    trusting.server.kill()
    trusting.sql("UPDATE app_archive SET leased_until = now()")
    trusting.server.start()
    shown = end_of(Person(trusting, is_administrator=True).browser(), made)
    assert shown["state"] == "done" and shown["madeCount"] + shown["unchangedCount"] == 60
    assert shown["unchangedCount"] >= 10 and len(stored(trusting)) == 60


def test_displayctl(repository, browser, trusting):
    owner = Person(trusting)
    repository.answers[ARCHIVE] = tar(app("sun"))
    ctl = trusting.server.ctl
    made = ctl("collection", "add", repository.root + ARCHIVE, "--folder", "apps", "--for-all", "--account", owner.email)
    end_of(browser, made)
    assert [one["id"] for one in ctl("collection", "list")] == [made["id"]]
    assert came(ctl("collection", "show", made["id"])) == [("sun", "made")]
    ctl("collection", "update", made["id"])
    assert counts(end_of(browser, made)) == {"unchanged": 1}
    assert ctl("collection", "confirm", made["id"])["state"] == "done"
    ctl("collection", "remove", made["id"])
    assert ctl("collection", "list") == []
    assert len(stored(trusting)) == 1
