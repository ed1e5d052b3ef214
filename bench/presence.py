#!/usr/bin/python3
"""Counts what panels cost PostgreSQL while they rest, and when they come for the first time.

    bench/presence.py [--panels 10000] [--instances 1] [--workers 2] [--way linked|polls|turns] [--seconds 120] [--json]

linked: each panel has a WebSocket. polls: each asks one instance every 15 s; turns: all instances in turn. Counted over
the seconds, after all panels are known, and given for a minute or an hour: rows that were changed, without and with those
of hint_beat, transactions, and bytes of the write-ahead log. Then as many panels that have never connected come within
the seconds of --arrive, by WebSocket, and report their firmware and MAC address: transactions, hints and words for each.
These are counts of PostgreSQL (pg_stat_user_tables, pg_stat_database, pg_stat_wal) and of a listener to the hints.
"""

import argparse
import collections
import contextlib
import json
import os
import re
import secrets
import socket
import sys
import threading
import time

import psycopg2

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test")
sys.path.insert(0, TEST)
import postgres  # noqa: E402
import server  # noqa: E402
from resting_panels import RestingPanels  # noqa: E402

POLL_S = 15
FRESH = 1000


def frame(text):
    """Returns a masked text frame, whose mask changes nothing."""
    data = text.encode()
    return bytes([0x81]) + (bytes([0x80 | len(data)]) if len(data) < 126 else
                            b"\xfe" + len(data).to_bytes(2, "big")) + b"\0\0\0\0" + data


def report(number):
    mac = ":".join(f"{byte:02x}" for byte in (2, 0, *number.to_bytes(4, "big")))
    return frame(json.dumps({"client_info": {"firmware_version": "1.6.6", "firmware_type": "bench", "mac": mac,
                                             "protocol_version": 1}}))


class Pollers:
    """Panels that poll, spread over the time between two polls."""

    def __init__(self, addresses, devices, in_turn):
        self.connections = [socket.create_connection(address) for address in addresses]
        self.devices, self.in_turn, self.is_over = devices, in_turn, False
        self.thread = threading.Thread(target=self.run)
        self.rounds = 0

    def start(self):
        self.thread.start()

    def poll(self, connection, device, key):
        connection.sendall(f"GET /d/{device}/next?key={key} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(1 << 16)
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        while len(body) < length:
            body += connection.recv(1 << 16)

    def run(self):
        pause_s = POLL_S / len(self.devices)
        due = time.monotonic()
        while not self.is_over:
            for number, (device, key) in enumerate(self.devices):
                if self.is_over:
                    return
                at = (number + self.rounds) % len(self.connections) if self.in_turn else 0
                self.poll(self.connections[at], device, key)
                due += pause_s
                time.sleep(max(0, due - time.monotonic()))
            self.rounds += 1

    def close(self):
        self.is_over = True
        self.thread.join()


class Counts:
    """Numbers of PostgreSQL, and the hints."""

    def __init__(self, url):
        self.connection = psycopg2.connect(url)
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()

    def ask(self, text, *values):
        self.cursor.execute(text, values or None)
        return self.cursor.fetchall()

    def read(self):
        tables = dict(self.ask("SELECT relname, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables"))
        (commits,), = self.ask("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
        (wal,), = self.ask("SELECT wal_bytes::int8 FROM pg_stat_wal")
        return collections.Counter(tables), commits, wal

    def over(self, seconds):
        before = self.read()
        time.sleep(seconds)
        after = self.read()
        return after[0] - before[0], after[1] - before[1], after[2] - before[2]


def make_devices(counts, count, name):
    """Makes devices in accounts of 1,000 each. Returns their IDs and keys."""
    prefix = f"01a00000-{secrets.token_hex(2)}-7000-8000-"
    for first in range(0, count, 1000):
        counts.cursor.execute(
            "WITH owner AS (INSERT INTO account (id, email, name) VALUES (gen_random_uuid(), %s, 'Bench') RETURNING id) "
            "INSERT INTO device (id, account_id, name, link_key_hash) SELECT (%s || lpad(n::text, 12, '0'))::uuid, owner.id,"
            " 'Panel', sha256(lpad(n::text, 24, '0')::bytea) FROM owner, generate_series(%s, %s) AS n",
            (f"{name}{first}@example.org", prefix, first, min(first + 1000, count) - 1))
    return [(f"{prefix}{number:012d}", f"{number:024d}") for number in range(count)]


def rest(options, counts, instances, devices, stack):
    addresses = [one.address for one in instances]
    if options.way == "linked":
        panels = RestingPanels()
        for number, (device, key) in enumerate(devices):
            panels.add(addresses[number % len(addresses)], device, key)
        panels.start()
    else:
        panels = Pollers(addresses, devices, options.way == "turns")
        panels.start()
        while panels.rounds < 2 * len(addresses):
            time.sleep(1)
    stack.callback(panels.close)
    while counts.ask("SELECT count(*) FROM device WHERE connected_at IS NOT NULL")[0][0] < len(devices):
        time.sleep(1)
    time.sleep(options.settle)
    counts.cursor.execute("CHECKPOINT")
    tables, commits, wal = counts.over(options.seconds)
    minutes = options.seconds / 60
    return {"rowsAMinute": round((sum(tables.values()) - tables["hint_beat"]) / minutes),
            "withHintBeats": round(sum(tables.values()) / minutes), "commitsAMinute": round(commits / minutes),
            "walMegabytesAnHour": round(wal / minutes * 60 / 1e6, 1),
            "tables": {name: round(count / minutes) for name, count in tables.most_common(5)}}


def arrive(options, counts, instances, stack):
    devices = make_devices(counts, options.fresh, "fresh")
    counts.cursor.execute("VACUUM ANALYZE")
    counts.cursor.execute("LISTEN displayd_hint")
    time.sleep(options.settle)
    idle = counts.over(10)
    panels = RestingPanels()
    stack.callback(panels.close)
    del counts.connection.notifies[:]
    before, began = counts.read(), time.monotonic()
    for number, (device, key) in enumerate(devices):
        panels.add(instances[number % len(instances)].address, device, key, report(number))
        time.sleep(max(0, began + (number + 1) * options.arrive / len(devices) - time.monotonic()))
    panels.start()
    while counts.ask("SELECT count(*) FROM device WHERE connected_at IS NOT NULL AND told_mac IS NOT NULL "
                     "AND id::text LIKE %s", devices[0][0][:14] + "%")[0][0] < len(devices):
        time.sleep(0.2)
    time.sleep(3)
    took = time.monotonic() - began
    after = counts.read()
    ids = {device for device, _ in devices}
    words = collections.Counter(word.split(":")[0] for one in counts.connection.notifies for word in one.payload.split(" ")
                                if word.split(":")[1:2] and word.split(":")[1] in ids)
    notes = sum(any(one in word for one in ids) for word in (note.payload for note in counts.connection.notifies))
    return {"panels": len(devices), "transactionsEach": round((after[1] - before[1] - idle[1] * took / 10) / len(devices), 2),
            "notifiesEach": round(notes / len(devices), 2),
            "wordsEach": {name: round(count / len(devices), 2) for name, count in words.items()}}


def run(options):
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(postgres.Postgres()).create_database()
        instances = [stack.enter_context(server.Server("--rate-limit", "0", database=database, workers=options.workers))
                     for _ in range(options.instances)]
        counts = Counts(database)
        devices = make_devices(counts, options.panels, "rest")
        counts.cursor.execute("VACUUM ANALYZE")
        found = {"panels": options.panels, "instances": options.instances, "workers": options.workers, "way": options.way}
        if options.panels:
            found |= rest(options, counts, instances, devices, stack)
        if options.fresh:
            found["fresh"] = arrive(options, counts, instances, stack)
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--panels", type=int, default=10000, help="panels that rest")
    parser.add_argument("--fresh", type=int, default=FRESH, help="panels that come for the first time")
    parser.add_argument("--arrive", type=float, default=10, help="seconds in which these come")
    parser.add_argument("--instances", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--way", choices=["linked", "polls", "turns"], default="linked")
    parser.add_argument("--settle", type=float, default=65, help="seconds before counting")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = run(options)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()), flush=True)


if __name__ == "__main__":
    main()
