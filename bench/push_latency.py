#!/usr/bin/python3
"""Measures how long a push takes to reach a panel.

    bench/push_latency.py                       starts a server of its own, with one device
    bench/push_latency.py --url http://HOST:PORT --key KEY --device ID --websocket-url URL

Pushes different 64x32 PNGs, one after another, over one kept connection to
POST /v1/devices/{device}/push. The panel is a raw WebSocket in this process, which acknowledges as
the firmware does. Measured from before the request is sent: to the whole picture at the panel, and
to the whole answer. Every picture's pixels are compared with what was pushed, outside of the time.
A server that was started elsewhere needs --rate-limit 0.
"""

import argparse
import base64
import contextlib
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
        self.host = url.netloc
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


def push_once(api, panel, selector, request):
    """Sends one push. Seconds to the picture and to the answer, and the picture."""
    at_panel = at_answer = picture = None
    begin = time.perf_counter()
    api.socket.sendall(request)
    while at_panel is None or at_answer is None:
        ready = selector.select(PATIENCE_S)
        now = time.perf_counter()
        if not ready:
            sys.exit("neither the picture nor the answer came in 30 s")
        for key, _ in ready:
            if key.fileobj is api:
                at_answer = now - begin if api.receive() else at_answer
                continue
            for opcode, payload in panel.messages():
                if opcode == BINARY:
                    at_panel, picture = now - begin, payload
                    panel.acknowledge()
    return at_panel, at_answer, picture


def measure(options, base_url, key, device, websocket_url):
    api = ApiSocket(urllib.parse.urlsplit(base_url))
    panel = PanelSocket(websocket_url)
    panel.wait_for_picture()
    selector = selectors.DefaultSelector()
    selector.register(api, selectors.EVENT_READ)
    selector.register(panel, selectors.EVENT_READ)
    to_panel, to_answer, sizes = [], [], []
    for number in range(options.warm_up + options.pushes):
        png, pixels = make_picture(number, options.picture)
        request = make_request(api.host, device, key, png)
        time.sleep(options.interval_ms / 1000)
        at_panel, at_answer, picture = push_once(api, panel, selector, request)
        if Image.open(io.BytesIO(picture)).convert("RGB").tobytes() != pixels:
            sys.exit(f"push {number}: the panel got another picture")
        if number >= options.warm_up:
            to_panel.append(at_panel * 1000)
            to_answer.append(at_answer * 1000)
            sizes.append(len(picture))
    panel.close()
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


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="what the server's URLs start with")
    parser.add_argument("--key", help="API key of the device's account")
    parser.add_argument("--device", help="device ID")
    parser.add_argument("--websocket-url", help="the device's websocketUrl, with its key")
    parser.add_argument("--pushes", type=int, default=1000)
    parser.add_argument("--warm-up", type=int, default=20, help="pushes that do not count")
    parser.add_argument("--interval-ms", type=float, default=10, help="rest before each push")
    parser.add_argument("--workers", type=int, default=2, help="of a server of its own")
    parser.add_argument("--picture", choices=["sprites", "photo", "noise"], default="sprites")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    given = [options.url, options.key, options.device, options.websocket_url]
    if any(given) and not all(given):
        parser.error("--url, --key, --device and --websocket-url go together")
    if options.pushes < 1 or options.warm_up < 0 or options.interval_ms < 0:
        parser.error("there is nothing to measure")
    return options


def main():
    options = parse_arguments()
    with contextlib.ExitStack() as stack:
        if options.url:
            where = options.url, options.key, options.device, options.websocket_url
        else:
            server = stack.enter_context(Server("--rate-limit", "0", workers=options.workers))
            server.ctl("account", "create", "bench@example.org", "--name", "Bench")
            device = server.ctl(
                "device", "create", "--account", "bench@example.org", "--name", "Bench"
            )
            key = server.ctl("key", "create", "--account", "bench@example.org")["key"]
            where = server.url, key, device["id"], device["websocketUrl"]
        to_panel, to_answer, sizes = measure(options, *where)
    result = {
        "pushes": options.pushes,
        "picture": options.picture,
        "panel_ms": summary(to_panel),
        "answer_ms": summary(to_answer),
        "webp_bytes_median": sorted(sizes)[len(sizes) // 2],
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"{options.pushes} pushes of 64x32 PNGs ({options.picture}), WebP of "
          f"{result['webp_bytes_median']} bytes at the median; milliseconds:")
    for name, values in (("to the panel", to_panel), ("to the answer", to_answer)):
        print(f"  {name:14}" + "".join(f"{k} {v:<9}" for k, v in summary(values).items()))


if __name__ == "__main__":
    main()
