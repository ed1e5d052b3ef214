"""How a panel fetches an image of firmware: by a token for this device and this image, whole or in parts."""

import hashlib
import http.client
import time
import uuid

import pytest
from devices import add
from firmware_images import image
from people import UNKNOWN_ID
from test_firmware_images import add as add_image

CONTENT = image(version=b"1.6.6", last=bytes(range(256)) * 3000)
PART = 65536


class Link:
    """A device, an image for its board, and tokens as another instance with the same secret key makes them."""

    def __init__(self, world, person, administrator):
        world.sql("DELETE FROM firmware_image")
        self.world = world
        self.image = add_image(administrator, CONTENT).json()["id"]
        self.device = add(person.browser())["device"]["id"]
        self.set_board("tronbyt_s3")
        with open(f"{world.server.state_dir}/secret-key", encoding="ascii") as file:
            self.key = bytes.fromhex(file.read().strip())

    def set_board(self, board):
        self.world.sql("UPDATE device SET board = %s WHERE id = %s", board, self.device)

    def token(self, seconds=900, device=None, image_id=None):
        made = uuid.UUID(image_id or self.image).bytes + int(time.time() + seconds).to_bytes(8, "big")
        mac = hashlib.blake2b(b"firmware image " + uuid.UUID(device or self.device).bytes + made, key=self.key, digest_size=16)
        return (made + mac.digest()).hex()

    def ask(self, method="GET", token=None, device=None, **fields):
        connection = http.client.HTTPConnection(*self.world.server.address, timeout=60)
        path = f"/d/{device or self.device}/firmware/{token or self.token()}"
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in fields.items()})
        answer = connection.getresponse()
        answer.content = answer.read()
        connection.close()
        return answer


@pytest.fixture
def link(world, person, administrator):
    return Link(world, person, administrator)


def test_as_firmware_does(link):
    """HEAD, and then parts of 64 KiB."""
    head = link.ask("HEAD")
    assert (head.status, head.content, int(head.headers["Content-Length"])) == (200, b"", len(CONTENT))
    assert head.headers["Accept-Ranges"] == "bytes"
    fetched, token = b"", link.token()
    while len(fetched) < len(CONTENT):
        part = link.ask(token=token, Range=f"bytes={len(fetched)}-{len(fetched) + PART - 1}")
        end = min(len(fetched) + PART, len(CONTENT))
        assert part.status == 206
        assert part.headers["Content-Range"] == f"bytes {len(fetched)}-{end - 1}/{len(CONTENT)}"
        fetched += part.content
        assert len(fetched) == end
    assert fetched == CONTENT


def test_whole(link):
    answer = link.ask()
    assert (answer.status, answer.content) == (200, CONTENT)
    assert answer.headers["ETag"] == f'"{hashlib.sha256(CONTENT).hexdigest()}"'
    assert answer.headers["Content-Type"] == "application/octet-stream"


@pytest.mark.parametrize("wanted, start, end", [
    ("bytes=100-", 100, None), ("bytes=-100", -100, None), ("bytes=7-7", 7, 8), ("bytes=0-999999999999", 0, None),
    ("bytes=3-200000", 3, 200001)])
def test_parts(link, wanted, start, end):
    answer = link.ask(Range=wanted)
    assert (answer.status, answer.content) == (206, CONTENT[start:end])


def test_parts_that_are_not_there(link):
    answer = link.ask(Range=f"bytes={len(CONTENT)}-")
    assert (answer.status, answer.headers["Content-Range"]) == (416, f"bytes */{len(CONTENT)}")
    for wanted in ("bytes=3-1", "bytes=0-1,3-4", "lines=0-1", "bytes=a-b"):
        assert link.ask(Range=wanted).content == CONTENT
    assert link.ask(Range="bytes=0-1", If_Range='"other"').content == CONTENT


def test_tokens(link, person):
    other = add(person.browser())["device"]["id"]
    good = link.token()
    changed = good[:-1] + ("0" if good[-1] != "0" else "1")
    for token in (changed, good[:-2], good + "00", "x" * 80, "0" * 80, link.token(seconds=-1), link.token(device=other),
                  link.token(image_id=UNKNOWN_ID)):
        answer = link.ask(token=token)
        assert answer.status == 404 and b"firmware_not_found" in answer.content, token
    assert link.ask(token=good, device=other).status == 404
    assert link.ask(token=good, device="none").status == 404
    assert link.ask(token=good).status == 200


def test_never_for_another_board(link):
    for board in (None, "tidbyt_gen1"):
        link.set_board(board)
        assert link.ask().status == 404
    link.set_board("tronbyt_s3")
    link.world.sql("UPDATE device SET disabled_at = now() WHERE id = %s", link.device)
    assert link.ask().status == 404


def test_the_log_has_no_token(link):
    token = link.token()
    assert link.ask(token=token).status == 200
    assert token not in link.world.server.log()
    assert "/d/{deviceId}/firmware/{token}" in link.world.server.log()


def test_images_vanish_while_they_are_sent(link):
    """The connection breaks off, so that the panel does not take the beginning for all of it."""
    connection = http.client.HTTPConnection(*link.world.server.address, timeout=60)
    connection.request("GET", f"/d/{link.device}/firmware/{link.token()}")
    answer = connection.getresponse()
    assert answer.read(1000) == CONTENT[:1000]
    link.world.sql("DELETE FROM firmware_image")
    try:
        rest = answer.read()
    except (http.client.IncompleteRead, ConnectionError):
        return
    assert rest == CONTENT[1000:]  # it was on its way already


def test_requests_are_limited(link):
    """By device, so that others go on."""
    statuses, token = [], link.token()
    while 429 not in statuses:
        statuses.append(link.ask("HEAD", token=token).status)
        assert len(statuses) < 2000
    assert set(statuses) == {200, 429} and len(statuses) > 200
