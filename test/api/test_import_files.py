"""Files of tronbyt servers: names of apps, settings of all types, files of version 1, and what its pages write."""

import gzip
import json
import random
import secrets

import pytest
from app_forms import ALL, FIELDS, MAKER, published, renders
from apps import make_app
from former import account as exported_account
from former import entry, even
from former import device as exported
from recurrence import DAYS, a_recurrence, compare_days
from test_import_tronbyt import PLACE, brought, notes

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(length=8, source=random):
    return "".join(source.choice(LETTERS) for _ in range(length))


def older(device, **members):
    """The device as version 1 writes it: an object of apps, without members that came later."""
    late = ("dim_mode_enabled", "color_filter", "night_color_filter", "dim_color_filter", "swap_colors", "require_api_key")
    kept = {name: value for name, value in device.items() if name not in late}
    apps = {str(app["iname"]): {**{name: value for name, value in app.items() if name not in ("auto_pin", "show_full_animation")},
                                "autopin": False, "enabled": int(app["enabled"])} for app in device["apps"]}
    return {**kept, "apps": apps, **members}


def detail(account, report, number=0):
    path = f"/v1/devices/{report['devices'][0]['id']}/installations"
    return account.get(f"{path}/{account.get(path).ok()[number]['id']}").ok()


def apps_of(world, report):
    return [app for app, in world.sql("SELECT app_id::text FROM installation WHERE device_id = %s ORDER BY position",
                                      report["devices"][0]["id"])]


# ---- names of apps ----


def test_names_of_apps(world, account):
    """By slug, by folder and file of the path, by name in any case, and by the folder of a user's own app."""
    mark = word()
    app = published(account, name=f"Big Clock {mark}")
    slug = f"big-clock-{mark}"
    world.sql("UPDATE app SET slug = %s WHERE id = %s", slug, app.id)
    folder, file = f"bigclock{mark}", f"big_clock_{mark}.star"
    meant = [
        (slug, "x/y/z.star"), (slug.upper(), None), (f"Big Clock {mark}", None), (f"bIG CLOCK {mark}", "a/b/c.star"),
        ("Renamed since", f"system-apps/apps/{folder}/main.star"), ("Renamed", f"/app/data/system-apps/apps/x{mark}/{file}"),
        (folder, f"users/ada/apps/{folder}/{folder}.star"), ("", f"system-apps/apps/{folder}/{file}"), (folder, None)]
    other = [("Big Clock", None), ("no-such", "apps/other/other.star"), ("-", "/"), ("", "apps/x.star"), ("...", "//"),
             ("x" * 201, None), ("'", '"')]
    report = brought(account, exported("Desk", [
        entry(name, number, path=path) for number, (name, path) in enumerate(meant + other)]))
    assert report["devices"][0]["entries"] == len(meant), report["notBrought"]
    assert {name for name, what in notes(report) if what == "entry"} == {
        str(number) for number in range(len(meant), len(meant + other))}


def test_the_order_of_names(world, account):
    """The slug counts more than the path, and the path more than the name."""
    mark = word()
    by_slug, by_folder, by_name = (published(account, name=name) for name in ("One", "Two", f"Weather {mark}"))
    world.sql("UPDATE app SET slug = %s WHERE id = %s", f"weather-{mark}", by_slug.id)
    world.sql("UPDATE app SET slug = %s WHERE id = %s", f"storm-{mark}", by_folder.id)
    report = brought(account, exported("Desk", [
        entry(f"weather-{mark}", 0, path=f"apps/storm{mark}/x.star"), entry(f"Weather {mark}", 1, path=f"apps/storm{mark}/x.star"),
        entry(f"WEATHER {mark}", 2, path="apps/y/y.star")]))
    assert apps_of(world, report) == [by_slug.id, by_folder.id, by_name.id]


def test_an_account_s_own_app_comes_first(world, account):
    name = f"Twice {word()}"
    published(world.account(), name=name)
    own = published(account, name=name)
    report = brought(account, exported("Desk", [entry(name, 1, path=None)]))
    assert apps_of(world, report) == [own.id]


# ---- settings ----


@renders
def test_settings_of_all_types(account):
    """A place or a choice is an object; what an API has written may be a number or a boolean; null is left out."""
    form = published(account, ALL, name="Everything")
    chosen = {"display": "Zagreb", "text": "Zagreb", "value": "zg"}
    config = {"where": {**PLACE, "lat": 45.81, "lng": 15.98}, "found": chosen, "on": True, "text": 14.50, "kind": None,
              "key": 1e3, "color": "#0f0"}
    report = brought(account, exported("Desk", [entry(form.slug, 1, config=config), entry(form.slug, 2, config={
        "text": {"b": [1, None, "x"], "a": False}, "on": "false", "where": json.dumps(PLACE), "found": json.dumps(chosen)})]))
    assert [note for note in notes(report) if note[0]] == []
    first, second = (detail(account, report, number) for number in range(2))
    assert json.loads(first["settings"]["where"]) == PLACE and json.loads(first["settings"]["found"]) == chosen
    assert (first["settings"]["on"], first["settings"]["text"], first["secrets"]) == ("true", "14.5", ["key"])
    assert "kind" not in first["settings"]
    assert json.loads(second["settings"]["text"]) == {"b": [1, None, "x"], "a": False}
    assert json.loads(second["settings"]["where"]) == PLACE


def of_entry(report):
    return [(note["what"], note["why"]) for note in report["notBrought"] if note["entry"]]


@renders
def test_more_settings_than_an_entry_has(account):
    """Those that the app does not have are named, and take no room from the others; 5,000 are read."""
    form = published(account, ALL, name="Everything")
    unknown = {f"a{number:03}": "x" for number in range(300)}
    report = brought(account, exported("Desk", [
        entry(form.slug, 1, config={**unknown, "text": "hello", "key": "k", "color": "#00ff00"}),
        entry(form.slug, 2, config={**{f"b{number}": "y" * 800 for number in range(100)}, "text": "t" * 60_000})]))
    assert sorted(of_entry(report)) == [
        *((f"setting {name}", "the app has no such setting") for name in unknown),
        *((f"setting {name}", "the app has no such setting") for name in sorted(f"b{number}" for number in range(100)))]
    first, second = (detail(account, report, number) for number in range(2))
    assert (first["settings"]["text"], first["settings"]["color"], first["secrets"]) == ("hello", "#00ff00", ["key"])
    assert second["settings"]["text"] == "t" * 60_000
    report = brought(account, exported("Desk", [entry(form.slug, 1, config={
        **{f"z{number:05}": None for number in range(6000)}, "text": "late"})]))
    assert ("settings", "has 6001 members, of which the first 5000 are read") in of_entry(report)


@renders
def test_settings_of_fields_that_are_unknown(account):
    """If an app cannot say which fields it makes, settings of any name may be theirs: as many come as fit."""
    script = (FIELDS % (ALL + MAKER)).replace("def more(kind):\n    return []", 'def more(kind):\n    fail("not today")')
    maker = make_app(account).published(script=script)
    config = {**{f"m{number:03}": "x" for number in range(250)}, "text": "hello", "key": "k"}
    report = brought(account, exported("Desk", [entry(maker.slug, 1, config=config)]))
    assert of_entry(report) == [(f"setting m{number:03}", "is one too many: an entry has at most 200 settings")
                                for number in range(198, 250)]
    shown = detail(account, report)
    assert shown["settings"]["text"] == "hello"
    assert sorted(shown["secrets"]) == ["key", *(f"m{number:03}" for number in range(198))]


@renders
def test_each_wrong_setting_is_named(account):
    colors = "".join(f'schema.Color(id = "c{number:03}", name = "C", desc = "C", icon = "brush", default = "#fff"),'
                     for number in range(150))
    form = published(account, colors)
    report = brought(account, exported("Desk", [
        entry(form.slug, 1, config={f"c{number:03}": "green" if number else "#010203" for number in range(150)})]))
    assert [what for what, _ in of_entry(report)] == [f"setting c{number:03}" for number in range(1, 150)]
    assert detail(account, report)["settings"] == {"c000": "#010203"}


def test_more_notes_than_a_report_has(account):
    """Each device has its share of 5,000 notes. The last note of one with more says how many are not listed."""
    many = [exported(name, [{"iname": str(number)} for number in range(count)], location=None)
            for name, count in (("Big", 4000), ("Small", 2), ("Great", 3000), ("Last", 1))]
    report = brought(account, {"devices": many}, dryRun=True)
    listed = [[note["entry"] for note in report["notBrought"] if note["device"] == device["name"] and note["what"] == "entry"]
              for device in many]
    assert [len(entries) for entries in listed] == [2498, 2, 2499, 1]
    assert listed[0] == [str(number) for number in range(2498)]
    rest = [(note["device"], note["entry"], note["why"]) for note in report["notBrought"] if note["what"] == "more"]
    assert rest == [
        ("Big", None, "1502 more items of this device were left out or changed, and are not listed"),
        ("Great", None, "501 more items of this device were left out or changed, and are not listed")]
    assert len(report["notBrought"]) == 5002


# ---- the file's forms ----


@pytest.mark.parametrize("members, sleep, dim", [
    ({"night_start": "", "night_end": ""}, ("22:00", "06:00"), None),
    ({"night_start": None, "night_end": None}, ("22:00", "06:00"), None),
    ({"night_start": 21, "night_end": 7}, ("21:00", "07:00"), None),
    ({"night_start": "7:05", "night_end": "08:00:00"}, ("07:05", "08:00"), None),
    ({"dim_mode_enabled": None, "dim_time": "19:30"}, ("22:00", "06:00"), ("19:30", 20)),
    ({"dim_mode_enabled": False, "dim_time": "19:30"}, ("22:00", "06:00"), None),
    ({"dim_mode_enabled": True, "dim_time": "", "dim_brightness": 3}, ("22:00", "06:00"), None),
    ({"dim_mode_enabled": True, "dim_time": "19:30", "dim_brightness": None}, ("22:00", "06:00"), ("19:30", 35)),
    ({"dim_mode_enabled": 1, "dim_time": 19, "dim_brightness": {"value": 4}}, ("22:00", "06:00"), ("19:00", 4))])
def test_night_and_dimming(world, account, members, sleep, dim):
    report = brought(account, exported("Desk", night_mode_enabled=True, night_brightness=0, **members))
    shown = account.get(f"/v1/devices/{report['devices'][0]['id']}").ok()
    assert (shown["sleep"]["start"], shown["sleep"]["end"]) == sleep
    row, = world.sql("SELECT dim_enabled, dim_start_minute, dim_brightness FROM device WHERE id = %s", shown["id"])
    wanted = dim and (True, int(dim[0][:2]) * 60 + int(dim[0][3:]), dim[1])
    assert row == wanted if dim else not row[0]


def test_a_byte_order_mark(account):
    body = b"\xef\xbb\xbf" + json.dumps(exported("Desk")).encode()
    assert account.post("/v1/import/tronbyt", body).ok()["devices"][0]["state"] == "new"
    account.post("/v1/import/tronbyt", b"\xef\xbb\xbf" + body).problem(400)
    large = b"\xef\xbb\xbf" + json.dumps(exported("Large", notes="x" * 500_000)).encode()
    assert account.post("/v1/import/tronbyt", large).ok()["devices"][0]["state"] == "new"
    account.post("/v1/import/tronbyt?dryRun=true", b"\xef\xbb\xbf").problem(400)


def test_a_file_of_version_1(world, account):
    clock = published(account)
    desk = older(exported("Desk", [entry(clock.slug, 7), entry(clock.slug, 8, enabled=False)]),
                 brightness=100, night_brightness=12, night_mode_app="None", timezone=None,
                 location={**PLACE, "name": None, "timezone": "Europe/Vienna", "lat": 1.5}, dim_time=None, dim_brightness=None)
    shelf = older(exported("Shelf"), timezone="None", location=None, brightness={"value": 40})
    del shelf["id"]
    report = brought(account, {"username": "ada", "password": "x", "devices": {desk["id"]: desk, "1f6a09c7": shelf}},
                     keepAddresses=True)
    assert [(made["state"], made["alias"], made["entries"]) for made in report["devices"]] == [
        ("new", desk["id"], 2), ("new", "1f6a09c7", 0)]
    one, other = (account.get(f"/v1/devices/{made['id']}").ok() for made in report["devices"])
    assert (one["brightness"], one["timezone"], other["brightness"], other["timezone"]) == (100, "Europe/Vienna", 40, "UTC")
    assert [detail(account, report, number)["isEnabled"] for number in range(2)] == [True, False]
    # No entry is pinned, or named for the night: the name that the device has in the file is not meant.
    assert "pinned entry" not in {note["what"] for note in report["notBrought"]}, report["notBrought"]
    # The same device, exported alone.
    assert brought(account, desk)["devices"][0]["state"] == "there"


@pytest.mark.parametrize("members, brightness", [
    ({"brightness": 5, "night_brightness": 1, "dim_brightness": None}, 100),
    ({"brightness": 3, "night_brightness": 0}, 12), ({"brightness": 0, "night_brightness": 0}, 0),
    ({"brightness": 4, "custom_brightness_scale": "0, 2, 4, 6, 8, 10", "night_brightness": 0}, 80),
    ({"brightness": 4, "custom_brightness_scale": "0,x", "night_brightness": 0}, 35),
    ({"brightness": 5, "night_brightness": 6}, 5), ({"brightness": 50, "night_brightness": 1}, 50)])
def test_levels_of_brightness(account, members, brightness):
    """In a file of version 1 a number up to 5 is a level, unless the file has a larger one."""
    report = brought(account, older(exported("Desk", location=None), **{"dim_brightness": None, **members}))
    assert account.get(f"/v1/devices/{report['devices'][0]['id']}").ok()["brightness"] == brightness
    changed = brightness != members["brightness"]
    assert any(note["what"] == "brightness" and str(brightness) in note["why"] for note in report["notBrought"]) is (
        changed or members["brightness"] == 0)


def test_a_migrated_account(account):
    """All that a file of before December 2025 has comes: names of apps, and settings that are texts."""
    name = f"Fire Flies {word()}"
    published(account, name=name)
    place = '{"name":"23 Kuinehe Place","timezone":"Pacific/Honolulu","lat":"20.82","lng":"-156.33"}'
    desk = older(exported("Desk", [entry(name, 906, path="/app/data/system-apps/apps/none/none.star", notes="",
                                         config={"location": place, "glow": "14"}, start_time=None, end_time=None)]))
    report = brought(account, desk)
    assert report["devices"][0]["entries"] == 1


def migrated_entry(number, name, folder, config, **members):
    """An entry as version 1 has written it, with what it noted of renders."""
    return {"id": None, "iname": str(number), "name": name, "uinterval": 1, "display_time": 0, "notes": "", "enabled": 1,
            "pushed": False, "order": number, "last_render": 1764433202, "last_render_duration": "PT0S",
            "path": f"/app/data/system-apps/apps/{folder}/{folder}.star", "start_time": None, "end_time": None, "days": DAYS,
            "use_custom_recurrence": False, "recurrence_type": "daily", "recurrence_interval": 1,
            "recurrence_pattern": {"day_of_month": None, "day_of_week": None, "weekdays": None},
            "recurrence_start_date": "2025-10-28", "recurrence_end_date": "2025-11-04", "empty_last_render": 0,
            "render_messages": ['{"feed": {"id": 3.068726e+06, "data": [["x", "0.0"]]}}'], "autopin": False, "config": config,
            **members}


@renders
def test_a_whole_migrated_account(account):
    """Four devices with 28 entries, as that server's own file of a migrated account has them: all come but one whose app
    is not here and one that was pushed."""
    mark = word()
    every, clock = published(account, ALL, name=f"Every {mark}"), published(account, name=f"Big Clock {mark}")
    place = ('{"name":"23 Kuinehe Place, Pukalani","timezone":"Pacific/Honolulu","lat":"20.82327417065996",'
             '"lng":"-156.33007275051227"}')
    choice = json.dumps({"display": "Station 51213 (239)", "text": "Station 51213 (239)", "value": "51213"})
    config = {"text": "Maui", "key": "CD0E46F78FDF4FD3", "color": "#f1f443", "on": "false", "where": place, "found": choice}

    def apps(first, count):
        made = [migrated_entry(first + number, every.slug.title() if number % 2 else f"Big Clock {mark}", "renamed", config
                               if number % 2 else {}, enabled=number % 3 and 1) for number in range(count)]
        return {app["iname"]: app for app in made}

    devices = {}
    for number, (count, members) in enumerate((
            (2, {"pinned_app": None, "night_mode_app": "None"}), (13, {"pinned_app": "232", "night_mode_app": "225"}),
            (10, {"pinned_app": "", "night_mode_app": "326", "night_mode_enabled": True}),
            (3, {"pinned_app": None, "night_mode_app": "None", "night_mode_enabled": True, "night_brightness": 3}))):
        device = older(exported(f"Panel {number}", timezone=None, location={
            "name": None, "locality": "", "description": "", "place_id": "", "timezone": "Pacific/Honolulu", "lat": 20.7580586,
            "lng": -156.3105232}, dim_time="18:00" if number == 1 else None, dim_brightness=5, default_interval=10, **members))
        devices[device["id"]] = {**device, "brightness": 100 - number, "apps": apps(100 * (number + 1) + 20, count),
                                 "img_url": f"http://tronbyt/{device['id']}/next", "info": {"mac_address": None}}
    second, third = list(devices.values())[1:3]
    second["apps"]["220"] = migrated_entry(220, "deep-mix", "deep-mix", {"a": "b"})
    second["apps"]["231"].update(start_time="07:00:00", end_time="19:00:00", days=["thursday"])
    third["apps"]["fire"] = migrated_entry("fire", "pushed", "x", {}, pushed=True, path="pushed/fire", order=8)
    third["pinned_app"] = second["pinned_app"] = "231"
    third["apps"]["320"].update(days=[])
    report = brought(account, {"username": "admin", "password": "scrypt:x", "email": "", "devices": devices,
                               "api_key": "x", "theme_preference": "system", "system_repo_url": ""}, keepAddresses=True)
    assert [(made["state"], made["alias"], made["entries"]) for made in report["devices"]] == [
        ("new", former, count) for former, count in zip(devices, (2, 12, 10, 3))]
    assert {(note["entry"], note["what"]) for note in report["notBrought"] if note["entry"]} == {
        ("deep-mix 220", "entry"), ("pushed fire", "entry")}
    assert {(note["device"], note["what"]) for note in report["notBrought"] if not note["entry"]} == {
        *((f"Panel {number}", what) for number in range(4) for what in ("interval", "render interval")), ("Panel 2", "pinned entry")}
    shown = detail(account, report, 1)
    assert shown["app"]["id"] == every.id and json.loads(shown["settings"]["where"])["lat"] == "20.82327417065996"
    assert json.loads(shown["settings"]["found"])["value"] == "51213"
    assert (shown["settings"]["on"], shown["secrets"]) == ("false", ["key"])
    assert detail(account, report, 0)["app"]["id"] == clock.id and detail(account, report, 0)["isEnabled"] is False
    of_second = account.get(f"/v1/devices/{report['devices'][1]['id']}/installations").ok()
    later = account.get(f"/v1/devices/{report['devices'][1]['id']}/installations/{of_second[10]['id']}").ok()
    assert (later["hours"], later["weekdays"], later["isPinned"]) == ({"start": "07:00", "end": "19:00"}, ["thursday"], True)
    assert account.get(f"/v1/devices/{report['devices'][1]['id']}").ok()["timezone"] == "Pacific/Honolulu"


# ---- other files ----


@pytest.mark.parametrize("data, words", [
    (gzip.compress(b"{}"), "a file compressed by gzip: unpack it"), (b"PK\x03\x04" + bytes(30), "a ZIP archive: unpack it"),
    *((json.dumps({"id": "x"}).encode(code), "text in UTF-16: save it as UTF-8") for code in ("utf-16", "utf-16-le", "utf-16-be")),
    (b"<!DOCTYPE html><html></html>", "a page or XML: send JSON")])
def test_files_that_are_not_json(account, data, words):
    """The reason is what the file is, with a remedy."""
    assert account.post("/v1/import/tronbyt", data).problem(400)["detail"] == f"the body is not valid JSON but {words}"


def test_what_the_file_does_not_say_plainly(account):
    """Nothing is left out or made up without a note: a device without a name, an entry that is no ID, an app without a name."""
    entries = [{**entry("clock", 1), "name": 7, "path": None}, {**entry("", 2), "path": "apps/none/none.star"}]
    other = {"id": secrets.token_hex(4), "displayName": "Kitchen", "nightMode": {"enabled": True}}
    report = brought(account, exported_account([exported("Desk", entries, pinned_app=[], night_mode_app=True), other]))
    assert [(note["device"], note["entry"], note["what"], note["why"]) for note in report["notBrought"]] == [
        ("Desk", "1", "name", "is not a text in the file: left out"), ("Desk", "1", "entry", "it names no app"),
        ("Desk", None, "pinned entry", "is not an ID in the file: left out"),
        ("Desk", None, "entry for the night", "is not an ID in the file: left out"),
        ("Desk", None, "render interval", "each app sets its own render interval here"),
        ("Desk", "2", "entry", 'there is no app "apps/none/none.star" here: import the app before the device, or add the entry later'),
        (f"Panel {other['id']}", None, "name", "is missing, and stands in each export of a device")]


# ---- files at random ----

ZONES = ["Europe/Zagreb", "America/New_York", "Pacific/Honolulu", "UTC", None, ""]
FILTERS = [None, "none", "inherit", "warm", "bw"]


def a_clock(source):
    return f"{source.randrange(24):02}:{source.randrange(60):02}"


def an_id(source, name):
    """The forms that its page for a new device makes: at random, of the name, typed."""
    return source.choice([
        f"{source.getrandbits(32):08x}", f"{source.getrandbits(64):016x}",
        "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in name.lower()).split()) or "x",
        f"Panel-{source.randrange(10 ** 6)}"])


def a_config(source):
    texts = {"text": source.choice(["hello", "ž", "", "a\"b\\c\n"]), "color": source.choice(["#fff", "#00FF00"])}
    pages = {"where": source.choice([{**PLACE, "lat": 45.8125, "lng": -15.5}, json.dumps(PLACE)]), "on": source.choice([True, "false"]),
             "found": {"display": "x", "text": "x", "value": "v"}, "key": source.choice(["secret", 7])}
    return {name: value for name, value in {**texts, **pages}.items() if source.random() < 0.7}


def an_app(source, number, slugs):
    return {
        "id": number, "device_id": "x", "iname": str(100 + number), "name": source.choice(slugs), "uinterval": 10,
        "display_time": source.choice([0, 0, 5, 30, 3600]), "notes": source.choice(["", "Morning"]),
        "enabled": source.random() < 0.7, "pushed": source.random() < 0.1, "order": number,
        "last_render": "2026-08-01T10:00:00Z", "last_successful_render": None, "last_render_dur": 12345,
        "path": source.choice([None, "system-apps/apps/none/none.star"]),
        "start_time": source.choice([None, "", a_clock(source)]), "end_time": source.choice([None, "", a_clock(source)]),
        "days": source.choice([None, [], source.sample(DAYS, source.randrange(1, 8))]),
        **a_recurrence(source),
        "config": source.choice([None, {}, a_config(source)]), "empty_last_render": False, "render_messages": None,
        "auto_pin": source.random() < 0.2, "color_filter": source.choice(FILTERS),
        "show_full_animation": source.choice([None, True, False])}


def a_device(source, slugs):
    name = f"{source.choice(['Kitchen', 'Living room', 'Büro 2', 'Panel #7'])} {source.randrange(10 ** 4)}"
    apps = [an_app(source, number, slugs) for number in range(source.randrange(5))]
    named = ["", *(app["iname"] for app in apps)]
    return {
        "id": an_id(source, name), "username": "ada", "name": name,
        "type": source.choice(["", "tidbyt_gen1", "tidbyt_gen2", "matrixportal_s3", "raspberrypi_wide", "other"]),
        "api_key": f"{source.getrandbits(128):032x}", "img_url": "", "ws_url": "", "notes": source.choice(["", "by the door"]),
        "brightness": source.randrange(101), "custom_brightness_scale": source.choice(["", "0,1,2,3,4,5", "0,3,5,12,35,100"]),
        "night_mode_enabled": source.random() < 0.5, "night_mode_app": source.choice(named),
        "night_start": source.choice(["", a_clock(source)]), "night_end": source.choice(["", a_clock(source)]),
        "night_brightness": source.choice([0, source.randrange(101)]), "dim_mode_enabled": source.random() < 0.5,
        "dim_time": source.choice([None, "", a_clock(source)]), "dim_brightness": source.choice([None, source.randrange(101)]),
        "default_interval": source.choice([5, 15, 60]), "timezone": source.choice(ZONES),
        "locale": source.choice([None, "", "en_US", "de"]),
        "location": {**PLACE, "lat": 45.8, "lng": 15.9, "timezone": source.choice(["", "Europe/Vienna"])},
        "last_app_index": 0, "displaying_app": None, "pinned_app": source.choice([None, *named]),
        "interstitial_enabled": source.random() < 0.2, "interstitial_app": None, "last_seen": "2026-08-01T10:00:00Z",
        "info": {"firmware_version": "v1.6.6", "protocol_type": "WS"}, "color_filter": source.choice(FILTERS),
        "night_color_filter": source.choice(FILTERS), "dim_color_filter": source.choice(FILTERS),
        "swap_colors": source.random() < 0.2, "require_api_key": source.random() < 0.3, "apps": apps}


def minutes(text, otherwise):
    return int(text[:2]) * 60 + int(text[3:]) if text else otherwise


def wanted_night(device, comes):
    """What its pages show: sleep and dimming. A night without an entry becomes dimming, if there is none."""
    sleeps, start = device["night_mode_enabled"], minutes(device["night_start"], 22 * 60)
    dim = bool(device["dim_mode_enabled"] and device["dim_time"]) and (
        minutes(device["dim_time"], None),
        device["brightness"] if device["dim_brightness"] is None else device["dim_brightness"])
    if sleeps and device["night_mode_app"] not in comes and device["night_brightness"]:
        sleeps, dim = False, dim or (start, device["night_brightness"])
    return sleeps, start, minutes(device["night_end"], 6 * 60), dim


def wanted_entry(app):
    start, end = app["start_time"], app["end_time"]
    hours = {"start": start or "00:00", "end": end or "23:59"} if start or end else None
    return {"isEnabled": app["enabled"], "displaySeconds": app["display_time"] or None, "hours": hours,
            "weekdays": [day for day in DAYS if app["use_custom_recurrence"] or day in (app["days"] or DAYS)],
            "pinsItself": app["auto_pin"], "name": app["notes"] or None}


def same_setting(value, stored):
    if isinstance(value, str):
        return stored.lower() == value.lower() or json.loads(stored) == json.loads(value)
    if isinstance(value, dict) and "lat" in value:
        return json.loads(stored) == {**value, "lat": str(value["lat"]), "lng": str(value["lng"])}
    return json.loads(stored) == value


def compare(world, account, device, made):
    comes = [app for app in device["apps"] if not app["pushed"]]
    names = {app["iname"] for app in comes}
    row, = world.sql(
        "SELECT name, brightness, schedule_interval_s, timezone, sleep_enabled, sleep_start_minute, sleep_end_minute, "
        "dim_enabled, dim_start_minute, dim_brightness, locale FROM device WHERE id = %s", made["id"])
    sleeps, start, end, dim = wanted_night(device, names)
    zone = device["timezone"] or device["location"]["timezone"] or "UTC"
    assert row[1] in even(device, device["brightness"])
    assert row[:7] == (device["name"][:25], row[1], max(15, device["default_interval"]), zone, sleeps, start, end)
    assert row[7:9] == (True, dim[0]) and row[9] in even(device, dim[1]) if dim else not row[7]
    assert row[10] == (device["locale"] or "en").replace("_", "-")
    path = f"/v1/devices/{made['id']}/installations"
    stored = [account.get(f"{path}/{one['id']}").ok() for one in account.get(path).ok()]
    assert len(stored) == made["entries"] == len(comes)
    assert made["entriesInFile"] == len(device["apps"])
    for app, one in zip(comes, stored):
        wanted = wanted_entry(app)
        assert {name: one[name] for name in wanted} == wanted
        assert one["isPinned"] is (app["iname"] == device["pinned_app"])
        compare_days(world, app, made["id"], one["id"])
        for name, value in (app["config"] or {}).items():
            if name == "key":
                assert one["secrets"] == ["key"]
            else:
                assert same_setting(value, one["settings"][name]), (name, value, one["settings"])


def compare_notes(device, told):
    """All that was left out is named, in words, and nothing else."""
    assert not any("_" in note["what"] + note["why"] for note in told)
    about = {note["what"] for note in told if note["entry"] is None}
    wanted = {"notes": False, "brightness scale": False,
              "interval": device["default_interval"] < 15, "entry between entries": device["interstitial_enabled"],
              "swapped colours": device["swap_colors"]}
    assert {name for name, is_noted in wanted.items() if is_noted} == about & set(wanted)
    of_entries = {(note["entry"].rpartition(" ")[2], note["what"]) for note in told if note["entry"]}
    for app in device["apps"]:
        assert {what for name, what in of_entries if name == app["iname"]} == ({"entry"} if app["pushed"] else set())


@renders
def test_files_at_random(world):
    """200 files with the members of that server's model, and values that its pages write: all of it comes, or is named."""
    seed = secrets.randbits(32)
    source = random.Random(seed)
    owner = world.account()
    form = published(owner, ALL, name=f"Every Thing {word(source=source)}")
    slugs = [form.slug, owner.get(f"/v1/apps/{form.slug}").ok()["name"]]
    for number in range(200):
        devices = [a_device(source, slugs) for _ in range(source.choice([1, 1, 2, 3]))]
        devices = list({device["id"]: device for device in devices}.values())
        whole = len(devices) > 1 or source.random() < 0.5
        report = brought(owner, exported_account(devices) if whole else devices[0], keepAddresses=True)
        for device, made in zip(devices, report["devices"]):
            where = f"seed {seed}, file {number}: {json.dumps(device)}"
            if made["state"] == "there":
                continue  # two files with one ID of a name
            assert made["state"] == "new" and made["alias"] in (device["id"], None), where
            try:
                compare(world, owner, device, made)
                compare_notes(device, [note for note in report["notBrought"] if note["device"] == made["name"]])
            except AssertionError as error:
                raise AssertionError(where) from error
        world.sql("DELETE FROM device WHERE account_id = %s", owner.id)
        world.sql("UPDATE account SET address_claims = 0 WHERE id = %s", owner.id)
