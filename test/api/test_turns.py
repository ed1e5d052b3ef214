"""POST .../next, .../wake and .../sleep: the rotation advances, and the panel wakes or sleeps until its
next scheduled change."""

import datetime
import uuid

import pytest
from database_clock import DatabaseClock
from panel import Panel
from waiting import wait_until
from world import images

ZONE = "Europe/Zagreb"


def ask(device, what, **options):
    return device.account.request("POST", f"{device.path}/{what}", **options)


def picture(number):
    return images.png(images.solid((20 + 80 * number, 7, 7)))


@pytest.fixture
def rotation(account):
    device = account.device(schedule_interval_s=3600)
    for number in range(3):
        assert device.push(picture(number), installationId=f"e{number}", background=True).ok() == {}
    return device


def test_the_rotation_goes_on_at_once_at_every_worker(world, rotation):
    frames = [images.frames_of(picture(number)) for number in range(3)]
    with world.each_worker() as clients, Panel(world.server, rotation) as panel:
        assert images.frames_of(panel.wait_for_picture()) == frames[0]
        for number in range(1, 9):
            client = clients[number % len(clients)]
            assert client.request("POST", rotation.path + "/next", key=rotation.account.key).ok() == {}
            assert images.frames_of(panel.wait_for_picture()) == frames[number % 3]
            assert panel.wait_for(lambda message: message == {"immediate": True})


def test_polls_go_on(rotation):
    shown = [rotation.shown() for _ in range(3)]  # parts of an hour
    assert shown == [images.frames_of(picture(0))] * 3
    assert ask(rotation, "next").ok() == {}
    shown = [rotation.shown() for _ in range(3)]
    assert shown == [images.frames_of(picture(1))] * 3


@pytest.mark.parametrize("push", [{"installationId": "shown"}, {"duration": 45}])
def test_a_push_that_was_ended_stays_away(world, rotation, push):
    """It also stays away from a panel that reconnects, and from one that polls."""
    frames = [images.frames_of(picture(number)) for number in range(3)]
    white = images.png(images.solid((255, 255, 255)))
    with Panel(world.server, rotation) as panel:
        assert images.frames_of(panel.wait_for_picture()) == frames[0]
        assert rotation.push(white, **push).ok() == {}
        assert images.frames_of(panel.wait_for_picture()) == images.frames_of(white)
        wait_until(lambda: world.sql("SELECT displayed_at FROM showing WHERE device_id = %s",
                                     rotation.id) != [(None,)], "the note that it was shown")
        assert ask(rotation, "next").ok() == {}
        assert images.frames_of(panel.wait_for_picture()) == frames[1]
    with Panel(world.server, rotation) as panel:
        assert images.frames_of(panel.wait_for_picture()) in frames
    if "duration" in push:
        assert rotation.shown() in frames


def test_a_push_and_a_turn_before_the_panel_looks(rotation):
    """The last one counts."""
    pushed = images.png(images.gradient(9))
    assert ask(rotation, "next").ok() == {}
    assert rotation.push(pushed).ok() == {}
    assert rotation.shown() == images.frames_of(pushed)
    assert rotation.push(pushed).ok() == {}
    assert ask(rotation, "next").ok() == {}
    assert rotation.shown() != images.frames_of(pushed)


def test_a_push_after_a_turn_that_is_in_the_future(world, rotation):
    """The database's clock was wrong."""
    pushed = images.png(images.gradient(9))
    with DatabaseClock(world.database) as clock:
        clock.advance(3600)
        assert ask(rotation, "next").ok() == {}
    assert rotation.push(pushed).ok() == {}
    assert rotation.shown() == images.frames_of(pushed)


@pytest.mark.parametrize("what", ["next", "wake", "sleep"])
def test_devices_of_others(world, device, what):
    path = f"{device.path}/{what}"
    assert world.account().request("POST", path).problem(403)
    assert world.account().request("POST", f"/v1/devices/{uuid.uuid4()}/{what}").problem(404)
    assert world.request("POST", path, key="x").problem(401)
    assert device.account.get(path).problem(405)


def brightness(device):
    return device.poll()["Tronbyt-Brightness"]


def test_sleep_without_a_plan(account):
    device = account.device(brightness=40)
    assert device.push(hold=True).ok() == {}
    assert brightness(device) == "40"
    assert ask(device, "sleep").ok() == {}
    assert brightness(device) == "0"
    assert device.push()["Displayd-Shown"] == "asleep"
    assert device.push(wake=True)["Displayd-Shown"] == "now"
    assert brightness(device) == "40"
    assert ask(device, "sleep").ok() == {}
    assert ask(device, "wake").ok() == {}
    assert brightness(device) == "40"


def test_wake_in_the_sleep_window(account):
    device = account.device(brightness=40, sleep_enabled=True, sleep_start_minute=0, sleep_end_minute=0)
    assert brightness(device) == "0"
    assert ask(device, "wake").ok() == {}
    with Panel(account.world.server, device) as panel:
        panel.wait_for_brightness(40)
        assert ask(device, "sleep").ok() == {}
        panel.wait_for_brightness(0)
        assert ask(device, "wake").ok() == {}
        panel.wait_for_brightness(40)
        # Another schedule applies at once.
        change = {"sleepStart": "00:01", "sleepEnd": "00:01"}
        assert account.request("PATCH", device.path, body=change).status == 200
        panel.wait_for_brightness(0)


def test_brightness_0_stays_dark(account):
    device = account.device(brightness=0)
    assert ask(device, "wake").ok() == {}
    assert brightness(device) == "0"


def test_other_changes_keep_it(world, account):
    device = account.device(brightness=40)
    assert ask(device, "sleep").ok() == {}
    for change in ({"brightness": 50}, {"name": "Other"}, {"sleepEnabled": False}, {"timezone": "UTC"}):
        assert account.request("PATCH", device.path, body=change).status == 200
        assert world.sql("SELECT is_sleep_set FROM device WHERE id = %s", device.id) == [(True,)]
    assert account.request("PATCH", device.path, body={"timezone": ZONE}).status == 200
    assert world.sql("SELECT is_sleep_set FROM device WHERE id = %s", device.id) == [(False,)]


def at(text):
    return datetime.datetime.fromisoformat(text + "+00:00")


@pytest.mark.parametrize("now, window, what, until", [
    # From 22:00 to 7:00 in Zagreb, which is one hour ahead in winter.
    ("2026-01-10 12:00", (22, 7), "sleep", "2026-01-10 21:00"),
    ("2026-01-10 12:00", (22, 7), "wake", "2026-01-10 21:00"),
    ("2026-01-10 22:30", (22, 7), "wake", "2026-01-11 06:00"),
    ("2026-01-11 05:59", (22, 7), "wake", "2026-01-11 06:00"),
    ("2026-01-11 06:00", (22, 7), "wake", "2026-01-11 21:00"),
    ("2026-01-11 05:59", (22, 7), "sleep", "2026-01-11 06:00"),
    ("2026-01-10 21:00", (22, 7), "wake", "2026-01-11 06:00"),
    # Over the beginning and the end of summer time.
    ("2026-03-28 22:00", (22, 7), "wake", "2026-03-29 05:00"),
    ("2026-10-24 22:00", (22, 7), "wake", "2026-10-25 06:00"),
    # 2:40 for the first time: a window that has begun lasts until 2:30 has come again.
    ("2026-10-25 00:40", (22, 2.5), "wake", "2026-10-25 01:30"),
    # Within a day, and all day.
    ("2026-01-10 12:30", (13, 14), "wake", "2026-01-10 13:00"),
    ("2026-01-10 13:00", (13, 14), "sleep", "2026-01-11 12:00"),
    ("2026-01-10 12:30", (5, 5), "wake", "2026-01-11 04:00"),
    ("2026-01-10 12:30", (5, 5), "sleep", "2026-01-11 04:00"),
])
def test_until_the_plan_changes(world, account, now, window, what, until):
    device = account.device(timezone=ZONE, sleep_enabled=True, sleep_start_minute=window[0] * 60,
                            sleep_end_minute=int(window[1] * 60))
    with DatabaseClock(world.database) as clock:
        clock.set(now + "+00")
        assert ask(device, what).ok() == {}
        [(is_set, is_asleep, set_until)] = world.sql(
            "SELECT is_sleep_set, is_set_asleep, sleep_set_until FROM device WHERE id = %s", device.id)
    assert (is_set, is_asleep, set_until) == (True, what == "sleep", at(until))
