"""CPU time and memory of groups of processes.

The kernel's CPU clock of a process includes its ended threads, in nanoseconds; the time of reaped
children is in their parent's cutime and cstime. So the time of a tree, measured before and after,
is complete even if threads and processes have ended in between.
"""

import os
import time

CPUCLOCK_SCHED = 2
TICK_US = 1e6 / os.sysconf("SC_CLK_TCK")


def process_us(pid):
    """Returns the CPU microseconds of a process and of the children that it has waited for; 0 if it
    is gone."""
    try:
        own = time.clock_gettime(((~pid) << 3) | CPUCLOCK_SCHED) * 1e6
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return own + (int(fields[13]) + int(fields[14])) * TICK_US


def children(pid):
    """Returns the process IDs of the living children, also of those that were started by other
    threads."""
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return found


def tree(pid, without=()):
    """Returns the process and all its descendants, without the trees of some."""
    pids = [pid]
    for child in children(pid):
        if child not in without:
            pids += tree(child, without)
    return pids


def group_us(pids):
    return sum(process_us(pid) for pid in pids)


def pss_bytes(pids):
    """Returns the proportional memory (PSS): shared memory is counted once."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
                lines = file.read().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
    return total


def busy_us():
    """Returns the CPU microseconds of the whole machine so far, of all processes, stolen time
    included."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    user, nice, system, _idle, _waiting, irq, softirq, steal = ticks
    return (user + nice + system + irq + softirq + steal) * TICK_US
