"""Entries are copied to other devices or within one, and moved to the ends of their rotation."""

from concurrent.futures import ThreadPoolExecutor

import images
import psycopg2
import pytest
from app_forms import ALL, published, renders
from test_installation_details import Entry
from test_installation_create import install
from test_locked_rows import lock_waiters
from world import UNKNOWN_ID, sha256, wait_until


def copy(device, entry, target=None, **options):
    body = {} if target is None else {"device": target}
    return device.account.post(f"{device.path}/installations/{entry}/copy", body, **options)


def copied(device, entry, target=None):
    """Returns the copy, the last entry of the target."""
    to = target or device
    answer = copy(device, entry, target and target.id)
    assert answer.status == 201, answer
    assert to.installations()[-1] == answer.json()
    return Entry(to, answer.json()["id"])


def move(device, entry, to):
    return device.account.post(f"{device.path}/installations/{entry}/move", {"to": to})


def options_of(entry):
    shown = entry.get()
    return {name: shown[name] for name in shown if name not in ("id", "createdAt", "isPinned")}


@pytest.fixture
def weather(device):
    assert device.push(images.png(images.solid((9, 0, 0))), installationId="weather").ok() == {}
    entry = Entry(device, "weather")
    entry.patch({"name": "Rain", "displaySeconds": 40, "hours": {"start": "07:00", "end": "09:00"},
                 "weekdays": ["friday"], "isPinned": True}).ok()
    return entry


def test_a_pushed_image(account, device, weather):
    other = account.device()
    to_other = copied(device, "weather", other)
    first, second = copied(device, "weather"), copied(device, "weather")
    assert (to_other.id, first.id, second.id) == ("weather", "weather-2", "weather-3")
    for entry in (to_other, first, second):
        assert options_of(entry) == options_of(weather)
        assert not entry.get()["isPinned"]
    assert weather.get()["isPinned"]
    days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    to_other.patch({"hours": None, "weekdays": days}).ok()
    other.shows(images.png(images.solid((9, 0, 0))))


def test_a_copy_ends_with_its_image(world, account, device):
    assert device.push(installationId="soon", expiresIn=600).ok() == {}
    ends = Entry(device, "soon").get()["expiresAt"]
    other = account.device()
    entry = copied(device, "soon", other)
    assert entry.get()["expiresAt"] == ends
    world.sql("UPDATE installation SET expires_at = present_time() WHERE device_id = %s", device.id)
    copy(device, "soon", other.id).problem(404)


def test_long_names(device):
    name = "é" * 64
    assert device.push(installationId=name).ok() == {}
    path = "%C3%A9" * 64
    assert copy(device, path).json()["id"] == "é" * 62 + "-2"
    assert copy(device, path).json()["id"] == "é" * 62 + "-3"


@renders
def test_settings_and_secrets(world, account, device):
    app = published(account, ALL)
    body = {"app": app.id, "settings": {"text": "a", "key": "secret-one"}}
    entry = Entry(device, install(device, body).json()["id"])
    other = account.device()
    for made in (copied(device, entry.id, other), copied(device, entry.id)):
        shown = made.get()
        assert (shown["settings"], shown["secrets"], shown["app"]["id"]) == ({"text": "a"}, ["key"], app.id)
        assert shown["id"] != entry.id
        made.patch({"settings": {"text": "b"}}).ok()  # the secret can be decrypted: it stays
        assert made.get()["secrets"] == ["key"]
    assert entry.get()["settings"] == {"text": "a"}
    rows = world.sql("SELECT settings::text, secret_settings FROM installation WHERE app_id = %s", app.id)
    assert len({bytes(row[1]) for row in rows}) == 3 and "secret-one" not in repr(rows)


@renders
def test_a_secret_that_cannot_be_read(world, account, device):
    app = published(account, ALL)
    entry = install(device, {"app": app.id, "settings": {"key": "secret-two"}}).json()["id"]
    world.sql("UPDATE installation SET secret_settings = 'x' WHERE device_id = %s", device.id)
    assert copy(device, entry).problem(409)["code"] == "secret_unreadable"
    assert device.ids() == [entry]


def test_the_same_app_and_picture(world, account, device):
    app = published(account)
    entry = install(device, {"app": app.id}).json()["id"]
    twin = copied(device, entry)
    assert world.sql("SELECT count(DISTINCT place) FROM installation WHERE device_id = %s", device.id) == [(1,)]
    world.sql("UPDATE app SET status = 'disabled' WHERE id = %s", app.id)
    assert copy(device, twin.id).problem(404)["code"] == "app_not_found"


def test_what_does_not_exist(world, account, device, weather):
    foreign = world.account().device()
    assert copy(device, "none").problem(404)["code"] == "installation_not_found"
    for name in (UNKNOWN_ID, "no such name", foreign.serial + "x"):
        assert copy(device, "weather", name).problem(404)["code"] == "device_not_found"
    assert copy(device, "weather", foreign.id).problem(403)["code"] == "of_other_account"
    copy(foreign, "weather", key=account.key).problem(403)
    assert foreign.installations() == [] and device.ids() == ["weather"]


@pytest.mark.parametrize("body, pointers", [
    ({"device": ""}, {"/device"}), ({"device": "x" * 65}, {"/device"}), ({"device": 1}, {"/device"}),
    ({"device": None}, {"/device"}), ({"to": "x"}, {"/to"})])
def test_wrong_bodies(device, weather, body, pointers):
    assert set(device.account.post(f"{device.path}/installations/{weather.id}/copy", body).faults()) == pointers


def test_by_each_kind_of_name(account, device, weather):
    other = account.device()
    for name in (other.id, other.serial, other.mac, device.serial):
        assert copy(device, weather.id, name).status == 201
    assert [len(one.ids()) for one in (other, device)] == [3, 2]


def test_a_limited_key_needs_both(world, account, device, weather):
    other, third = account.device(), account.device()
    key = account.new_key("devices")
    world.sql("UPDATE api_key SET device_ids = ARRAY[%s, %s]::uuid[] WHERE secret_hash = %s",
              *sorted((device.id, other.id)), sha256(key))
    assert copy(device, weather.id, other.id, key=key).status == 201
    assert copy(device, weather.id, third.id, key=key).problem(403)["code"] == "key_for_other_devices"
    copy(third, weather.id, device.id, key=key).problem(403)
    copy(device, weather.id, key=account.new_key("push")).problem(403)
    assert third.installations() == []


def test_a_full_device(world, account, device, weather):
    full = account.device()
    world.sql("INSERT INTO installation (device_id, id, position, picture, expires_at) SELECT %s, 'e' || n, n, 'x', "
              "CASE WHEN n = 1 THEN present_time() END FROM generate_series(1, 100) AS n", full.id)
    world.sql("UPDATE device SET generation = 100 WHERE id = %s", full.id)
    assert copy(device, weather.id, full.id).status == 201  # the expired one made room
    assert copy(device, weather.id, full.id).problem(409)["code"] == "entries_too_many"


def test_a_board_that_takes_less(world, account, device):
    small = account.device(picture_limit_bytes=60000)
    for number, (name, size) in enumerate((("large", 60001), ("fits", 60000)), 1):
        world.sql("INSERT INTO installation (device_id, id, position, picture) VALUES (%s, %s, %s, %s)",
                  device.id, name, number, b"x" * size)
    assert copy(device, "large", small.id).problem(400)["code"] == "picture_too_large"
    assert copy(device, "fits", small.id).status == 201


def test_an_account_without_room(world, account, device, weather):
    used, = world.sql("SELECT sum(length(picture)) FROM installation WHERE device_id = %s", device.id)[0]
    world.sql("UPDATE account SET byte_limit = %s WHERE id = %s", 2 * used, account.id)
    assert copy(device, weather.id).status == 201
    problem = copy(device, weather.id).problem(409)
    assert problem["code"] == "bytes_too_many"
    assert device.ids() == ["weather", "weather-2"]


def test_moves(device):
    for name in "abcd":
        assert device.push(installationId=name, background=True).ok() == {}
    for entry, to, order in (("c", "top", "cabd"), ("a", "bottom", "cbda"), ("a", "bottom", "cbda"),
                             ("c", "top", "cbda"), ("d", "top", "dcba"), ("d", "bottom", "cbad")):
        assert move(device, entry, to).ok() == {}
        assert device.ids() == list(order)
    assert device.push(installationId="e", background=True).ok() == {}
    assert device.ids() == list("cbade")
    assert move(device, "none", "top").problem(404)["code"] == "installation_not_found"
    for to in ("", "Top", "middle", None, 1):
        assert set(move(device, "a", to).faults()) == {"/to"}
    assert device.ids() == list("cbade")


def test_a_move_that_waits_for_a_new_entry(world, device):
    """An entry that is added while the move waits for its device does not come before the one that was moved to the
    top."""
    for name in "ab":
        assert device.push(installationId=name, background=True).ok() == {}
    connection = psycopg2.connect(world.database)
    with ThreadPoolExecutor(1) as pool, connection.cursor() as cursor:
        cursor.execute("UPDATE device SET generation = generation + 1 WHERE id = %s RETURNING generation", [device.id])
        cursor.execute("INSERT INTO installation (device_id, id, position, picture) VALUES (%s, 'new', %s, 'x')",
                       [device.id, cursor.fetchone()[0]])
        waiting = pool.submit(move, device, "b", "top")
        wait_until(lambda: lock_waiters(world) > 0, "a move that waits")
        connection.commit()
    connection.close()
    assert waiting.result().ok() == {}
    assert device.ids() == ["b", "a", "new"]
