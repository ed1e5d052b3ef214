"""POST /v1/import/tronbyt: what a file says wrongly is noted, each once, as it is and in words."""

import pytest
from former import account as exported_account
from former import device as exported
from former import entry
from test_import_tronbyt import brought, clock, notes

__all__ = ["clock"]  # a fixture


@pytest.mark.parametrize("device", [
    3, None, [], {}, {"id": ""}, {"id": None}, {"id": "a b"}, {"id": "x" * 101}, {"id": "a/b"}, {"id": "kitchen_1"},
    {"id": 1.5}, {"id": "ž"}, {"id": "a\0b"}, {"id": []}])
def test_a_device_that_cannot_be_imported(account, device):
    """It stops no other device, and the file says which it is."""
    report = brought(account, exported_account([device, exported("Desk")]))
    assert [made["state"] for made in report["devices"]] == ["failed", "new"]
    assert [note["what"] for note in report["notBrought"]][:1] == ["device"]
    assert len(account.get("/v1/devices").ok()) == 1


@pytest.mark.parametrize("device", [None, 3, "x", [], [{}]])
def test_a_device_that_is_no_object_under_an_id(account, device):
    """In a file of version 1, whose devices are an object by ID."""
    report = brought(account, exported_account([]) | {"devices": {"1f6a09c3": device, "1f6a09c4": {"name": "Desk"}}})
    assert [(made["formerId"], made["state"]) for made in report["devices"]] == [("1f6a09c3", "failed"), ("1f6a09c4", "new")]
    assert [(note["device"], note["what"], note["why"]) for note in report["notBrought"]] == [
        ("Panel 1f6a09c3", "device", "is not an object in the file")]


@pytest.mark.parametrize("name, value, what", [
    ("name", 1, "name"), ("brightness", "1", "brightness"), ("default_interval", [], "interval"),
    ("timezone", {}, "time zone"), ("locale", 1, "locale"), ("location", "x", "place"),
    ("type", 1, "board"), ("type", "tidbyt_gen3", "board"),
    ("night_mode_enabled", "yes", "night"), ("night_start", 24, "start of the night"),
    ("night_brightness", "x", "brightness at night"), ("dim_time", True, "start of dimming"),
    ("require_api_key", "yes", "key"), ("color_filter", 1, "colour filter"), ("apps", "x", "rotation"),
    ("apps", [1], "entry"), ("apps", {"a/b": 1}, "entry"), ("notes", [], "notes"), ("name", "a\0b", "name")])
def test_a_member_of_another_type(account, name, value, what):
    """It is left out and noted, in words. All else comes."""
    report = brought(account, {**exported("Desk", location=None), "night_mode_app": "None", name: value})
    assert report["devices"][0]["state"] == "new"
    assert what in [note["what"] for note in report["notBrought"]], report["notBrought"]
    assert not any("_" in note["what"] + note["why"] for note in report["notBrought"])


@pytest.mark.parametrize("name, value, what", [
    ("name", 1, "entry"), ("enabled", "x", "enabled"), ("order", "x", "order"), ("display_time", "x", "display time"),
    ("days", "x", "days"), ("config", [], "settings"), ("config", "x", "settings"), ("start_time", 99, "start of its hours"),
    ("pushed", [], "pushed"), ("notes", 1, "notes"), ("auto_pin", "x", "pinning itself"),
    ("color_filter", 1, "colour filter")])
def test_a_member_of_another_type_in_an_entry(account, clock, name, value, what):
    report = brought(account, exported("Desk", [{**entry(clock.slug, 1, path=None), name: value}], location=None))
    assert ("1", what) in notes(report), report["notBrought"]
    assert report["devices"][0]["entries"] == (name != "name")


@pytest.mark.parametrize("members, notes_of_it", [
    ({"custom_brightness_scale": [1]}, [("brightness scale", "is not a text in the file: left out")]),
    ({"default_interval": 1e308}, [("interval", "1e+308 is out of range here, set to 86400")]),
    ({"brightness": -1.5}, [("brightness", "-1.5 is out of range here, set to 0")]),
    ({"night_start": "7 pm"}, [("start of the night", "is not a time of day: left at 22:00")]),
    ({"location": {"lat": None, "lng": "1"}}, [("place", "has no coordinates in the file: left out")]),
    ({"location": {"lat": "45,8", "lng": "1"}},
     [("place", "must have a latitude of -90 to 90 and a longitude of -180 to 180 degrees: left out")]),
    ({"name": "a\nb"}, [("name", "names have 1 to 25 characters here, not only spaces, and no line breaks or other control characters")])])
def test_notes_are_true_and_said_once(account, members, notes_of_it):
    report = brought(account, {**exported("Desk", location=None), **members})
    assert [(note["what"], note["why"]) for note in report["notBrought"]] == notes_of_it


@pytest.mark.parametrize("members, what, why", [
    ({"recurrence_pattern": "monday"}, "recurrence pattern", "is not an object in the file: shown each day"),
    ({"recurrence_pattern": {"weekdays": "monday"}}, "recurrence pattern", "has other names than those of weekdays: shown each day"),
    ({"show_full_animation": "x"}, "whole animations", "is neither true, false nor auto in the file: left at auto"),
    ({"start_time": "x"}, "start of its hours", "is not a time of day: left out"),
    ({"config": {"": "x"}}, "setting without a name", "is not a valid field name"),
    ({"name": "x" * 201}, "entry", "the name of its app has more than 200 characters, or its path more than 4096 bytes")])
def test_notes_of_an_entry_are_true(account, clock, members, what, why):
    weekly = {"use_custom_recurrence": True, "recurrence_type": "weekly"}
    report = brought(account, exported("Desk", [{**entry(clock.slug, 1, **weekly), **members}]))
    assert (what, why) in [(note["what"], note["why"]) for note in report["notBrought"] if note["entry"]], report["notBrought"]
