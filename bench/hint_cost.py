#!/usr/bin/python3
"""Measures what change hints cost PostgreSQL and idle workers.

    bench/hint_cost.py [--instances 4] [--workers 8] [--rate 50] [--seconds 20] [--json]

Pushes go to all instances in turn, at this rate, with another device each. Reported: the share of the hint connections
in PostgreSQL's processor time, that time for each push, and for each push how often workers woke.
"""

import argparse
import base64
import contextlib
import json
import os
import sys
import time

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test")
sys.path[:0] = [os.path.join(TEST, "api"), TEST]
import images  # noqa: E402
from world import World  # noqa: E402

from postgres import Postgres  # noqa: E402

DEVICES = 100
SETTLE_S = 5


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def processor_s(pid):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0]) / 1e9
    return 0


def wakes(pid):
    """How often the process, all its threads, has slept and woken."""
    count = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as file:
            count += sum(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
    return count


class Moment:
    def __init__(self, postmaster, worlds):
        self.backends = {pid: processor_s(pid) for pid in children_of(postmaster)}
        self.hints = set(worlds[0].hint_backends())
        self.workers = {pid: (processor_s(pid), wakes(pid)) for world in worlds for pid in world.workers()}


def push(options, worlds):
    account = worlds[0].account()
    devices = [account.device() for _ in range(DEVICES)]
    clients = [client for world in worlds for client in [world.client() for _ in range(world.server_workers)]]
    body = {"image": base64.b64encode(images.png(images.solid())).decode(), "installationId": "one"}
    begun, count, times_s = time.monotonic(), 0, []
    while (now := time.monotonic()) < begun + options.seconds:
        if count > (now - begun) * options.rate:
            time.sleep(1 / options.rate)
            continue
        device = devices[count % DEVICES]
        answer = clients[count % len(clients)].request("POST", f"/v1/devices/{device.id}/push", body=body, key=account.key)
        assert answer.status == 200, answer
        times_s.append(time.monotonic() - now)
        count += 1
    return sorted(times_s)


def hints_s(cluster, worlds):
    """Processor time of the hint connections so far."""
    return sum(processor_s(pid) for pid in set(worlds[0].hint_backends()) & set(children_of(cluster.process.pid)))


def measure(options, cluster, worlds):
    time.sleep(SETTLE_S)
    at_rest = hints_s(cluster, worlds)
    time.sleep(SETTLE_S)
    at_rest = (hints_s(cluster, worlds) - at_rest) / SETTLE_S
    before = Moment(cluster.process.pid, worlds)
    times_s = push(options, worlds)
    count = len(times_s)
    after = Moment(cluster.process.pid, worlds)
    used = {pid: used - before.backends.get(pid, 0) for pid, used in after.backends.items()}
    hints = sum(used.get(pid, 0) for pid in before.hints | after.hints)
    workers = [[new - old for new, old in zip(after.workers[pid], before.workers[pid])] for pid in before.workers]
    return {"pushes": count, "p50Ms": round(1e3 * times_s[count // 2], 1),
            "p99Ms": round(1e3 * times_s[count * 99 // 100], 1), "restUsPerS": round(1e6 * at_rest), "share": round(hints / sum(used.values()), 3),
            "postgresUs": round(1e6 * sum(used.values()) / count), "hintsUs": round(1e6 * hints / count),
            "workersUs": round(1e6 * sum(each[0] for each in workers) / count),
            "wakes": round(sum(each[1] for each in workers) / count, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=4)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(Postgres({"max_connections": "600"}))
        database = cluster.create_database()
        worlds = []
        for _ in range(options.instances):
            worlds.append(stack.enter_context(World(database, "--rate-limit", "0", workers=options.workers)))
            worlds[-1].server_workers = options.workers
        found = measure(options, cluster, worlds)
    print(json.dumps(found) if options.json else ", ".join(f"{name} {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
