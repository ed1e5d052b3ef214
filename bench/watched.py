#!/usr/bin/python3
"""Measures the hints that watched panels cost while nothing changes.

    bench/watched.py [--panels 1000] [--workers 1 4 8] [--seconds 60] [--json]

Each panel has a WebSocket, and shows nothing new. A page at each worker watches all of them. Reported for each number
of workers: hints a second of each kind, in all and for a watching worker.
"""

import argparse
import collections
import contextlib
import json
import os
import selectors
import sys
import threading
import time

import psycopg2

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test")
sys.path[:0] = [os.path.join(TEST, "web"), os.path.join(TEST, "api"), TEST]
from events import Events  # noqa: E402
from live import own_device  # noqa: E402
from people import Person, World  # noqa: E402

from postgres import Postgres  # noqa: E402
from resting_panels import RestingPanels  # noqa: E402

DEVICES_A_PAGE = 200
SETTLE_S = 20


def drain(stream):
    """Reads a page's stream until its end, so that it is not closed as a slow one."""
    with contextlib.suppress(Exception):
        while stream.next("panel"):
            pass


def watch_all(world, browser, ids):
    for worker in world.workers():
        for first in range(0, len(ids), DEVICES_A_PAGE):
            stream = Events(browser, ids[first:first + DEVICES_A_PAGE], world.client_of(worker))
            threading.Thread(target=drain, args=[stream], daemon=True).start()


def count_hints(database, seconds):
    listener = psycopg2.connect(database)
    listener.autocommit = True
    counts = collections.Counter()
    with listener.cursor() as cursor, selectors.DefaultSelector() as selector:
        cursor.execute("LISTEN displayd_hint")
        selector.register(listener, selectors.EVENT_READ)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            selector.select(left)
            listener.poll()
            for notice in listener.notifies:
                counts.update(word.partition(":")[0] for word in notice.payload.split())
            listener.notifies.clear()
    listener.close()
    return counts


def run(options, workers):
    with Postgres() as cluster, World(cluster.create_database(), "--rate-limit", "0", workers=workers) as world:
        person = Person(world)
        devices = [own_device(world, person) for _ in range(options.panels)]
        panels = RestingPanels()
        for device in devices:
            panels.add(world.server.address, device.id, device.link_key)
        panels.start()
        try:
            watch_all(world, person.browser(), [device.id for device in devices])
            time.sleep(SETTLE_S)
            counts = count_hints(world.database, options.seconds)
        finally:
            panels.close()
    a_second = {kind: round(count / options.seconds, 1) for kind, count in counts.most_common()}
    total = sum(counts.values()) / options.seconds
    return {"workers": workers, "aSecond": round(total, 1), "aWorker": round(total / workers, 1), "kinds": a_second}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--panels", type=int, default=1000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4, 8])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for workers in options.workers:
        found = run(options, workers)
        if options.json:
            print(json.dumps(found), flush=True)
        else:
            print(f"{workers} watching workers: {found['aSecond']} hints a second, {found['aWorker']} each "
                  f"{found['kinds']}", flush=True)


if __name__ == "__main__":
    main()
