#!/usr/bin/python3
"""Measures how long after an answered PATCH another instance still answers GET with the older state.

    bench/read_elsewhere.py [--instances 4] [--workers 2] [--changes 400] [--pause 0.05] [--json]

Each change goes to one instance, at random; as soon as it is answered another one is asked, again and
again until it shows the change. The answer is cached there before, which is the worst case. Reported:
how many first answers were old, and the time from the answer to the PATCH to the moment when the
first new answer was asked for.
"""

import argparse
import contextlib
import http.client
import json
import random
import sys
import time

import several

WARM_UP = 20


class Client:
    """A connection to an instance."""

    def __init__(self, running, device, key):
        self.connection = http.client.HTTPConnection(*running.address)
        self.path = f"/v1/devices/{device['id']}"
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def ask(self, method, body=None):
        self.connection.request(method, self.path, body and json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.status == 503:  # connections to the database are being made
            time.sleep(0.1)
            return self.ask(method, body)
        if answer.status != 200:
            sys.exit(f"{method} answered {answer.status}: {data!r}")
        return data

    def brightness(self):
        return json.loads(self.ask("GET"))["brightness"]


def measure(clients, changes, pause_s):
    """Returns seconds for which the older state was shown; 0: it was not."""
    late_s = []
    for number in range(changes + WARM_UP):
        writer, reader = random.sample(clients, 2)
        for client in clients:
            client.brightness()
        wanted = number % 100
        writer.ask("PATCH", {"brightness": wanted})
        answered = asked = time.monotonic()
        while reader.brightness() != wanted:
            asked = time.monotonic()
        if number >= WARM_UP:
            late_s.append(asked - answered)
        time.sleep(pause_s)
    return sorted(late_s)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--changes", type=int, default=400)
    parser.add_argument("--pause", type=float, default=0.05)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        instances, [device], key = several.start(stack, options, ["Desk"])
        late_s = measure([Client(running, device, key) for running in instances], options.changes, options.pause)
    found = {"changes": len(late_s), "old at first": sum(late > 0 for late in late_s)}
    found |= {f"p{part} ms": round(late_s[len(late_s) * part // 100] * 1000, 1) for part in (50, 90, 99)}
    found["max ms"] = round(late_s[-1] * 1000, 1)
    print(json.dumps(found) if options.json else ", ".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
