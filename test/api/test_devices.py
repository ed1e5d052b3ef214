"""Reading the account and its devices: shapes, the forms of deviceId, paths and methods."""

import datetime
import uuid

import psycopg2
import pytest
from world import TIMESTAMP, UNKNOWN_ID, new_key

PATHS = ["/v1/account", "/v1/devices", "/v1/devices/{}", "/v1/devices/{}/installations"]


def test_account(account):
    members = account.get("/v1/account/").ok()
    assert set(members) == {"email", "createdAt"}
    assert members["email"] == account.email
    assert TIMESTAMP.fullmatch(members["createdAt"])


def test_device(device):
    members = device.get().ok()
    assert TIMESTAMP.fullmatch(members.pop("lastOnline"))
    assert members == {
        "id": device.id, "name": "Desk", "brightness": 60, "volume": 50, "autoDim": False,
        "timezone": "UTC", "scheduleInterval": 15,
        "sleep": {"enabled": False, "start": "22:00", "end": "07:00"},
    }


def test_settings_are_shown(account):
    device = account.device(name="K\u00fcche \"1\" \\ \U0001f4a1", brightness=0, volume=100,
                            auto_dim=True, timezone="Europe/Zagreb", schedule_interval_s=86400,
                            sleep_enabled=True, sleep_start_minute=0, sleep_end_minute=1439)
    members = device.get().ok()
    assert members["name"] == "K\u00fcche \"1\" \\ \U0001f4a1"
    assert (members["brightness"], members["volume"], members["autoDim"]) == (0, 100, True)
    assert (members["timezone"], members["scheduleInterval"]) == ("Europe/Zagreb", 86400)
    assert members["sleep"] == {"enabled": True, "start": "00:00", "end": "23:59"}


def test_timestamps_have_three_digits(world, account):
    device = account.device()
    for text, shown in (("2025-11-20 08:15:30+00", "2025-11-20T08:15:30.000Z"),
                        ("2025-11-20 08:15:30.0099+00", "2025-11-20T08:15:30.009Z"),
                        ("2025-11-20 23:59:59.999999+02", "2025-11-20T21:59:59.999Z"),
                        ("1999-12-31 23:59:59.5+00", "1999-12-31T23:59:59.500Z")):
        world.sql("UPDATE device SET last_online_at = %s WHERE id = %s", text, device.id)
        assert device.get().ok()["lastOnline"] == shown


def test_list_is_bare_and_oldest_first(world, account):
    assert account.get("/v1/devices").ok() == []
    devices = [account.device(name=str(n)) for n in range(5)]
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    for place in (3, 1, 4, 0, 2):
        world.sql("UPDATE device SET created_at = %s WHERE id = %s",
                  start + datetime.timedelta(seconds=place), devices[place].id)
    listed = account.get("/v1/devices").ok()
    assert [entry["id"] for entry in listed] == [device.id for device in devices]
    assert listed[2] == devices[2].get().ok()


def test_list_holds_own_devices_only(world, account, device):
    world.account().device()
    assert [entry["id"] for entry in account.get("/v1/devices").ok()] == [device.id]


# ---- forms of deviceId ----

def forms(device):
    digits = device.mac.replace(":", "")
    pairs = device.mac.split(":")
    yield from (device.id, device.id.upper(), device.serial, device.mac, device.mac.upper(),
                "-".join(pairs), "-".join(pairs).upper(), digits, digits.upper())


@pytest.mark.parametrize("number", range(9))
def test_form_of_device_id(account, number):
    device = account.device(mac="02:ab:cd:ef:%02x:%02x" % (number, hash(account.id) % 256))
    name = list(forms(device))[number]
    assert account.get(f"/v1/devices/{name}").ok()["id"] == device.id
    assert account.get(f"/v1/devices/{name}/installations").ok() == []
    assert account.post(f"/v1/devices/{name}/push", {}).faults() == {"/image": "is required"}


def test_percent_encoding_is_decoded_once(account, device):
    encoded = "".join(f"%{ord(c):02x}" for c in device.serial)
    assert account.get(f"/v1/devices/{encoded}").ok()["id"] == device.id
    assert account.get(f"/v1/devices/{device.mac.replace(':', '%3A')}").ok()["id"] == device.id
    assert account.get(f"/v1/devices/{device.mac.replace(':', '%3a')}").ok()["id"] == device.id
    assert account.get("/v1/devices/" + encoded.replace("%", "%25")).status == 404


@pytest.mark.parametrize("name", [
    "%00", "x%00", "%2F", "a%2fb", "%zz", "%", "%4", "%f", "a%", "%ff", "%c3", "%c0%80",
    "%ed%a0%80", "%f5%80%80%80", "%e2%82", "..", "%2e%2e", "%5c",
])
def test_segment_that_is_none(world, account, device, name):
    for key in (account.key, None):
        for target in (f"/v1/devices/{name}", f"/v1/devices/{name}/installations"):
            answer = world.get(target, key=key)
            # Names that do not decode to text match no route, with or without a key.
            assert answer.status == (404 if key else answer.status)
            assert answer.status in (404, 401)
    if name.startswith("%") and name not in ("%5c", "%2e%2e"):
        world.get(f"/v1/devices/{name}").problem(404)
    account.request("DELETE", f"{device.path}/installations/{name}").problem(404)


@pytest.mark.parametrize("name", [
    UNKNOWN_ID, "nothing", "0123456789ab", "02:00:00:00:00:0", "02:00:00-00:00:01", "a" * 32,
    "a" * 33, "a" * 4000, "%20", "a%20b", "a.b", "%c3%a9", "{deviceId}", "*",
    "{" + UNKNOWN_ID + "}", UNKNOWN_ID.replace("-", ""), "02:ff:ff:ff:ff:ff",
])
def test_device_that_does_not_exist(account, name):
    assert account.get(f"/v1/devices/{name}").problem(404)["detail"] == "there is no such device"
    account.get(f"/v1/devices/{name}/installations").problem(404)
    account.request("DELETE", f"/v1/devices/{name}/installations/x").problem(404)
    account.post(f"/v1/devices/{name}/push", {"image": ""}).problem(404)


def test_device_of_another_account(world, account):
    other = world.account().device()
    for name in forms(other):
        account.get(f"/v1/devices/{name}").problem(403)
        account.get(f"/v1/devices/{name}/installations").problem(403)
        account.request("DELETE", f"/v1/devices/{name}/installations/x").problem(403)
        account.post(f"/v1/devices/{name}/push", {"image": ""}).problem(403)


def test_devices_of_two_accounts_with_the_same_numbers(world, account):
    """Each caller gets its own device, and each panel that of its key."""
    mine = account.device()
    theirs = world.account().device(serial=mine.serial, mac=mine.mac)
    for device in (mine, theirs):
        for name in list(forms(device))[2:]:
            assert device.account.get(f"/v1/devices/{name}").ok()["id"] == device.id
            path = f"/v1/devices/{name}"
            device.account.request("PATCH", path, body={"name": device.id[:20]}).ok()
            assert world.get(f"/d/{name}/next?key={device.link_key}").status == 200
            assert world.get(f"/d/{name}/next?key={'x' * 24}").status == 404
        assert device.get().ok()["name"] == device.id[:20]
    stranger = world.account()
    for name in list(forms(mine))[2:]:
        stranger.get(f"/v1/devices/{name}").problem(403)
    world.sql("DELETE FROM device WHERE id = %s", mine.id)
    account.get(f"/v1/devices/{mine.mac}").problem(403)
    assert theirs.account.get(f"/v1/devices/{mine.mac}").ok()["id"] == theirs.id


def test_an_account_has_a_number_once(account, device):
    for column in ("serial", "mac"):
        with pytest.raises(psycopg2.errors.UniqueViolation, match=f"device_{column}_unique"):
            account.device(**{column: getattr(device, column)})


def test_a_told_address_finds_a_device_of_its_account_only(world, account):
    """Panels of other accounts may report the same address. A device registered with it takes precedence."""
    mac = "02:77:00:00:%02x:%02x" % tuple(uuid.uuid4().bytes[:2])
    other, third = world.account(), world.account()
    older, mine, theirs = account.device(), account.device(), other.device()
    for device in (older, mine, theirs):
        world.sql("UPDATE device SET told_mac = %s, last_online_at = now() - interval '1 day' "
                  "WHERE id = %s", mac, device.id)
    world.sql("UPDATE device SET last_online_at = now() WHERE id = %s", mine.id)
    assert account.get(f"/v1/devices/{mac}").ok()["id"] == mine.id
    assert other.get(f"/v1/devices/{mac}").ok()["id"] == theirs.id
    third.get(f"/v1/devices/{mac}").problem(404)
    registered = account.device(mac=mac)
    assert account.get(f"/v1/devices/{mac}").ok()["id"] == registered.id
    assert other.get(f"/v1/devices/{mac}").ok()["id"] == theirs.id
    third.get(f"/v1/devices/{mac}").problem(403)


def test_serial_is_exact(account, device):
    assert account.get(f"/v1/devices/{device.serial.lower()}").status == 404


# ---- paths and methods ----

@pytest.mark.parametrize("path", PATHS)
def test_trailing_slash_makes_no_difference(account, device, path):
    path = path.format(device.id)
    assert account.get(path).ok() == account.get(path + "/").ok()
    assert account.get(path + "//").status == 404


@pytest.mark.parametrize("path", ["/v1//devices", "//v1/devices", "/v1/devices//installations",
                                  "/v1/./devices", "/v1/devices/../devices", "/V1/devices",
                                  "/v1/Devices", "/v1", "/v2/devices", "/v1/account/x"])
def test_paths_are_exact(account, path):
    account.get(path).problem(404)


def test_query_is_ignored(account, device):
    assert account.get(device.path + "?a=b&%zz&=").ok()["id"] == device.id


@pytest.mark.parametrize("path", PATHS + ["/livez", "/readyz", "/v1/devices/" + UNKNOWN_ID])
def test_head_is_get_without_a_body(world, account, device, path):
    path = path.format(device.id)
    with world.client() as client:
        get = client.request("GET", path, key=account.key)
        head = client.request("HEAD", path, key=account.key)
    changing = {"Date", "X-Request-Id"}
    assert head.status == get.status and head.body == b""
    assert ([field for field in head.fields if field[0] not in changing]
            == [field for field in get.fields if field[0] not in changing])


@pytest.mark.parametrize("method, path, allow", [
    ("POST", "/v1/account/", "GET, HEAD"), ("DELETE", "/v1/devices", "GET, HEAD"),
    ("POST", "/v1/devices/{}", "GET, HEAD"), ("PUT", "/v1/devices/{}/installations", "GET, HEAD"),
    ("POST", "/v1/devices/{}/installations/x", "GET, HEAD, PATCH, DELETE"), ("GET", "/v1/devices/{}/push", "POST"),
    ("HEAD", "/v1/devices/{}/push", "POST"),
    ("POST", "/livez", "GET, HEAD"), ("TRACE", "/readyz", "GET, HEAD"),
])
def test_method_not_allowed(world, device, method, path, allow):
    """The method is checked before the key, so the answer needs none."""
    for key in (None, new_key()):
        answer = world.request(method, path.format(device.id), key=key)
        assert answer.status == 405
        assert set(allow.split(", ")) <= set(answer["Allow"].split(", "))
        assert method not in answer["Allow"].split(", ")
        if method != "HEAD":
            assert answer["Allow"] in answer.problem(405)["detail"]


@pytest.mark.parametrize("path, allow", [
    ("/v1/account/", "GET, HEAD"), ("/v1/devices/{}", "GET, HEAD, PATCH"), ("/readyz", "GET, HEAD"),
    ("/v1/devices/{}/push", "POST"), ("*", "GET, HEAD, POST, PUT, PATCH, DELETE")])
def test_options(world, device, path, allow):
    """The method is checked before the key, so anybody gets the answer."""
    answer = world.request("OPTIONS", path.format(device.id))
    assert (answer.status, answer["Allow"], answer.body) == (204, allow, b"")
    assert "Content-Length" not in answer
    world.request("OPTIONS", "/v1/nothing").problem(404)


def test_body_of_a_get_is_passed_over(world, account):
    with world.client() as client:
        answer = client.request("GET", "/v1/devices", key=account.key, body=b"{not json")
        assert answer.ok() == []
        assert client.request("GET", "/v1/devices", key=account.key).ok() == []


# ---- lastOnline ----

def test_last_online_is_never_in_the_future(world, account):
    device = account.device()
    world.sql("UPDATE device SET last_online_at = '2136-01-01 00:00:00+00' WHERE id = %s",
              device.id)
    now = datetime.datetime.now(datetime.timezone.utc)
    for members in (device.get().ok(), account.get("/v1/devices").ok()[-1]):
        shown = datetime.datetime.fromisoformat(members["lastOnline"].replace("Z", "+00:00"))
        assert abs(shown - now) < datetime.timedelta(minutes=10)


def test_last_online_follows_polling(world, account):
    device = account.device()
    world.sql("UPDATE device SET last_online_at = '2020-01-01 00:00:00+00' WHERE id = %s",
              device.id)
    assert device.get().ok()["lastOnline"] == "2020-01-01T00:00:00.000Z"
    before = datetime.datetime.now(datetime.timezone.utc)
    assert device.poll().status == 200
    # Times are written in batches within a minute, so check after the server has ended, see test_crashes.py.
    shown = datetime.datetime.fromisoformat(device.get().ok()["lastOnline"].replace("Z", "+00:00"))
    assert shown.year == 2020 or shown >= before - datetime.timedelta(seconds=1)
