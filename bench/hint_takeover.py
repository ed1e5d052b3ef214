#!/usr/bin/python3
"""Measures how long words stay away when the worker that carries hints ends.

    bench/hint_takeover.py [--workers 4] [--times 3] [--json]

Pictures are pushed at another instance, one after the other, to a panel of this one, whose worker is not the carrier.
Reported for each ending: the longest time from an answered push until the panel had its picture, and the same without
an ending.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import tempfile
import time

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test")
sys.path[:0] = [os.path.join(TEST, "api"), TEST]
import images  # noqa: E402
from test_hint_carrier import carriers, panel_at, read_until  # noqa: E402
from world import World  # noqa: E402

from postgres import Postgres  # noqa: E402

AFTER_S = 3  # how long pictures are pushed after an ending
ENDINGS = ("none", "killed", "hung", "reloaded")


def end(world, ending, settings):
    carrier = carriers(world)[-1]
    if ending == "killed":
        world.kill_worker(carrier)
    elif ending == "hung":
        os.kill(carrier, signal.SIGSTOP)
    elif ending == "reloaded":
        with open(settings, "a", encoding="utf-8") as file:
            file.write("# again\n")
        world.server.process.send_signal(signal.SIGHUP)
    return carrier


def longest_s(options, cluster, ending, folder):
    settings = os.path.join(folder, "displayd.conf")
    with open(settings, "w", encoding="utf-8") as file:
        file.write("rate-limit = 0\n")
    database = cluster.create_database()
    with World(database, "--config", settings, workers=options.workers) as world, World(
            database, "--rate-limit", "0", workers=1) as elsewhere, contextlib.closing(elsewhere.client()) as client:
        device = world.account().device()
        witness = next(pid for pid in world.workers() if pid != carriers(world)[-1])
        with panel_at(world, witness, device) as panel:
            ended = begun = longest = 0
            carrier = None
            for number in range(10**6):
                if number == 3:
                    carrier, ended = end(world, ending, settings), time.monotonic()
                if ended and time.monotonic() > ended + AFTER_S:
                    break
                picture = images.png(images.solid((number % 256, number // 256, 100)))
                answer = client.request("POST", f"{device.path}/push", key=device.account.key,
                                        body={"image": images.text(picture)})
                assert answer.status == 200
                begun = time.monotonic()
                longest = max(longest, read_until(panel, picture) - begun)
        if ending == "hung":
            with contextlib.suppress(ProcessLookupError):
                os.kill(carrier, signal.SIGCONT)
    return longest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with Postgres({"max_connections": "200"}) as cluster, tempfile.TemporaryDirectory() as folder:
        found = {ending: round(max(longest_s(options, cluster, ending, folder) for _ in range(options.times)), 3)
                 for ending in ENDINGS}
    print(json.dumps(found) if options.json else ", ".join(f"{name} {value} s" for name, value in found.items()))


if __name__ == "__main__":
    main()
