"""Panels that poll for their next picture.

0.95 of nginx is not reached: a poll takes 17,900 instructions in displayd's own code, of which the access log,
which nginx does not write, takes 2,500, and the checks of the head, byte by byte before llhttp, 2,100."""

import base64
import random

from server import wait_until
from scenarios.base import SUBJECT, Failed, Goal, Scenario

PICTURE_BYTES = 1024
TOLERANCE = 0.1


def sprites(count, seed=1):
    """Returns a picture of so many coloured blocks: the more blocks, the larger its WebP."""
    chance = random.Random(seed)
    from PIL import Image

    image = Image.new("RGB", (64, 32), (10, 20, 40))
    for _ in range(count):
        x, y = chance.randrange(60), chance.randrange(28)
        image.paste(tuple(chance.randbytes(3)),
                    (x, y, x + chance.randrange(2, 6), y + chance.randrange(2, 6)))
    return image


def path_of(device):
    return "/d/" + device["pollUrl"].split("/d/", 1)[1]


def push(server, key, device, picture):
    """Pushes a picture into the rotation, where it stays."""
    from images import png

    body = {"image": base64.b64encode(png(picture)).decode(), "installationId": "bench",
            "background": True}
    answer = server.post(f"/v1/devices/{device['id']}/push", body, key=key)
    if answer.status != 200:
        raise Failed(f"a push is answered {answer.status}: {answer.body[:200]!r}")


def picture_of_size(server, key, devices):
    """Finds and pushes a picture whose WebP has about PICTURE_BYTES: searches the number of sprites.
    Uses a new device each time, which first shows the picture pushed to it."""
    low, high = 1, 400
    for device in devices:
        count = (low + high) // 2
        push(server, key, device, sprites(count))
        size = len(server.get(path_of(device)).body)
        if abs(size - PICTURE_BYTES) <= TOLERANCE * PICTURE_BYTES:
            return sprites(count), size
        low, high = (count + 1, high) if size < PICTURE_BYTES else (low, count - 1)
    raise Failed(f"no picture becomes a WebP of about {PICTURE_BYTES} bytes")


class Poll(Scenario):
    name = "poll"
    title = "GET /d/{id}/next, 1 KB picture, 256 connections"
    bound_by = "kernel"
    measures = ("100 panels in turn, each with one pushed picture of about 1 KB. Pictures and "
                "panel state come from memory; lastOnline is written in batches.")
    references = ("nginx",)
    goals = (Goal("rate", of="nginx", at_least=0.95),)
    unit = "pictures"

    def prepare(self, bench):
        server = bench.server
        picture, size = picture_of_size(server, *bench.accounts[0])
        paths = []
        for key, devices in bench.accounts:
            for device in devices:
                path = path_of(device)
                push(server, key, device, picture)
                # Each worker gets the hint at its own time.
                wait_until(lambda: len(server.get(path).body) == size, "the pushed picture")
                paths.append(path)
        self.requests = [("GET", path, None, None) for path in paths]
        answer = server.get(paths[0])
        self.urls = {SUBJECT: server.url, "nginx": bench.nginx(like=answer)}

    def run(self, bench, who, seconds):
        return bench.wrk(self.urls[who], 256, seconds, self.requests)
