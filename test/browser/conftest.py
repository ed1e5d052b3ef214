"""A server and a browser. What a journey wants done outside of the browser is done here."""

import base64
import io
import json
import os
import shutil
import subprocess
import sys

import pytest
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

# pylint: disable=wrong-import-position
import images  # noqa: E402
from server import PATIENCE_S, Server  # noqa: E402

EMAIL = "ada@example.org"


class Scene:
    """What journeys can ask for: each method is a name that they know."""

    def __init__(self, server):
        self.server = server
        self.key = None

    def device(self, name="Kitchen"):
        made = self.server.ctl("device", "create", "--account", EMAIL, "--name", name)
        if not self.key:
            self.key = self.server.ctl("key", "create", "--account", EMAIL)["key"]
        return made | {"key": made["websocketUrl"].partition("key=")[2]}

    def push(self, device, colour=None, file=None):
        picture = images.png(images.solid(tuple(colour))) if colour else SCENES[file]()
        answer = self.server.post(f"/v1/devices/{device}/push",
                                  {"image": base64.b64encode(picture).decode(),
                                   "installationId": "picture"},
                                  key=self.key)
        assert answer.status == 200, answer.body

    def update(self, device, fields):
        answer = self.server.request("PATCH", f"/v1/devices/{device}", fields, key=self.key)
        assert answer.status == 200, answer.body

    def log(self):
        return self.server.log()

    def stop(self):
        self.server.stop()

    def start(self):
        self.server.start()


def evening():
    """A picture worth looking at: a low sun over water."""
    picture = Image.new("RGB", images.SIZE)
    for y in range(32):
        for x in range(64):
            sun = (x - 44) ** 2 + ((y - 15) * 1.1) ** 2
            if y < 20:
                colour = (int(40 + 8 * y), int(12 + 4 * y), int(70 - 2 * y))
                colour = (255, 196, 70) if sun < 50 else colour
            else:
                glitter = abs(x - 44) < 9 - (y - 20) // 3 and (x * 7 + y * 13) % 5 < 2
                colour = (255, 170, 60) if glitter else (8, 26 + (y - 20), 58 + 2 * (y - 20))
            picture.putpixel((x, y), colour)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


SCENES = {"scene": evening}


@pytest.fixture(scope="session")
def scene(tmp_path_factory):
    """On a port that stays, since browsers come back to it."""
    state = str(tmp_path_factory.mktemp("displayd") / "state")
    with Server("--rate-limit", "0", state_dir=state) as server:
        server.command[server.command.index("127.0.0.1:0")] = "%s:%d" % server.address
        server.ctl("account", "create", EMAIL, "--name", "Ada")
        yield Scene(server)


@pytest.fixture
def run_journey(scene):
    def run(name):
        pictures = os.path.join(os.environ.get("MESON_BUILD_ROOT", "/tmp"), "pictures")
        told = {"url": scene.server.url + "/", "pictures": pictures,
                "chromium": shutil.which("chromium")}
        with subprocess.Popen(["node", os.path.join(HERE, "run.mjs"), name], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            print(json.dumps(told), file=process.stdin, flush=True)
            for line in process.stdout:
                wish = json.loads(line)
                answer = getattr(scene, wish.pop("ask"))(**wish)
                print(json.dumps(answer), file=process.stdin, flush=True)
            said = process.stderr.read()
            status = process.wait(PATIENCE_S)
        assert status == 0, said

    return run
