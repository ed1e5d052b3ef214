#!/usr/bin/python3
"""Measures how long a push takes to reach a panel, and to be answered; one line of JSON.

    bench/push_latency.py DEVICES RATE PUSHES WARM_UP

DEVICES is a JSON file with url, key, and devices, each with id and websocketUrl; without these URLs
only the answers are measured. A device may have an "apiKey" of its own. Pushes different 64x32 PNGs at a
fixed rate over some kept connections, to each device in turn; the first ones, for warming up, do not
count. With "call": "message" in the file these are messages, which the server draws, each another
one. The panels are raw WebSockets in this process, which acknowledge as the
firmware does. Measured from when the push was to be sent: to the whole picture at the panel, and to
the whole answer. Every picture's pixels are compared with what was pushed, outside of the time.
"""

import base64
import collections
import io
import json
import random
import selectors
import socket
import sys
import time
import urllib.parse

from PIL import Image

from panel_socket import BINARY, PATIENCE_S, PanelSocket

CONNECTIONS = 8  # connections to the API


def make_picture(number):
    """Returns PNG data and pixels. The first pixels encode the number, so that no two pictures are
    equal."""
    chance = random.Random(number)
    image = Image.new("RGB", (64, 32), (number % 200, 30, 60))
    for _ in range(12):
        x, y = chance.randrange(56), chance.randrange(26)
        colour = tuple(chance.randbytes(3))
        image.paste(colour, (x, y, x + chance.randrange(2, 8), y + chance.randrange(2, 6)))
    image.putpixel((0, 0), (number >> 8, number & 255, 7))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue(), image.tobytes()


def make_request(host, device, key, call, members):
    body = json.dumps(members).encode()
    head = (
        f"POST /v1/devices/{device}/{call} HTTP/1.1\r\nHost: {host}\r\n"
        f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class ApiSocket:
    """A persistent connection to the API."""

    def __init__(self, url):
        self.socket = socket.create_connection((url.hostname, url.port or 80), timeout=PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = b""

    def fileno(self):
        return self.socket.fileno()

    def receive(self):
        """Reads once. Returns true if the answer is complete; a status other than 200 ends the
        program."""
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
    panel. Times are counted from when a push is due: if all connections are busy, it waits, and the
    waiting counts."""

    def __init__(self, where, rate, count):
        self.rate = rate
        url = urllib.parse.urlsplit(where["url"])
        devices = where["devices"]
        self.panels = [PanelSocket(device["websocketUrl"]) for device in devices
                       if "websocketUrl" in device]
        self.apis = [ApiSocket(url) for _ in range(CONNECTIONS)]
        self.free = collections.deque(self.apis)
        self.selector = selectors.DefaultSelector()
        for panel in self.panels:
            panel.wait_for_picture()
            panel.arrivals = []
        for each in (*self.panels, *self.apis):
            self.selector.register(each, selectors.EVENT_READ)
        self.made = [make_picture(number) for number in range(count)]
        self.is_drawn = where.get("call") == "message"
        self.requests = [
            make_request(url.netloc, one["id"], one.get("apiKey") or where["key"], where.get("call", "push"),
                         {"text": f"{number} done", "scroll": "none"} if self.is_drawn else {"image": base64.b64encode(png).decode()})
            for number, (png, _) in enumerate(self.made) for one in [devices[number % len(devices)]]]
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
        """Returns how long to wait for the next action."""
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
        return (seen >= len(self.made) or not self.panels) and None not in self.answered

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
        """Notes when the panel received the picture, and checks that it is the pushed one."""
        count = len(self.panels)
        when, picture = self.panels[number % count].arrivals[number // count]
        pixels = Image.open(io.BytesIO(picture)).convert("RGB").tobytes()
        if not self.is_drawn and pixels != self.made[number][1]:
            sys.exit(f"push {number}: the panel got another picture")
        return when


def summary(values):
    """Milliseconds."""
    values = sorted(1000 * value for value in values)
    return {"median": values[len(values) // 2], "max": values[-1],
            "p99": values[min(len(values) - 1, int(0.99 * len(values)))]}


def main():
    path, *numbers = sys.argv[1:]
    rate, pushes, warm_up = map(int, numbers)
    with open(path, encoding="utf-8") as file:
        stream = Stream(json.load(file), rate, warm_up + pushes)
    stream.run()
    stream.close()
    counted = range(warm_up, warm_up + pushes)
    said = {"answer_ms": summary([stream.answered[number] - stream.due(number)
                                  for number in counted])}
    if stream.panels:
        said["panel_ms"] = summary([stream.seen(number) - stream.due(number)
                                    for number in counted])
    print(json.dumps(said))


if __name__ == "__main__":
    main()
