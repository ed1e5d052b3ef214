"""POST /v1/push: one image to several devices."""

import os
import sys
import uuid

import pytest
from world import UNKNOWN_ID, images, sha256

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "main"))
from scrape import Scrape  # noqa: E402  pylint: disable=wrong-import-position

NAMES = 'must be "all", or an array of 1 to 100 IDs, serial numbers or MAC addresses'


def push(account, devices, image=None, **members):
    body = {"image": images.text(image or images.png()), "devices": devices, **members}
    return account.post("/v1/push", body)


def answers(account, devices, *arguments, **members):
    """Answers without the times since which panels are offline."""
    found = push(account, devices, *arguments, **members).ok()["devices"]
    return [{**one, **({"shown": one["shown"].split(";")[0]} if "shown" in one else {})} for one in found]


def test_by_each_kind_of_name(account):
    first, second, third = (account.device() for _ in range(3))
    picture = images.png(images.solid((5, 6, 7)))
    named = [first.id, second.serial, third.mac]
    assert answers(account, named, picture) == [
        {"device": name, "status": 200, "shown": "never"} for name in named]
    for device in (first, second, third):
        device.shows(picture)


def test_an_entry_of_each(account):
    devices = [account.device() for _ in range(3)]
    found = answers(account, [device.id for device in devices], installationId="weather", background=True)
    assert [one["status"] for one in found] == [200] * 3
    assert {one["shown"] for one in found} == {"never"}
    assert [device.ids() for device in devices] == [["weather"]] * 3


def test_all(account):
    devices = {account.device().id for _ in range(4)}
    found = answers(account, "all", hold=True)
    assert {one["device"] for one in found} == devices
    assert {one["status"] for one in found} == {200}


def test_all_of_none(world):
    assert answers(world.account(), "all") == []


def test_one_answer_for_each(world, account):
    """An error of one device does not affect the others."""
    good, last = account.device(), account.device()
    dark = account.device(brightness=0)
    foreign = world.account().device()
    found = answers(account, [good.id, UNKNOWN_ID, foreign.id, "no such name", dark.id, foreign.serial, last.id])
    assert found == [
        {"device": good.id, "status": 200, "shown": "never"},
        {"device": UNKNOWN_ID, "status": 404, "code": "device_not_found", "detail": "there is no such device"},
        {"device": foreign.id, "status": 403, "code": "of_other_account", "detail": "the device belongs to another account"},
        {"device": "no such name", "status": 404, "code": "device_not_found", "detail": "there is no such device"},
        {"device": dark.id, "status": 200, "shown": "dark"},
        {"device": foreign.serial, "status": 403, "code": "of_other_account", "detail": "the device belongs to another account"},
        {"device": last.id, "status": 200, "shown": "never"}]
    assert world.sql("SELECT count(*) FROM showing WHERE device_id IN (%s, %s, %s)",
                     good.id, dark.id, last.id) == [(3,)]
    assert world.sql("SELECT count(*) FROM showing WHERE device_id = %s", foreign.id) == [(0,)]


def test_a_full_device(world, account):
    full, other = account.device(), account.device()
    for number in range(100):
        assert full.push(installationId=f"e{number}", background=True).ok() == {}
    assert answers(account, [full.id, other.id], installationId="new", background=True) == [
        {"device": full.id, "status": 400, "code": "device_full",
         "detail": "installationId is one too many: the device already has 100 entries"},
        {"device": other.id, "status": 200, "shown": "never"}]
    assert other.ids() == ["new"] and len(full.ids()) == 100


def test_the_ID_of_an_app_on_one(world, account):
    with_app, other = account.device(), account.device()
    app_id = str(uuid.uuid4())
    world.sql("INSERT INTO app (id, account_id, slug, name) VALUES (%s, %s, %s, 'App')",
              app_id, account.id, "app-" + app_id[:8])
    world.sql("INSERT INTO installation (device_id, id, app_id, position, settings_hash) "
              "VALUES (%s, 'x', %s, 1, %s)", with_app.id, app_id, sha256("{}"))
    assert answers(account, [with_app.id, other.id], installationId="x") == [
        {"device": with_app.id, "status": 400, "code": "installation_id_of_app",
         "detail": "installationId is the ID of an app's installation on this device"},
        {"device": other.id, "status": 200, "shown": "never"}]


def test_a_key_for_chosen_devices(world, account):
    chosen, other = account.device(), account.device()
    key = account.new_key("push")
    world.sql("UPDATE api_key SET device_ids = ARRAY[%s]::uuid[] WHERE secret_hash = %s", chosen.id, sha256(key))
    image = images.text(images.png())
    named = account.post("/v1/push", {"image": image, "devices": [other.id, chosen.id]}, key=key).ok()["devices"]
    assert [(one["device"], one["status"]) for one in named] == [(other.id, 403), (chosen.id, 200)]
    assert named[0]["detail"] == "the API key is for other devices of the account"
    every = account.post("/v1/push", {"image": image, "devices": "all"}, key=key).ok()["devices"]
    assert [one["device"] for one in every] == [chosen.id]


@pytest.mark.parametrize("devices", ["", "ALL", [], {}, 1, True, [1], [""], [None], ["x"] * 101])
def test_devices_that_are_none(account, devices):
    assert push(account, devices).faults() == {"/devices": NAMES}


def test_devices_are_required(account):
    body = {"image": images.text(images.png())}
    assert account.post("/v1/push", body).faults() == {"/devices": "is required"}
    assert account.post("/v1/push", {**body, "devices": None}).faults() == {"/devices": NAMES}


def test_bounds_of_the_list(account):
    device = account.device()
    assert [one["status"] for one in answers(account, ["x"] * 99 + [device.id])] == [404] * 99 + [200]


def test_all_faults_at_once(account):
    assert set(push(account, [], hold=True, duration=5, wake=1, expiresIn=60).faults()) == {
        "/devices", "/duration", "/wake", "/expiresIn"}


def test_an_image_that_is_none(account):
    device = account.device()
    answer = account.post("/v1/push", {"image": images.text(b"no image"), "devices": [device.id]})
    assert "/image" in answer.faults()
    assert device.poll().status == 200


def test_more_devices_than_all_may_be(world):
    account = world.account()
    account.devices(1001)
    detail = push(account, "all").problem(409)["detail"]
    assert detail == "the account has more than 1000 devices; choose up to 100 of them with devices"
    world.sql("DELETE FROM device WHERE id = (SELECT id FROM device WHERE account_id = %s LIMIT 1)", account.id)
    found = answers(account, "all")
    assert len(found) == 1000 and {one["status"] for one in found} == {200}


def test_each_device_counts_as_a_request(limited):
    """The key has two requests: the first device uses up one of them, the second device the other."""
    account = limited.account()
    devices = [account.device().id for _ in range(60)]
    found = answers(account, devices)
    refused = [one for one in found if one["status"] == 429]
    assert found[0]["status"] == 200 and refused
    assert {one["detail"] for one in refused} == {"too many pushes"}
    assert all(one["retryAfter"] >= 1 for one in refused)


def test_other_accounts_learn_nothing(world, account):
    foreign = world.account().device()
    assert answers(account, "all") == []
    assert world.sql("SELECT count(*) FROM showing WHERE device_id = %s", foreign.id) == [(0,)]


def test_the_image_is_converted_once(start):
    world = start("--admin-listen", "127.0.0.1:0")
    account, scrape = world.account(), Scrape(world.server)
    devices = [account.device().id for _ in range(10)]
    with (scrape.grows("displayd_pushes_total", by=10, result="stored"),
          scrape.grows("displayd_image_conversion_seconds_count")):
        assert [one["status"] for one in answers(account, devices)] == [200] * 10
