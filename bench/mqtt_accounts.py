#!/usr/bin/python3
"""Measures an instance that connects many accounts to their MQTT brokers, and another one that takes them over.

    bench/mqtt_accounts.py [--accounts 500] [--workers 2] [--rest 20] [--changes 50] [--json]

Each account has a device; one mosquitto is the broker of all. Reported: seconds until all accounts were connected and
their panels on the broker; threads, descriptors, and memory (PSS) of the process that connects them, with all and for
each account; its processor time at rest, and that of the workers, in percent of a core; milliseconds from an answered
change until the broker had it; and, after all processes of the instance were killed at once, seconds until the first
and the last account were connected by the other.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(ROOT, "test", "api"), os.path.join(ROOT, "test"), os.path.join(ROOT, "bench")]

from broker import Broker  # noqa: E402
from harness import cpu  # noqa: E402
from mqtt_stage import base, connect, marked  # noqa: E402
from waiting import wait_until  # noqa: E402
from world import World  # noqa: E402

from postgres import Postgres  # noqa: E402

PATIENCE_S = 300
OPTIONS = ("--rate-limit", "0", "--egress-allow", "127.0.0.1")


def named(pid, name):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="ascii") as file:
        return file.read().strip() == name
    return False


def bridge_of(world):
    return wait_until(lambda: next((pid for pid in cpu.tree(world.server.process.pid) if named(pid, "mqtt")), None),
                      "the process that connects")


def connected(world):
    return world.sql("SELECT count(*) FROM mqtt_connection WHERE state = 'connected'")[0][0]


def wait_for_all(world, count):
    wait_until(lambda: connected(world) == count, f"{count} connections", PATIENCE_S, pause_s=0.1)


def at_rest(world, bridge, seconds):
    workers = world.workers()
    before, begun = (cpu.group_us([bridge]), cpu.group_us(workers)), time.monotonic()
    time.sleep(seconds)
    spent_us = (time.monotonic() - begun) * 1e6
    return [round(100 * (now - then) / spent_us, 2)
            for now, then in zip((cpu.group_us([bridge]), cpu.group_us(workers)), before)]


def told_ms(heard, account, device, changes):
    topic, times = f"{base(account)}/{device.id}/light", []
    heard.wait_for(topic)
    for number in range(changes):
        before = heard.newest[topic]
        assert account.request("PATCH", device.path, body=json.dumps({"brightness": number % 90 + 1}).encode()).status == 200
        begun = time.monotonic()
        wait_until(lambda: heard.newest[topic] != before, topic, pause_s=0.001)
        times.append(1000 * (time.monotonic() - begun))
    return sorted(times)


def taken_over_s(world, elsewhere, count):
    pids = cpu.tree(world.server.process.pid)
    holders = "SELECT count(*) FROM mqtt_connection WHERE state = 'connected' AND state_at > %s"
    [[killed_at]] = elsewhere.sql("SELECT clock_timestamp()")
    begun, first = time.monotonic(), None
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    world.server.process.wait()
    while (number := elsewhere.sql(holders, killed_at)[0][0]) < count:
        if number and first is None:
            first = time.monotonic() - begun
        if time.monotonic() > begun + PATIENCE_S:
            sys.exit(f"{number} of {count} were taken over")
        time.sleep(0.05)
    return first, time.monotonic() - begun


def measure(options, cluster, broker):
    database = cluster.create_database()
    world = World(database, *OPTIONS, workers=options.workers)
    with world, broker.listen("displayd/#") as heard:
        accounts = [marked(world) for _ in range(options.accounts)]
        devices = [account.device() for account in accounts]
        connect(accounts[0], broker).ok()
        wait_for_all(world, 1)
        bridge = bridge_of(world)
        with_one = cpu.pss_bytes([bridge])
        begun = time.monotonic()
        for account in accounts[1:]:
            connect(account, broker).ok()
        wait_for_all(world, options.accounts)
        topics = [f"{base(account)}/{device.id}/availability" for account, device in zip(accounts, devices)]
        wait_until(lambda: all(topic in heard.newest for topic in topics), "all panels", PATIENCE_S, pause_s=0.1)
        found = {"accounts": options.accounts, "connected_s": round(time.monotonic() - begun, 1),
                 "threads": len(os.listdir(f"/proc/{bridge}/task")),
                 "descriptors": len(os.listdir(f"/proc/{bridge}/fd")),
                 "memory_mib": round(cpu.pss_bytes([bridge]) / 2**20, 1),
                 "account_kib": round((cpu.pss_bytes([bridge]) - with_one) / 1024 / max(1, options.accounts - 1), 1)}
        found["bridge_percent"], found["workers_percent"] = at_rest(world, bridge, options.rest)
        times = told_ms(heard, accounts[-1], devices[-1], options.changes)
        found["told_ms"] = [round(times[len(times) // 2], 1), round(times[-1], 1)]
        with World(database, *OPTIONS, workers=options.workers) as elsewhere:
            found["taken_over_s"] = [round(seconds, 1) for seconds in taken_over_s(world, elsewhere, options.accounts)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accounts", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rest", type=int, default=20, help="seconds")
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with Postgres() as cluster, Broker(["max_connections -1"]) as broker:
        found = measure(options, cluster, broker)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
