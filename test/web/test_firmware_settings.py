"""Settings of panels' firmware: changed here, sent to the panel, confirmed by its next report."""

import json

import pytest
from devices import add, panel_of, poll_answer
from people import UNKNOWN_ID, Person, wait_until

TOLD = {"firmware_version": "1.6.6", "firmware_type": "ESP32", "hostname": "kitchen", "swap_colors": False,
        "image_url": "http://192.0.2.1/d/x/ws?key=0123456789"}
FLAGS = {"swapColors": "swap_colors", "skipDisplayVersion": "skip_display_version", "skipBootAnimation": "skip_boot_animation",
         "apMode": "ap_mode", "preferIPv6": "prefer_ipv6", "disableTouch": "disable_touch"}
NAMES = {**FLAGS, "hostname": "hostname", "syslogAddr": "syslog_addr", "sntpServer": "sntp_server",
         "wifiPowerSave": "wifi_power_save"}


class Firmware:
    """A device, its firmware in the API, and its panel."""

    def __init__(self, world, person):
        self.world, self.key = world, person.key()
        self.made = add(person.browser())
        self.device = self.made["device"]["id"]
        self.path = f"/v1/devices/{self.device}/firmware"

    def get(self):
        return self.world.get(self.path, key=self.key).ok()

    def set(self, body, key=None):
        return self.world.request("PATCH", self.path, key=key or self.key, body=body)

    def tell(self, panel, **info):
        panel.panel.say(client_info={**TOLD, **info})

    def introduce(self, panel, **info):
        panel.wait_for(lambda: panel.pictures)
        self.tell(panel, **info)
        wait_until(lambda: self.get()["version"] == {**TOLD, **info}["firmware_version"], "the report")


@pytest.fixture
def firmware(world, person):
    return Firmware(world, person)


def settings_of(panel):
    """The next texts with settings, joined, until the panel has all."""
    while True:
        message = panel.panel.read()
        assert message is not None
        if isinstance(message, dict) and set(message) <= set(NAMES.values()):
            return message


def test_a_change_is_confirmed(world, firmware):
    with panel_of(world, firmware.made) as panel:
        firmware.introduce(panel)
        shown = firmware.set({"hostname": "hall", "swapColors": True}).ok()
        assert shown["settings"]["hostname"] == "kitchen"
        assert (shown["change"]["settings"], shown["change"]["state"]) == (
            {"hostname": "hall", "swapColors": True}, "waiting")
        assert settings_of(panel) == {"hostname": "hall", "swap_colors": True}
        firmware.tell(panel, hostname="hall", swap_colors=False)
        wait_until(lambda: firmware.get()["settings"]["hostname"] == "hall", "the report")
        assert firmware.get()["change"]["settings"] == {"hostname": "hall", "swapColors": True}
        firmware.tell(panel, hostname="hall", swap_colors=True)
        wait_until(lambda: firmware.get()["change"] is None, "the confirmation")
        assert firmware.get()["settings"]["swapColors"] is True


def test_all_settings_at_once(world, firmware):
    """The longest are sent in texts that firmware takes, each below 512 bytes."""
    wish = {**dict.fromkeys(FLAGS, False), "hostname": "a" * 32, "syslogAddr": "b" * 122 + ":65535", "sntpServer": "c" * 64,
            "wifiPowerSave": 2}
    with panel_of(world, firmware.made) as panel:
        firmware.introduce(panel)
        assert firmware.set(wish).ok()["change"]["settings"] == wish
        got = {}
        while len(got) < len(wish):
            message = settings_of(panel)
            assert len(json.dumps(message, separators=(",", ":"))) < 512
            got |= message
        assert got == {NAMES[name]: value for name, value in wish.items()}


def test_not_confirmed(world, firmware):
    with panel_of(world, firmware.made) as panel:
        firmware.introduce(panel)
        firmware.set({"apMode": True}).ok()
        settings_of(panel)
        world.sql("UPDATE firmware_change SET asked_at = asked_at - interval '61 s' WHERE device_id = %s", firmware.device)
        assert firmware.get()["change"]["state"] == "unconfirmed"
        # Another change does not send it again.
        firmware.set({"preferIPv6": True}).ok()
        assert settings_of(panel) == {"prefer_ipv6": True}
        assert firmware.get()["change"]["settings"] == {"preferIPv6": True}
        # Another change extends one that still waits.
        assert firmware.set({"swapColors": True}).ok()["change"]["settings"] == {"preferIPv6": True, "swapColors": True}


def test_what_was_not_sent_in_time_is_not_sent(world, firmware):
    with panel_of(world, firmware.made) as panel:
        firmware.introduce(panel)
    # The panel seems to have left between the request and the message.
    world.sql("INSERT INTO firmware_change (device_id, settings, asked_at) VALUES (%s, '{\"apMode\":true}', now() - interval '61 s')",
              firmware.device)
    world.sql("UPDATE device SET generation = generation + 1, firmware_generation = generation + 1 WHERE id = %s", firmware.device)
    with panel_of(world, firmware.made) as panel:
        panel.wait_for(lambda: panel.pictures)
        wait_until(lambda: world.sql("SELECT firmware_generation FROM device WHERE id = %s", firmware.device) == [(None,)],
                   "that it was taken")
    assert world.sql("SELECT sent_at FROM firmware_change WHERE device_id = %s", firmware.device) == [(None,)]


@pytest.mark.parametrize("name, values", [
    ("hostname", ["", "a" * 33, "a b", "-a", "a-", "a.b", "ä", "a\0", 'a"', 1, None, [], {}]),
    ("syslogAddr", ["x", "x:", ":1", "x:0", "x:65536", "x:1:2", "a b:1", "x" * 127 + ":1", 1, True, None]),
    ("sntpServer", ["a b", "a:1", 'a"', "x" * 65, "\n", 1, None]),
    ("wifiPowerSave", [-1, 3, 1.5, "1", True, None, 2 ** 70]),
    *((name, [0, 1, "true", None, [], {}]) for name in FLAGS),
    ("address", ["", "x", "https://", "ftp://a", "https://a/", "https://a/x", "https://a:0", "https://a:65536",
                 "https://a b", 'https://a"', "https://u@a", "https://a?x", "https://" + "a" * 93, 1, None]),
    ("imageUrl", ["http://a/"]), ("board", ["other"]), ("reboot", [True]), ("ota_url", ["http://a/"])])
def test_bad_input(firmware, name, values):
    for value in values:
        assert list(firmware.set({name: value}).faults()) == [f"/{name}"], value
    assert firmware.get()["change"] is None


def test_bad_bodies(firmware):
    for body in ({}, [], "x", 1):
        firmware.set(body).problem(400)
    assert list(firmware.set({"address": "https://a.example", "apMode": True}).faults()) == ["/address"]


def test_panels_that_take_no_settings(world, firmware):
    assert "offline" in firmware.set({"apMode": True}).problem(409)["detail"]
    poll_answer(world, firmware.made["link"])
    assert firmware.set({"apMode": True}).problem(409)["code"] == "panel_polls"
    with panel_of(world, firmware.made) as panel:
        firmware.introduce(panel, firmware_version="1.4.7")
        assert "1.4.7" in firmware.set({"apMode": True}).problem(409)["detail"]
    assert firmware.get()["change"] is None


def test_who_may_change_it(world, person, firmware):
    browser, stranger = person.browser(), Person(world)
    other = person.device()
    with panel_of(world, firmware.made) as panel:
        firmware.introduce(panel)
        assert firmware.set({"apMode": True}, key=stranger.key()).problem(403)
        assert firmware.set({"apMode": True}, key="x").problem(401)
        world.request("PATCH", f"/v1/devices/{UNKNOWN_ID}/firmware", key=firmware.key, body={"apMode": True}).problem(404)
        for wish in ({"scope": "push"}, {"deviceIds": [other]}):
            key = browser.post("/web/keys", {"name": "narrow", **wish}).json()["key"]
            firmware.set({"apMode": True}, key=key).problem(403)
        key = browser.post("/web/keys", {"name": "narrow", "deviceIds": [firmware.device]}).json()["key"]
        assert firmware.set({"address": "https://evil.example"}, key=key).problem(403)["code"] == "key_for_chosen_devices"
        assert firmware.set({"apMode": True}, key=key).ok()["change"]["settings"] == {"apMode": True}
        assert browser.patch(f"/web/devices/{firmware.device}/firmware", {"swapColors": True}).ok()["change"]


def next_order(panel):
    while True:
        message = panel.panel.read()
        assert message is not None
        if isinstance(message, dict) and {"image_url", "reboot"} & set(message):
            return message


def test_another_address(world, firmware):
    """The panel is told a new URL with a new key; the former one holds until it has come by that."""
    link = firmware.made["link"]
    with panel_of(world, firmware.made) as panel:
        firmware.introduce(panel)
        firmware.set({"address": "https://panels.example.org:8443"}).ok()
        url = next_order(panel)["image_url"]
        assert next_order(panel) == {"reboot": True}
    start = f"wss://panels.example.org:8443/d/{firmware.device}/ws?key="
    assert url.startswith(start) and len(url) <= 128
    key = url.removeprefix(start)
    assert key not in link["webSocketUrl"]
    assert poll_answer(world, link).status == 200
    # A restart before that brings the same URL.
    with panel_of(world, firmware.made) as panel:
        panel.wait_for(lambda: panel.pictures)
        world.request("POST", f"/v1/devices/{firmware.device}/reboot", key=firmware.key).ok()
        assert next_order(panel) == {"image_url": url}
    target = f"/d/{firmware.device}/next?key="
    assert world.get(target + key).status == 200
    wait_until(lambda: poll_answer(world, link).status == 404, "the end of the former key")
    assert world.get(target + key).status == 200
    assert world.sql("SELECT order_url FROM device WHERE id = %s", firmware.device) == [(None,)]


def test_an_address_that_panels_do_not_take(world, firmware):
    """The reason names the address, not the server's own one."""
    with panel_of(world, firmware.made) as panel:
        firmware.introduce(panel)
        refused = firmware.set({"address": f"https://{'a' * 40}.example.org:8443"}).problem(409)
        assert refused["code"] == "public_url_too_long" and "shorten the address by 10" in refused["detail"]
        assert firmware.get()["change"] is None
        assert firmware.set({"address": f"https://{'a' * 30}.example.org:8443"}).status == 200


def test_by_v0(world, firmware):
    path = f"/v0/devices/{firmware.device}/update_firmware_settings"

    def ask(body):
        return world.request("POST", path, key=firmware.key, body=body)

    assert ask({}).ok() == {}
    ask({"apMode": True}).problem(409)
    with panel_of(world, firmware.made) as panel:
        firmware.introduce(panel)
        assert ask({"hostname": "hall", "sntpServer": None, "syslogAddr": {}, "imageUrl": "http://192.0.2.1/d/x/ws"}).ok() == {}
        assert settings_of(panel) == {"hostname": "hall"}
        assert list(ask({"imageUrl": "http://evil.example/"}).faults()) == ["/imageUrl"]
        assert list(ask({"imageUrl": 1, "apMode": True}).faults()) == ["/imageUrl"]
        assert set(ask({"wifiPowerSave": 3, "x": 1}).faults()) == {"/wifiPowerSave", "/x"}
        assert ask({"imageUrl": "http://192.0.2.1/d/x/ws"}).ok() == {}
    # The key of its own URLs does not authorize that.
    world.sql("UPDATE device SET allows_own_key = true WHERE id = %s", firmware.device)
    world.request("POST", path, key=firmware.made["link"]["key"], body={}).problem(403)
