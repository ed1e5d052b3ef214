#!/usr/bin/python3
"""Measures how long a start takes after kill -9 of a server and its private PostgreSQL; one line of
JSON a round, in milliseconds.

    bench/recovery.py [ROUNDS] [MEGABYTES]

Before each kill so many megabytes are written since the last checkpoint. Times come from the log:

    start       until PostgreSQL has found that it was interrupted
    sync        all files of the cluster, before anything is replayed
    redo        what was written since the last checkpoint
    checkpoint  at the end of the recovery
    serve       the migrations' look, and the workers
    whole       from the start of displayd until it says that it is ready
"""

import datetime
import json
import os
import re
import signal
import sys

import psycopg2

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))

from server import Server, wait_until  # noqa: E402

ROWS_A_MEGABYTE = 1000
# Text in the log that ends each part.
ENDS = {
    "start": "database system was interrupted",
    "sync": "automatic recovery in progress",
    "redo": "redo done at",
    "checkpoint": "ready to accept connections",
    "serve": "group=supervisor msg=ready",
}


def write(server, megabytes):
    socket = os.path.join(server.state_dir, "postgres/socket")
    connection = psycopg2.connect(host=socket, user="displayd", dbname="displayd")
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS bench_recovery (number int, text text)")
        cursor.execute("CHECKPOINT")
        cursor.execute(
            "INSERT INTO bench_recovery SELECT n, repeat(md5(n::text), 30)"
            " FROM generate_series(1, %s) n", (megabytes * ROWS_A_MEGABYTE,))
    connection.close()


def kill_all(server):
    workers, postmaster = server.children()
    for pid in (server.process.pid, *workers, postmaster):
        os.kill(pid, signal.SIGKILL)
    server.process.wait()


def time_of(line):
    return datetime.datetime.fromisoformat(re.match(r"ts=(\S+)Z", line)[1])


def parts_of(log):
    lines = log.splitlines()
    first = before = time_of(lines[0])
    parts = {}
    for name, text in ENDS.items():
        found = next((line for line in lines if text in line), None)
        if found:  # without anything to replay there is no redo
            parts[name] = round((time_of(found) - before).total_seconds() * 1000)
            before = time_of(found)
    parts["whole"] = round((before - first).total_seconds() * 1000)
    return parts


def main():
    rounds, megabytes = (int(word) for word in (sys.argv[1:] + ["5", "100"][len(sys.argv) - 1:]))
    with Server() as server:
        for _ in range(rounds):
            write(server, megabytes)
            kill_all(server)
            server.start()
            wait_until(lambda: ENDS["serve"] in server.log(), "a ready server")
            print(json.dumps(parts_of(server.log())), flush=True)


if __name__ == "__main__":
    main()
