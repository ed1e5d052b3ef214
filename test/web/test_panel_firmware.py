"""What panels report about their firmware, and boards of devices."""

import json

import pytest
from devices import add, panel_of, path_of
from people import UNKNOWN_ID, Person, wait_until

TOLD = {"firmware_version": "1.6.6", "firmware_type": "ESP32", "protocol_version": 1, "mac": "02:00:5e:20:00:01",
        "ssid": "home", "rssi": -61, "hostname": "kitchen", "syslog_addr": "log.example.org:514",
        "sntp_server": "pool.ntp.org", "image_url": "https://panels.example.org/d/x/ws?key=0123456789",
        "swap_colors": True, "wifi_power_save": 1, "skip_display_version": False, "skip_boot_animation": True,
        "ap_mode": True, "prefer_ipv6": False, "disable_touch": True}
SETTINGS = {"hostname": "kitchen", "syslogAddr": "log.example.org:514", "sntpServer": "pool.ntp.org",
            "imageUrl": "https://panels.example.org/d/x/ws", "swapColors": True, "wifiPowerSave": 1,
            "skipDisplayVersion": False, "skipBootAnimation": True, "apMode": True, "preferIPv6": False,
            "disableTouch": True}
NOTHING = {"board": None, "version": None, "type": None, "protocolVersion": None, "ssid": None, "wifiSignal": None,
           "settings": {}, "reportedAt": None, "change": None, "available": None, "update": None}


def firmware(browser, made):
    return browser.get(path_of(made["device"]) + "/firmware").ok()


def settings_told(world, browser, info):
    """Settings that are shown after a panel has reported these."""
    made = add(browser)
    with panel_of(world, made) as panel:
        panel.panel.say(client_info={"firmware_version": "1.6.6", **info})
        panel.wait_for(lambda: panel.pictures)
        wait_until(lambda: firmware(browser, made)["version"], "what the panel has told")
    return firmware(browser, made)["settings"]


def test_all_that_a_panel_tells(world, person):
    browser = person.browser()
    made = add(browser)
    assert firmware(browser, made) == NOTHING
    with panel_of(world, made) as panel:
        panel.panel.say(client_info=TOLD)
        panel.wait_for(lambda: panel.pictures)
        wait_until(lambda: firmware(browser, made)["version"], "what the panel has told")
        shown = firmware(browser, made)
        assert shown.pop("reportedAt") and [shown.pop(name) for name in ("change", "available", "update")] == [None] * 3
        assert shown == {"board": None, "version": "1.6.6", "type": "ESP32", "protocolVersion": 1, "ssid": "home",
                         "wifiSignal": -61, "settings": SETTINGS}
        # After a change the firmware reports again.
        panel.panel.say(client_info={**TOLD, "hostname": "hall", "swap_colors": False})
        wait_until(lambda: firmware(browser, made)["settings"] == {**SETTINGS, "hostname": "hall", "swapColors": False},
                   "the change")
    target = f"/v1/devices/{made['device']['id']}/firmware"
    assert world.get(target, key=person.key()).ok()["settings"]["hostname"] == "hall"
    info = world.get(target.replace("/v1/", "/v0/").removesuffix("/firmware"), key=person.key()).ok()["info"]
    assert info == {**SETTINGS, "hostname": "hall", "swapColors": False, "firmwareVersion": "1.6.6", "firmwareType": "ESP32",
                    "protocolVersion": 1, "macAddress": "02:00:5e:20:00:01", "ssid": "home"}


def test_the_key_in_an_address_is_not_stored(world, browser):
    for url, shown in (("https://a.example/d/x/ws?key=SECRETKEY", "https://a.example/d/x/ws"),
                       ("https://a.example/d/x/ws#SECRETKEY?", "https://a.example/d/x/ws"),
                       ("https://SECRETKEY@a.example/", None), ("?SECRETKEY", "")):
        assert settings_told(world, browser, {"image_url": url}).get("imageUrl") == shown
    assert world.sql("SELECT 1 FROM panel_info WHERE strpos(panel_info::text, 'SECRETKEY') > 0") == []


TEXTS = ("hostname", "syslog_addr", "sntp_server", "image_url")
FLAGS = ("swap_colors", "skip_display_version", "skip_boot_animation", "ap_mode", "prefer_ipv6", "disable_touch")


@pytest.mark.parametrize("name, values", [
    *((name, ["x" * (65 if name == "hostname" else 129), "a\nb", "\x1b[31m", "\0", "\x7f", 1, None, [], {}, True])
      for name in TEXTS),
    *((name, [0, 1, "true", None, [], {}]) for name in FLAGS),
    ("wifi_power_save", [-1, 3, 1.5, 2 ** 70, "1", True, None])])
def test_hostile_settings_are_not_told(world, browser, name, values):
    made = add(browser)
    with panel_of(world, made) as panel:
        for number, value in enumerate(values):
            version = f"1.6.{number}"
            panel.panel.say(client_info={"firmware_version": version, name: value})
            wait_until(lambda version=version: firmware(browser, made)["version"] == version, "the report")
            assert firmware(browser, made)["settings"] == {}, value


def test_longest_settings(world, browser):
    told = {"hostname": "\U000e0001" * 64, "syslog_addr": '"' * 128, "sntp_server": "\\" * 128, "image_url": '"' * 128,
            **dict.fromkeys(FLAGS, False), "wifi_power_save": 2}
    shown = settings_told(world, browser, told)
    assert [shown[name] for name in ("hostname", "syslogAddr", "sntpServer", "imageUrl")] == [
        told[name] for name in TEXTS]
    assert len(shown) == 11


def test_reports_are_limited(world, browser):
    """A panel that reports without end costs few writes, and stays connected."""
    made = add(browser)
    with panel_of(world, made) as panel:
        for number in range(200):
            panel.panel.say(client_info={"firmware_version": f"1.0.{number}"})
        panel.panel.say(queued=1)
        wait_until(lambda: firmware(browser, made)["version"], "the reports")
        assert int(firmware(browser, made)["version"].rpartition(".")[2]) < 100
        panel.wait_for(lambda: panel.pictures)


def test_reports_of_polls_are_limited(world, browser):
    """A panel that polls with another version each time costs as few writes."""
    made = add(browser)
    url = made["link"]["pollingUrl"]
    target = url[url.index("/d/"):]
    with world.client() as client:
        for number in range(200):
            client.send(f"GET {target} HTTP/1.1\r\nHost: x\r\nX-Firmware-Version: 1.0.{number}\r\n\r\n".encode())
            assert client.answer().status == 200
    wait_until(lambda: firmware(browser, made)["version"], "the reports")
    assert int(firmware(browser, made)["version"].rpartition(".")[2]) < 150


def test_whose_firmware_is_shown(world, person):
    browser, stranger = person.browser(), Person(world)
    made = add(browser)
    device = made["device"]["id"]
    stranger.browser().get(f"/web/devices/{device}/firmware").problem(403)
    world.get(f"/v1/devices/{device}/firmware", key=stranger.key()).problem(403)
    world.get(f"/v1/devices/{device}/firmware").problem(401)
    world.get(f"/v1/devices/{UNKNOWN_ID}/firmware", key=person.key()).problem(404)
    other = person.device()
    for wish, status in (({"scope": "push"}, 403), ({"deviceIds": [other]}, 403), ({"deviceIds": [device]}, 200)):
        key = browser.post("/web/keys", {"name": "narrow", **wish}).json()["key"]
        assert world.get(f"/v1/devices/{device}/firmware", key=key).status == status, wish


BOARDS = ("tidbyt_gen1", "tidbyt_gen2", "tronbyt_s3", "tronbyt_s3_wide", "matrixportal_s3", "matrixportal_s3_waveshare",
          "waveshare_s3", "pixoticker", "raspberrypi", "raspberrypi_wide", "other")


def test_board(world, person):
    browser = person.browser()
    made = add(browser)
    path, device = path_of(made["device"]), made["device"]["id"]
    assert browser.get(path).ok()["board"] is None
    of_v0 = f"/v0/devices/{device}"
    assert world.get(of_v0, key=person.key()).ok()["type"] == "other"
    for board in BOARDS:
        assert browser.patch(path, {"board": board}).ok()["board"] == board
        assert firmware(browser, made)["board"] == board
        assert world.get(of_v0, key=person.key()).ok()["type"] == board
    for wrong in ("", "TIDBYT_GEN1", "x", "x" * 1000, "tidbyt_gen1\0", None, 1, True, [], {}):
        assert list(browser.patch(path, {"board": wrong}).faults()) == ["/board"], wrong
    assert browser.get(path).ok()["board"] == "other"
    # The public API has the settings of its document only.
    answer = world.request("PATCH", f"/v1/devices/{device}", key=person.key(), body={"board": "other"})
    assert list(answer.faults()) == ["/board"]
    assert "board" not in json.loads(world.get(f"/v1/devices/{device}", key=person.key()).body)
