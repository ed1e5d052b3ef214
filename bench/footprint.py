#!/usr/bin/env python3
"""Memory and disk writes of an idle displayd, by process: PSS, which divides shared memory among the
processes, and bytes written, with two workers, its own PostgreSQL and 20 panels that poll.

    bench/footprint.py [--minutes N] [--panels N] [--every SECONDS]

Written bytes are those that a process has handed to the kernel (wchar in /proc/PID/io), for PostgreSQL its files
alone, since it talks to its clients by other calls, and for displayd its log: what that has grown by. What has
ended in between is counted, too, by its parent. write_bytes, what the kernel says that it has made dirty, is
printed beside it: where the file system has large folios it is too high, 256 KiB for a page on ext4 of Linux 6.18.

It begins two minutes after the start, when connections that are not needed are closed and PostgreSQL has tidied its
own tables, with a checkpoint. Another one, which comes every six hours, is made in the middle. It is counted apart,
with the images of pages that follow in the log of PostgreSQL, and the rest is extrapolated to an hour.
"""

import argparse
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))

import psycopg2  # noqa: E402
from server import Server  # noqa: E402

SETTLE_S = 130
PAGE = 8192
CHECKPOINT_H = 6
MIB = 1024 * 1024


def descendants(pid):
    found = [pid]
    for process in found:
        try:
            for task in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{task}/children", encoding="ascii") as file:
                    found += [int(word) for word in file.read().split()]
        except OSError:
            pass
    return found


def name_of(pid, supervisor):
    with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
        words = file.read().replace("\0", " ").split()
    with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
        short = file.read().strip()
    if words and words[0] == "postgres:":
        return "PostgreSQL: " + re.sub(r"\d+", "N", " ".join(words[1:3]))
    if short == "displayd":
        return "supervisor" if pid == supervisor else "worker"
    return "PostgreSQL: postmaster" if short == "postgres" else short


def pss(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return int(re.search(r"^Pss:\s+(\d+)", file.read(), re.M)[1]) * 1024


def io_of(what):
    """Reads a line of /proc/PID/io: of the process and of the children that it has waited for."""
    def read(pid):
        with open(f"/proc/{pid}/io", encoding="ascii") as file:
            return int(re.search(rf"^{what}:\s+(\d+)", file.read(), re.M)[1])
    return read


def measure(supervisor, of):
    """Returns {name: sum} of a figure over the processes."""
    sums = {}
    for pid in descendants(supervisor):
        try:
            name = name_of(pid, supervisor)
            sums[name] = sums.get(name, 0) + of(pid)
        except (OSError, TypeError):
            pass  # it has ended
    return sums


def ask(server, sql, name="displayd"):
    """Runs SQL as the owner of the database."""
    socket = os.path.join(server.state_dir, "postgres/socket")
    database = psycopg2.connect(host=socket, user="displayd", dbname=name)
    database.autocommit = True  # a checkpoint cannot run in a transaction
    try:
        with database.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchone() if cursor.description else None
    finally:
        database.close()


def settle(server):
    """Runs now the maintenance that PostgreSQL does by itself in the first hours of a database."""
    for name in ("displayd", "postgres", "template1"):
        ask(server, "VACUUM (FREEZE, ANALYZE)", name)


class Written:
    """Snapshot of the bytes written so far."""

    def __init__(self, server):
        self.by_process = {name: handed for name, handed in
                           measure(server.process.pid, io_of("wchar")).items() if name.startswith("PostgreSQL")}
        self.dirty = measure(server.process.pid, io_of("write_bytes"))
        self.log = os.path.getsize(server.log_path)
        self.writes, self.images, in_log = ask(server, "SELECT wal_write, wal_fpi, wal_bytes FROM pg_stat_wal")
        self.in_log = int(in_log)

    @property
    def database(self):
        return sum(self.by_process.values())


def make_panels(server, count):
    server.ctl("account", "create", "a@example.org", "--name", "A")
    return [server.path_of(server.ctl("device", "create", "--account", "a@example.org", "--name",
                                      f"Panel {number}")["pollUrl"]) for number in range(count)]


def poll(server, panels, every_s, until):
    """Polls like all panels in turn, evenly spread. Returns the number of polls."""
    number, turn = 0, time.monotonic()
    while (left := until - time.monotonic()) > 0:
        if panels and turn <= time.monotonic():
            assert server.get(panels[number % len(panels)]).status == 200
            number += 1
            turn += every_s / len(panels)
        time.sleep(max(0, min(left, turn - time.monotonic() if panels else left)))
    return number


def show(memory, seen, hours):
    """seen: snapshots at the beginning, before and after the checkpoint in the middle, and at the
    end."""
    first, before, after, last = seen
    print(f"{'process':44}{'PSS MiB':>9}{'written KiB':>13}{'dirty KiB':>11}")
    for name in sorted(memory, key=memory.get, reverse=True):
        handed = last.by_process.get(name, 0) - first.by_process.get(name, 0)
        dirty = last.dirty.get(name, 0) - first.dirty.get(name, 0)
        print(f"{name:44}{memory[name] / MIB:9.1f}{handed / 1024:13.0f}{dirty / 1024:11.0f}")
    print(f"{'all':44}{sum(memory.values()) / MIB:9.1f}")
    images = (last.images - before.images) * PAGE  # at most
    writer = "PostgreSQL: checkpointer"
    checkpoint = after.by_process[writer] - before.by_process[writer] + images
    quiet = (last.database - first.database - checkpoint) / hours
    print(f"log of PostgreSQL: {(last.writes - first.writes) / hours:.0f} writes an hour, "
          f"{(last.in_log - first.in_log - images) / MIB / hours:.2f} MiB in them")
    print(f"PostgreSQL, an hour: {quiet / MIB:.2f} MiB, and {checkpoint / MIB:.2f} by each checkpoint, "
          f"together {(quiet + checkpoint / CHECKPOINT_H) / MIB:.2f}")
    print(f"log of displayd, an hour: {(last.log - first.log) / MIB / hours:.2f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--panels", type=int, default=20)
    parser.add_argument("--every", type=float, default=15, metavar="SECONDS", help="how often each one polls")
    arguments = parser.parse_args()
    half_s = 30 * arguments.minutes
    with Server(workers=2) as server:
        panels = make_panels(server, arguments.panels)
        settle(server)
        poll(server, panels, arguments.every, time.monotonic() + SETTLE_S)
        ask(server, "CHECKPOINT")
        seen = [Written(server)]
        polls = poll(server, panels, arguments.every, time.monotonic() + half_s)
        seen.append(Written(server))
        ask(server, "CHECKPOINT")
        seen.append(Written(server))
        polls += poll(server, panels, arguments.every, time.monotonic() + half_s)
        seen.append(Written(server))
        memory = measure(server.process.pid, pss)
    print(f"{arguments.minutes:g} minutes, {polls} polls of {len(panels)} panels")
    show(memory, seen, arguments.minutes / 60)


if __name__ == "__main__":
    main()
