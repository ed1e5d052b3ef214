"""A device's own key at /v0 works only if its owner allows that, only for this device, and only for three calls."""

import pytest
from older import IMAGE, UNTYPED, entries, v0
from world import images, random_base62, until_refused


@pytest.fixture
def open_device(world, device):
    """A device whose owner allows its own key."""
    allow(world, device)
    return device


def allow(world, device, is_allowed=True):
    world.sql("UPDATE device SET allows_own_key = %s WHERE id = %s", is_allowed, device.id)


def ask(device, method, path, body=None, scheme="Bearer ", key=None):
    fields = [("Authorization", scheme + (key or device.link_key)), *UNTYPED]
    return device.account.request(method, path, body=body, key=None, fields=fields)


def push(device, target=None, **options):
    return ask(device, "POST", v0(target or device, "/push"), {"image": IMAGE, "installationID": "a"}, **options)


def test_a_device_s_key_is_refused_by_default(device):
    answer = push(device)
    assert answer.problem(401) and 'error="invalid_token"' in answer["WWW-Authenticate"]
    assert device.ids() == []


@pytest.mark.parametrize("scheme", ["Bearer ", ""])
def test_push_list_and_delete(open_device, scheme):
    device = open_device
    assert push(device, scheme=scheme).ok() == {}
    device.shows(images.png())
    listed = ask(device, "GET", v0(device, "/installations"), scheme=scheme).ok()
    assert [one["id"] for one in listed["installations"]] == ["a"]
    assert ask(device, "DELETE", v0(device, "/installations/a"), {}, scheme=scheme).ok() == {}
    assert entries(device) == []
    for name in (device.serial, device.mac):
        assert ask(device, "GET", f"/v0/devices/{name}/installations", scheme=scheme).status == 200


def test_nothing_else(open_device):
    device = open_device
    assert push(device).status == 200
    for method, path, body in (
            ("GET", "/v0/devices", None), ("GET", v0(device), None), ("PATCH", v0(device), {"brightness": 1}),
            ("GET", v0(device, "/installations/a"), None), ("GET", v0(device, "/installations/a/preview"), None),
            ("PATCH", v0(device, "/installations/a"), {"enabled": False}),
            ("POST", v0(device, "/push_app"), {"app_id": "text-regular"})):
        assert "own key" in ask(device, method, path, body).problem(403)["detail"], path
    for method, path, body in (("GET", "/v1/devices", None), ("GET", device.path, None),
                               ("POST", device.path + "/push", {"image": IMAGE})):
        assert device.account.request(method, path, body=body, key=device.link_key).problem(401)


def test_its_own_device_only(world, open_device):
    account = open_device.account
    for other in (account.device(), world.account().device()):
        allow(world, other)
        assert push(open_device, other).problem(403)
        assert ask(open_device, "GET", v0(other, "/installations")).problem(403)
        assert other.ids() == []


def test_it_ends_at_once(world, open_device):
    device = open_device
    assert push(device).status == 200
    allow(world, device, False)
    assert push(device).problem(401)
    allow(world, device)
    assert push(device).status == 200
    world.sql("UPDATE device SET disabled_at = now() WHERE id = %s", device.id)
    assert push(device).problem(401)
    world.sql("UPDATE device SET disabled_at = NULL WHERE id = %s", device.id)
    world.sql("UPDATE account SET closed_at = now() WHERE id = %s", device.account.id)
    assert push(device).problem(401)


def test_wrong_keys(open_device):
    for key in (random_base62(24), open_device.link_key[:-1], open_device.link_key + "0", open_device.link_key.swapcase()):
        assert push(open_device, key=key).problem(401)


def test_rates(start):
    """The device's limit of pushes counts pushes of every key."""
    world = start(rate_limit=100000)
    device = world.account().device()
    allow(world, device)
    refused = until_refused(lambda: push(device), 8)[-1]
    assert refused.problem(429) and "Retry-After" in refused


def test_on_another_instance(start):
    """The key works, and ends, at once on another instance, too."""
    one = start()
    other = start(database=one.database)
    device = one.account().device()
    allow(one, device)
    elsewhere = [("Authorization", "Bearer " + device.link_key), *UNTYPED]

    def push_there():
        return other.request("POST", v0(device, "/push"), body={"image": IMAGE, "installationID": "a"}, fields=elsewhere)

    assert push(device).ok() == push_there().ok() == {}
    allow(one, device, False)
    assert push_there().problem(401) and push(device).problem(401)
