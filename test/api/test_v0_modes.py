"""/v0: whether it is night or dimmed now, and members that GET returns and programs send back."""

import pytest
from database_clock import DatabaseClock
from older import at_any_time, patch, push, shown
from panel import Panel
from world import UNKNOWN_ID


def test_dimmed_and_no_longer(account):
    device = account.device(brightness=50)
    assert patch(device, {"dimModeBrightness": 5}).ok()["dimMode"] == {
        "enabled": False, "active": False, "overrideUntil": None, "startTime": None, "brightness": 5}
    # The dimming ends with the night, which lasts all day.
    patch(device, {"nightModeEndTime": "06:00", "dimModeStartTime": "06:00"}).ok()
    assert device.poll()["Tronbyt-Brightness"] == "5"
    assert patch(device, {"dimModeStartTime": ""}).ok()["dimMode"]["enabled"] is False
    assert device.poll()["Tronbyt-Brightness"] == "50"
    assert patch(device, {"dimModeStartTime": "06:00", "brightness": 3}).ok()["dimMode"] == {
        "enabled": True, "active": True, "overrideUntil": None, "startTime": "06:00", "brightness": 5}
    assert device.poll()["Tronbyt-Brightness"] == "3"


def test_night_now(world, account):
    """nightModeActive is as wake and sleep: until the plan changes next, or without a plan until it is set again."""
    device = account.device(brightness=50)
    assert device.poll()["Tronbyt-Brightness"] == "50"
    asleep = patch(device, {"nightModeActive": True}).ok()["nightMode"]
    assert (asleep["enabled"], asleep["active"], asleep["overrideUntil"]) == (False, True, None)
    assert device.poll()["Tronbyt-Brightness"] == "0"
    assert patch(device, {"nightModeActive": False}).ok()["nightMode"]["active"] is False
    assert device.poll()["Tronbyt-Brightness"] == "50"
    # With a plan that lasts all day.
    all_day = {"nightModeEnabled": True, "nightModeStartTime": "06:00", "nightModeEndTime": "06:00"}
    assert patch(device, all_day).ok()["nightMode"]["active"] is True
    awake = patch(device, {"nightModeActive": False}).ok()["nightMode"]
    assert awake["active"] is False and awake["overrideUntil"].endswith("T06:00:00.000Z")
    assert device.poll()["Tronbyt-Brightness"] == "50"
    assert shown(device)["nightMode"] == awake
    account.request("POST", f"/v1/devices/{device.id}/sleep").ok()
    assert shown(device)["nightMode"]["active"] is True
    # The plan, and what is so now, in one change.
    both = patch(device, {"nightModeEnabled": False, "nightModeActive": True}).ok()["nightMode"]
    assert (both["enabled"], both["active"], both["overrideUntil"]) == (False, True, None)


def test_dark_windows_of_the_plan(world, account):
    """It is night also in a dark window of the plan, in each answer, until nightModeActive ends it as wake does."""
    other, device = account.device(brightness=50), account.device(brightness=50, timezone="Etc/UTC")
    account.request("PUT", f"{device.path}/plan", body={"windows": [
        {"from": "12:00", "to": "14:00", "dark": True}, {"from": "12:30", "to": "13:00", "dark": False},
        {"from": "15:00", "to": "16:00", "brightness": 5}, {"from": "sunset", "to": "20:00", "dark": True}]}).ok()
    patch(device, {"dimModeStartTime": "11:00"}).ok()

    def modes(of):
        found = shown(of)
        [listed] = [one for one in account.get("/v0/devices").ok()["devices"] if one["id"] == of.id]
        assert listed == found
        return found["nightMode"]["active"], found["dimMode"]["active"]

    with DatabaseClock(world.database) as clock:
        for time, night, dimmed in (("11:59", False, True), ("12:00", True, False), ("12:45", False, True), ("13:30", True, False),
                                    ("14:00", False, True), ("15:30", False, True), ("18:00", True, False), ("20:00", False, True)):
            clock.set(f"2026-01-10 {time}+00")
            assert modes(device) == (night, dimmed), time
            assert modes(other) == (False, False)
        clock.set("2026-01-10 13:30+00")
        before = shown(device)
        assert at_any_time(patch(device, before).ok()) == at_any_time(before)
        awake = patch(device, {"nightModeActive": False}).ok()["nightMode"]
        assert (awake["active"], awake["overrideUntil"]) == (False, "2026-01-10T14:00:00.000Z")
        assert modes(device) == (False, True)
        asleep = patch(device, {"nightModeActive": True}).ok()["nightMode"]
        assert (asleep["active"], asleep["overrideUntil"]) == (True, "2026-01-10T14:00:00.000Z")


def test_dimming_now(account):
    """dimModeActive is as nightModeActive: until the plan changes next, or without a plan until it is set again."""
    device = account.device(brightness=50)
    dimmed = patch(device, {"dimModeActive": True}).ok()["dimMode"]
    assert dimmed == {"enabled": False, "active": True, "overrideUntil": None, "startTime": None, "brightness": 20}
    assert device.poll()["Tronbyt-Brightness"] == "20"
    assert patch(device, {"nightModeActive": True}).ok()["dimMode"]["active"] is False
    assert device.poll()["Tronbyt-Brightness"] == "0"
    assert patch(device, {"nightModeActive": False, "dimModeActive": False}).ok()["dimMode"]["active"] is False
    assert device.poll()["Tronbyt-Brightness"] == "50"
    # With a plan that lasts all day.
    dimmed = patch(device, {"nightModeEndTime": "06:00", "dimModeStartTime": "06:00"}).ok()["dimMode"]
    assert dimmed == {"enabled": True, "active": True, "overrideUntil": None, "startTime": "06:00", "brightness": 20}
    assert device.poll()["Tronbyt-Brightness"] == "20"
    bright = patch(device, {"dimModeActive": False}).ok()["dimMode"]
    assert bright["active"] is False and bright["overrideUntil"].endswith("T06:00:00.000Z")
    with Panel(account.world.server, device) as panel:
        panel.wait_for_brightness(50)
        assert patch(device, {"dimModeActive": True}).ok()["dimMode"]["active"] is True
        panel.wait_for_brightness(20)
        assert patch(device, {"dimModeActive": False, "name": None}).ok()["dimMode"] == bright
        panel.wait_for_brightness(50)
        # Other settings leave it, and another plan counts at once.
        assert patch(device, {"brightness": 40, "nightModeStartTime": "05:00"}).ok()["dimMode"] == bright
        panel.wait_for_brightness(40)
        assert patch(device, {"dimModeStartTime": "06:01", "nightModeEndTime": "06:01"}).ok()["dimMode"]["active"] is True
        panel.wait_for_brightness(20)
    assert shown(device)["dimMode"]["overrideUntil"] is None


@pytest.mark.parametrize("now, active, until", [
    # Dimmed from 20:00 to 7:00 in Zagreb, which is one hour ahead in winter.
    ("2026-01-10 12:00", True, "2026-01-10T19:00:00.000Z"), ("2026-01-10 12:00", False, "2026-01-10T19:00:00.000Z"),
    ("2026-01-10 19:00", False, "2026-01-11T06:00:00.000Z"), ("2026-01-11 05:59", False, "2026-01-11T06:00:00.000Z"),
    ("2026-03-28 22:00", False, "2026-03-29T05:00:00.000Z")])
def test_until_the_plan_of_dimming_changes(world, account, now, active, until):
    device = account.device(timezone="Europe/Zagreb", brightness=50)
    patch(device, {"nightModeEndTime": "07:00", "dimModeStartTime": "20:00"}).ok()
    with DatabaseClock(world.database) as clock:
        clock.set(now + "+00")
        dimmed = patch(device, {"dimModeActive": active}).ok()["dimMode"]
        assert (dimmed["active"], dimmed["overrideUntil"]) == (active, until)
        clock.set(until.replace("T", " "))
        dimmed = shown(device)["dimMode"]
        assert dimmed["overrideUntil"] is None and dimmed["active"] is ("T19" in until)


def test_a_push_to_a_panel_that_is_dimmed_to_nothing(account):
    """The answer to a push follows dimming that was set, too."""
    device = account.device(brightness=50)
    patch(device, {"dimModeBrightness": 0, "dimModeActive": True}).ok()
    assert push(device)["Displayd-Shown"] == "dark"
    assert push(device, installationID="a")["Displayd-Shown"] == "dark"
    patch(device, {"dimModeActive": False}).ok()
    assert push(device)["Displayd-Shown"] != "dark"


def test_what_get_says_is_taken_back(account):
    """A program that changes one member sends others as it has read them."""
    device = account.device()
    patch(device, {"nightModeEnabled": True, "nightModeStartTime": "23:00"}).ok()
    now = shown(device)
    night, dim = now["nightMode"], now["dimMode"]
    body = {"brightness": now["brightness"], "intervalSec": now["intervalSec"], "nightModeEnabled": night["enabled"],
            "nightModeApp": night["app"], "nightModeBrightness": night["brightness"],
            "nightModeStartTime": night["startTime"], "nightModeEndTime": night["endTime"],
            "dimModeStartTime": dim["startTime"], "dimModeBrightness": dim["brightness"], "pinnedApp": now["pinnedApp"],
            "autoDim": now["autoDim"]}
    assert at_any_time(patch(device, body).ok()) == at_any_time(now)


def test_all_that_get_says_is_taken_back(account):
    """A program that sends a whole device as it has read it changes nothing, also if the panel was seen since."""
    device = account.device(brightness=50)
    assert push(device, installationID="moon").status == 200
    plan = {"nightModeEnabled": True, "nightModeApp": "moon", "dimModeStartTime": "20:00", "pinnedApp": "moon"}
    for change in ({}, plan, {"nightModeActive": True}, {"dimModeActive": True}, {"nightModeActive": False}):
        patch(device, change).ok()
        before = shown(device)
        tag = device.get()["ETag"].split("-")[0]
        device.poll()
        after = at_any_time(patch(device, before).ok())
        assert {**after, "lastSeen": None} == {**at_any_time(before), "lastSeen": None}
        read_only = {name: before[name] for name in ("id", "type", "nightMode", "dimMode", "interstitial", "info")}
        tag = device.get()["ETag"].split("-")[0]
        assert patch(device, read_only | {"lastSeen": "2026-01-01T00:00:00.000Z"}).status == 200
        assert device.get()["ETag"].split("-")[0] == tag
        for part in ("nightMode", "dimMode"):
            assert shown(device)[part]["overrideUntil"] == before[part]["overrideUntil"]


@pytest.mark.parametrize("body, pointers", [
    ({"id": UNKNOWN_ID}, ["/id"]), ({"id": 1}, ["/id"]), ({"type": "tidbyt_gen1"}, ["/type"]),
    ({"nightMode": {"enabled": True, "brightness": 10.5, "x": 1, "active": "x"}},
     ["/nightMode/active", "/nightMode/brightness", "/nightMode/enabled", "/nightMode/x"]),
    ({"nightMode": [], "dimMode": "x"}, ["/dimMode", "/nightMode"]), ({"dimMode": {"startTime": "20:00"}}, ["/dimMode/startTime"]),
    ({"dimMode": {"a/b~": None}}, ["/dimMode/a~1b~0"]), ({"interstitial": {"enabled": True}}, ["/interstitial/enabled"]),
    ({"interstitial": True}, ["/interstitial"]), ({"lastSeen": ["x"], "info": 7}, ["/info", "/lastSeen"]),
    ({"info": {"firmwareVersion": 1, "macAddress": [], "protocolVersion": {}}},
     ["/info/firmwareVersion", "/info/macAddress", "/info/protocolVersion"])])
def test_members_that_only_show(device, body, pointers):
    """A value that GET does not return would have no effect."""
    before = shown(device)
    assert sorted(patch(device, {**body, "brightness": 9}).faults()) == pointers
    assert shown(device) == before


def test_members_that_only_show_may_be_partial(device):
    assert patch(device, {"nightMode": {"brightness": 10.0, "app": None}, "interstitial": {"enabled": False}, "info": {
        "protocolVersion": 3}, "brightness": 9}).ok()["brightness"] == 9
