"""Updates of panels' firmware: started by owners, sent to panels, done when these report the version."""

import http.client
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from devices import Journal, panel_of, poll_answer
from firmware_images import image
from lock_sessions import Session
from people import Person, wait_until
from test_firmware_images import add as add_image
from test_firmware_settings import Firmware

CONTENT = image(version=b"1.6.6", last=bytes(range(256)) * 800)


class Updates(Firmware):
    def __init__(self, world, person, administrator):
        super().__init__(world, person)
        self.person, self.administrator = person, administrator
        world.sql("DELETE FROM firmware_image")
        self.add()
        self.set_board("tronbyt_s3")

    def add(self, board="tronbyt_s3", content=CONTENT):
        return add_image(self.administrator, content, board).json()["id"]

    def set_board(self, board):
        self.world.sql("UPDATE device SET board = %s WHERE id = %s", board, self.device)

    def start(self, key=None, **body):
        return self.world.request("POST", self.path + "/update", key=key or self.key, body=body)

    def refused(self, code, **body):
        assert self.start(**body).problem(409)["code"] == code
        assert self.get()["update"] is None

    def state(self):
        return self.get()["update"]["state"]

    def fetch(self, url, **fields):
        path = re.fullmatch(r"http://[^/]+(/d/[^?#]+)", url)[1]
        connection = http.client.HTTPConnection(*self.world.server.address, timeout=60)
        connection.request("GET", path, headers=fields)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content


@pytest.fixture
def updates(world, person, administrator):
    return Updates(world, person, administrator)


def url_of(panel):
    while True:
        message = panel.panel.read()
        assert message is not None
        if isinstance(message, dict) and "ota_url" in message:
            assert set(message) == {"ota_url"}
            return message["ota_url"]


def test_by_websocket(world, updates):
    with panel_of(world, updates.made) as panel:
        updates.introduce(panel, firmware_version="1.5.2")
        assert (updates.get()["available"], updates.get()["update"]) == ("1.6.6", None)
        begun = updates.start().ok()["update"]
        assert (begun["version"], begun["formerVersion"], begun["state"]) == ("1.6.6", "1.5.2", "offered")
        url = url_of(panel)
        assert len(url) < 256 and updates.made["link"]["key"] not in url
        assert updates.state() == "offered"
        assert updates.fetch(url, Range="bytes=0-65535") == (206, CONTENT[:65536])
        assert updates.state() == "fetching"
        assert updates.fetch(url) == (200, CONTENT)
    # It restarts, with the new firmware.
    with panel_of(world, updates.made) as panel:
        updates.introduce(panel, firmware_version="v1.6.6")
        wait_until(lambda: updates.state() == "done", "the report")
    deeds = [target for action, target in Journal(updates.person).entries() if action == "device.firmware"]
    assert len(deeds) == 1 and deeds[0].endswith(" 1.6.6")


def test_by_polling(world, updates):
    link = updates.made["link"]
    world.sql("INSERT INTO panel_info (device_id, firmware_version) VALUES (%s, '1.5.2')", updates.device)
    assert "Tronbyt-OTA-URL" not in poll_answer(world, link)
    assert updates.start().ok()["update"]["state"] == "offered"
    answers = [poll_answer(world, link) for _ in range(6)]  # at both workers
    urls = [answer["Tronbyt-OTA-URL"] for answer in answers if "Tronbyt-OTA-URL" in answer]
    assert len(urls) == 1 and link["key"] not in urls[0]
    assert all("Tronbyt-Reboot" not in answer for answer in answers)
    assert updates.fetch(urls[0]) == (200, CONTENT)
    assert updates.state() == "fetching"
    path = link["pollingUrl"][link["pollingUrl"].index("/d/"):]
    world.get(path, fields=[("X-Firmware-Version", "1.6.6")])
    wait_until(lambda: updates.state() == "done", "the version")


def test_a_panel_that_does_not_come_back(world, updates):
    with panel_of(world, updates.made) as panel:
        updates.introduce(panel, firmware_version="1.5.2")
        updates.start().ok()
        url = url_of(panel)
        world.sql("UPDATE firmware_update SET sent_at = sent_at - interval '5 minutes' WHERE device_id = %s", updates.device)
        assert updates.state() == "failed"
        # Another try has a new URL; the former one still holds for its time.
        assert updates.start().ok()["update"]["state"] == "offered"
        assert url_of(panel) and updates.fetch(url)[0] == 200


def test_an_order_that_no_panel_takes(world, updates):
    with panel_of(world, updates.made) as panel:
        updates.introduce(panel, firmware_version="1.5.2")
    world.sql("INSERT INTO firmware_update (device_id, version, asked_at) VALUES (%s, '1.6.6', now() - interval '6 minutes')",
              updates.device)
    assert updates.state() == "failed"


def test_what_is_refused(world, updates):
    with panel_of(world, updates.made) as panel:
        updates.introduce(panel, firmware_version="1.5.2")
        updates.set_board(None)
        updates.refused("board_needed")
        for board in ("pixoticker", "raspberrypi", "other"):
            updates.set_board(board)
            updates.refused("board_without_updates")
        updates.set_board("waveshare_s3")
        updates.refused("firmware_not_available")
        updates.set_board("tronbyt_s3")
        updates.refused("firmware_not_available", version="1.6.7")
        for body in ({"version": ""}, {"version": 1}, {"allowDowngrade": "yes"}, {"board": "tronbyt_s3"}):
            updates.start(**body).problem(400)
    with panel_of(world, updates.made) as panel:
        updates.introduce(panel, firmware_version="1.4.5")
        updates.refused("firmware_too_old")
        updates.introduce(panel, firmware_version="1.6.6")
        updates.refused("firmware_not_newer")
        updates.refused("firmware_not_newer", allowDowngrade=True)
        updates.introduce(panel, firmware_version="1.10.0")
        updates.refused("firmware_not_newer")
        with panel_of(world, updates.made) as second:
            second.wait_for(lambda: second.pictures)
            assert updates.start(allowDowngrade=True).status in (200, 409)  # 409 at the worker that has both
    wait_until(lambda: updates.start(allowDowngrade=True).status == 409, "that the panel is offline")


def test_a_downgrade(world, updates):
    with panel_of(world, updates.made) as panel:
        updates.introduce(panel, firmware_version="1.10.0")
        assert updates.start(version="v1.6.6", allowDowngrade=True).ok()["update"]["version"] == "1.6.6"
        assert updates.fetch(url_of(panel))[0] == 200


def test_others(world, updates):
    with panel_of(world, updates.made) as panel:
        updates.introduce(panel, firmware_version="1.5.2")
        updates.start(key=Person(world).key()).problem(403)
        assert updates.get()["update"] is None


def test_the_image_is_removed_meanwhile(world, updates):
    with panel_of(world, updates.made) as panel:
        updates.introduce(panel, firmware_version="1.5.2")
        updates.start().ok()
        url = url_of(panel)
        world.sql("DELETE FROM firmware_image")
        assert updates.fetch(url)[0] == 404
        assert (updates.state(), updates.get()["available"]) == ("offered", None)


def test_the_image_is_removed_as_the_update_starts(world, updates):
    """The start waits for the removal, and is refused."""
    with panel_of(world, updates.made) as panel, Session(world) as holder, ThreadPoolExecutor(1) as pool:
        updates.introduce(panel, firmware_version="1.5.2")
        holder.run("BEGIN")
        holder.run("DELETE FROM firmware_image")
        start = pool.submit(updates.start)
        wait_until(lambda: start.done() or world.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                                                     "datname = current_database()"), "a lock, or the answer")
        holder.run("COMMIT")
        assert start.result().problem(409)["code"] == "firmware_not_available"
        assert updates.get()["update"] is None
