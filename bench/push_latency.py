#!/usr/bin/python3
"""Measures how long a push takes to reach a panel.

    bench/push_latency.py                       starts a server of its own
    bench/push_latency.py --devices FILE        one that runs: JSON with url, key, and devices, each
                                                with id and websocketUrl

Pushes different 64x32 PNGs at a fixed rate over some kept connections, to each device in turn. The
panels are raw WebSockets in this process, which acknowledge as the firmware does. Measured from when
the push was to be sent: to the whole picture at the panel, and to the whole answer. Every picture's
pixels are compared with what was pushed, outside of the time.
"""

import argparse
import base64
import collections
import contextlib
import dataclasses
import io
import json
import os
import random
import selectors
import socket
import sys
import time
import urllib.parse

from PIL import Image

from panel_socket import BINARY, PATIENCE_S, PanelSocket

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))
from server import Server  # noqa: E402


def make_picture(number, kind):
    """PNG data and pixels. The first pixels hold the number, so that no two are the same."""
    chance = random.Random(number)
    if kind == "noise":
        image = Image.frombytes("RGB", (64, 32), chance.randbytes(64 * 32 * 3))
    elif kind == "photo":
        small = Image.frombytes("RGB", (8, 4), chance.randbytes(8 * 4 * 3))
        image = small.resize((64, 32), Image.Resampling.BICUBIC)
    else:
        image = Image.new("RGB", (64, 32), (number % 200, 30, 60))
        for _ in range(12):
            x, y = chance.randrange(56), chance.randrange(26)
            colour = tuple(chance.randbytes(3))
            image.paste(colour, (x, y, x + chance.randrange(2, 8), y + chance.randrange(2, 6)))
    image.putpixel((0, 0), (number >> 8, number & 255, 7))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue(), image.tobytes()


def make_request(host, device, key, png):
    body = json.dumps({"image": base64.b64encode(png).decode()}).encode()
    head = (
        f"POST /v1/devices/{device}/push HTTP/1.1\r\nHost: {host}\r\n"
        f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class ApiSocket:
    """A kept connection to the API."""

    def __init__(self, url):
        self.socket = socket.create_connection((url.hostname, url.port or 80), timeout=PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = b""

    def fileno(self):
        return self.socket.fileno()

    def receive(self):
        """One read. True when the whole answer is here; anything but 200 ends the program."""
        data = self.socket.recv(65536)
        if not data:
            sys.exit("the server closed the API's connection")
        self.input += data
        head, separator, body = self.input.partition(b"\r\n\r\n")
        if not separator:
            return False
        lines = head.decode().lower().split("\r\n")
        length = next(int(x[15:]) for x in lines if x.startswith("content-length:"))
        if len(body) < length:
            return False
        if " 200 " not in lines[0] + " ":
            sys.exit(f"a push was refused: {lines[0]}\n{body.decode(errors='replace')}")
        self.input = b""
        return True


class Stream:
    """Pushes to several devices at a fixed rate, whatever the server does, each device with its
    panel. Times are counted from when a push was to be sent: where all connections are busy it
    waits, and its waiting counts."""

    def __init__(self, options, where):
        self.rate = options.rate
        url = urllib.parse.urlsplit(where.url)
        self.panels = [PanelSocket(device["websocketUrl"]) for device in where.devices]
        self.apis = [ApiSocket(url) for _ in range(options.connections)]
        self.free = collections.deque(self.apis)
        self.selector = selectors.DefaultSelector()
        for panel in self.panels:
            panel.wait_for_picture()
            panel.arrivals = []
        for each in (*self.panels, *self.apis):
            self.selector.register(each, selectors.EVENT_READ)
        count = options.warm_up + options.pushes
        self.made = [make_picture(number, options.picture) for number in range(count)]
        self.requests = [
            make_request(url.netloc, where.devices[number % len(self.panels)]["id"], where.key, png)
            for number, (png, _) in enumerate(self.made)]
        self.answered = [None] * count
        self.sent = 0

    def due(self, number):
        return self.start + number / self.rate

    def send_what_is_due(self):
        while (self.sent < len(self.made) and self.free
               and self.due(self.sent) <= time.perf_counter()):
            api = self.free.popleft()
            api.number = self.sent
            api.socket.sendall(self.requests[self.sent])
            self.sent += 1

    def pause_s(self):
        """Until something is to be done."""
        if self.sent < len(self.made) and self.free:
            return max(0, self.due(self.sent) - time.perf_counter())
        return PATIENCE_S

    def take(self, ready, now):
        if isinstance(ready, ApiSocket):
            if ready.receive():
                self.answered[ready.number] = now
                self.free.append(ready)
            return
        for opcode, payload in ready.messages():
            if opcode == BINARY:
                ready.arrivals.append((now, payload))
                ready.acknowledge()

    def is_done(self):
        seen = sum(len(panel.arrivals) for panel in self.panels)
        return seen >= len(self.made) and None not in self.answered

    def run(self):
        self.start = time.perf_counter() + 0.01
        end = self.due(len(self.made)) + PATIENCE_S
        while not self.is_done():
            self.send_what_is_due()
            for key, _ in self.selector.select(self.pause_s()):
                self.take(key.fileobj, time.perf_counter())
            if time.perf_counter() > end:
                sys.exit("not all pictures and answers came")

    def close(self):
        for panel in self.panels:
            panel.close()

    def seen(self, number):
        """When its panel had the picture, which must be the one that was pushed."""
        count = len(self.panels)
        when, picture = self.panels[number % count].arrivals[number // count]
        if Image.open(io.BytesIO(picture)).convert("RGB").tobytes() != self.made[number][1]:
            sys.exit(f"push {number}: the panel got another picture")
        return when, len(picture)


def measure(options, where):
    stream = Stream(options, where)
    stream.run()
    stream.close()
    to_panel, to_answer, sizes = [], [], []
    for number in range(options.warm_up, len(stream.made)):
        when, size = stream.seen(number)
        to_panel.append((when - stream.due(number)) * 1000)
        to_answer.append((stream.answered[number] - stream.due(number)) * 1000)
        sizes.append(size)
    return to_panel, to_answer, sizes


def summary(values):
    values = sorted(values)

    def at(share):
        return round(values[min(len(values) - 1, int(share * len(values)))], 3)

    return {
        "min": round(values[0], 3),
        "median": at(0.5),
        "p90": at(0.9),
        "p99": at(0.99),
        "max": round(values[-1], 3),
    }


@dataclasses.dataclass
class Where:
    """A server that runs, and whose devices are pushed to."""

    url: str
    key: str
    devices: list


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", metavar="FILE", help="a server that runs, and its devices")
    parser.add_argument("--rate", type=float, default=100, help="pushes a second")
    parser.add_argument("--panels", type=int, default=20, help="of a server of its own")
    parser.add_argument("--connections", type=int, default=8, help="to the API")
    parser.add_argument("--pushes", type=int, default=1000)
    parser.add_argument("--warm-up", type=int, default=100, help="pushes that do not count")
    parser.add_argument("--workers", type=int, default=2, help="of a server of its own")
    parser.add_argument("--picture", choices=["sprites", "photo", "noise"], default="sprites")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.pushes < 1 or options.warm_up < 0 or not options.rate > 0 or options.connections < 1:
        parser.error("there is nothing to measure")
    return options


@contextlib.contextmanager
def server_with_devices(options):
    """One of its own; it allows 10 pushes a second to a device."""
    with Server(workers=options.workers) as server:
        server.ctl("account", "create", "bench@example.org", "--name", "Bench")
        devices = [server.ctl("device", "create", "--account", "bench@example.org", "--name",
                              f"Panel {number}") for number in range(options.panels)]
        key = server.ctl("key", "create", "--account", "bench@example.org")["key"]
        yield Where(server.url, key, devices)


def run(options):
    if options.devices:
        with open(options.devices, encoding="utf-8") as file:
            return measure(options, Where(**json.load(file)))
    with server_with_devices(options) as where:
        return measure(options, where)


def main():
    options = parse_arguments()
    to_panel, to_answer, sizes = run(options)
    result = {
        "pushes": options.pushes,
        "rate": options.rate,
        "picture": options.picture,
        "panel_ms": summary(to_panel),
        "answer_ms": summary(to_answer),
        "webp_bytes_median": sorted(sizes)[len(sizes) // 2],
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"{options.pushes} pushes of 64x32 PNGs ({options.picture}), {options.rate:g} a second, "
          f"WebP of {result['webp_bytes_median']} bytes at the median; milliseconds:")
    for name, values in (("to the panel", to_panel), ("to the answer", to_answer)):
        print(f"  {name:14}" + "".join(f"{k} {v:<9}" for k, v in summary(values).items()))


if __name__ == "__main__":
    main()
