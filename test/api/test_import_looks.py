"""POST /v1/import/tronbyt: entries look as they did: filters, animations shown to their end, recurrence, and those that
pin themselves."""

import pytest
from former import device as exported
from former import entry
from test_import_tronbyt import brought, clock, notes

__all__ = ["clock"]  # a fixture


def test_filters_are_kept(account, clock):
    apps = [entry(clock.slug, 1, color_filter="sepia"), entry(clock.slug, 2, color_filter="inherit"), entry(clock.slug, 3),
            entry(clock.slug, 4, color_filter="none")]
    report = brought(account, exported("Desk", apps, color_filter="warm", night_color_filter="redshift", dim_color_filter="none",
                                       location=None))
    assert {what for _, what in notes(report)} == {"render interval"}
    id = report["devices"][0]["id"]
    assert account.world.sql("SELECT color_filter, night_color_filter, dim_color_filter FROM device WHERE id = %s", id) == [
        ("warm", "redshift", "none")]
    shown = account.get(f"/v0/devices/{id}/installations").ok()["installations"]
    assert [one["colorFilter"] for one in shown] == ["sepia", "inherit", "inherit", "none"]
    report = brought(account, exported("Hall", color_filter=None, night_color_filter=None, location=None))
    assert account.world.sql("SELECT color_filter, night_color_filter, dim_color_filter FROM device WHERE id = %s",
                             report["devices"][0]["id"]) == [("none", "inherit", "none")]


@pytest.mark.parametrize("value, is_whole", [(True, True), ("true", True), (1, True), (False, False), ("auto", False), (None, False)])
def test_whole_animations_are_kept(account, clock, value, is_whole):
    report = brought(account, exported("Desk", [entry(clock.slug, 1, show_full_animation=value)], location=None))
    assert {what for _, what in notes(report)} == {"render interval"}
    assert account.world.sql("SELECT plays_whole FROM installation WHERE device_id = %s", report["devices"][0]["id"]) == [(is_whole,)]


@pytest.mark.parametrize("members, pins_itself", [({"auto_pin": True}, True), ({"autopin": 1}, True), ({"auto_pin": False}, False), ({}, False)])
def test_entries_that_pin_themselves_do_so_here(account, clock, members, pins_itself):
    report = brought(account, exported("Desk", [entry(clock.slug, 1, **members)], location=None))
    assert {what for _, what in notes(report)} == {"render interval"}
    [shown] = account.get(f"/v0/devices/{report['devices'][0]['id']}/installations").ok()["installations"]
    assert shown["autoPin"] is pins_itself


ALL = "BYDAY=MO,TU,WE,TH,FR,SA,SU"


@pytest.mark.parametrize("members, rule, start", [
    ({"recurrence_type": "daily", "recurrence_interval": 3, "recurrence_start_date": "2026-02-28"}, "FREQ=DAILY;INTERVAL=3", "2026-02-28"),
    ({"recurrence_type": "daily", "recurrence_interval": 0, "recurrence_end_date": "2026-12-24"},
     "FREQ=DAILY;INTERVAL=1;UNTIL=20261224", ""),
    ({"recurrence_type": "weekly", "recurrence_interval": 2, "recurrence_pattern": {"weekdays": ["monday", "Friday"]}},
     "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;WKST=WE", ""),
    ({"recurrence_type": "weekly", "recurrence_pattern": None, "recurrence_start_date": "2026-03-01", "recurrence_interval": 2},
     f"FREQ=WEEKLY;INTERVAL=2;{ALL};WKST=SU", "2026-03-01"),
    ({"recurrence_type": "monthly", "recurrence_pattern": {"day_of_month": 31}}, "FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=31", ""),
    ({"recurrence_type": "monthly", "recurrence_pattern": {"day_of_month": None, "day_of_week": "first_monday"}},
     "FREQ=MONTHLY;INTERVAL=1;BYDAY=1MO", ""),
    ({"recurrence_type": "monthly", "recurrence_pattern": {"day_of_week": "last_friday"}, "recurrence_interval": 4},
     "FREQ=MONTHLY;INTERVAL=4;BYDAY=-1FR", ""),
    ({"recurrence_type": "monthly", "recurrence_pattern": {}}, f"FREQ=MONTHLY;INTERVAL=1;{ALL}", ""),
    ({"recurrence_type": "yearly", "recurrence_start_date": "2024-02-29"}, "FREQ=YEARLY;INTERVAL=1", "2024-02-29"),
    ({"recurrence_type": "yearly", "use_custom_recurrence": False}, "", ""), ({"recurrence_type": ""}, "", "")])
def test_recurrence_is_kept(account, clock, members, rule, start):
    """The other server ignores the weekdays of an entry with a rule."""
    one = entry(clock.slug, 1, days=["sunday"], **({"use_custom_recurrence": True, "recurrence_interval": 1} | members))
    report = brought(account, exported("Desk", [one], location=None))
    assert {what for _, what in notes(report)} == {"render interval"}
    id = report["devices"][0]["id"]
    assert account.world.sql("SELECT recurrence_rule, recurrence_start, weekdays FROM installation WHERE device_id = %s", id) == [
        (rule, start, 127 if rule else 64)]


@pytest.mark.parametrize("members, what", [
    ({"recurrence_type": "hourly"}, "recurrence type"), ({"recurrence_type": "daily", "recurrence_start_date": "soon"}, "recurrence start date"),
    ({"recurrence_type": "daily", "recurrence_end_date": "2026-02-30"}, "recurrence end date"),
    ({"recurrence_type": "daily", "recurrence_interval": 5000}, "recurrence interval"),
    ({"recurrence_type": "weekly", "recurrence_pattern": {"weekdays": ["someday"]}}, "recurrence pattern"),
    ({"recurrence_type": "monthly", "recurrence_pattern": {"day_of_week": "fifth_monday"}}, "recurrence pattern"),
    ({"recurrence_type": "monthly", "recurrence_pattern": {"day_of_month": 99}}, "day of month")])
def test_what_is_wrong_with_a_recurrence_is_said(account, clock, members, what):
    report = brought(account, exported("Desk", [entry(clock.slug, 1, use_custom_recurrence=True, **members)], location=None))
    assert what in {what for _, what in notes(report)}
    assert len(report["devices"]) == 1


@pytest.mark.parametrize("location, stored, is_noted", [
    ({"lat": 45.8, "lng": "15.90", "description": "Zagreb", "timezone": "Europe/Zagreb", "name": "x"},
     '{"lat":"45.8","lng":"15.90","description":"Zagreb","locality":"Zagreb","place_id":"","timezone":"Europe/Zagreb"}', False),
    ({}, "", False), ({"lat": "", "lng": None, "description": ""}, "", False), ({"description": "Zagreb"}, "", True),
    ({"lat": "91", "lng": "1"}, "", True), ({"lat": "1"}, "", True), ({"lat": {}, "lng": []}, "", True), ([1], "", True),
    ({"lat": 1, "lng": 1, "timezone": "Mars/Base"}, "", True), ({"lat": 1, "lng": 1, "description": "x" * 101}, "", True)])
def test_the_place_of_a_device(account, location, stored, is_noted):
    report = brought(account, exported("Desk", location=location))
    assert account.world.sql("SELECT place_json FROM device WHERE id = %s", report["devices"][0]["id"]) == [(stored,)]
    assert ("place" in {note["what"] for note in report["notBrought"]}) == is_noted


@pytest.mark.parametrize("type, size", [("tronbyt_s3_wide", "128x64"), ("raspberrypi_wide", "128x64"), ("tidbyt_gen1", "64x32"),
                                        ("pixoticker", "64x32"), ("wide", "64x32"), (None, "64x32")])
def test_the_size_is_that_of_the_board(account, type, size):
    report = brought(account, exported("Desk", location=None, type=type))
    assert account.world.sql("SELECT size FROM device WHERE id = %s", report["devices"][0]["id"]) == [(size,)]


def test_nothing_of_an_account_is_lost(account, clock):
    """Windows, filters, curve, recurrence and place together: the report names none, and /v0 shows them as the file has them."""
    own = {"start_time": "07:30", "end_time": "22:15", "color_filter": "ice", "show_full_animation": True, "auto_pin": True,
           "display_time": 45, "enabled": False, "use_custom_recurrence": True, "recurrence_type": "weekly", "recurrence_interval": 2,
           "recurrence_pattern": {"weekdays": ["saturday", "sunday"]}, "recurrence_start_date": "2026-03-01",
           "recurrence_end_date": "2030-12-24"}
    monthly = {"use_custom_recurrence": True, "recurrence_type": "monthly", "recurrence_interval": 1,
               "recurrence_pattern": {"day_of_week": "last_friday"}}
    place = {"lat": "45.81", "lng": "15.98", "description": "Zagreb", "locality": "Zagreb", "place_id": "x", "timezone": "Europe/Zagreb"}
    export = exported(
        "Desk", [entry(clock.slug, 1, **own), entry(clock.slug, 2, days=["monday", "sunday"]), entry(clock.slug, 3, **monthly)],
        type="tronbyt_s3_wide", custom_brightness_scale="0,5,15,35,70,100", night_mode_enabled=True, night_start="23:15", night_end="06:05",
        night_mode_app="2", dim_mode_enabled=True, dim_time="19:45", color_filter="warm", night_color_filter="redshift",
        dim_color_filter="sepia", timezone="Europe/Zagreb", location=place, notes="by the window", pinned_app="1", locale="hr")
    report = brought(account, export)
    assert {what for _, what in notes(report)} <= {"render interval"}
    id = report["devices"][0]["id"]
    assert account.world.sql("SELECT color_filter, night_color_filter, dim_color_filter, brightness_curve, size, board, locale, place_json::jsonb "
                             "FROM device WHERE id = %s", id) == [
        ("warm", "redshift", "sepia", "5,15,35,70,100", "128x64", "tronbyt_s3_wide", "hr", place)]
    older = account.get(f"/v0/devices/{id}").ok()
    assert {name: older["nightMode"][name] for name in ("enabled", "startTime", "endTime")} == {
        "enabled": True, "startTime": "23:15", "endTime": "06:05"}
    assert (older["dimMode"]["enabled"], older["dimMode"]["startTime"], older["notes"]) == (True, "19:45", "by the window")
    first, second, third = account.get(f"/v0/devices/{id}/installations").ok()["installations"]
    assert (older["pinnedApp"], older["nightMode"]["app"]) == (first["id"], second["id"])
    names = {"start_time": "startTime", "end_time": "endTime", "color_filter": "colorFilter", "auto_pin": "autoPin",
             "display_time": "displayTimeSec", "enabled": "enabled", "use_custom_recurrence": "useCustomRecurrence",
             "recurrence_type": "recurrenceType", "recurrence_interval": "recurrenceInterval", "recurrence_pattern": "recurrencePattern",
             "recurrence_start_date": "recurrenceStartDate", "recurrence_end_date": "recurrenceEndDate"}
    for shown, members in ((first, own), (third, monthly)):
        assert {name: shown[names[name]] for name in members if name in names} == {
            name: value for name, value in members.items() if name in names}
    assert first["showFullAnimation"] == "true" and second["days"] == ["monday", "sunday"]
