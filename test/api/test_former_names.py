"""Former addresses that others can guess: "living-room" is made from a device's name."""

import secrets

import pytest
from former import NEW_FIRMWARE
from former import account as exported_account
from former import bring
from former import device as exported
from former import poll
from panel import Panel
from test_alias import own_target
from test_reboot import introduce, next_but_pictures
from waiting import wait_until
from world import SECRETS, Device, images

PUBLIC = [("X-Forwarded-For", "203.0.113.7")]
PRIVATE = [("X-Forwarded-For", "192.168.1.20")]


def keep(owner, *devices, **flags):
    report = bring(owner, exported_account(devices), keepAddresses=True, **flags).ok()
    SECRETS.update(made["key"] for made in report["devices"] if made["key"])
    SECRETS.update(device["api_key"] for device in devices if device.get("api_key"))
    return report


def device_of(owner, made, color):
    device = Device(owner, made["id"], None, None, made["key"])
    assert device.push(images.png(images.solid(color)), installationId="mark", background=True).ok() == {}
    return device


def shows(answer, color):
    return answer.status == 200 and images.frames_of(answer.body) == images.frames_of(
        images.png(images.solid(color)))


@pytest.fixture
def alone(start):
    """A server with one account."""
    world = start("--trust-proxy", "127.0.0.1", workers=1)
    return world, world.account()


def test_all_forms_of_ids(world):
    """Random numbers are secrets. Other IDs need the key, since the server has several accounts."""
    owner = world.account()
    long = secrets.token_hex(8)
    devices = [exported("Bedroom"), exported("Living room", id="living-room"), exported("Hall", id=long.upper()),
               exported("Office", id="Panel-7"), exported("Shelf", id=12345678)]
    report = keep(owner, *devices)
    assert [(made["state"], made["alias"], made["aliasNeedsKey"]) for made in report["devices"]] == [
        ("new", devices[0]["id"], False), ("new", "living-room", True), ("new", long, False), ("new", "Panel-7", True),
        ("new", "12345678", False)]
    for made, device in zip(report["devices"], devices):
        device_of(owner, made, (9, 9, 9))
        name = str(device["id"])
        assert shows(poll(world, name), (9, 9, 9)) is not made["aliasNeedsKey"]
        assert shows(poll(world, name, key=device["api_key"]), (9, 9, 9))
        with Panel(world.server, None, f"/{name}/ws?key={device['api_key']}") as panel:
            panel.wait_for_picture()
    assert poll(world, "panel-7", key=devices[3]["api_key"]).status == 404  # another ID on the other server, too
    assert [made["state"] for made in keep(owner, *devices)["devices"]] == ["there"] * 5


@pytest.mark.parametrize("name, alias, needs_key", [
    ("deadbeef", "deadbeef", True), ("Cafe2026", "cafe2026", True), ("Kitchen", "cafe2027", False)])
def test_words_of_hexadecimal_digits(world, name, alias, needs_key):
    made, = keep(world.account(), exported(name, id=alias))["devices"]
    assert made["aliasNeedsKey"] is needs_key


def test_the_key_decides_between_accounts(world):
    """A stranger who claims an address first neither gets the panel nor keeps it from the owner."""
    stranger, owner = world.account(), world.account()
    name = f"kitchen-{secrets.token_hex(2)}x"
    theirs, ours = exported("Kitchen", id=name), exported("Kitchen", id=name)
    device_of(stranger, keep(stranger, theirs)["devices"][0], (200, 0, 0))
    made, = keep(owner, ours)["devices"]
    assert made["alias"] == name
    device_of(owner, made, (0, 200, 0))
    for _ in range(3):
        assert shows(poll(world, name, key=ours["api_key"]), (0, 200, 0))
        assert shows(poll(world, name, key=theirs["api_key"]), (200, 0, 0))
        assert poll(world, name).status == 404
        assert poll(world, name, key=secrets.token_hex(16)).status == 404
        assert poll(world, name, key=made["key"]).status == 404
    # The end of one leaves the other.
    stranger.request("DELETE", f"/v1/devices/{stranger.get('/v1/devices').ok()[0]['id']}/alias").ok()
    assert poll(world, name, key=theirs["api_key"]).status == 404
    assert shows(poll(world, name, key=ours["api_key"]), (0, 200, 0))


def test_a_claim_reveals_nothing(world):
    """Whether another account has a guessable address is not said: both get it."""
    one, other = world.account(), world.account()
    name = f"attic-{secrets.token_hex(2)}x"
    before = keep(one, exported("Attic", id=name))
    after = keep(other, exported("Attic", id=name))
    assert before["notBrought"] == after["notBrought"]
    # Only whoever has the key itself learns that.
    key = secrets.token_hex(16)
    keep(one, exported("Roof", id=f"roof-{name}", api_key=key))
    made, = keep(other, exported("Roof", id=f"roof-{name}", api_key=key))["devices"]
    assert made["alias"] is None


@pytest.mark.parametrize("key", ["", None, "CHANGEME", "x" * 15])
def test_a_weak_key_decides_nothing(world, key):
    made, = keep(world.account(), exported("Cellar", id=f"cellar-{secrets.token_hex(2)}x", api_key=key))["devices"]
    assert (made["state"], made["alias"]) == ("new", None)


@pytest.mark.parametrize("name", ["docs", "v1", "web", "Devices", "d", "panel", "livez", "openapi", "v0"])
def test_paths_of_the_server(world, name):
    """Such an address is refused by name. The device comes."""
    made = keep(world.account(), exported("Docs", id=name), exported("Desk"))
    assert [(one["state"], one["alias"] is None) for one in made["devices"]] == [
        ("new", name != "openapi"), ("new", False)]
    if name != "openapi":
        note = next(note for note in made["notBrought"] if note["what"] == "address")
        assert f"/{name}/" in note["why"] and note["device"] == "Docs"


def test_without_a_key_for_the_only_account(alone):
    world, owner = alone
    desk, shelf = exported("Desk", id="desk"), exported("Shelf", id="shelf", require_api_key=True)
    dry = bring(owner, exported_account([desk, shelf]), keepAddresses=True, dryRun=True).ok()
    assert dry["canOpenAddresses"] is True and [made["aliasNeedsKey"] for made in dry["devices"]] == [True, True]
    assert "/desk/" in next(note["why"] for note in dry["notBrought"] if note["what"] == "address")
    made, other = keep(owner, desk, shelf, openAddresses=True)["devices"]
    assert (made["alias"], made["aliasNeedsKey"], other["aliasNeedsKey"]) == ("desk", False, True)
    device_of(owner, made, (0, 0, 200))
    assert shows(poll(world, "desk"), (0, 0, 200)) and shows(poll(world, "desk", key=desk["api_key"]), (0, 0, 200))
    assert poll(world, "shelf").status == 404 and poll(world, "shelf", key=shelf["api_key"]).status == 200


def test_a_second_account_ends_it(alone):
    """From then on the key decides; the panel that came without it is dropped."""
    world, owner = alone
    desk = exported("Desk", id="desk")
    made, = keep(owner, desk, openAddresses=True)["devices"]
    device_of(owner, made, (0, 0, 200))
    with Panel(world.server, None, "/desk/ws") as panel:
        panel.wait_for_picture()
        stranger = world.account()
        panel.wait_for_end()
    assert poll(world, "desk").status == 404
    assert shows(poll(world, "desk", key=desk["api_key"]), (0, 0, 200))
    theirs, = keep(stranger, exported("Desk", id="desk"), openAddresses=True)["devices"]
    assert theirs["aliasNeedsKey"] is True
    device_of(stranger, theirs, (200, 0, 0))
    assert poll(world, "desk").status == 404
    assert shows(poll(world, "desk", key=desk["api_key"]), (0, 0, 200))


def test_not_with_several_accounts(world):
    world.account()
    export = exported("Desk", id=f"desk-{secrets.token_hex(2)}x")
    dry = bring(world.account(), export, keepAddresses=True, openAddresses=True, dryRun=True).ok()
    assert dry["canOpenAddresses"] is False and dry["devices"][0]["aliasNeedsKey"] is True


def test_names_have_the_limits_of_guesses(start):
    world = start("--trust-proxy", "127.0.0.1", rate_limit=1000, workers=1)
    world.account()
    owner = world.account()
    export = exported("Kitchen", id="kitchen")
    device_of(owner, keep(owner, export)["devices"][0], (1, 2, 3))

    def ask(name, key=None, address=PUBLIC):
        return poll(world, name, key, fields=address).status

    for number in range(70):
        assert ask(f"kitchen-{number}") == 404
    assert ask("kitchen", export["api_key"]) == 404  # is not looked up
    assert ask("kitchen", export["api_key"], PRIVATE) == 200


@pytest.mark.parametrize("fields, shows_key, is_told", [
    (PUBLIC, False, False), (PRIVATE, False, True), (PUBLIC, True, True)])
def test_the_new_address_in_a_private_network(alone, fields, shows_key, is_told):
    """Whoever guesses the address from a public network is not told the new one, which has the key."""
    world, owner = alone
    desk = exported("Desk", id="desk")
    device = device_of(owner, keep(owner, desk, openAddresses=True)["devices"][0], (1, 2, 3))
    key = desk["api_key"] if shows_key else None
    version = [("X-Firmware-Version", "1.6.6"), *fields]
    assert poll(world, "desk", key, fields=version).status == 200
    wait_until(lambda: world.sql("SELECT 1 FROM panel_info WHERE device_id = %s", device.id), "the version")
    assert owner.request("POST", device.path + "/move-address").ok() == {}
    answer = poll(world, "desk", key, fields=version)
    assert ("Tronbyt-Image-URL" in answer) is is_told
    if not is_told:
        answer = poll(world, "desk", key, fields=[*version[:1], *PRIVATE])
    target = own_target(answer["Tronbyt-Image-URL"])
    assert world.get(target).status == 200
    wait_until(lambda: poll(world, "desk").status == 404, "the end of the former address")


def test_a_connection_from_a_public_network_is_not_moved(alone):
    world, owner = alone
    device = device_of(owner, keep(owner, exported("Desk", id="desk"), openAddresses=True)["devices"][0], (1, 2, 3))
    with Panel(world.server, None, "/desk/ws", fields=PUBLIC) as panel:
        panel.wait_for_picture()
        introduce(world, panel, device, NEW_FIRMWARE)
        problem = owner.request("POST", device.path + "/move-address").problem(409)
        assert problem["code"] == "panel_unproven"
    with Panel(world.server, None, "/desk/ws", fields=PRIVATE) as panel:
        panel.wait_for_picture()
        assert owner.request("POST", device.path + "/move-address").ok() == {}
        assert "image_url" in next_but_pictures(panel)


def test_a_secret_address_moves_from_everywhere(alone):
    world, owner = alone
    export = exported("Desk")
    device = device_of(owner, keep(owner, export)["devices"][0], (1, 2, 3))
    with Panel(world.server, None, f"/{export['id']}/ws", fields=PUBLIC) as panel:
        panel.wait_for_picture()
        introduce(world, panel, device, NEW_FIRMWARE)
        assert owner.request("POST", device.path + "/move-address").ok() == {}
        assert "image_url" in next_but_pictures(panel)
