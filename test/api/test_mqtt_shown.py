"""The light, the pinned entry and what is shown, if a plan or a leader decides."""

import json

from mqtt_stage import base, connect, connected_account, one_broker, server_that_reaches
from panel import Panel
from waiting import wait_until
from world import images

__all__ = ["connected_account", "one_broker", "server_that_reaches"]  # fixtures


def test_a_follower_tells_what_its_panel_shows(served, broker, account):
    """Its light, the pinned entry and what is shown are those of its leader."""
    leader, device = account.device(brightness=70), account.device(brightness=20)
    for one, name in ((leader, "hall"), (leader, "news"), (device, "own")):
        one.push(images.png(images.solid((9, 9, 200))), installationId=name, background=True).ok()
    account.request("PATCH", f"{device.path}/installations/own", body={"isPinned": True}).ok()
    topic = f"{base(account)}/{device.id}"

    def follow(**members):
        account.request("PUT", f"{device.path}/leader", body={"leader": leader.id, **members}).ok()

    def light(wanted):
        wait_until(lambda: json.loads(heard.newest.get(f"{topic}/light", b"{}")).get("state") == wanted, wanted)

    with broker.listen() as heard, Panel(served.server, device) as panel:
        panel.wait_for_picture()
        connect(account, broker).ok()
        heard.wait_for(f"{topic}/pinned", b"own")
        account.request("PATCH", device.path, body={"brightness": 0}).ok()
        light("OFF")
        follow()
        light("ON")
        heard.wait_for(f"{topic}/pinned", b"Rotation")
        account.request("PATCH", f"{leader.path}/installations/news", body={"isPinned": True}).ok()
        heard.wait_for(f"{topic}/pinned", b"None")
        heard.wait_for(f"{topic}/shown", b"news")
        account.request("POST", f"{leader.path}/sleep").ok()
        light("OFF")
        follow(ownSleep=True)
        light("ON")
        follow(ownSleep=True, ownBrightness=True)
        light("OFF")
        account.request("DELETE", f"{device.path}/leader").ok()
        wait_until(lambda: heard.newest[f"{topic}/pinned"] == b"own", "its own entry")


def test_a_plan_turns_the_light_off(served, broker, account):
    device = account.device(brightness=60)
    topic = f"{base(account)}/{device.id}"

    def plan(*windows):
        account.request("PUT", f"{device.path}/plan", body={"windows": list(windows)}).ok()

    with broker.listen() as heard, Panel(served.server, device) as panel:
        panel.wait_for_picture()
        connect(account, broker).ok()
        for windows, state in (([], "ON"), ([{"from": "00:00", "to": "00:00", "dark": True}], "OFF"), ([], "ON")):
            plan(*windows)
            wanted = {"state": state, "brightness": 60, "color_mode": "brightness"}
            wait_until(lambda wanted=wanted: json.loads(heard.newest.get(f"{topic}/light", b"{}")) == wanted, state)


def test_the_light_is_as_bright_as_the_panel(served, broker, account):
    """By settings, by windows of the plan, by dimming and by a leader; a dark panel has the brightness that is set."""
    leader, device = account.device(brightness=80), account.device(brightness=60)
    topic = f"{base(account)}/{device.id}"
    all_day = {"from": "00:00", "to": "00:00"}

    def plan(of, *windows):
        account.request("PUT", f"{of.path}/plan", body={"windows": [all_day | one for one in windows]}).ok()

    def light(state, brightness):
        wanted = {"state": state, "brightness": brightness, "color_mode": "brightness"}
        wait_until(lambda: json.loads(heard.newest.get(f"{topic}/light", b"{}")) == wanted, (state, brightness))

    with broker.listen() as heard, Panel(served.server, device) as panel:
        panel.wait_for_picture()
        connect(account, broker).ok()
        light("ON", 60)
        plan(device, {"brightness": 7})
        light("ON", 7)
        account.request("PATCH", device.path, body={"brightness": 50}).ok()
        plan(device, {"brightness": 7}, {"dark": True})
        light("OFF", 50)
        plan(device, {"brightness": 7}, {"brightness": 9})
        light("ON", 9)
        plan(device)
        light("ON", 50)
        account.request("PATCH", f"/v0/devices/{device.id}", body={"dimModeBrightness": 30}).ok()
        account.request("POST", f"{device.path}/dim").ok()
        light("ON", 30)
        account.request("POST", f"{device.path}/undim").ok()
        light("ON", 50)
        account.request("PUT", f"{device.path}/leader", body={"leader": leader.id}).ok()
        light("ON", 80)
        plan(leader, {"brightness": 12})
        light("ON", 12)
        account.request("PUT", f"{device.path}/leader", body={"leader": leader.id, "ownBrightness": True}).ok()
        light("ON", 50)
    light("ON", 50)
