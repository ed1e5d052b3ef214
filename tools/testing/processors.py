"""How busy the machine's processors are, from /proc/stat (proc_stat(5))."""

import os

IDLE, IO_WAIT = 3, 4  # columns


def read():
    """Returns {processor: (idle, all)} in clock ticks; the processor "cpu" is their sum."""
    found = {}
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            name, *columns = line.split()
            if name.startswith("cpu"):
                ticks = [int(column) for column in columns[:8]]
                found[name] = (ticks[IDLE] + ticks[IO_WAIT], sum(ticks))
    return found


def idle_shares(before, after):
    """Returns {processor: share of the time in which it was idle}."""
    shares = {}
    for name, (idle, total) in after.items():
        if name in before and total > before[name][1]:
            shares[name] = (idle - before[name][0]) / (total - before[name][1])
    return shares


def count():
    return len(os.sched_getaffinity(0))
