"""A panel on a real MQTT broker, in the real Home Assistant: Home Assistant finds it, dims it, sends
pictures and pins entries."""

import json
import os
import urllib.error

import debian
import pytest
from broker import PASSWORD, USER, Broker
from guests import EMAIL, Desk, color_of
from home_assistant import HomeAssistant
from panel import Panel
from server import Server, wait_until

RED, GREEN = (255, 0, 0), (0, 255, 0)

pytestmark = pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="messages are not drawn here")


@pytest.fixture(scope="module")
def desk():
    with Broker() as broker, Server("--egress-allow", "127.0.0.1") as server:
        server.ctl("account", "create", EMAIL, "--name", "Ada")
        made = Desk(server)
        made.push(RED, "red")
        made.push(GREEN, "green")
        answer = server.request("PUT", "/v1/account/mqtt",
                                {"url": broker.url, "username": USER, "password": PASSWORD}, key=made.key)
        assert answer.status == 200, answer
        made.broker = broker
        made.account = server.get("/v1/account", key=made.key).json()["id"]
        yield made


@pytest.fixture(scope="module")
def home(desk):
    try:
        with HomeAssistant() as made:
            done = made.set_up("mqtt", broker="127.0.0.1", port=desk.broker.port, username=USER, password=PASSWORD)
            assert done["type"] == "create_entry", done
            yield made
    except debian.Unavailable as why:
        pytest.skip(str(why))


class Picture:
    """A panel that shows each picture at once."""

    def __init__(self, desk):
        self.panel = Panel(desk.server.address, desk.server.path_of(desk.device["websocketUrl"]))
        self.brightness = None
        self.is_restarted = False
        self.panel.say(client_info={"firmware_version": "1.6.6", "firmware_type": "ESP32", "protocol_version": 1,
                                    "mac": "aa:bb:cc:00:11:22"})

    def wait_for(self, condition, what):
        """Reads until the picture, the brightness or both have these values."""
        picture = None

        def look():
            nonlocal picture
            message = self.panel.read()
            if isinstance(message, bytes):
                picture = message
                self.panel.show()
            elif "brightness" in message:
                self.brightness = message["brightness"]
            self.is_restarted |= message == {"reboot": True}
            return condition(picture, self.brightness)

        wait_until(look, what)


@pytest.fixture
def panel(desk):
    made = Picture(desk)
    yield made
    made.panel.close()


@pytest.fixture(scope="module")
def entities(home, desk):
    """IDs of the panel's entities, by the end of their names."""
    with home.registry() as registry:
        def listed():
            return {one["unique_id"].removeprefix(f"displayd_{desk.device['id']}_"): one["entity_id"]
                    for one in registry.ask("config/entity_registry/list") if one["platform"] == "mqtt"}

        return wait_until(lambda: len(found := listed()) >= 15 and found, "a discovered panel")


def wait_for_state(home, entity_id, wanted):
    def look():
        try:
            return home.state(entity_id)["state"] == wanted
        except urllib.error.HTTPError:
            return False

    wait_until(look, f"{entity_id} {wanted}")


def test_it_is_discovered(home, desk, entities):
    with home.registry() as registry:
        [device] = [one for one in registry.ask("config/device_registry/list")
                    if one["name"] == desk.device["name"]]
    assert device["manufacturer"] and sorted({one.split(".")[0] for one in entities.values()}) == [
        "binary_sensor", "button", "image", "light", "notify", "number", "select", "sensor", "switch", "text"]


def test_it_is_dimmed(home, panel, entities):
    light = entities["light"]
    wait_for_state(home, light, "on")
    home.call("light", "turn_on", entity_id=light, brightness=51)
    panel.wait_for(lambda _, brightness: brightness == 20, "a dimmed panel")
    home.call("light", "turn_off", entity_id=light)
    panel.wait_for(lambda _, brightness: brightness == 0, "a dark panel")
    wait_for_state(home, light, "off")
    home.call("light", "turn_on", entity_id=light)
    panel.wait_for(lambda _, brightness: brightness == 20, "a lit panel")
    wait_for_state(home, light, "on")


def test_it_is_pinned(home, panel, entities):
    for name, color in (("red", RED), ("green", GREEN)):
        home.call("select", "select_option", entity_id=entities["pinned"], option=name)
        panel.wait_for(lambda picture, _, color=color: picture and color_of(picture) == color, name)
        wait_for_state(home, entities["pinned"], name)


def test_it_is_written_on(home, panel, entities):
    wait_for_state(home, entities["message"], "")
    home.call("text", "set_value", entity_id=entities["message"], value="Hello")
    panel.wait_for(lambda picture, _: picture and color_of(picture) is None, "a text")
    wait_for_state(home, entities["message"], "Hello")
    home.call("text", "set_value", entity_id=entities["message"], value="")
    panel.wait_for(lambda picture, _: picture and color_of(picture) is not None, "an entry")
    wait_for_state(home, entities["message"], "")


def test_it_is_notified(home, panel, entities):
    home.call("notify", "send_message", entity_id=entities["notify"], message="Dinner")
    panel.wait_for(lambda picture, _: picture and color_of(picture) is None, "a text")
    wait_for_state(home, entities["message"], "Dinner")
    home.call("text", "set_value", entity_id=entities["message"], value="")
    panel.wait_for(lambda picture, _: picture and color_of(picture) is not None, "an entry")


def test_it_tells_that_an_app_fails(home, desk, entities):
    problem = entities["problem"]
    wait_for_state(home, problem, "off")
    topic = f"displayd/{desk.account}/{desk.device['id']}/problem"
    why = {"entry": "Clock", "reason": 'fail: no "network"'}
    desk.broker.publish(topic, json.dumps({"state": "ON"} | why), retained=True)
    wait_for_state(home, problem, "on")
    attributes = home.state(problem)["attributes"]
    assert {name: attributes[name] for name in why} == why


def test_an_entry_is_switched(home, desk, panel, entities):
    [name] = [one for one in entities if one.startswith("entry") and one.endswith("red")]
    with home.registry() as registry:
        registry.ask("config/entity_registry/update", entity_id=entities[name], disabled_by=None)
    wait_for_state(home, entities[name], "on")
    home.call("switch", "turn_off", entity_id=entities[name])
    wait_for_state(home, entities[name], "off")
    answer = desk.server.get(f"/v1/devices/{desk.device['id']}/installations/red", key=desk.key)
    assert answer.json()["isEnabled"] is False


def test_it_is_restarted(home, panel, entities):
    home.call("button", "press", entity_id=entities["reboot"])
    panel.wait_for(lambda *_: panel.is_restarted, "an order to start again")
