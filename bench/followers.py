#!/usr/bin/python3
"""Measures a push and a turn on devices that follow one, beside as many that do not.

    bench/followers.py [--devices 1000] [--pushes 5] [--json]

Each device has a panel with a WebSocket that sends no messages. Followed: one push to the leader. Alone: one POST /v1/push
to all. Reported: milliseconds from the request to the last panel, and the workers' processor time for each push.
"""

import argparse
import base64
import csv
import io
import json
import os
import re
import selectors
import socket
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))
import images  # noqa: E402
import server  # noqa: E402

MAIL = "bench@example.org"
PATIENCE_S = 120


def ask(running, key, method, path, body=None):
    data = json.dumps(body).encode() if body is not None else b""
    with socket.create_connection(running.address) as connection:
        connection.settimeout(PATIENCE_S)
        connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n"
                           f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    if not answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
        sys.exit(f"{method} {path} was answered {answer[:300]!r}")
    return answer.partition(b"\r\n\r\n")[2]


class Fleet:
    """Panels on WebSockets, which count pictures."""

    def __init__(self, running, targets):
        self.selector = selectors.DefaultSelector()
        self.sockets = []
        for target in targets:
            connection = socket.create_connection(running.address)
            connection.sendall((f"GET {target} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'A' * 22}==\r\n\r\n").encode())
            connection.setblocking(False)
            self.sockets.append(connection)
            self.selector.register(connection, selectors.EVENT_READ)

    def wait_for(self, marker):
        """Waits until each panel has got bytes with the marker. Returns when the last one had."""
        waiting, tails = set(self.sockets), {}
        end = time.monotonic() + PATIENCE_S
        while waiting:
            for found, _ in self.selector.select(1):
                connection = found.fileobj
                data = connection.recv(1 << 20)
                if not data:
                    sys.exit("the server closed a connection")
                tails[connection] = tails.get(connection, b"")[-len(marker):] + data
                if marker in tails[connection]:
                    waiting.discard(connection)
            if time.monotonic() > end:
                sys.exit(f"{len(waiting)} panels have not got the picture")
        return time.monotonic()

    def settle(self, quiet_s=1):
        """Reads until nothing has come for a while."""
        while found := self.selector.select(quiet_s):
            for one, _ in found:
                one.fileobj.recv(1 << 20)

    def close(self):
        for connection in self.sockets:
            connection.close()


def processor_s(running):
    ticks = 0
    for worker in running.workers():
        with open(f"/proc/{worker}/stat", encoding="ascii") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def target_of(device):
    """Path of a device's WebSocket."""
    return "/d/" + device["pollUrl"].partition("/d/")[2].replace("/next?", "/ws?")


def make_devices(running, count):
    """Returns them, each with id and pollUrl."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="ascii") as file:
        file.write("name\n" + "Desk\n" * count)
        file.flush()
        printed = running.ctl("device", "create", "--account", MAIL, "--from", file.name, json_output=False)
    rows = list(csv.DictReader(io.StringIO(printed)))
    return [{"id": re.search(r"/d/([0-9a-f-]+)/", row["pollUrl"])[1], **row} for row in rows]


def run(options, follows):
    with server.Server("--rate-limit", "1000000") as running:
        running.ctl("account", "create", MAIL, "--name", "Bench")
        devices = make_devices(running, options.devices + follows)
        key = running.ctl("key", "create", "--account", MAIL)["key"]
        leader, rest = devices[0], devices[follows:]
        for device in rest if follows else []:
            ask(running, key, "PUT", f"/v1/devices/{device['id']}/leader", {"leader": leader["id"]})
        fleet = Fleet(running, [target_of(device) for device in rest])
        fleet.settle()
        found = {"last_ms": [], "processor_ms": []}
        for number in range(options.pushes):
            picture = images.png(images.noise(number))
            body = {"image": base64.b64encode(picture).decode(), "duration": 15}
            before, begun = processor_s(running), time.monotonic()
            if follows:
                ask(running, key, "POST", f"/v1/devices/{leader['id']}/push", body)
            else:
                ask(running, key, "POST", "/v1/push", {**body, "devices": "all"})
            end = fleet.wait_for(b"WEBP")
            found["last_ms"].append(round(1000 * (end - begun), 1))
            fleet.settle()
            found["processor_ms"].append(round(1000 * (processor_s(running) - before)))
        fleet.close()
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", type=int, default=1000)
    parser.add_argument("--pushes", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {"followed": run(options, 1), "alone": run(options, 0)}
    if options.json:
        print(json.dumps(found))
        return
    for name, one in found.items():
        print(f"{name:9} last panel after {sorted(one['last_ms'])[options.pushes // 2]:.1f} ms, "
              f"{sorted(one['processor_ms'])[options.pushes // 2]} ms of processors a push {one}")


if __name__ == "__main__":
    main()
