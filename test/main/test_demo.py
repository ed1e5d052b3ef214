"""The picture that tools/run pushes is the one that its script draws."""

import base64
import io
import json
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
    with open(os.path.join(FOLDER, "push.json"), encoding="utf-8") as file:
        body = json.load(file)
    assert pixels(base64.b64decode(body["image"])) == drawn
    assert body["installationId"] == "demo"


def test_push(running):
    running.ctl("account", "create", "demo@example.org", "--name", "Demo")
    device = running.ctl("device", "create", "--account", "demo@example.org", "--name", "Panel")
    key = running.ctl("key", "create", "--account", "demo@example.org")["key"]
    with open(os.path.join(FOLDER, "push.json"), "rb") as file:
        answer = running.post(f"/v1/devices/{device['id']}/push", file.read(), key=key,
                              headers={"Content-Type": "application/json"})
    assert (answer.status, answer.json()) == (200, {})
    shown = running.get(running.path_of(device["pollUrl"]))
    assert shown.status == 200
    with open(os.path.join(FOLDER, "demo.png"), "rb") as file:
        assert pixels(shown.body) == pixels(file.read())
