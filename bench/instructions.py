#!/usr/bin/python3
"""Counts the instructions that a worker executes per request, in its own code and its libraries.

    bench/instructions.py [--connections 64] [--rounds 50] [--json]

Unlike times they are the same on a busy machine. A worker runs under callgrind. All connections
send a request, then all wait for the answers: one round. The count of a short run is taken off that
of a long one, so that what happens once does not stand in it. The kernel's instructions and
PostgreSQL's are not counted. Needs valgrind.
"""

import argparse
import json
import os
import re
import socket
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))
from server import Server  # noqa: E402

SHORT_ROUNDS = 10


def read_answer(connection, left):
    """One answer with a Content-Length; what was read beyond it is returned."""
    while b"\r\n\r\n" not in left:
        left += connection.recv(65536)
    head, _, body = left.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 "):
        sys.exit(f"answered {head!r}")
    length = int(re.search(rb"\r\nContent-Length: (\d+)", head).group(1))
    while len(body) < length:
        body += connection.recv(65536)
    return body[length:]


def run_rounds(address, request, connections, rounds):
    sockets = [socket.create_connection(address) for _ in range(connections)]
    left = [b""] * connections
    for _ in range(rounds):
        for connection in sockets:
            connection.sendall(request)
        for number, connection in enumerate(sockets):
            left[number] = read_answer(connection, left[number])
    for connection in sockets:
        connection.close()


def total_of(path):
    with open(path, encoding="ascii", errors="replace") as file:
        return int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M).group(1))


def count(scenario, connections, rounds, directory):
    """Instructions of a worker's whole life with so many rounds, and callgrind's file."""
    pattern = os.path.join(directory, f"{scenario}-{rounds}.%p")
    callgrind = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={pattern}"]
    with Server("--rate-limit", "1000000", workers=1, prefix=callgrind) as server:
        server.ctl("account", "create", "bench@example.org", "--name", "Bench")
        device = server.ctl("device", "create", "--account", "bench@example.org", "--name", "Desk")
        key = server.ctl("key", "create", "--account", "bench@example.org")["key"]
        path = {"livez": "/livez", "device": f"/v1/devices/{device['id']}", "list": "/v1/devices"}
        request = (f"GET {path[scenario]} HTTP/1.1\r\nHost: bench\r\n"
                   f"Authorization: Bearer {key}\r\n\r\n")
        worker = server.workers()[0]
        run_rounds(server.address, request.encode(), connections, rounds)
        server.stop()
        return total_of(pattern.replace("%p", str(worker))), pattern.replace("%p", str(worker))


def per_request(scenario, options, directory):
    short, _ = count(scenario, options.connections, SHORT_ROUNDS, directory)
    long, file = count(scenario, options.connections, SHORT_ROUNDS + options.rounds, directory)
    return (long - short) / (options.rounds * options.connections), file


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", metavar="DIR", help="leave callgrind's files there")
    parser.add_argument("scenarios", nargs="*", default=["livez", "device"],
                        choices=["livez", "device", "list"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        result = {}
        os.chmod(temporary, 0o1777)  # root's PostgreSQL is made by a process of another user
        for scenario in options.scenarios:
            result[scenario], file = per_request(scenario, options, options.keep or temporary)
            if not options.json:
                print(f"{scenario:8} {result[scenario]:8.0f} instructions a request", flush=True)
            if options.keep:
                print(f"         {file}")
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
