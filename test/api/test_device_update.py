"""PATCH /v1/devices/{deviceId}: every field, every invalid value, and the immediate effect on the panel."""

import datetime
import json

import pytest
from panel import Panel
from world import UNKNOWN_ID, images, log_fields, wait_until

DEFAULTS = {"name": "Desk", "brightness": 60, "volume": 50, "autoDim": False, "timezone": "UTC",
            "scheduleInterval": 15, "sleep": {"enabled": False, "start": "22:00", "end": "07:00"}}


def change(device, body, **options):
    return device.account.request("PATCH", device.path, body=body, **options)


def settings(device):
    members = device.get().ok()
    assert set(members) == set(DEFAULTS) | {"id", "lastOnline"}
    return {name: members[name] for name in DEFAULTS}


def faults(device, body):
    before = settings(device)
    found = change(device, body).faults()
    assert settings(device) == before
    return found


# ---- what is taken ----

VALID = [
    ("name", ["x", "25 characters and no more", " a ", "K\u00fcche", "\U0001f4a1" * 25,
              "e\u0301" * 12, "\u0e01\u0e33", "a\u2028b", "\"\\/<>&'%s\u202e", "\ufeffx", "\u200b",
              "\U0010ffff\ufffe", "\u1f468\u200d\u1f469", "\ue000"]),
    ("brightness", [0, 1, 100]),
    ("volume", [0, 1, 100]),
    ("autoDim", [True, False]),
    ("timezone", ["UTC", "Europe/Zagreb", "US/Eastern", "America/Argentina/Buenos_Aires",
                  "Etc/GMT+5", "Etc/GMT-14", "EST5EDT", "Asia/Kathmandu", "GB", "Zulu"]),
    ("scheduleInterval", [15, 16, 86400]),
]


@pytest.mark.parametrize("field, value", [(field, value) for field, values in VALID
                                          for value in values])
def test_valid_value(device, field, value):
    if field == "name":
        value = value[:25]
    answer = change(device, {field: value}).ok()
    assert answer[field] == value and type(answer[field]) is type(value)
    assert answer == device.get().ok()
    assert settings(device) == {**DEFAULTS, field: value}


@pytest.mark.parametrize("field, member, value", [
    ("sleepEnabled", "enabled", True), ("sleepEnabled", "enabled", False),
    ("sleepStart", "start", "00:00"), ("sleepStart", "start", "23:59"),
    ("sleepEnd", "end", "00:00"), ("sleepEnd", "end", "09:05"), ("sleepEnd", "end", "22:00")])
def test_sleep_fields_are_members_of_sleep(device, field, member, value):
    assert change(device, {field: value}).ok()["sleep"] == {**DEFAULTS["sleep"], member: value}
    assert settings(device) == {**DEFAULTS, "sleep": {**DEFAULTS["sleep"], member: value}}


@pytest.mark.parametrize("number, value", [
    (b"12.0", 12), (b"1.2e1", 12), (b"1200e-2", 12), (b"-0", 0), (b"0.0", 0), (b"100.000", 100),
    (b"1E+2", 100)])
def test_whole_numbers_however_written(device, number, value):
    for field in ("brightness", "volume"):
        assert change(device, b'{"%s": %s}' % (field.encode(), number)).ok()[field] == value
    assert b'"brightness":%d,' % value in device.get().body.replace(b" ", b"")
    assert change(device, b'{"scheduleInterval": 3e1}').ok()["scheduleInterval"] == 30


@pytest.mark.parametrize("field, number", [
    (b"scheduleInterval", b"14.99999999999999999999"), (b"scheduleInterval", b"86400.00000000000000000001"),
    (b"brightness", b"1e-400"), (b"brightness", b"100.00000000000000000000000001"),
    (b"brightness", b"0.1e-400"), (b"volume", b"99.99999999999999999999999"), (b"brightness", b"-1e-400")])
def test_numbers_are_not_rounded(device, field, number):
    assert set(change(device, b'{"%s": %s}' % (field, number)).faults()) == {"/" + field.decode()}


@pytest.mark.parametrize("number, value", [(b"0e400", 0), (b"-0e-99999999999", 0), (b"1.50e1", 15), (b"1500e-2", 15),
                                           (b"0.0000000000000000000015e22", 15), (b"15." + b"0" * 60, 15)])
def test_whole_numbers_of_any_length(device, number, value):
    assert change(device, b'{"brightness": %s}' % number).ok()["brightness"] == value


def test_all_at_once(device):
    body = {"name": "Kitchen", "brightness": 1, "volume": 2, "autoDim": True,
            "timezone": "Europe/Zagreb", "sleepEnabled": True, "sleepStart": "01:02",
            "sleepEnd": "03:04", "scheduleInterval": 86400}
    change(device, body).ok()
    sleep = {"enabled": True, "start": "01:02", "end": "03:04"}
    assert settings(device) == {
        **{name: value for name, value in body.items() if not name.startswith("sleep")},
        "sleep": sleep}


def test_omitted_fields_keep_their_values(device):
    expected = {**DEFAULTS, "sleep": dict(DEFAULTS["sleep"])}
    for field, value in [("name", "a"), ("volume", 9), ("sleepEnd", "05:00"), ("brightness", 3),
                         ("sleepEnabled", True), ("timezone", "GB"), ("autoDim", True),
                         ("sleepStart", "04:00"), ("scheduleInterval", 99), ("name", "b")]:
        change(device, {field: value}).ok()
        if field.startswith("sleep"):
            expected["sleep"][field[5:].lower()] = value
        else:
            expected[field] = value
        assert settings(device) == expected


def test_every_form_of_device_id(account):
    device = account.device()
    digits = device.mac.replace(":", "")
    for volume, name in enumerate((device.id, device.id.upper(), device.serial, device.mac,
                                   device.mac.upper(), device.mac.replace(":", "-"), digits)):
        answer = account.request("PATCH", f"/v1/devices/{name}/", body={"volume": volume})
        assert (answer.ok()["id"], answer.json()["volume"]) == (device.id, volume)


# ---- what is not ----

NO_VALUES = [None, [], {}, [1], {"a": 1}]
INVALID = [
    ("name", ["", "x" * 26, "\U0001f4a1" * 26, " ", "   \u2003\u00a0\u3000", "a\nb", "a\tb",
              "\x7f", "a\x85b", "\x1b[31m", "a\u0000", "\r\nX: y", 1, True]),
    ("brightness", [-1, 101, 1e9, 12.5, "12", "", True, False, 2 ** 31, -2 ** 63, 2 ** 64, 1e300]),
    ("volume", [-1, 101, 0.5, "0", True, 65536 + 50]),
    ("autoDim", [0, 1, "true", "", "on"]),
    ("timezone", ["", "europe/zagreb", "EUROPE/ZAGREB", "Europe/zagreb", "utc", "posix/UTC",
                  "right/UTC", "posixrules", "localtime", "Factory", "CEST", "PDT", "UTC+1",
                  "GMT+05:00", "+01:00", "EST5EDT4", "EST5EDT,M3.2.0,M11.1.0", "<x>5",
                  "Mars/Olympus", "..", "../UTC", "Europe/../UTC", "./UTC", "US/./Eastern",
                  "US//Eastern", "/UTC", "UTC/", "Europe", "Europe/", "/etc/passwd", "zone.tab",
                  "tzdata.zi", "leapseconds", "UTC\u0000", "UTC ", " UTC", "UTC\n", ":UTC", "x" * 64,
                  "x" * 5000, "'", "UTC'; --", "\u00dcTC", 1, True]),
    ("scheduleInterval", [0, 14, -15, 86401, 15.5, "15", True, 2 ** 40]),
    ("sleepEnabled", [0, 1, "false"]),
    ("sleepStart", ["", "24:00", "23:60", "7:00", "07:0", "07:00:00", "0700", "07.00", "+7:00",
                    "-1:00", "ab:cd", " 7:00", "07:00 ", "07:00\n", "\u0660\u0667:00", "07\uff1a00",
                    7, True]),
    ("sleepEnd", ["24:00", "12:60", "1:00", 0]),
]


@pytest.mark.parametrize("field, value", [(field, value) for field, values in INVALID
                                          for value in values + NO_VALUES])
def test_invalid_value(device, field, value):
    assert list(faults(device, {field: value})) == ["/" + field]


def test_what_is_said(device):
    assert faults(device, {"brightness": 101}) == {
        "/brightness": "must be an integer from 0 to 100"}
    assert faults(device, {"scheduleInterval": 1}) == {
        "/scheduleInterval": "must be an integer from 15 to 86400"}
    assert faults(device, {"name": ""}) == {"/name": "must have 1 to 25 characters, has 0"}


@pytest.mark.parametrize("body, pointers", [
    ({}, [""]), ([], [""]), ({"x": 1}, ["/x"]), ({"Name": "x"}, ["/Name"]),
    ({"sleep": {"enabled": True}}, ["/sleep"]), ({"id": "x"}, ["/id"]),
    ({"lastOnline": "2026-11-20T08:15:30.123Z"}, ["/lastOnline"]),
    ({"name": "x", "display": None}, ["/display"]), ({"": 1}, ["/"])])
def test_empty_and_unknown(device, body, pointers):
    assert list(faults(device, body)) == pointers


def test_all_faults_at_once_and_nothing_changed(device):
    found = faults(device, {"name": " ", "brightness": 101, "volume": "1", "autoDim": None,
                            "timezone": "x", "sleepEnabled": 1, "sleepStart": "24:00",
                            "sleepEnd": "1", "scheduleInterval": 14, "other": 1})
    assert set(found) == {"/name", "/brightness", "/volume", "/autoDim", "/timezone",
                          "/sleepEnabled", "/sleepStart", "/sleepEnd", "/scheduleInterval",
                          "/other"}
    assert list(faults(device, {"volume": 1, "brightness": 101})) == ["/brightness"]


@pytest.mark.parametrize("body", [b'{"name":"\\ud800"}', b'{"name":"\\udc00\\ud800"}',
                                  b'{"name":"\xff"}', b'{"name":"\xed\xa0\x80"}', b'{"name":"a',
                                  b'{"name":"a"}{}', b'{"name":"a","name":"b"}', b'{"volume":NaN}',
                                  b'{"volume":01}', b'{"volume":+1}', b'{"volume":1.}', b""])
def test_no_json(device, body):
    answer = change(device, body)
    assert "errors" not in answer.problem(400)
    assert settings(device) == DEFAULTS


def test_missing_and_foreign_devices(world, account):
    for body in ({"volume": 1}, {"volume": 101}, {}):
        for name in (UNKNOWN_ID, "nothing", "02:ff:ff:ff:ff:ff"):
            account.request("PATCH", f"/v1/devices/{name}", body=body).problem(404)
        other = world.account().device()
        for name in (other.id, other.serial, other.mac):
            account.request("PATCH", f"/v1/devices/{name}", body=body).problem(403)
        assert settings(other) == DEFAULTS
    assert account.request("PATCH", "/v1/devices", body={"volume": 1}).status == 405


def test_media_type(device):
    for kind in ("text/plain", "application/merge-patch+json", "application/jsonx", ""):
        change(device, b'{"volume":1}', fields=[("Content-Type", kind)]).problem(415)
    for kind in ("application/json", "APPLICATION/JSON; charset=utf-8", "application/json;x"):
        assert change(device, b'{"volume":1}', fields=[("Content-Type", kind)]).status == 200


# ---- text ----

@pytest.mark.parametrize("escaped", [False, True])
def test_any_legal_text_survives_byte_for_byte(world, device, escaped):
    """Every block of Unicode, 25 code points at a time."""
    points = [c for c in [*range(0x20, 0x7f), *range(0xa0, 0x500, 3), *range(0x500, 0x110000, 997),
                          0xd7ff, 0xe000, 0xfdd0, 0xfffe, 0xffff, 0x1ffff, 0x10ffff]
              if not 0xd800 <= c < 0xe000]
    with world.client() as client:
        for start in range(0, len(points), 24):
            name = "x" + "".join(map(chr, points[start:start + 24]))
            body = json.dumps({"name": name}, ensure_ascii=escaped).encode()
            answer = client.request("PATCH", device.path, body=body, key=device.account.key)
            assert answer.ok()["name"] == name
            answer.body.decode()
            shown = client.request("GET", device.path, key=device.account.key)
            assert shown.ok()["name"] == name
    stored = world.sql("SELECT convert_to(name, 'UTF8') FROM device WHERE id = %s", device.id)
    assert bytes(stored[0][0]) == name.encode()


def test_names_do_not_break_answers_or_log_lines(world, device):
    for name in ("\"},{\"id\":\"", "</script><b>", "a=b msg=\"x\"", "%s%n%d", "x\u2028\u2029",
                 "'; DROP --", "${x}", "\\u0000", "\\", "\u202e\u2066"):
        answer = change(device, {"name": name})
        assert answer.ok()["name"] == name
        assert device.account.get("/v1/devices").ok()[0]["name"] == name
        assert name not in str(answer.fields)
    for line in world.server.log().split("\n"):
        assert not line or log_fields(line), line


# ---- the panel ----

def test_brightness_reaches_a_connected_panel(world, account):
    device = account.device()
    with Panel(world.server, device) as panel:
        panel.wait_for_brightness(60)
        for value in (7, 100, 1, 0, 60):
            change(device, {"brightness": value}).ok()
            panel.wait_for_brightness(value)


def test_sleep_window_reaches_a_connected_panel(world, account):
    """The window begins and ends at the same time, so it lasts all day."""
    device = account.device()
    with Panel(world.server, device) as panel:
        panel.wait_for_brightness(60)
        change(device, {"sleepEnabled": True, "sleepStart": "12:00", "sleepEnd": "12:00"}).ok()
        panel.wait_for_brightness(0)
        change(device, {"brightness": 40}).ok()
        change(device, {"sleepEnabled": False}).ok()
        panel.wait_for_brightness(40)


def test_timezone_reaches_a_connected_panel(world, account):
    """The panel is awake in one time zone, asleep in another."""
    hour = datetime.datetime.now(datetime.timezone.utc).hour
    device = account.device(sleep_enabled=True, sleep_start_minute=(hour - 3) % 24 * 60,
                            sleep_end_minute=(hour + 4) % 24 * 60, timezone="Etc/GMT-12")
    with Panel(world.server, device) as panel:
        panel.wait_for_brightness(60)
        change(device, {"timezone": "UTC"}).ok()
        panel.wait_for_brightness(0)
        change(device, {"timezone": "Etc/GMT+11"}).ok()
        panel.wait_for_brightness(60)


def test_dimming_reaches_a_connected_panel(world, account):
    """It is night in one time zone, day in another."""
    hour = datetime.datetime.now(datetime.timezone.utc).hour

    def zone_where_it_is(wanted):
        offset = (wanted - hour + 12) % 24 - 12
        return f"Etc/GMT{-offset:+d}" if offset else "UTC"

    device = account.device(brightness=50, timezone=zone_where_it_is(1))
    with Panel(world.server, device) as panel:
        panel.wait_for_brightness(50)
        change(device, {"autoDim": True}).ok()
        panel.wait_for_brightness(15)
        change(device, {"brightness": 1}).ok()
        panel.wait_for_brightness(1)
        change(device, {"brightness": 50}).ok()
        panel.wait_for_brightness(15)
        change(device, {"timezone": zone_where_it_is(13)}).ok()
        panel.wait_for_brightness(50)


def test_schedule_interval_is_the_time_of_the_next_entry(world, account):
    device = account.device()
    for number in range(2):
        device.push(images.png(images.gradient(number)), installationId=str(number),
                    background=True).ok()
    assert device.poll()["Tronbyt-Dwell-Secs"] == "15"
    change(device, {"scheduleInterval": 120}).ok()
    for client in world.clients():
        wait_until(lambda client=client: device.poll(client)["Tronbyt-Dwell-Secs"] == "120",
                   "the new interval")
        client.close()


def test_every_worker_and_the_sleep_window_for_polling(world, account):
    device = account.device()
    clients = world.clients()
    for client in clients:
        assert device.poll(client)["Tronbyt-Brightness"] == "60"
    change(device, {"brightness": 9}).ok()
    for client in clients:
        wait_until(lambda client=client: device.poll(client)["Tronbyt-Brightness"] == "9",
                   "the new brightness")
    change(device, {"sleepEnabled": True, "sleepStart": "00:00", "sleepEnd": "00:00"}).ok()
    for client in clients:
        wait_until(lambda client=client: device.poll(client)["Tronbyt-Brightness"] == "0", "sleep")
        client.close()


# ---- what the answers say ----


@pytest.mark.parametrize("body, detail", [
    ({"brightness": 101}, "brightness must be an integer from 0 to 100"),
    ({"volume": None}, "volume must not be null, leave the field out instead"),
    ({"sleep": {"enabled": True}}, "sleep is not a known field; change its parts with "
                                   "sleepEnabled, sleepStart, sleepEnd"),
    ({"lastOnline": "2026-11-20T08:15:30.123Z"}, "lastOnline cannot be changed, leave the field out"),
    ({"timezone": "europe/zagreb"}, "timezone must be the name of a time zone, such as "
                                    "Europe/Zagreb (upper and lower case count)"),
    ({}, "the body must have at least one field to change"),
    ([], "the body must be a JSON object"),
    ({"brightness": -1, "volume": "x"}, "the body has 2 faults, see errors"),
])
def test_detail_is_the_fault(device, body, detail):
    assert change(device, body).problem(400)["detail"] == detail
