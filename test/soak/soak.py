#!/usr/bin/python3
"""Mixed load on a server for an hour: pushes, reads, lists, polling and WebSocket panels, people
who sign in, pages that listen, and apps where an engine is built. One line of JSON a minute, and at the
end the slopes of memory, descriptors and latency.

    test/soak/soak.py [--minutes 60] [--pause 0.2] [--engine]

The first quarter is left out of the slopes: caches fill. Ends with 1 where something was answered
wrongly, a worker has ended, an app was not rendered, or where memory, descriptors or latency rise by
more than noise in an hour. A run of less than 20 minutes says nothing about an hour: its slopes are
shown and not judged.
"""

import argparse
import json
import sys
import time

from load import Load
from watch import Watch

from postgres import Postgres
from world import World

from waiting import let_pass

JUDGED_S = 20 * 60
# Rise in an hour that still counts as flat: an amount, and a part of the mean. Latency is that of a machine
# on which the clients also run.
RISES = {
    "workers_kib": (4096, 0),
    "supervisor_kib": (1024, 0),
    "descriptors": (20, 0),
    "p50_ms": (1, 0.5),
    "p99_ms": (20, 0.5),
}


def verdict(slopes):
    """Rising figures, as sentences."""
    return [f"{name} rises by {slopes[name]['an_hour']} an hour, of {slopes[name]['mean']}"
            for name, (least, part) in RISES.items()
            if slopes[name]["an_hour"] > least + part * slopes[name]["mean"]]


def ends_of(log):
    """Log lines about processes that have ended, and their previous lines."""
    lines = log.splitlines()
    at = [number for number, line in enumerate(lines) if "ended unexpectedly" in line]
    return [line for number in at for line in lines[max(0, number - 5):number + 1]]


def soak(world, seconds, every_s, pause_s, has_renders, say):
    """Returns (load, slopes, faults)."""
    load = Load(world, pause_s=pause_s, has_renders=has_renders)
    told = []
    with load:
        watch = Watch(load)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            let_pass(min(every_s, max(0.1, end - time.monotonic())))
            say(watch.look())
            for line in ends_of(world.server.log())[len(told):]:
                told.append(line)
                say({"ended": line})
    faults = load.faults + told
    if has_renders and not load.counts["new picture of an app"]:
        faults.append("the app was never rendered")
    return load, watch.slopes(seconds / 4), faults


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--pause", type=float, default=0.2, help="seconds between a user's acts")
    parser.add_argument("--engine", action="store_true", help="render an app, too")
    arguments = parser.parse_args()
    with Postgres({"max_connections": "200", "fsync": "on"}) as postgres, \
            World(postgres.create_database(), "--rate-limit", "0", "--access-log", "off") as world:
        load, slopes, faults = soak(
            world, arguments.minutes * 60, min(60, arguments.minutes * 6), arguments.pause,
            arguments.engine, lambda sample: print(json.dumps(sample), flush=True))
        print(json.dumps({"counts": dict(sorted(load.counts.items())), "slopes": slopes}, indent=1),
              flush=True)
        if arguments.minutes * 60 >= JUDGED_S:
            faults += verdict(slopes)
        print(f"wrong: {faults or 'nothing'}", flush=True)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
