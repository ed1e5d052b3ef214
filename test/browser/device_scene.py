"""Functions for journeys about devices that act outside of the browser."""

import base64
import json
import os
import subprocess

import images
import scenes
from server import DISPLAYCTL
from waiting import wait_until


class DeviceScene:
    """Part of Scene (conftest.py), which has the server."""

    def __init__(self):
        self.panels = {}
        self.keys = {}

    def key_of(self, account):
        if account not in self.keys:
            self.keys[account] = self.server.ctl("key", "create", "--account", account)["key"]
        return self.keys[account]

    def add_device(self, account, name="Kitchen"):
        made = self.server.ctl("device", "create", "--account", account, "--name", name)
        return {"id": made["id"], "url": made["websocketUrl"], "pollUrl": made["pollUrl"]}

    def panel(self, url, poll=False, acknowledges=True, name=None, more=()):
        """Switches a panel on; name is for panel_off()."""
        command = [DISPLAYCTL, "panel", "--poll" if poll else "--url", url, "--quiet",
                   "--reconnect-ms", "200", *([] if acknowledges else ["--no-ack"]), *more]
        self.panels[name or url] = subprocess.Popen(command)  # pylint: disable=consider-using-with

    def former_panel(self, alias):
        """A panel at the address that its device had on another server."""
        self.panel(f"ws://127.0.0.1:{self.server.address[1]}/{alias}/ws", name=alias,
                   more=["--events", self.events_of(alias)])

    def events_of(self, alias):
        return os.path.join(self.server.state_dir, f"panel-{alias}")

    def start_where_told(self, alias):
        """Restarts the panel at the address that it received."""
        def told():
            with open(self.events_of(alias), encoding="utf-8") as file:
                events = [json.loads(line) for line in file if line.endswith("\n")]
            return next((event["url"] for event in events if event.get("order") == "image_url"), None)

        wait_until(told, "the panel's new address")
        self.panel_off(alias)
        self.panel(told(), name=alias)

    def devices_of(self, account):
        """The names of an account's devices."""
        rows = self.server.ctl("device", "list", "--account", account)
        return [row["name"] for row in rows]

    def panel_off(self, name):
        process = self.panels.pop(name)
        process.kill()
        process.wait()

    def end_panels(self):
        for name in list(self.panels):
            self.panel_off(name)

    def push_to(self, account, device, colour=None, file=None, **how):
        """Pushes by the public API; how: installationId, duration, background."""
        picture = images.png(images.solid(tuple(colour))) if colour else scenes.SCENES[file]()
        body = {"image": base64.b64encode(picture).decode(), **how}
        answer = self.server.post(f"/v1/devices/{device}/push", body, key=self.key_of(account))
        assert answer.status == 200, answer.body

    def change(self, account, device, fields):
        answer = self.server.request("PATCH", f"/v1/devices/{device}", fields,
                                     key=self.key_of(account))
        assert answer.status == 200, answer.body

    def device_of(self, account, device):
        answer = self.server.get(f"/v1/devices/{device}", key=self.key_of(account))
        return answer.json() if answer.status == 200 else None

    def entries_of(self, account, device):
        answer = self.server.get(f"/v1/devices/{device}/installations", key=self.key_of(account))
        assert answer.status == 200, answer.body
        return [entry["id"] for entry in answer.json()]

    def file(self, name):
        """Path of a picture on a person's disk."""
        endings = {"photo": "jpg", "spinner": "gif", "waves": "webp"}
        path = os.path.join(self.files, f"{name}.{endings.get(name, 'png')}")
        data = scenes.SCENES[name]() if name in scenes.SCENES else b"no picture"
        with open(path, "wb") as out:
            out.write(data)
        return path
