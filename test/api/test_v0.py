"""/v0: requests and expectations of programs written for the earlier API. Its answers, like those of /v1,
are checked against the API document as they arrive (world.Connection)."""

import re
import urllib.parse

import pytest
import scene
from older import IMAGE, UNTYPED, at_any_time, entries, entry, form, patch, push, shown, v0
from world import TIMESTAMP, UNKNOWN_ID, images, new_key, request_bytes, until_refused


@pytest.fixture(autouse=True)
def a_known_brightness(request):
    if "device" in request.fixturenames:
        device = request.getfixturevalue("device")
        assert device.account.request("PATCH", device.path, body={"brightness": 50}).status == 200


# ---- devices ----


def test_devices(account):
    assert account.get("/v0/devices").ok() == {"devices": []}
    devices = [account.device(name=name, brightness=50) for name in ("Desk", "Kitchen")]
    assert account.get("/v0/devices").ok() == {
        "devices": [form(devices[0]), form(devices[1], displayName="Kitchen")]}


def test_many_devices(world, account):
    """The list needs more than one read, and is sent as it is read."""
    world.sql("INSERT INTO device (id, account_id, name, link_key_hash) SELECT gen_random_uuid(), %s, "
              "'D' || n, sha256(n::text::bytea || %s::bytea) FROM generate_series(1, 250) n",
              account.id, account.id)
    ids = [device["id"] for device in account.get("/v1/devices").ok()]
    answer = account.get("/v0/devices").ok()
    assert list(answer) == ["devices"]
    assert [device["id"] for device in answer["devices"]] == ids and len(ids) == 250


@pytest.mark.parametrize("limit", [2, 120])
def test_parts_of_a_list(world, account, limit):
    world.sql("INSERT INTO device (id, account_id, name, link_key_hash) SELECT gen_random_uuid(), %s, "
              "'D' || n, sha256(n::text::bytea || %s::bytea) FROM generate_series(1, %s) n",
              account.id, account.id, limit + 1)
    first = account.get(f"/v0/devices?limit={limit}")
    assert len(first.ok()["devices"]) == limit
    link = first["Link"].split(">")[0].strip("<")
    rest = account.get(urllib.parse.urljoin("/v0/devices", link))
    assert len(rest.ok()["devices"]) == 1 and "Link" not in rest


def test_device(device):
    for name in (device.id, device.serial, device.mac, device.mac.replace(":", "").upper()):
        assert device.account.get(f"/v0/devices/{name}").ok() == form(device)
    assert device.account.get(v0(device) + "/").ok() == form(device)
    assert device.account.request("HEAD", v0(device)).status == 200


def test_change(device):
    """Both APIs show the same device, and its panel follows."""
    assert patch(device, {"brightness": 7}).ok() == form(device, brightness=7)
    assert device.poll()["Tronbyt-Brightness"] == "7"
    assert unseen(patch(device, {"autoDim": True, "displayName": "Wall"}).ok()) == form(
        device, brightness=7, autoDim=True, displayName="Wall")
    of_v1 = device.get().ok()
    assert (of_v1["name"], of_v1["brightness"], of_v1["autoDim"]) == ("Wall", 7, True)
    assert unseen(shown(device)) == form(device, brightness=7, autoDim=True, displayName="Wall")


def test_change_leaves_the_rest(device):
    before = device.get().ok()
    assert patch(device, {"brightness": 8}).status == 200
    assert device.get().ok() == before | {"brightness": 8}


# Members that owners' programs send but /v0 does not know: of /v1, and of its own answers.
UNKNOWN = [{name: value} for name, value in {
    "name": "x", "timezone": "UTC", "sleepEnabled": False, "seen": True,
    "unknown": {"a": [1]}, "a/b": [], "": 0}.items()]
UNKNOWN += [{"volume": 1, "scheduleInterval": 15}]


@pytest.mark.parametrize("body", UNKNOWN)
def test_what_is_not_known_is_named(device, body):
    """Unknown members never get 200 without effect, and known members beside them change nothing either."""
    tag = device.get()["ETag"]
    names = {"/" + name.replace("/", "~1") for name in body}
    assert set(patch(device, body).faults()) == names
    assert set(patch(device, body | {"brightness": 9}).faults()) == names
    assert set(push(device, **body).faults()) == names
    assert device.get()["ETag"].split("-")[0] == tag.split("-")[0]
    assert device.ids() == []


@pytest.mark.parametrize("empty", [None, {}])
def test_null_and_an_empty_object_are_left_out(device, empty):
    """Null and {} count as missing for every member, even an unknown one."""
    body = {"brightness": empty, "displayName": empty, "autoDim": empty, "pinnedApp": empty,
            "nightModeApp": empty, "dimModeStartTime": empty, "notes": empty}
    tag = device.get()["ETag"]
    assert patch(device, body).ok() == patch(device, {}).ok() == form(device)
    assert device.get()["ETag"].split("-")[0] == tag.split("-")[0]
    assert patch(device, body | {"brightness": 9}).ok() == form(device, brightness=9)
    assert push(device, deviceID=empty, installationID="a", installationId=empty, background=empty,
                unknown=empty).ok() == {}
    device.shows(images.png())
    other = images.png(images.gradient(3))
    assert push(device, image=images.text(other), installationID=empty, background=empty).ok() == {}
    device.shows(other)
    assert device.ids() == ["a"]
    assert push(device, image=empty).faults() == {"/image": "is required"}


def test_faults_of_a_change(device):
    faults = patch(device, {"displayName": "", "brightness": 101, "autoDim": 1}).faults()
    assert faults == {"/displayName": "must have 1 to 25 characters, has 0",
                      "/brightness": "must be an integer from 0 to 100",
                      "/autoDim": "must be true or false"}
    for value in ("50", 12.5, -1, [], {"a": 1}):
        assert list(patch(device, {"brightness": value}).faults()) == ["/brightness"]
    assert shown(device) == form(device)


def test_conditions(device):
    tag = device.account.get(v0(device))["ETag"]
    assert device.account.get(v0(device), fields=[("If-None-Match", tag)]).status == 304
    assert patch(device, {"brightness": 1}, fields=UNTYPED + [("If-Match", tag)]).status == 200
    for body in ({"brightness": 2}, {}):
        stale = patch(device, body, fields=UNTYPED + [("If-Match", tag)])
        assert stale.problem(412)
    # The revision of the settings is that of /v1.
    tag = device.get()["ETag"]
    assert patch(device, {"brightness": 3}, fields=UNTYPED + [("If-Match", tag)]).status == 200
    listed = device.account.get("/v0/devices")["ETag"]
    assert listed != device.account.get("/v1/devices")["ETag"]
    assert device.account.get("/v0/devices", fields=[("If-None-Match", listed)]).status == 304


def unseen(members):
    """The members as if the panel had never connected, after a check that it had."""
    assert TIMESTAMP.fullmatch(members["lastSeen"])
    return members | {"lastSeen": None}


NIGHT = {"enabled": False, "overrideUntil": None, "app": "", "startTime": "22:00", "endTime": "07:00", "brightness": 10}
DIM = {"enabled": True, "overrideUntil": None, "startTime": "20:15", "brightness": 20}


@pytest.mark.parametrize("body, members", [
    ({"intervalSec": 15}, {"intervalSec": 15}), ({"intervalSec": 86400}, {"intervalSec": 86400}),
    ({"brightness": 0}, {"brightness": 0}), ({"brightness": 100}, {"brightness": 100}),
    ({"nightModeEnabled": True}, {"nightMode": NIGHT | {"enabled": True}}),
    ({"nightModeStartTime": "00:00", "nightModeEndTime": "23:59"},
     {"nightMode": NIGHT | {"startTime": "00:00", "endTime": "23:59"}}),
    ({"nightModeBrightness": 0}, {"nightMode": NIGHT | {"brightness": 0}}),
    ({"nightModeBrightness": 100}, {"nightMode": NIGHT | {"brightness": 100}}),
    ({"dimModeStartTime": "20:15", "dimModeBrightness": 0}, {"dimMode": DIM | {"brightness": 0}}),
    ({"dimModeStartTime": "00:00", "dimModeBrightness": 100}, {"dimMode": DIM | {"startTime": "00:00", "brightness": 100}}),
    ({"dimModeBrightness": 7}, {"dimMode": DIM | {"enabled": False, "startTime": None, "brightness": 7}}), ({"pinnedApp": "", "nightModeApp": ""}, {}),
])
def test_changes_at_their_bounds(account, body, members):
    device = account.device(brightness=50)
    changed = at_any_time(patch(device, body).ok())
    assert changed == at_any_time(form(device, **members)) == at_any_time(shown(device))


@pytest.mark.parametrize("name, values", [
    ("intervalSec", [14, 86401, 15.5, "15", True]), ("brightness", [-1, 101]),
    ("nightModeEnabled", [1, "true", []]), ("nightModeBrightness", [-1, 101, "5"]),
    ("nightModeStartTime", ["", "24:00", "7:00", 7]), ("nightModeEndTime", ["", "07:60", []]),
    ("dimModeStartTime", ["24:00", "x", 0, []]), ("dimModeBrightness", [-1, 101, 1.5]),
    ("pinnedApp", ["none", "x" * 65, 1]), ("nightModeApp", ["none", "x" * 65, False])])
def test_wrong_changes(device, name, values):
    before = shown(device)
    for value in values:
        assert set(patch(device, {name: value, "autoDim": True}).faults()) == {f"/{name}"}, value
    assert shown(device) == before


def test_a_night_that_is_dark(account):
    device = account.device(brightness=50)
    assert push(device, installationID="moon").status == 200
    patch(device, {"nightModeEnabled": True, "nightModeStartTime": "06:00", "nightModeEndTime": "06:00",
                   "nightModeApp": "moon", "nightModeBrightness": 9}).ok()
    assert device.poll()["Tronbyt-Brightness"] == "9"
    assert patch(device, {"nightModeBrightness": 0}).ok()["nightMode"]["app"] == "moon"
    assert device.poll()["Tronbyt-Brightness"] == "0"
    assert patch(device, {"nightModeApp": ""}).ok()["nightMode"]["app"] == ""


def test_what_the_panel_told(world, device):
    world.sql("INSERT INTO panel_info (device_id, firmware_version, firmware_type, protocol_version) "
              "VALUES (%s, '1.6.6', 'ESP32', 1)", device.id)
    assert shown(device)["info"] == {"firmwareVersion": "1.6.6", "firmwareType": "ESP32", "protocolVersion": 1,
                                     "macAddress": device.mac}


FIRMWARE = {"skipDisplayVersion": True, "skipBootAnimation": True, "preferIPv6": False, "apMode": True,
            "swapColors": True, "wifiPowerSave": 2, "imageUrl": "http://example.org/", "hostname": "x",
            "sntpServer": "pool.ntp.org", "syslogAddr": "x:514"}


def test_what_has_no_counterpart(device):
    """The panel's address only shows. Settings need a panel (test/web/test_firmware_settings.py)."""
    path = v0(device, "/update_firmware_settings")
    assert list(device.account.post(path, FIRMWARE, fields=UNTYPED).faults()) == ["/imageUrl"]
    settings = {name: value for name, value in FIRMWARE.items() if name != "imageUrl"}
    assert device.account.post(path, settings, fields=UNTYPED).problem(409)
    for body in ({}, {"hostname": None}):
        assert device.account.post(path, body, fields=UNTYPED).ok() == {}
    assert device.account.post(f"/v0/devices/{UNKNOWN_ID}/update_firmware_settings", {}).problem(404)


# ---- bodies ----


def test_a_body_may_have_any_type(device):
    for path, body in ((v0(device), {"brightness": 4}), (v0(device, "/push"), {"image": IMAGE})):
        method = "PATCH" if "image" not in body else "POST"
        assert device.account.request(method, path, body=body, fields=UNTYPED).status == 200
        of_v1 = path.replace("/v0/", "/v1/")
        assert device.account.request(method, of_v1, body=body, fields=UNTYPED).problem(415)
        for fields in ([("Content-Type", "text/plain")], [("Content-Type", "")],
                       [("Content-Type", "application/x-www-form-urlencoded")],
                       [("Content-Type", "application/json")] * 2):
            assert device.account.request(method, path, body=body, fields=fields).status == 200
            assert device.account.request(method, of_v1, body=body, fields=fields).problem(415)
        coded = [("Content-Encoding", "gzip")]
        assert device.account.request(method, path, body=body, fields=coded).problem(415)
        typed = [("Content-Type", "application/json; charset=utf-8")]
        assert device.account.request(method, path, body=body, fields=typed).status == 200


@pytest.mark.parametrize("body", [b"", b"x", b"[]", b"{", b'{"image":1,"image":2}', b"{}x"])
def test_a_body_is_json(device, body):
    for method, path in (("PATCH", ""), ("POST", "/push")):
        answer = device.account.request(method, v0(device, path), body=body, fields=UNTYPED)
        assert answer.problem(400)


# ---- pushes ----


def test_temporary_image(world, device):
    """An empty ID counts as missing."""
    assert push(device).ok() == {}
    assert entries(device) == []
    device.shows(images.png())
    assert world.sql("SELECT duration_s FROM showing WHERE device_id = %s", device.id) == [(5,)]
    other = images.png(images.gradient(3))
    assert push(device, image=images.text(other), background=True).status == 200
    device.shows(other)


@pytest.mark.parametrize("members", [
    {"installationID": "weather"}, {"installationId": "weather"},
    {"installationID": "", "installationId": "weather"},
    {"installationID": "weather", "installationId": ""},
    {"installationID": "weather", "installationId": "weather"}])
def test_entry(device, members):
    assert push(device, **members).ok() == {}
    assert entries(device) == [entry("weather")]
    assert device.ids() == ["weather"]
    device.shows(images.png())


def test_in_the_background(device):
    first, second = images.png(images.gradient(1)), images.png(images.gradient(2))
    assert push(device, image=images.text(first), installationID="a").status == 200
    device.shows(first)
    assert push(device, image=images.text(second), installationID="b", background=True).status == 200
    assert device.ids() == ["a", "b"]


def test_the_path_says_which_device(account):
    one, other = account.device(), account.device()
    for named in (other.id, "", None, 7, UNKNOWN_ID, {"a": 1}):
        assert push(one, deviceID=named, installationID="x").status == 200
    assert (one.ids(), other.ids()) == (["x"], [])


@pytest.mark.parametrize("members, pointers", [
    ({"image": ""}, ["/image"]),
    ({"image": None}, ["/image"]),
    ({"image": images.text(images.png(images.solid(size=(32, 32))))}, ["/image"]),
    ({"installationID": "a/b"}, ["/installationID"]),
    ({"installationId": "."}, ["/installationId"]),
    ({"installationID": "x" * 65, "background": 1, "image": 1},
     ["/image", "/installationID", "/background"]),
    ({"installationID": 7}, ["/installationID"]),
    ({"installationID": "a", "background": "true"}, ["/background"]),
    ({"background": {"a": 1}}, ["/background"]),
    ({"duration": 10, "publish": "background"}, ["/duration", "/publish"]),
    ({"installationID": "a", "installationId": "b"}, ["/installationId"]),
])
def test_faults_of_a_push(device, members, pointers):
    assert sorted(push(device, **members).faults()) == sorted(pointers)
    assert device.ids() == []


def test_an_image_is_required(device):
    assert device.account.post(v0(device, "/push"), {}).faults() == {"/image": "is required"}


@pytest.mark.parametrize("name", ["installationID", "installationId"])
def test_faults_that_the_database_finds(world, account, name):
    """The error names the member that the caller has sent."""
    device = account.device()
    installed = scene.install(world, device, scene.app(account, f"app-{device.id}"))
    assert list(push(device, **{name: installed}).faults()) == ["/" + name]
    for number in range(99):
        world.sql("WITH touched AS (UPDATE device SET generation = generation + 1 WHERE id = %s "
                  "RETURNING id, generation) INSERT INTO installation (device_id, id, position, "
                  "picture, picture_generation) SELECT id, %s, generation, %s, generation "
                  "FROM touched", device.id, f"e{number}", images.webp(images.solid()))
    assert push(device, **{name: "one-more"}).faults() == {
        "/" + name: "is one too many: the device already has 100 entries"}
    of_v1 = device.push(installationId="one-more").faults()
    assert of_v1 == {"/installationId": "is one too many: the device already has 100 entries"}


# ---- as programs write it ----


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("scheme", ["", "Bearer ", "bearer  "])
def test_keys_and_paths(device, scheme, slash):
    def ask(method, path, body=None):
        return device.account.request(method, path + slash, body=body, key=None, fields=[
            ("Authorization", scheme + device.account.key), *UNTYPED])

    assert ask("GET", "/v0/devices").ok() == {"devices": [shown(device)]}
    assert ask("HEAD", "/v0/devices").status == 200
    assert ask("GET", v0(device)).status == 200
    assert ask("PATCH", v0(device), {"brightness": 5}).ok()["brightness"] == 5
    assert ask("POST", v0(device, "/push"), {"image": IMAGE, "installationID": "a"}).ok() == {}
    assert ask("GET", v0(device, "/installations")).ok()["installations"]
    assert ask("GET", v0(device, "/installations/a")).ok()["id"] == "a"
    assert ask("PATCH", v0(device, "/installations/a"), {"enabled": False}).ok()["enabled"] is False
    assert ask("GET", v0(device, "/installations/a/preview")).status == 200
    assert ask("DELETE", v0(device, "/installations/a"), {}).ok() == {}
    assert ask("GET", "/v1/devices").status == (200 if scheme else 401)


def test_a_bare_key_may_be_wrong(device):
    def ask(value):
        return device.account.get("/v0/devices", key=None, fields=[("Authorization", value)])

    for value in (new_key(), "x", device.link_key):
        assert 'error="invalid_token"' in ask(value)["WWW-Authenticate"]
    for value in ("", "Basic " + device.account.key, "Bearer", device.account.key + " x"):
        assert ask(value).problem(401)


# ---- who may ----

REQUESTS = [("GET", "", None), ("PATCH", "", {"brightness": 1}), ("GET", "/installations", None),
            ("POST", "/push", {"image": IMAGE}), ("DELETE", "/installations/x", None),
            ("GET", "/installations/x", None), ("PATCH", "/installations/x", {"enabled": False}),
            ("GET", "/installations/x/preview", None)]


@pytest.mark.parametrize("method, path, body", REQUESTS)
def test_refusals(world, device, method, path, body):
    def ask(target, **options):
        return device.account.request(method, target + path, body=body, fields=UNTYPED, **options)

    assert ask(v0(device), key=None).problem(401)
    assert ask(v0(device), key=new_key()).problem(401)
    assert ask(v0(device), key=device.link_key).problem(401)
    answer = device.account.request(method, f"{v0(device, path)}?key={device.account.key}",
                                    body=body, fields=UNTYPED, key=None)
    assert answer.problem(401)
    assert ask(v0(device), key=world.account().key).problem(403)
    assert ask("/v0/devices/" + UNKNOWN_ID).problem(404)
    assert ask("/v0/devices/" + UNKNOWN_ID, key=None).problem(401)
    assert device.get().ok()["brightness"] == 50


def test_what_v0_has_not(device):
    for path in ("/v0", "/v0/account", "/v0/apps", f"{v0(device)}/installations/x/y"):
        assert device.account.get(path).problem(404)
    for method, path, allow in (("POST", v0(device), "GET, HEAD, PATCH"),
                                ("GET", v0(device, "/push"), "POST"),
                                ("POST", v0(device, "/installations/x"), "GET, HEAD, PATCH, DELETE")):
        answer = device.account.request(method, path, body={})
        assert answer.problem(405) and answer["Allow"] == allow


# ---- limits ----


def until_v0_refuses(account, ask_v0, at_once=1):
    refused = until_refused(lambda: ask_v0(account), at_once)[-1]
    assert refused.problem(429) and "Retry-After" in refused
    assert "RateLimit" in refused and "RateLimit-Policy" in refused


def test_a_key_has_one_limit(limited):
    """With separate buckets, the first request of /v1 would always succeed."""
    def is_refused_by_both(account):
        until_v0_refuses(account, lambda account: account.get("/v0/devices"))
        return account.get("/v1/devices").status == 429

    assert any(is_refused_by_both(limited.account()) for _ in range(20))


def test_a_device_has_one_limit_of_pushes(start):
    """With separate buckets, the first push of /v1 would always leave 39 of 40."""
    def is_used_up_by_v0(device):
        until_v0_refuses(device, push, 8)
        answer = device.push()
        return answer.status == 429 or int(re.search(r'"push";r=(\d+)', answer["RateLimit"])[1]) < 30

    world = start(rate_limit=100000)
    assert any(is_used_up_by_v0(world.account().device()) for _ in range(20))


def test_size(device):
    target = v0(device, "/push")
    with device.account.world.client() as client:
        client.send(request_bytes("POST", target, b"", key=device.account.key,
                                  fields=[("Content-Length", str(1024 * 1024 + 1))]))
        assert client.answer("POST").problem(413)
