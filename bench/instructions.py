#!/usr/bin/python3
"""Counts the instructions that a worker executes per request, in its own code and its libraries.

    bench/instructions.py [--connections 64] [--rounds 50] [--json]
    bench/instructions.py --without-metrics     what of them counting for /metrics takes

Unlike times they are the same on a busy machine. A worker runs under callgrind. All connections
send a request, then all wait for the answers: one round. The count of a short run is taken off that
of a long one, so that what happens once does not stand in it. The kernel's instructions and
PostgreSQL's are not counted. Needs valgrind.

--without-metrics builds the tree twice, as tools/build does, once so that it counts nothing for
/metrics, and shows both. What it shows is small, and what a worker does once a turn and once a second
hides it in short runs: so these have 2,000 rounds.
"""

import argparse
import base64
import json
import os
import re
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))
import images  # noqa: E402
import server  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SHORT_ROUNDS = 10
# Same options as in tools/build.
BUILD = ["--buildtype=release", "-Db_lto=true", "-Dtests=false"]
NO_METRICS = ["-Dc_args=-DMETRIC_COUNTS_NOTHING"]
SCENARIOS = ["livez", "device", "list", "poll", "push", "patch"]


def receive(connection):
    return connection.recv(65536) or sys.exit("the server closed a connection")


def read_answer(connection, left):
    """Reads an answer with a Content-Length. Returns the bytes read beyond it."""
    while b"\r\n\r\n" not in left:
        left += receive(connection)
    head, _, body = left.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 "):
        sys.exit(f"answered {head!r}")
    length = int(re.search(rb"\r\nContent-Length: (\d+)", head).group(1))
    while len(body) < length:
        body += receive(connection)
    return body[length:]


def run_rounds(address, requests, rounds):
    """Sends each request over a connection of its own, in each round."""
    sockets = [socket.create_connection(address) for _ in requests]
    left = [b""] * len(requests)
    for _ in range(rounds):
        for connection, request in zip(sockets, requests):
            connection.sendall(request)
        for number, connection in enumerate(sockets):
            left[number] = read_answer(connection, left[number])
    for connection in sockets:
        connection.close()


def total_of(path):
    with open(path, encoding="ascii", errors="replace") as file:
        return int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M).group(1))


def make_request(scenario, device, key):
    """The picture of a push is the same each time, so only the first one is encoded."""
    path = {"livez": "/livez", "device": f"/v1/devices/{device['id']}", "list": "/v1/devices",
            "poll": "/d/" + device["pollUrl"].partition("/d/")[2], "push": f"/v1/devices/{device['id']}/push",
            "patch": f"/v1/devices/{device['id']}"}
    head = f"{path[scenario]} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n"
    bodies = {"push": {"image": base64.b64encode(images.png()).decode()}, "patch": {"name": "Desk"}}
    if scenario not in bodies:
        return f"GET {head}\r\n".encode()
    method, body = "POST" if scenario == "push" else "PATCH", json.dumps(bodies[scenario])
    return (f"{method} {head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()


def count(scenario, connections, rounds, directory):
    """Counts the instructions of a worker from start to end with so many rounds. Returns them, and
    callgrind's file."""
    pattern = os.path.join(directory, f"{scenario}-{rounds}.%p")
    callgrind = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={pattern}"]
    with server.Server("--rate-limit", "1000000", workers=1, prefix=callgrind) as running:
        running.ctl("account", "create", "bench@example.org", "--name", "Bench")
        # A device takes ten pushes a second.
        devices = [running.ctl("device", "create", "--account", "bench@example.org", "--name", f"Desk {number}")
                   for number in range(connections if scenario in ("push", "patch") else 1)]
        key = running.ctl("key", "create", "--account", "bench@example.org")["key"]
        worker = running.workers()[0]
        requests = [make_request(scenario, device, key) for device in devices]
        run_rounds(running.address, requests * (connections // len(requests)), rounds)
        running.stop()
        return total_of(pattern.replace("%p", str(worker))), pattern.replace("%p", str(worker))


def per_request(scenario, options, directory):
    short, _ = count(scenario, options.connections, SHORT_ROUNDS, directory)
    long, file = count(scenario, options.connections, SHORT_ROUNDS + options.rounds, directory)
    return (long - short) / (options.rounds * options.connections), file


def use_build(name, settings):
    """Builds the tree in this folder, whose programs are measured from now on."""
    folder = os.path.join(ROOT, "build", name)
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        subprocess.run(["meson", "setup", folder, *BUILD, *settings], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
    programs = ["src/main/displayd", "src/ctl/displayctl"]
    subprocess.run(["ninja", "-C", folder, "--quiet", *programs], check=True, stdout=sys.stderr)
    server.DISPLAYD, server.DISPLAYCTL = (os.path.join(folder, program) for program in programs)


def compare(options, directory):
    """Finds the instructions of a request spent on metrics: by scenario, with, without, and percent."""
    found = {}
    for name, settings in (("release", []), ("no-metrics", NO_METRICS)):
        use_build(name, settings)
        for scenario in options.scenarios:
            found.setdefault(scenario, []).append(per_request(scenario, options, directory)[0])
    for scenario, (with_them, without) in found.items():
        percent = 100 * (with_them - without) / with_them
        found[scenario] = {"with": with_them, "without": without, "percent": percent}
        if not options.json:
            print(f"{scenario:8} {with_them:8.0f} instructions a request, {without:8.0f} without metrics: "
                  f"{percent:.2f} %")
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--rounds", type=int, help="by default 50, or 2,000")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--without-metrics", action="store_true")
    parser.add_argument("--keep", metavar="DIR", help="leave callgrind's files there")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", default=SCENARIOS[:2],
                        help=f"of {', '.join(SCENARIOS)}; by default the first two")
    options = parser.parse_args()
    options.rounds = options.rounds or (2000 if options.without_metrics else 50)
    if not set(options.scenarios) <= set(SCENARIOS):
        parser.error(f"the scenarios are {', '.join(SCENARIOS)}")
    with tempfile.TemporaryDirectory() as temporary:
        result = {}
        os.chmod(temporary, 0o1777)  # root's PostgreSQL is run by another user
        if options.without_metrics:
            result = compare(options, options.keep or temporary)
        for scenario in [] if options.without_metrics else options.scenarios:
            result[scenario], file = per_request(scenario, options, options.keep or temporary)
            if not options.json:
                print(f"{scenario:8} {result[scenario]:8.0f} instructions a request", flush=True)
            if options.keep:
                print(f"         {file}")
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
