"""Images of panels' firmware: administrators add, list and remove them."""

import base64
import hashlib

import pytest
from firmware_images import image, merged
from people import UNKNOWN_ID, Person
from server import CtlError

PATH = "/web/admin/firmware"


def body_of(content, board="tronbyt_s3", **more):
    return {"board": board, "image": base64.b64encode(content).decode(), **more}


def add(browser, content, board="tronbyt_s3", **more):
    return browser.post(PATH, body_of(content, board, **more))


@pytest.fixture(autouse=True)
def without_images(world):
    world.sql("DELETE FROM firmware_image")


def last_deeds(administrator):
    return [(entry["action"], entry["target"]) for entry in administrator.get("/web/admin/audit?q=firmware").ok()]


def test_images_are_kept_by_board_and_version(world, administrator):
    content = image(version=b"v1.6.6")
    made = add(administrator, content)
    assert made.status == 201
    shown = made.json()
    assert {name: shown[name] for name in ("board", "version", "chip", "project", "sizeBytes", "sha256")} == {
        "board": "tronbyt_s3", "version": "1.6.6", "chip": "esp32s3", "project": "firmware", "sizeBytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest()}
    assert world.sql("SELECT content FROM firmware_image")[0][0].tobytes() == content
    assert add(administrator, image(chip=0, version=b"1.6.6"), "tidbyt_gen1").status == 201
    for version in (b"1.10.0", b"1.9.9"):
        assert add(administrator, image(version=version)).status == 201
    listed = administrator.get(PATH).ok()
    assert [(one["board"], one["version"]) for one in listed] == [
        ("tidbyt_gen1", "1.6.6"), ("tronbyt_s3", "1.10.0"), ("tronbyt_s3", "1.9.9"), ("tronbyt_s3", "1.6.6")]
    assert listed[-1] == shown
    assert add(administrator, image(version=b"1.6.6", project=b"other")).problem(409)["code"] == "firmware_exists"
    assert administrator.delete(f"{PATH}/{shown['id']}").status == 200
    assert administrator.delete(f"{PATH}/{shown['id']}").problem(404)["code"] == "firmware_not_found"
    assert last_deeds(administrator)[:2] == [("firmware.remove", "tronbyt_s3 1.6.6"), ("firmware.add", "tronbyt_s3 1.9.9")]


def test_members_read_the_images_by_their_parts(world, administrator):
    """A page fills in the fields of an image, and flashes it."""
    part = 256 * 1024
    content = image(last=bytes(range(256)) * 1200)
    made = add(administrator, content).json()
    member = Person(world).browser()
    assert member.get(PATH).status == 403
    assert member.get("/web/firmware").ok() == [made]
    path = f"/web/firmware/{made['id']}/parts"
    first, second = member.get(f"{path}/0"), member.get(f"{path}/1")
    assert first.body + second.body == content and len(first.body) == part
    for wrong in ("2", "99"):
        assert member.get(f"{path}/{wrong}").problem(404)["code"] == "firmware_not_found"
    for wrong in ("100", "-1", "x"):
        assert member.get(f"{path}/{wrong}").status in (400, 404)
    assert member.get(f"/web/firmware/{UNKNOWN_ID}/parts/0").status == 404


def test_a_version_of_the_administrator(administrator):
    """Images that were built without tags have the hash of a commit in their header."""
    untagged = image(version=b"abc1234")
    assert add(administrator, untagged).faults().keys() == {"/version"}
    assert add(administrator, untagged, version="v1.6.7").json()["version"] == "1.6.7"
    assert add(administrator, untagged, version="v99999.0").json()["version"] == "99999.0"
    for wrong in ("", "v", "newest", "1 2", "1" * 33, "1é", "100000", "v9999999999", "00000001"):
        assert add(administrator, untagged, version=wrong).faults().keys() == {"/version"}


GOOD = image()


@pytest.mark.parametrize("content, words", [
    (GOOD[:-1], "is cut"), (GOOD[:200], "not an image"), (GOOD + GOOD, "has bytes after its end"), (b"x" * 5000, "not an image"),
    (image(chip=0), "chip"), (image(chip=5), "chip"), (image(chip=77), "chip"), (image(fields=()), "no fields"),
    (GOOD[:500] + bytes([GOOD[500] ^ 1]) + GOOD[501:], "damaged"), (merged(), "merged"),
    (GOOD.replace(b"XplaceholderWIFIPASSWORD", b"correct horse battery sta"[:24]), "damaged"), (b"\xe9" + bytes(8388608), "larger than 8 MiB")],
    ids=["cut", "short", "doubled", "foreign", "esp32", "c3", "unknown", "fields", "bit", "merged", "filled", "large"])
def test_refused_images(administrator, content, words):
    problem = add(administrator, content).problem(400)
    assert problem["code"] == "firmware_invalid", problem
    assert words in str(problem)
    assert administrator.get(PATH).ok() == []


def test_refused_boards(administrator):
    for board in ("pixoticker", "raspberrypi", "raspberrypi_wide", "other", "", "TRONBYT_S3"):
        assert add(administrator, image(), board).faults().keys() == {"/board"}
    assert administrator.post(PATH, {"board": "tronbyt_s3", "image": "%%%"}).faults().keys() == {"/image"}


def test_the_number_is_limited(world, administrator):
    world.sql("INSERT INTO firmware_image (id, slot, board, version, chip, project, sha256, size_bytes, content) "
              "SELECT gen_random_uuid(), slot, 'tronbyt_s3', '1.0.' || slot, 'esp32s3', 'firmware', repeat('0', 64), 1, 'x' "
              "FROM generate_series(1, 31) AS slot")
    assert add(administrator, image()).status == 201
    assert add(administrator, image(version=b"2.0.0")).problem(409)["code"] == "firmware_images_too_many"
    assert len(administrator.get(PATH).ok()) == 32


def test_for_administrators_only(world, browser):
    reviewer = Person(world, is_reviewer=True).browser()
    for one in (browser, reviewer):
        one.get(PATH).problem(403)
        add(one, image()).problem(403)
        one.delete(f"{PATH}/{UNKNOWN_ID}").problem(403)
    assert world.sql("SELECT count(*) FROM firmware_image") == [(0,)]


def test_by_displayctl(world, tmp_path):
    """The operator adds, lists and removes images by displayctl."""
    content, path = image(version=b"v1.6.6"), tmp_path / "tronbyt-S3.bin"
    path.write_bytes(content)
    added = world.server.ctl("firmware", "add", "tronbyt_s3", str(path))
    assert added["sha256"] == hashlib.sha256(content).hexdigest()
    assert world.server.ctl("firmware", "list") == [added]
    path.write_bytes(content[:-1])
    with pytest.raises(CtlError, match="is cut"):
        world.server.ctl("firmware", "add", "tronbyt_s3", str(path))
    with pytest.raises(CtlError, match="there is no image of 1.6.7"):
        world.server.ctl("firmware", "remove", "tronbyt_s3", "1.6.7")
    assert world.server.ctl("firmware", "remove", "tronbyt_s3", "1.6.6") == added
    assert world.sql("SELECT count(*) FROM firmware_image") == [(0,)]
