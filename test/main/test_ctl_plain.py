"""Commands that are data of the description: each reaches its operation with what was typed, and prints its answer."""

import pytest
from ctl_scene import app, device, email, key, published, query, refused

__all__ = ["app", "device", "email", "key", "published"]  # fixtures


@pytest.fixture
def second(running, email):
    return running.ctl("device", "create", "--account", email, "--name", "Hall")


def test_orders(running, device):
    running.ctl("device", "sleep", device["id"])
    assert running.ctl("installation", "list", "--device", device["id"])["isAsleep"] is True
    running.ctl("device", "wake", device["id"])
    assert running.ctl("installation", "list", "--device", device["id"])["isAsleep"] is False


def test_leaders(running, device, second):
    assert running.ctl("device", "follow", second["id"], "--leader", device["id"], "--own-brightness", "on")
    following = running.ctl("device", "leader", second["id"])
    assert following == {"leader": device["id"], "ownBrightness": True, "ownSleep": False, "followers": []}
    running.ctl("device", "unfollow", second["id"])
    assert running.ctl("device", "leader", second["id"])["leader"] is None
    assert "follows" in refused(running, 3, "device", "unfollow", second["id"])


def test_entries(running, device, second, published):
    entries = [running.ctl("installation", "create", "--device", device["id"], "--app", published["slug"])["id"]
               for _ in range(2)]
    moved = running.ctl("installation", "move", entries[1], "--device", device["id"], "--to", "top")
    assert moved["installationId"] == entries[1]
    shown = running.ctl("installation", "list", "--device", device["id"])["entries"]
    assert [one["installationId"] for one in shown] == entries[::-1]
    copy = running.ctl("installation", "copy", entries[0], "--device", device["id"], "--to", second["id"])
    shown = running.ctl("installation", "list", "--device", second["id"])["entries"]
    assert [one["installationId"] for one in shown] == [copy["id"]]


def test_firmware(running, device):
    assert running.ctl("device", "firmware", device["id"])["board"] is None
    assert refused(running, 4, "device", "firmware-update", device["id"], "--prefer-ipv6", "on")
    assert refused(running, 4, "device", "firmware-start", device["id"], "--release", "1.6.6")
    query(running, "UPDATE device SET board = 'tronbyt_s3' WHERE id = %s", device["id"])
    assert running.ctl("device", "firmware", device["id"])["board"] == "tronbyt_s3"


def test_settings_of_a_device(running, device):
    """Each in the words of its help, also where that names no list of them."""
    told = {"brightness": "7", "volume": "8", "auto-dim": "on", "timezone": "Europe/Zagreb", "sleep": "on", "sleep-start": "22:30",
            "sleep-end": "06:45", "schedule-interval": "20", "picture-limit-bytes": "220000", "size": "128x64", "locale": "hr",
            "dim": "on", "dim-start": "20:00", "dim-brightness": "9", "color-filter": "sepia", "night-color-filter": "redshift",
            "dim-color-filter": "inherit", "board": "tronbyt_s3_wide", "brightness-curve": "3,8,16,35,100", "note": "by the door",
            "place": "", "allows-own-key": "on"}
    options = [word for name, value in told.items() for word in ("--" + name, value)]
    shown = running.ctl("device", "update", device["id"], *options)
    assert (shown["colorFilter"], shown["nightColorFilter"], shown["dimColorFilter"]) == ("sepia", "redshift", "inherit")
    assert (shown["size"], shown["board"], shown["pictureLimitBytes"], shown["locale"]) == ("128x64", "tronbyt_s3_wide", 220000, "hr")
    assert shown["brightnessCurve"] == "3,8,16,35,100" and shown["allowsOwnKey"] is True
    assert "--color-filter must be none, dimmed, " in refused(running, 2, "device", "update", device["id"], "--color-filter", "purple")


def test_filter_of_an_entry(running, device, published):
    entry = running.ctl("installation", "create", "--device", device["id"], "--app", published["slug"])["id"]
    assert running.ctl("installation", "update", entry, "--device", device["id"], "--color-filter", "ice")["colorFilter"] == "ice"
