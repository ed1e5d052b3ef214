"""The picture of the line that tools/run prints is the one that its script draws, and can be pushed."""

import io
import os
import subprocess
import sys

from PIL import Image
from server import ROOT

FOLDER = os.path.join(ROOT, "tools/demo")


def pixels(data):
    image = Image.open(io.BytesIO(data))
    assert image.size == (64, 32)
    return image.convert("RGB").tobytes()


def test_picture(folder):
    subprocess.run([sys.executable, os.path.join(FOLDER, "draw.py"), folder], check=True)
    with open(os.path.join(folder, "demo.png"), "rb") as file:
        drawn = pixels(file.read())
    with open(os.path.join(FOLDER, "demo.png"), "rb") as file:
        data = file.read()
    assert pixels(data) == drawn
    assert len(data) < 2048


def test_push(running):
    running.ctl("account", "create", "demo@example.org", "--name", "Demo")
    device = running.ctl("device", "create", "--account", "demo@example.org", "--name", "Panel")
    pushed = running.ctl("push", "Panel", os.path.join(FOLDER, "demo.png"))
    assert (pushed["deviceId"], pushed["device"]) == (device["id"], "Panel")
    shown = running.get(running.path_of(device["pollUrl"]))
    assert shown.status == 200
    with open(os.path.join(FOLDER, "demo.png"), "rb") as file:
        assert pixels(shown.body) == pixels(file.read())
