"""TronbytAssistant 1.0.0 in the real Home Assistant: its config flow sets it up, and each of its entities
and services is used once. After each, the panel and the state in Home Assistant are checked. The
integration is not part of this project: DISPLAYD_CLIENTS names the folder that contains it."""

import os
import pathlib
import urllib.error

import debian
import images
import pytest
from guests import EMAIL, Desk, color_of
from home_assistant import HomeAssistant
from server import ROOT, Server, wait_until

CLIENTS = pathlib.Path(os.environ.get("DISPLAYD_CLIENTS", os.path.join(ROOT, "../shared/clients")))
COMPONENT = CLIENTS / "tronbyt-assistant/custom_components/tronbytassistant"
RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
DOORBELL = """load("render.star", "render")
def main(config):
    return render.Root(child = render.Box(color = config.get("color", "#00f")))
"""
MANIFEST = "id: doorbell\nname: Doorbell\nsummary: A bell\ndesc: A bell that rings.\nauthor: Ada\n"
ALL_DAY = {"night_mode_start": "06:00:00", "night_mode_end": "06:00:00"}

pytestmark = [
    pytest.mark.skipif(not COMPONENT.is_dir(), reason="the integration is not here"),
    pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="apps are not rendered here"),
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A device with two pushed entries, red and green, and one of an app, blue."""
    folder = tmp_path_factory.mktemp("apps") / "apps/doorbell"
    folder.mkdir(parents=True)
    (folder / "doorbell.star").write_text(DOORBELL, "utf-8")
    (folder / "manifest.yaml").write_text(MANIFEST, "utf-8")
    with Server() as server:
        server.ctl("account", "create", EMAIL, "--name", "Ada")
        server.ctl("app", "import", str(folder.parent.parent), "--account", EMAIL)
        made = Desk(server)
        made.push(RED, "red")
        made.push(GREEN, "green")
        server.ctl("installation", "create", "--device", made.device["id"], "--app", "doorbell")
        yield made


@pytest.fixture(scope="module")
def home(desk):
    try:
        with HomeAssistant([str(COMPONENT)]) as made:
            yield made
    except debian.Unavailable as why:
        pytest.skip(str(why))


@pytest.fixture(scope="module")
def entities(home, desk):
    """IDs of all entities, by the names of the integration, which the config flow has set up. The switches
    of entries are enabled explicitly."""
    made = home.set_up("tronbytassistant", apiurl=desk.server.url, token=desk.key)
    assert made["type"] == "create_entry", made
    registry = home.registry()

    def listed():
        return [one for one in registry.ask("config/entity_registry/list") if one["platform"] == "tronbytassistant"]

    assert len(wait_until(lambda: len(found := listed()) == 13 and found, "13 entities")) == 13
    for one in listed():
        if one["disabled_by"]:
            registry.ask("config/entity_registry/update", entity_id=one["entity_id"], disabled_by=None)
    [entry] = {one["config_entry_id"] for one in listed()}
    home.ask("POST", f"/api/config/config_entries/entry/{entry}/reload")
    names = {one["entity_id"]: one["unique_id"].removeprefix("tronbyt").replace(desk.device["id"], "").strip("-")
             for one in listed()}
    found = {name: entity_id for entity_id, name in names.items()}
    for entity_id in names:
        wait_until(lambda one=entity_id: is_there(home, one), entity_id)
    registry.close()
    return found


def is_there(home, entity_id):
    try:
        return home.state(entity_id)["state"] != "unavailable"
    except urllib.error.HTTPError:
        return False


def panel(desk):
    """Brightness of the panel and colour of its picture."""
    answer = desk.server.get(desk.server.path_of(desk.device["pollUrl"]))
    assert answer.status == 200
    return int(answer.headers["Tronbyt-Brightness"]), color_of(answer.body)


def test_a_wrong_key(home, desk):
    assert home.set_up("tronbytassistant", apiurl=desk.server.url, token="wrong")["errors"] == {
        "base": "invalid_api_key"}


def test_its_entities(entities):
    assert sorted(entity_id.split(".")[0] for entity_id in entities.values()) == [
        *["light"] * 3, "number", *["select"] * 2, *["switch"] * 4, *["time"] * 3]


def test_the_light(home, desk, entities):
    light = entities["brightness"]
    for value in (255, 51):
        home.call("light", "turn_on", entity_id=light, brightness=value)
        assert home.state(light)["attributes"]["brightness"] == value
        assert panel(desk)[0] == round(value / 255 * 100)
    home.call("light", "turn_off", entity_id=light)
    assert home.state(light)["state"] == "off" and panel(desk)[0] == 0
    home.call("light", "turn_on", entity_id=light, brightness=128)
    assert home.state(light)["state"] == "on" and panel(desk)[0] == 50


def test_the_number(home, desk, entities):
    home.call("number", "set_value", entity_id=entities["interval"], value=20)
    assert float(home.state(entities["interval"])["state"]) == 20
    answer = desk.server.get(f"/v1/devices/{desk.device['id']}", key=desk.key)
    assert answer.json()["scheduleInterval"] == 20


def select(home, entity_id, label):
    """Chooses the option that begins so. Returns that option."""
    [option] = [one for one in home.state(entity_id)["attributes"]["options"] if one.startswith(label)]
    home.call("select", "select_option", entity_id=entity_id, option=option)
    assert home.state(entity_id)["state"] == option
    return option


def test_the_pinned_entry(home, desk, entities):
    for label, color in (("pushed-red", RED), ("pushed-green", GREEN), ("doorbell-", BLUE)):
        select(home, entities["pinned_app"], label)
        desk.wait_until_polled(color)
    select(home, entities["pinned_app"], "none")


def test_the_night(home, desk, entities):
    """The night: its switch, both times, its entry and its brightness."""
    switch, light = entities["nightmode"], entities["night_mode_brightness"]
    for name, value in ALL_DAY.items():
        home.call("time", "set_value", entity_id=entities[name], time=value)
        assert home.state(entities[name])["state"] == value
    home.call("switch", "turn_on", entity_id=switch)
    assert home.state(switch)["state"] == "on" and panel(desk)[0] == 0
    select(home, entities["night_mode_app"], "pushed-green")
    home.call("light", "turn_on", entity_id=light, brightness=26)
    assert home.state(light)["attributes"]["brightness"] == 26 and panel(desk) == (10, GREEN)
    home.call("switch", "turn_off", entity_id=switch)
    assert home.state(switch)["state"] == "off" and panel(desk)[0] == 50


def test_the_dimming(home, desk, entities):
    """Dimming begins at five and ends with the night, also at five."""
    start, light = entities["dim_mode_start"], entities["dim_mode_brightness"]
    home.call("time", "set_value", entity_id=entities["night_mode_end"], time="05:00:00")
    home.call("time", "set_value", entity_id=start, time="05:00:00")
    assert home.state(start)["state"] == "05:00:00"
    home.call("light", "turn_on", entity_id=light, brightness=51)
    assert home.state(light)["attributes"]["brightness"] == 51 and panel(desk)[0] == 20
    home.call("light", "turn_on", entity_id=light, brightness=255)


def test_the_switches_of_entries(home, desk, entities):
    switches = {name: entity_id for name, entity_id in entities.items() if name.startswith("install-")}
    assert len(switches) == 3
    for entity_id in switches.values():
        home.call("switch", "turn_off", entity_id=entity_id)
        assert home.state(entity_id)["state"] == "off"
    wait_until(lambda: panel(desk)[1] not in (RED, GREEN, BLUE), "a panel with nothing to show")
    for entity_id in switches.values():
        home.call("switch", "turn_on", entity_id=entity_id)
        assert home.state(entity_id)["state"] == "on"


@pytest.fixture(scope="module")
def targets(home, entities):
    """The device as Home Assistant names it."""
    with home.registry() as registry:
        [device] = [one["id"] for one in registry.ask("config/device_registry/list")
                    if any(name == "tronbytassistant" for name, _ in one["identifiers"])]
    return [device]


def test_the_service_push(home, desk, targets):
    home.call("tronbytassistant", "push", device_ids=targets, contenttype="custom", customcontent="doorbell",
              arguments=["color=#f00"])
    desk.wait_until_polled(RED)


def test_the_services_text_and_delete(home, desk, targets):
    home.call("tronbytassistant", "text", device_ids=targets, content="Hello", contentid="hello", texttype="regular",
              color=[0, 255, 0])
    listed = desk.server.get(f"/v0/devices/{desk.device['id']}/installations", key=desk.key).json()["installations"]
    assert "hello" in [one["id"] for one in listed]
    answer = desk.server.get(desk.server.path_of(desk.device["pollUrl"]))
    colors = {frame[at:at + 3] for frame, _ in images.frames_of(answer.body) for at in range(0, len(frame), 3)}
    assert bytes(GREEN) in colors
    home.call("tronbytassistant", "delete", device_ids=targets, contentid="hello")
    listed = desk.server.get(f"/v0/devices/{desk.device['id']}/installations", key=desk.key).json()["installations"]
    assert "hello" not in [one["id"] for one in listed]
    with pytest.raises(urllib.error.HTTPError):
        home.call("tronbytassistant", "delete", device_ids=targets, contentid="hello")
