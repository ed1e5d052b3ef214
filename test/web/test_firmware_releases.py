"""Images of firmware from the releases of a repository."""

import hashlib
import os
import signal
import threading

import pytest
from firmware_images import image, merged
from people import Person, wait_until
from trusting import certificate, folder, host, trusting

__all__ = ["certificate", "folder", "host", "trusting"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS"), reason="this build has no egress")
PATH = "/web/admin/firmware-releases"
ESP32, S3 = image(chip=0, version=b"1.6.6"), image(version=b"v1.6.6")
SUMS = "{}  tidbyt-gen2_firmware.bin\n{} *tronbyt-s3_firmware.bin\r\n".format(
    *(hashlib.sha256(content).hexdigest() for content in (ESP32, S3)))


@pytest.fixture
def releases(trusting, host):
    host.clear()
    trusting.sql("DELETE FROM firmware_image")
    wait_until(lambda: trusting.sql("SELECT state FROM firmware_releases")[0][0] not in ("waiting", "fetching"), "its end")
    trusting.sql("UPDATE firmware_releases SET releases_url = %s", host.url)
    return host


@pytest.fixture
def browser(trusting):
    return Person(trusting, is_administrator=True).browser()


def fetch(browser):
    assert browser.post(PATH).ok()["state"] in ("waiting", "fetching")
    return end_of(browser)


def end_of(browser):
    return wait_until(lambda: (shown := browser.get(PATH).ok())["state"] in ("done", "failed", "idle") and shown, "its end")


def came(shown):
    return [(one["board"], one["version"], one["state"]) for one in shown["images"]]


def images(browser):
    return [(one["board"], one["version"], one["sha256"]) for one in browser.get("/web/admin/firmware").ok()]


def hash_of(content):
    return hashlib.sha256(content).hexdigest()


def test_a_release(releases, browser):
    """With the names that the firmware's own releases have."""
    releases.add("v1.6.5", {"waveshare-s3_firmware.bin": image(version=b"1.6.5"), "tidbyt-gen1_firmware.bin": ESP32})
    releases.add("v1.6.6", {
        "matrixportal-s3-waveshare_firmware.bin": S3, "matrixportal-s3-waveshare_merged.bin": merged(),
        "pixoticker_firmware.bin": ESP32, "tidbyt-gen1_firmware.bin": ESP32, "tidbyt-gen1_merged.bin": merged(),
        "tidbyt-gen1_swap_firmware.bin": ESP32, "tronbyt-S3.bin": S3})
    releases.add("v1.7.0-rc1", {"tidbyt-gen2_firmware.bin": ESP32}, prerelease=True)
    releases.add("v1.7.0", {"tidbyt-gen2_firmware.bin": ESP32}, draft=True)
    releases.add("nightly", {"tidbyt-gen2_firmware.bin": ESP32})
    shown = fetch(browser)
    assert (shown["state"], shown["problem"]) == ("done", None)
    assert sorted(came(shown)) == [("matrixportal_s3_waveshare", "1.6.6", "added"), ("tidbyt_gen1", "1.6.6", "added"),
                                   ("tronbyt_s3", "1.6.6", "added"), ("waveshare_s3", "1.6.5", "added")]
    assert images(browser) == [
        ("matrixportal_s3_waveshare", "1.6.6", hash_of(S3)), ("tidbyt_gen1", "1.6.6", hash_of(ESP32)),
        ("tronbyt_s3", "1.6.6", hash_of(S3)), ("waveshare_s3", "1.6.5", hash_of(image(version=b"1.6.5")))]
    assert not [path for path in releases.seen if "merged" in path or "swap" in path or "pixo" in path]
    deeds = [(entry["action"], entry["target"]) for entry in browser.get("/web/admin/audit?q=firmware").ok()]
    assert deeds[-1] == ("firmware.fetch", releases.url) or ("firmware.fetch", releases.url) in deeds
    assert ("firmware.add", "tidbyt_gen1 1.6.6") in deeds
    # Again: nothing is fetched but the list.
    releases.seen.clear()
    assert {state for _, _, state in came(fetch(browser))} == {"known"}
    assert len(releases.seen) == 1 and releases.seen[0].endswith("releases?per_page=10")


def test_checksums_beside_the_images(releases, browser):
    """As Gitea and Forgejo need them, whose lists have none."""
    files = {"SHA256SUMS": SUMS.encode(), "tidbyt-gen2_firmware.bin": ESP32, "tronbyt-s3_firmware.bin": S3,
             "waveshare-s3_firmware.bin": S3}
    releases.add("1.6.6", files, dict.fromkeys(files))
    shown = fetch(browser)
    assert came(shown) == [("tidbyt_gen2", "1.6.6", "added"), ("tronbyt_s3", "1.6.6", "added"),
                           ("waveshare_s3", "1.6.6", "refused")]
    assert shown["images"][2]["reason"] == "the release has no SHA-256 of this file"


def test_refused_images(releases, browser):
    """Each has its reason; the others come."""
    large = b"\xe9" + bytes(8 << 20)
    files = {"tidbyt-gen1_firmware.bin": ESP32, "tidbyt-gen2_firmware.bin": S3, "tronbyt-s3_firmware.bin": S3[:-1],
             "tronbyt-s3-wide_firmware.bin": merged(), "matrixportal-s3_firmware.bin": large,
             "matrixportal-s3-waveshare_firmware.bin": S3, "waveshare-s3_firmware.bin": S3}
    releases.add("v1.6.6", files, {"tidbyt-gen1_firmware.bin": "sha256:" + "0" * 64,
                                   "matrixportal-s3-waveshare_firmware.bin": "md5:" + "0" * 32})
    releases.missing["/objects/v1.6.6/waveshare-s3_firmware.bin"] = 5
    shown = fetch(browser)
    assert shown["state"] == "done" and images(browser) == []
    reasons = {one["board"]: one["reason"] for one in shown["images"]}
    for board, words in {
            "tidbyt_gen1": "does not have the checksum", "tidbyt_gen2": "another chip", "tronbyt_s3": "is cut",
            "tronbyt_s3_wide": "merged", "matrixportal_s3": "larger than 8 MiB",
            "matrixportal_s3_waveshare": "no SHA-256", "waveshare_s3": "incomplete"}.items():
        assert words in reasons[board], reasons
    # Another image of a version that is there, and an image when there is no room.
    releases.clear()
    releases.add("v1.6.6", {"tidbyt-gen1_firmware.bin": ESP32})
    assert came(fetch(browser)) == [("tidbyt_gen1", "1.6.6", "added")]
    releases.clear()
    releases.add("v1.6.6", {"tidbyt-gen1_firmware.bin": image(chip=0, version=b"1.6.6", project=b"other")})
    assert "another image of this version" in fetch(browser)["images"][0]["reason"]


@pytest.mark.parametrize("content, words", [
    (b"", "not a list"), (b"{}", "not a list"), (b"[", "not a list"), (b"[{]", "not a list"), (b"[]", "no release"),
    (b"<!DOCTYPE html>", "not a list"), (b"[" * 100000, "not a list"), (b'[{"tag_name":1,"assets":{}},7,null]', "no release"),
    (b'[{"tag_name":"v1.0","assets":[{"name":"tidbyt-gen1.bin"},3]}]', None), (b"[\"" + b"a" * (5 << 20), "larger than 4 MiB")],
    ids=["empty", "object", "cut", "broken", "none", "page", "deep", "types", "address", "large"])
def test_lists_that_are_none(releases, browser, content, words):
    releases.publish(content)
    shown = fetch(browser)
    assert images(browser) == []
    if words:
        assert shown["state"] == "failed" and words in shown["problem"]
    else:
        assert [one["state"] for one in shown["images"]] == ["refused"]


def test_a_list_that_cannot_be_had(releases, browser, trusting):
    for url, words in ((releases.root + "/nothing", "answers 404"), ("https://localhost:1/", "port 1"),
                       ("https://nothing.invalid/", "not found"), ("", "no address")):
        assert browser.patch(PATH, {"releasesUrl": url}).ok()["releasesUrl"] == url
        browser.post(PATH).ok()
        shown = end_of(browser)
        assert shown["state"] == "failed" and words in shown["problem"], shown
    for wrong in ("http://a.org/", "ftp://a.org/", "https://", "https://u@a.org/", "https://a b/", "https://" + "a" * 500, None, 1):
        browser.patch(PATH, {"releasesUrl": wrong}).problem(400)
    assert Person(trusting).browser().post(PATH).status == 403


def test_progress_and_an_interruption(releases, browser, trusting):
    """The worker that fetches ends; another one begins anew, and what was added stays."""
    large = image(version=b"1.6.6", last=bytes(range(256)) * 8000)
    releases.add("v1.6.6", {"tronbyt-s3_firmware.bin": S3, "waveshare-s3_firmware.bin": large})
    at = "/objects/v1.6.6/waveshare-s3_firmware.bin"
    releases.gates[at] = threading.Event()
    assert browser.post(PATH).ok()["state"] in ("waiting", "fetching")
    shown = wait_until(lambda: (now := browser.get(PATH).ok())["bytes"] > 0 and now, "progress")
    assert (shown["step"], shown["sizeBytes"], came(shown)) == ("waveshare-s3_firmware.bin", len(large), [("tronbyt_s3", "1.6.6", "added")])
    assert browser.post(PATH).ok()["askedAt"] == shown["askedAt"]  # not begun again
    assert len(images(browser)) == 1
    trusting.server.restart()
    releases.gates[at].set()
    assert came(end_of(browser)) == [("tronbyt_s3", "1.6.6", "known"), ("waveshare_s3", "1.6.6", "added")]
    assert len(images(browser)) == 2


def test_a_worker_that_is_killed(releases, browser, trusting):
    """Another one begins anew when the lease ends."""
    large = image(version=b"1.6.6", last=bytes(range(256)) * 8000)
    releases.add("v1.6.6", {"tronbyt-s3_firmware.bin": S3, "waveshare-s3_firmware.bin": large})
    at = "/objects/v1.6.6/waveshare-s3_firmware.bin"
    releases.gates[at] = threading.Event()
    browser.post(PATH).ok()
    wait_until(lambda: browser.get(PATH).ok()["bytes"] > 0, "progress")
    for worker in trusting.server.workers():
        os.kill(worker, signal.SIGKILL)
        trusting.kills += 1
    trusting.server.wait_until_ready()
    assert (browser.get(PATH).ok()["state"], len(images(browser))) == ("fetching", 1)
    trusting.sql("UPDATE firmware_releases SET leased_until = now()")
    releases.gates[at].set()
    browser.patch(PATH, {"releasesUrl": releases.url}).ok()  # which wakes the workers
    assert came(end_of(browser)) == [("tronbyt_s3", "1.6.6", "known"), ("waveshare_s3", "1.6.6", "added")]


@pytest.mark.parametrize("headers, words", [((1, 70_000), "longer than 64 KiB"), ((300, 1000), "longer than"), ((20, 1000), None)])
def test_huge_headers(releases, browser, headers, words):
    releases.add("v1.6.6", {"tronbyt-s3_firmware.bin": S3, "waveshare-s3_firmware.bin": S3})
    releases.headers["/objects/v1.6.6/tronbyt-s3_firmware.bin"] = headers
    shown = fetch(browser)
    assert [one["state"] for one in shown["images"]] == ["refused" if words else "added", "added"]
    assert not words or words in shown["images"][0]["reason"]
    releases.headers["/repos/tronbyt/firmware-esp32/releases"] = headers
    shown = fetch(browser)
    assert shown["state"] == ("failed" if words else "done") and (words or "") in (shown["problem"] or "")


def test_a_slow_drip(releases, browser):
    """The server is given up after 30 s; the other images come."""
    stop = threading.Event()
    releases.add("v1.6.6", {"tronbyt-s3_firmware.bin": S3, "waveshare-s3_firmware.bin": S3})
    releases.dripping["/objects/v1.6.6/tronbyt-s3_firmware.bin"] = stop
    shown = fetch(browser)
    stop.set()
    assert [one["state"] for one in shown["images"]] == ["refused", "added"]
    assert "less than 1 kB a second" in shown["images"][0]["reason"]


def test_a_lease_that_ends(releases, browser, trusting):
    """Of a worker that was killed. The third one is the last."""
    releases.add("v1.6.6", {"tronbyt-s3_firmware.bin": S3})
    trusting.sql("UPDATE firmware_releases SET state = 'fetching', lease = gen_random_uuid(), tries = 2, "
                 "leased_until = now() + interval '1 hour'")
    assert browser.post(PATH).ok()["state"] == "fetching"
    trusting.sql("UPDATE firmware_releases SET leased_until = now(), actor_id = NULL, by_operator = true")
    browser.patch(PATH, {"releasesUrl": releases.url}).ok()  # which wakes the workers
    assert came(end_of(browser)) == [("tronbyt_s3", "1.6.6", "added")]
    trusting.sql("UPDATE firmware_releases SET state = 'fetching', tries = 3, leased_until = now()")
    browser.patch(PATH, {"releasesUrl": releases.url}).ok()
    assert "interrupted three times" in end_of(browser)["problem"]


def test_who_asked_is_no_administrator_any_more(releases, browser, trusting):
    releases.add("v1.6.6", {"tronbyt-s3_firmware.bin": S3})
    trusting.sql("UPDATE firmware_releases SET state = 'waiting', actor_id = gen_random_uuid(), by_operator = false, tries = 0, "
                 "leased_until = now()")
    browser.patch(PATH, {"releasesUrl": releases.url}).ok()
    assert "no administrator any more" in end_of(browser)["problem"] and images(browser) == []


def test_displayctl(releases, browser, trusting):
    releases.add("v1.6.6", {"tronbyt-s3_firmware.bin": S3})
    assert trusting.server.ctl("firmware", "source", releases.url)["releasesUrl"] == releases.url
    assert trusting.server.ctl("firmware", "fetch")["state"] in ("waiting", "fetching")
    end_of(browser)
    assert came(trusting.server.ctl("firmware", "releases")) == [("tronbyt_s3", "1.6.6", "added")]
