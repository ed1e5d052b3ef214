"""A server with objects to count: accounts, devices, panels, pushes."""

import base64
import io
import os
import sys

from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../link"))

from panel import Panel  # noqa: E402


def picture(kind="PNG", colour=(255, 0, 0), size=(64, 32)):
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, kind)
    return base64.b64encode(file.getvalue()).decode()


class Desk:
    """A device with its account and a key."""

    def __init__(self, server, name):
        self.server = server
        email = f"{name}@example.org"
        server.ctl("account", "create", email, "--name", name)
        made = server.ctl("device", "create", "--account", email, "--name", "Desk")
        self.id, self.link_key = made["id"], made["key"]
        self.key = server.ctl("key", "create", "--account", email)["key"]

    def path(self, what):
        return f"/d/{self.id}/{what}?key={self.link_key}"

    def connect(self):
        return Panel(self.server.address, self.path("ws"))

    def poll(self):
        assert self.server.get(self.path("next")).status == 200

    def push(self, image, **members):
        return self.server.post(f"/v1/devices/{self.id}/push", {"image": image} | members,
                                key=self.key).status

    def get(self):
        return self.server.get(f"/v1/devices/{self.id}", key=self.key)
