"""POST /v1/brightness and POST /v1/pin: one change of several devices."""

import pytest
from app_forms import published
from test_installation_create import install
from test_push_devices import NAMES
from world import UNKNOWN_ID, sha256


def brightness(account, devices, value=40, **options):
    return account.post("/v1/brightness", {"devices": devices, "brightness": value}, **options)


def pin(account, devices, **members):
    return account.post("/v1/pin", {"devices": devices, **members})


def results(answer):
    return [(one["status"], one.get("code")) for one in answer.ok()["devices"]]


def pinned(device):
    return [entry["installationId"] for entry in device.get("/rotation").ok()["entries"] if entry["isPinned"]]


def test_brightness(world, account):
    first, second, third = (account.device() for _ in range(3))
    assert brightness(account, [first.id, second.serial, third.mac]).ok() == {
        "devices": [{"device": name, "status": 200} for name in (first.id, second.serial, third.mac)]}
    for device in (first, second, third):
        assert device.get().ok()["brightness"] == 40
        assert device.poll()["Tronbyt-Brightness"] == "40"
    assert results(brightness(account, "all", 0)) == [(200, None)] * 3
    assert world.sql("SELECT DISTINCT brightness::int4, settings_revision FROM device WHERE account_id = %s",
                     account.id) == [(0, 3)]


def test_one_answer_for_each(world, account):
    good, foreign = account.device(), world.account().device()
    answer = brightness(account, [UNKNOWN_ID, foreign.id, "no such name", good.id])
    assert results(answer) == [(404, "device_not_found"), (403, "of_other_account"), (404, "device_not_found"),
                               (200, None)]
    assert foreign.get().ok()["brightness"] == 60 and good.get().ok()["brightness"] == 40


@pytest.mark.parametrize("value", [-1, 101, 1.5, "40", None, True])
def test_brightness_that_is_none(account, value):
    assert set(brightness(account, "all", value).faults()) == {"/brightness"}


@pytest.mark.parametrize("devices", ["", "ALL", [], {}, 1, [1], [""], [None], ["x"] * 101, None])
def test_devices_that_are_none(account, devices):
    assert brightness(account, devices).faults() == {"/devices": NAMES}
    assert pin(account, devices, app="clock").faults() == {"/devices": NAMES}


def test_members_that_are_missing(account):
    assert set(account.post("/v1/brightness", {}).faults()) == {"/devices", "/brightness"}
    assert set(account.post("/v1/pin", {}).faults()) == {"/devices", "/installationId"}
    assert set(pin(account, "all", app="x", installationId="y").faults()) == {"/installationId"}
    assert set(pin(account, "all", app="x" * 65).faults()) == {"/app"}
    for wrong in ("", "x" * 65, 1, "a\0b"):
        assert set(pin(account, "all", installationId=wrong).faults()) == {"/installationId"}
    assert results(pin(account, "all", installationId="x" * 64)) == []


def test_pin_by_id(account):
    first, second, without = (account.device() for _ in range(3))
    for device in (first, second):
        for name in ("news", "weather"):
            assert device.push(installationId=name, background=True).ok() == {}
    answer = pin(account, [first.id, without.id, second.id], installationId="weather")
    assert results(answer) == [(200, None), (404, "installation_not_found"), (200, None)]
    assert (pinned(first), pinned(second), pinned(without)) == (["weather"], ["weather"], [])
    assert results(pin(account, "all", installationId=None)) == [(200, None)] * 3
    assert pinned(first) == pinned(second) == []


def test_pin_by_app(account):
    app = published(account)
    first, second = account.device(), account.device()
    entries = [[install(device, {"app": app.id}).json()["id"] for _ in range(2)] for device in (first, second)]
    for name in (app.slug, app.id):
        assert results(pin(account, "all", app=name)) == [(200, None)] * 2
        assert [pinned(first), pinned(second)] == [entries[0][:1], entries[1][:1]]
    assert results(pin(account, [first.id], app="no-such")) == [(404, "installation_not_found")]
    assert pinned(first) == entries[0][:1]


def test_a_key_for_chosen_devices(world, account):
    chosen, other = account.device(), account.device()
    key = account.new_key("devices")
    world.sql("UPDATE api_key SET device_ids = ARRAY[%s]::uuid[] WHERE secret_hash = %s", chosen.id, sha256(key))
    assert results(brightness(account, [other.id, chosen.id], key=key)) == [(403, "key_for_other_devices"), (200, None)]
    answer = brightness(account, "all", 41, key=key)
    assert [one["device"] for one in answer.ok()["devices"]] == [chosen.id]
    brightness(account, "all", key=account.new_key("push")).problem(403)


def test_more_devices_than_all_may_be(world):
    account = world.account()
    account.devices(1001)
    assert brightness(account, "all").problem(409)["code"] == "devices_too_many"
    world.sql("DELETE FROM device WHERE id = (SELECT id FROM device WHERE account_id = %s LIMIT 1)", account.id)
    assert set(results(brightness(account, "all"))) == {(200, None)}


def test_each_device_counts_as_a_request(limited):
    account = limited.account()
    found = results(brightness(account, [account.device().id for _ in range(60)]))
    assert found[0] == (200, None) and (429, "requests_too_many") in found
