#!/usr/bin/env python3
"""What displayd takes while nothing happens: memory (PSS, which shares out what processes have in common)
and bytes written to the disk, by process, with two workers, its own PostgreSQL and 20 panels that poll.

    bench/footprint.py [--minutes N] [--panels N] [--every SECONDS]

Written bytes are those that the kernel counts for a process (write_bytes in /proc/PID/io), of processes that
have ended in between as well, since their parent counts them. They are too high where the file system has
large folios: ext4 of Linux 6.18 counts 256 KiB for a page. So what PostgreSQL says of its log (pg_stat_wal) is
printed, too. An hour is extrapolated from the minutes measured, after two in which all has settled and
connections that are not needed are closed. PostgreSQL writes a checkpoint every hour, which a shorter
measurement misses.
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


def written(pid):
    """Of the process and those of its children that it has waited for."""
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return int(re.search(r"^write_bytes:\s+(\d+)", file.read(), re.M)[1])


def measure(supervisor, of):
    """{name: sum} of a figure of each process."""
    sums = {}
    for pid in descendants(supervisor):
        try:
            name = name_of(pid, supervisor)
            sums[name] = sums.get(name, 0) + of(pid)
        except (OSError, TypeError):
            pass  # it has ended
    return sums


def log_written(server):
    """How often PostgreSQL wrote to its log, and how many bytes are in what it wrote."""
    socket = os.path.join(server.state_dir, "postgres/socket")
    with psycopg2.connect(host=socket, user="displayd", dbname="displayd") as database:
        with database.cursor() as cursor:
            cursor.execute("SELECT wal_write, wal_bytes FROM pg_stat_wal")
            return [int(value) for value in cursor.fetchone()]


def make_panels(server, count):
    server.ctl("account", "create", "a@example.org", "--name", "A")
    return [server.path_of(server.ctl("device", "create", "--account", "a@example.org", "--name",
                                      f"Panel {number}")["pollUrl"]) for number in range(count)]


def poll(server, panels, every_s, until):
    """One panel after the other, each in its turn."""
    number, turn = 0, time.monotonic()
    while (left := until - time.monotonic()) > 0:
        if panels and turn <= time.monotonic():
            assert server.get(panels[number % len(panels)]).status == 200
            number += 1
            turn += every_s / len(panels)
        time.sleep(max(0, min(left, turn - time.monotonic() if panels else left)))
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--panels", type=int, default=20)
    parser.add_argument("--every", type=float, default=15, metavar="SECONDS", help="how often each one polls")
    arguments = parser.parse_args()
    with Server(workers=2) as server:
        panels = make_panels(server, arguments.panels)
        poll(server, panels, arguments.every, time.monotonic() + SETTLE_S)
        before, log_before = measure(server.process.pid, written), log_written(server)
        polls = poll(server, panels, arguments.every, time.monotonic() + 60 * arguments.minutes)
        after = measure(server.process.pid, written)
        memory = measure(server.process.pid, pss)
        log_after = log_written(server)
    hours = arguments.minutes / 60
    print(f"{arguments.minutes:g} minutes, {polls} polls of {len(panels)} panels")
    print(f"{'process':44}{'PSS MiB':>9}{'written KiB':>13}{'MiB an hour':>13}")
    for name in sorted(memory, key=memory.get, reverse=True):
        bytes_written = after.get(name, 0) - before.get(name, 0)
        print(f"{name:44}{memory[name] / MIB:9.1f}{bytes_written / 1024:13.0f}{bytes_written / MIB / hours:13.2f}")
    writes, log_bytes = (new - old for new, old in zip(log_after, log_before))
    print(f"log of PostgreSQL: {writes / hours:.0f} writes an hour, a page (8 KiB) each at least, "
          f"{log_bytes / MIB / hours:.2f} MiB in them")
    total = sum(after.values()) - sum(before.values())
    print(f"{'all':44}{sum(memory.values()) / MIB:9.1f}{total / 1024:13.0f}{total / MIB / hours:13.2f}")


if __name__ == "__main__":
    main()
