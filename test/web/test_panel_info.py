"""Information that panels report, and the time of their first connection."""

import pytest
from devices import add, panel_of, path_of, poll
from people import TIMESTAMP, Person, wait_until

INFO = {"firmware_version": "1.6.6", "firmware_type": "ESP32", "protocol_version": 1,
        "hostname": "kitchen", "ssid": "home", "rssi": -61, "mac": "02:00:5e:10:00:01"}
SHOWN = {"firmwareVersion": "1.6.6", "firmwareType": "ESP32", "protocolVersion": 1,
         "hostname": "kitchen", "ssid": "home", "wifiSignal": -61}
NOTHING = dict.fromkeys(SHOWN)


def device_of(browser, made):
    return browser.get(path_of(made["device"])).ok()


def panel_info(browser, made):
    info = device_of(browser, made)["panel"]
    if info:
        assert TIMESTAMP.fullmatch(info.pop("toldAt"))
    return info


def tell(world, made, info):
    with panel_of(world, made) as panel:
        panel.panel.say(client_info=info)
        panel.wait_for(lambda: panel.pictures)


def free_mac():
    free_mac.last += 1
    return f"02:00:5e:10:{free_mac.last >> 8:02x}:{free_mac.last & 255:02x}"


free_mac.last = 256


def test_what_a_panel_tells(world, browser):
    made, mac = add(browser), free_mac()
    assert device_of(browser, made)["panel"] is None
    tell(world, made, {**INFO, "mac": mac})
    wait_until(lambda: device_of(browser, made)["panel"], "what the panel has told")
    assert panel_info(browser, made) == SHOWN
    wait_until(lambda: device_of(browser, made)["macAddress"] == mac, "its hardware address")
    assert browser.get(f"/web/devices/{mac}").ok()["id"] == made["device"]["id"]
    tell(world, made, {"firmware_version": "1.7.0"})
    wait_until(lambda: panel_info(browser, made) == {**NOTHING, "firmwareVersion": "1.7.0"},
               "what it has told now")
    assert browser.get("/web/devices").ok()[0]["panel"]["firmwareVersion"] == "1.7.0"


@pytest.mark.parametrize("wrong", [
    "x" * 65, "", " \t", "a\nb", "\x1b[31m", "\0", 1, None, [], {}, True])
def test_what_is_not_text_is_not_told(world, browser, wrong):
    made = add(browser)
    tell(world, made, {"firmware_version": wrong, "firmware_type": "<b>é</b>\u202e"})
    wait_until(lambda: device_of(browser, made)["panel"], "what the panel has told")
    assert panel_info(browser, made) == {**NOTHING, "firmwareType": "<b>é</b>\u202e"}


@pytest.mark.parametrize("name, wrong", [
    ("protocol_version", -1), ("protocol_version", 2 ** 40), ("protocol_version", "1"),
    ("protocol_version", 1.5), ("rssi", 0), ("rssi", -151), ("rssi", 5), ("rssi", "-60")])
def test_numbers_that_make_no_sense(world, browser, name, wrong):
    made = add(browser)
    tell(world, made, {"ssid": "x", name: wrong})
    wait_until(lambda: device_of(browser, made)["panel"], "what the panel has told")
    assert panel_info(browser, made) == {**NOTHING, "ssid": "x"}


def tell_and_wait(world, browser, made, info):
    tell(world, made, {"ssid": "done", **info})
    wait_until(lambda: device_of(browser, made)["panel"], "what the panel has told")


@pytest.mark.parametrize("mac", [
    "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "02:00:5e:00:00", "kitchen", 7])
def test_addresses_that_no_panel_has(world, browser, mac):
    made = add(browser)
    tell_and_wait(world, browser, made, {"mac": mac})
    assert device_of(browser, made)["macAddress"] is None


def test_an_address_is_not_taken_away(world, browser):
    """A reported address claims nothing, neither from this device nor from another account's: it is shown,
    and finds a device of its account."""
    theirs, told, other = free_mac(), free_mac(), free_mac()
    them = Person(world).browser()
    made = add(browser)
    for mac in (theirs, told):
        tell_and_wait(world, browser, made, {"mac": mac})
        wait_until(lambda mac=mac: device_of(browser, made)["macAddress"] == mac, "what was told")
        assert browser.get(f"/web/devices/{mac}").ok()["id"] == made["device"]["id"]
        them.get(f"/web/devices/{mac}").problem(404)
        registered = add(them, macAddress=mac)["device"]
        assert them.get(f"/web/devices/{mac}").ok()["id"] == registered["id"]
    browser.get(f"/web/devices/{theirs}").problem(403)  # the panel now reports another one
    own = add(browser, macAddress=other)
    tell_and_wait(world, browser, own, {"mac": free_mac()})
    assert device_of(browser, own)["macAddress"] == other
    # A registered address takes precedence over reported ones.
    tell_and_wait(world, browser, made, {"mac": other})
    wait_until(lambda: device_of(browser, made)["macAddress"] == other, "what was told")
    assert browser.get(f"/web/devices/{other}").ok()["id"] == own["device"]["id"]
    assert add(browser, macAddress=told)["device"]["macAddress"] == told


def test_a_panel_finds_its_device_by_the_address_that_it_has_told(world, browser):
    made, mac = add(browser), free_mac()
    url = made["link"]["pollingUrl"].replace(made["device"]["id"], mac)
    assert poll(world, {**made["link"], "pollingUrl": url}) == 404
    tell_and_wait(world, browser, made, {"mac": mac})
    wait_until(lambda: device_of(browser, made)["macAddress"] == mac, "what was told")
    assert poll(world, {**made["link"], "pollingUrl": url}) == 200


def test_when_a_panel_first_connected(world, browser):
    made, polling = add(browser), add(browser)
    for one in (made, polling):
        assert device_of(browser, one)["connectedAt"] is None
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.pictures)
    assert poll(world, polling["link"]) == 200
    for one in (made, polling):
        wait_until(lambda one=one: device_of(browser, one)["connectedAt"], "the first contact")
        device = device_of(browser, one)
        assert device["createdAt"] <= device["connectedAt"] <= device["lastOnline"]
    first = device_of(browser, made)["connectedAt"]
    world.sql("UPDATE device SET last_online_at = '2020-01-01' WHERE id = %s", made["device"]["id"])
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.pictures)
        wait_until(lambda: device_of(browser, made)["lastOnline"] > "2021", "that it is seen again")
    assert device_of(browser, made)["connectedAt"] == first


def test_a_wrong_key_is_no_contact(world, browser):
    made = add(browser)
    link = {**made["link"], "pollingUrl": made["link"]["pollingUrl"][:-1] + "!"}
    assert poll(world, link) == 404
    assert device_of(browser, made)["connectedAt"] is None
