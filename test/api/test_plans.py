"""GET and PUT .../plan, and .../dim and .../undim: windows of a device's week, what holds, and what decides it."""

import itertools
import json
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from database_clock import DatabaseClock
from panel import Panel
from world import images

DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
ALL_DAY = {"from": "00:00", "to": "00:00"}


def put(device, *windows):
    return device.account.request("PUT", f"{device.path}/plan", body={"windows": list(windows)})


def shown(device):
    return device.account.get(f"{device.path}/plan").ok()


def ask(device, what):
    return device.account.request("POST", f"{device.path}/{what}")


def place(device, lat, lng):
    text = json.dumps({"lat": str(lat), "lng": str(lng)})
    device.account.world.sql("UPDATE device SET place_json = %s, generation = generation + 1 WHERE id = %s", text, device.id)


def test_a_device_without_a_plan(account):
    device = account.device(brightness=40)
    assert shown(device) == {
        "windows": [], "nextChangeAt": None, "sun": {"rises": True, "sunrise": 360, "sunset": 1080},
        "now": {"dark": False, "brightness": 40, "colorFilter": "none", "interval": 15, "installationId": None},
        "by": dict.fromkeys(["dark", "brightness", "colorFilter", "interval", "installationId"], "device"),
        "orders": {"sleep": None, "sleepUntil": None, "dim": None, "dimUntil": None}}


def test_windows_come_back_and_can_be_removed(account):
    device = account.device()
    windows = [{"weekdays": ["monday", "sunday"], "from": "22:00", "to": "sunrise-240", "dark": False},
               {"from": "sunset+240", "to": "23:59", "brightness": 1, "colorFilter": "warm", "interval": 86400}] * 8
    all_of_them = [{"weekdays": DAYS, **window} for window in windows]
    assert put(device, *windows).ok()["windows"] == all_of_them
    assert shown(device)["windows"] == all_of_them
    account.request("PATCH", device.path, body={"brightness": 7}).ok()
    assert shown(device)["windows"] == all_of_them
    assert put(device).ok()["windows"] == []


TIME = {"from": "08:00", "to": "09:00"}


@pytest.mark.parametrize("window, member", [
    (5, ""), (None, ""), ({}, "/from"), (TIME, ""), ({"from": "08:00", "dark": True}, "/to"),
    *(({**TIME, **members}, "/" + next(iter(members))) for members in (
        {"brightness": 0}, {"brightness": 101}, {"brightness": "5"}, {"brightness": None}, {"brightness": 1.5},
        {"interval": 14}, {"interval": 86401}, {"interval": True}, {"dark": 1}, {"dark": None},
        {"colorFilter": "inherit"}, {"colorFilter": ""}, {"colorFilter": 5}, {"installationId": ""}, {"installationId": "x" * 65},
        {"installationId": 5}, {"installationId": "a\nb"})),
    *(({**TIME, "dark": True, **members}, "/" + next(iter(members))) for members in (
        {"weekdays": []}, {"weekdays": ["monday", "monday"]}, {"weekdays": ["Monday"]}, {"weekdays": "monday"}, {"weekdays": None},
        {"from": "24:00"}, {"from": "8:00"}, {"from": 480}, {"from": "noon"}, {"to": "sunrise+241"}, {"to": "sunset-241"},
        {"to": "sunset+"}, {"to": "sunset +5"}, {"to": "Sunset"}, {"to": "sunset+1e1"}, {"to": "sunrise+-5"}, {"to": None})),
    ({**TIME, "dark": True, "volume": 5}, "")])
def test_faults_name_their_window(account, window, member):
    device = account.device()
    good = {**TIME, "dark": True}
    put(device, good).ok()
    assert f"/windows/1{member}" in put(device, good, window).faults()
    assert len(shown(device)["windows"]) == 1


def test_bodies_that_are_no_plan(account):
    device = account.device()
    path = f"{device.path}/plan"
    window = {**TIME, "dark": True}
    put(device, *[window] * 16).ok()
    assert set(put(device, *[window] * 17).faults()) == {"/windows"}
    for body in ({}, {"windows": None}, {"windows": {}}, {"windows": "[]"}):
        assert set(account.request("PUT", path, body=body).faults()) == {"/windows"}
    assert "/more" in account.request("PUT", path, body={"windows": [], "more": 1}).faults()
    assert len(shown(device)["windows"]) == 16


def test_devices_of_others(world, device):
    other = world.account()
    for method, path in (("GET", "plan"), ("PUT", "plan"), ("POST", "dim"), ("POST", "undim")):
        body = {"windows": []} if method == "PUT" else None
        assert other.request(method, f"{device.path}/{path}", body=body).problem(403)
        assert world.request(method, f"{device.path}/{path}", body=body, key="x").problem(401)


def test_tags_of_a_plan(account):
    device = account.device()
    path = f"{device.path}/plan"
    tag = account.get(path)["ETag"]
    assert account.get(path, fields=[("If-None-Match", tag)]).status == 304
    body = {"windows": [{**TIME, "dark": True}]}
    account.request("PUT", path, body=body, fields=[("If-None-Match", tag)]).problem(412)
    now = account.request("PUT", path, body=body, fields=[("If-Match", tag)])
    assert now.ok()["windows"] and now["ETag"] == account.get(path)["ETag"] != tag
    assert account.request("PUT", path, body=body, fields=[("If-Match", tag)]).problem(412)["code"] == "precondition_failed"
    # The device's other settings have the same revision, and an entry that is missing is a fault, and no condition.
    account.request("PATCH", device.path, body={"brightness": 7}, fields=[("If-Match", now["ETag"])]).ok()
    gone = {"windows": [{**TIME, "installationId": "gone"}]}
    fields = [("If-Match", account.get(path)["ETag"])]
    assert set(account.request("PUT", path, body=gone, fields=fields).faults()) == {"/windows"}


def test_auto_dim_ends_dimming_by_hand(account):
    device = account.device(brightness=50)
    ask(device, "dim").ok()
    assert shown(device)["orders"]["dim"] == "dimmed"
    account.request("PATCH", device.path, body={"brightness": 40}).ok()
    assert shown(device)["orders"]["dim"] == "dimmed"
    account.request("PATCH", device.path, body={"autoDim": True}).ok()
    assert shown(device)["orders"]["dim"] is None


def test_a_panel_follows(account):
    device = account.device(brightness=40)
    red, green = (images.png(images.solid(color)) for color in ((255, 0, 0), (0, 255, 0)))
    device.push(red, installationId="red", background=True).ok()
    device.push(green, installationId="green", background=True).ok()
    with Panel(account.world.server, device) as panel:
        panel.wait_for_brightness(40)
        put(device, {**ALL_DAY, "brightness": 7}).ok()
        panel.wait_for_brightness(7)
        put(device, {**ALL_DAY, "brightness": 7}, {**ALL_DAY, "brightness": 9}, {**ALL_DAY, "interval": 77}).ok()
        panel.wait_for_brightness(9)
        now = shown(device)
        assert now["by"]["brightness"] == "windows/1" and now["now"]["interval"] == 77 and now["by"]["interval"] == "windows/2"
        put(device, {**ALL_DAY, "dark": True}).ok()
        panel.wait_for_brightness(0)
        assert account.get(f"{device.path}/rotation").ok()["isAsleep"] is True
        assert device.push()["Displayd-Shown"] == "asleep"
        assert device.push(wake=True)["Displayd-Shown"] == "now"
        panel.wait_for_brightness(40)
        put(device).ok()
        account.request("DELETE", f"{device.path}/temporary")
    assert account.get(f"{device.path}/rotation").ok()["isAsleep"] is False


def test_one_entry_alone(account):
    device = account.device(schedule_interval_s=15)
    for name, color in (("red", (255, 0, 0)), ("green", (0, 255, 0)), ("blue", (0, 0, 255))):
        device.push(images.png(images.solid(color)), installationId=name, background=True).ok()
    assert set(put(device, {**ALL_DAY, "installationId": "gone"}).faults()) == {"/windows"}
    assert put(device, {**ALL_DAY, "installationId": "green"}).ok()["now"]["installationId"] == "green"
    green = images.frames_of(images.png(images.solid((0, 255, 0))))
    assert [device.shown() for _ in range(3)] == [green] * 3
    standings = {entry["installationId"]: entry["standing"] for entry in account.get(f"{device.path}/rotation").ok()["entries"]}
    assert standings == {"red": "hidden", "green": "shown", "blue": "hidden"}
    # An entry that is gone says nothing.
    account.request("DELETE", f"{device.path}/installations/green").ok()
    assert shown(device)["now"]["installationId"] is None
    assert len({json.dumps(device.shown(), default=repr) for _ in range(4)}) == 2


def test_an_entry_that_is_gone_hides_none_of_another_window(account):
    device = account.device(schedule_interval_s=15)
    for name in ("red", "green", "blue"):
        device.push(installationId=name, background=True).ok()
    put(device, {**ALL_DAY, "installationId": "red"}, {**ALL_DAY, "installationId": "green"}).ok()
    account.request("DELETE", f"{device.path}/installations/green").ok()
    assert shown(device)["now"]["installationId"] == "red" and shown(device)["by"]["installationId"] == "windows/0"
    entries = account.get(f"{device.path}/rotation").ok()["entries"]
    assert {entry["installationId"]: entry["standing"] for entry in entries} == {"red": "shown", "blue": "hidden"}


@pytest.mark.parametrize("zone, now, until", [
    # From an hour after sunset to 30 minutes before sunrise at Zagreb: 15:10 and 6:33 UTC, 18:36 and 3:50 UTC.
    ("Europe/Zagreb", "2026-12-10 12:00", "2026-12-10T16:10"), ("Europe/Zagreb", "2026-12-10 20:00", "2026-12-11T05:56"),
    ("UTC", "2026-12-10 12:00", "2026-12-10T16:10"), ("Asia/Kathmandu", "2026-12-10 12:00", "2026-12-10T16:10")])
def test_dark_until_the_plan_changes(world, account, zone, now, until):
    device = account.device(timezone=zone)
    place(device, 45.81, 15.98)
    put(device, {"from": "sunset+60", "to": "sunrise-30", "dark": True}).ok()
    with DatabaseClock(world.database) as clock:
        clock.set(now + "+00")
        ask(device, "sleep").ok()
        orders = shown(device)["orders"]
        assert orders["sleep"] == "asleep" and orders["dim"] is None
        difference = abs(int(orders["sleepUntil"][14:16]) - int(until[14:16]))
        assert orders["sleepUntil"].startswith(until[:13]) and difference <= 2
        assert shown(device)["nextChangeAt"] == orders["sleepUntil"]
        ask(device, "wake").ok()
        assert shown(device)["orders"]["sleep"] == "awake" and shown(device)["by"]["dark"] == "order"
        clock.set(orders["sleepUntil"].replace("T", " "))
        assert shown(device)["orders"] == {"sleep": None, "sleepUntil": None, "dim": None, "dimUntil": None}
        # Another plan counts at once, as does another place of a plan that needs the sun.
        ask(device, "sleep").ok()
        place(device, 45.81, 16.98)
        assert shown(device)["orders"]["sleep"] is None


def test_dimmed_by_hand(account):
    device = account.device(brightness=50)
    put(device, {**ALL_DAY, "brightness": 30}).ok()
    with Panel(account.world.server, device) as panel:
        panel.wait_for_brightness(30)
        ask(device, "dim").ok()
        panel.wait_for_brightness(20)
        orders = shown(device)["orders"]
        assert orders["dim"] == "dimmed" and orders["dimUntil"].endswith("T00:00:00.000Z")
        assert shown(device)["by"]["brightness"] == "order"
        ask(device, "undim").ok()
        panel.wait_for_brightness(30)
        assert shown(device)["orders"]["dim"] == "undimmed"
        ask(device, "sleep").ok()
        panel.wait_for_brightness(0)
        assert shown(device)["now"] == {"dark": True, "brightness": 30, "colorFilter": "none", "interval": 15,
                                        "installationId": None}
        put(device).ok()
        panel.wait_for_brightness(50)
    # Without a plan: until it is undimmed, which needs none.
    ask(device, "undim").ok()
    assert shown(device)["orders"]["dim"] is None
    ask(device, "dim").ok()
    assert shown(device)["orders"] == {"sleep": None, "sleepUntil": None, "dim": "dimmed", "dimUntil": None}
    assert device.poll()["Tronbyt-Brightness"] == "20"


def test_sleep_is_not_lit_by_a_window(account):
    device = account.device(brightness=50, sleep_enabled=True, sleep_start_minute=0, sleep_end_minute=0)
    put(device, {**ALL_DAY, "dark": False, "brightness": 80}).ok()
    assert device.poll()["Tronbyt-Brightness"] == "0" and shown(device)["by"]["dark"] == "sleep"
    ask(device, "wake").ok()
    assert device.poll()["Tronbyt-Brightness"] == "80"
    account.request("PATCH", device.path, body={"brightness": 0}).ok()
    assert device.poll()["Tronbyt-Brightness"] == "0"


# Sundays on which clocks change: at 2:00 and 3:00, in the Chatham Islands, 12:45 hours ahead, at 2:45 and 3:45.
CHANGES = [("Europe/Zagreb", "2027-03-28"), ("Europe/Zagreb", "2026-10-25"), ("America/New_York", "2027-03-14"),
           ("America/New_York", "2026-11-01"), ("Pacific/Chatham", "2026-09-27"), ("Pacific/Chatham", "2027-04-04")]
WEEK = [
    {"from": "22:10", "to": "06:20", "dark": True},  # over the change
    {"weekdays": ["saturday"], "from": "23:30", "to": "07:40", "dark": False, "brightness": 5},  # also over it, later in the plan
    {"weekdays": ["sunday"], "from": "00:00", "to": "00:00", "colorFilter": "warm"},
    {"weekdays": DAYS[:5], "from": "08:15", "to": "17:45", "interval": 60},
    {"weekdays": ["monday", "sunday"], "from": "20:00", "to": "01:00", "brightness": 11}]


def holds(window, local):
    """Whether the window is open at that time of the clock on the wall."""
    start, end = (int(text[:2]) * 60 + int(text[3:]) for text in (window["from"], window["to"]))
    days = [DAYS.index(name) for name in window.get("weekdays", DAYS)]
    minute, day = local.hour * 60 + local.minute, local.weekday()
    if start < end:
        return start <= minute < end and day in days
    return (minute >= start and day in days) or (minute < end and (day - 1) % 7 in days)


def expected(local):
    now = {"dark": False, "brightness": 40, "colorFilter": "none", "interval": 15, "installationId": None}
    for window in WEEK:
        if holds(window, local):
            now.update({name: window[name] for name in now if name in window})
    return now


def bounds(zone, first):
    """The times at which a window begins or ends, and a minute before each."""
    found = set()
    for day in range(9):
        for text in {window[name] for window in WEEK for name in ("from", "to")}:
            local = datetime.combine(first + timedelta(day), time.fromisoformat(text), zone)
            found |= {local.astimezone(UTC), local.astimezone(UTC) - timedelta(minutes=1)}
    return sorted(found)


@pytest.mark.parametrize("zone, sunday", CHANGES)
def test_a_week_with_a_change_of_the_clock(world, account, zone, sunday):
    """Each minute at which something begins or ends, and that before it, beside a model of the clock on the wall; what next
    changes is announced in time."""
    device = account.device(timezone=zone, brightness=40)
    put(device, *WEEK).ok()
    zone, seen = ZoneInfo(zone), []
    times = bounds(zone, date.fromisoformat(sunday) - timedelta(4))
    assert len({at.astimezone(zone).utcoffset() for at in times}) == 2
    with DatabaseClock(world.database) as clock:
        for at in times:
            clock.set(at.isoformat())
            plan, local = shown(device), at.astimezone(zone)
            assert plan["now"] == expected(local), local
            seen.append((at, plan["now"], datetime.fromisoformat(plan["nextChangeAt"].replace("Z", "+00:00"))))
    for (at, now, change), (later, then, _) in itertools.pairwise(seen):
        assert now == then or at < change <= later, (at, later)
    assert len({json.dumps(now) for _, now, _ in seen}) > 5
