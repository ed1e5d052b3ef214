"""What MQTT tells of texts and apps, which the renderer draws."""

import json
import os

import pytest
from apps import make_app
from mqtt_stage import base, config_of, connect, connected_account, one_broker, server_that_reaches
from panel import Panel
from waiting import wait_until

__all__ = ["connected_account", "one_broker", "server_that_reaches"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="built without the Starlark renderer")
FAILS_BY_SETTING = """
load("render.star", "render")
load("schema.star", "schema")

def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Toggle(id = "fails", name = "Fails", desc = "Fails", icon = "bug", default = False)])

def main(config):
    if config.bool("fails"):
        fail('no "network"')
    return render.Root(child = render.Box(color = "#0f0"))
"""


def test_a_text_and_its_state(served, broker, account):
    """The state is the last text, cut to the length that Home Assistant accepts. An empty text ends it."""
    device = account.device()
    topic = f"{base(account)}/{device.id}"

    def wait_for_text(text):
        wait_until(lambda: json.loads(heard.newest.get(f"{topic}/text", b"{}")) == {"text": text}, f"the text {text}")

    with broker.listen() as heard, Panel(served.server, device):
        connect(account, broker).ok()
        found = json.loads(heard.wait_for(config_of(device)))["components"]["message"]
        assert found["state_topic"] == f"{topic}/text" and found["min"] == 0
        wait_for_text("")
        broker.publish(f"{topic}/message", "Hello")
        wait_for_text("Hello")
        broker.publish(f"{topic}/message", '{"text": "' + 300 * "ü" + '", "hold": true}')
        wait_for_text(255 * "ü")
        heard.wait_for(f"{topic}/shown", b"temporary")
        broker.publish(f"{topic}/message", 501 * "x")  # is rejected
        heard.wait_for(f"{topic}/error")
        broker.publish(f"{topic}/message", "")
        wait_for_text("")
        heard.wait_for(f"{topic}/shown", b"nothing")


def test_an_app_that_fails_is_a_problem(served, broker, account):
    """It has the entry's name and the reason, and ends with the failure."""
    app = make_app(account, name="Clock").published(script=FAILS_BY_SETTING)
    device = account.device()
    entry = account.post(device.path + "/installations", {"app": app.id})
    assert entry.status == 201, entry
    path = f"{device.path}/installations/{entry.json()['id']}"
    topic = f"{base(account)}/{device.id}"
    with broker.listen() as heard, Panel(served.server, device):
        connect(account, broker).ok()

        def wait_for_problem(wanted):
            wait_until(lambda: json.loads(heard.newest.get(f"{topic}/problem", b"{}")) == wanted, wanted)

        good = {"state": "OFF", "entry": None, "reason": None}
        wait_for_problem(good)
        account.request("PATCH", path, body={"settings": {"fails": "true"}}).ok()
        wait_for_problem({"state": "ON", "entry": "Clock", "reason": 'fail: no "network"'})
        account.request("PATCH", path, body={"settings": {"fails": "false"}}).ok()
        wait_for_problem(good)
