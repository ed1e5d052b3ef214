#!/usr/bin/python3
"""Measures what the workers' seal costs a request: GET /livez with it and without it, in turn.

    bench/seal.py [ROUNDS] [SECONDS]

Two servers of one worker each; one of them takes itself for a program under valgrind, which is left
unsealed. The CPU time a request takes, in user and system mode, says more than the rate, which
depends on what else the machine does. Needs wrk.
"""

import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))
from server import Server  # noqa: E402

UNSEALED = {"LD_PRELOAD": "/nonexistent/vgpreload_none.so"}
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
CONNECTIONS = 64


def cpu_us(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1e6 / TICKS_PER_S


def has_filter(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return "Seccomp:\t2" in file.read()


def measure(server, seconds):
    """Returns requests per second, and CPU microseconds per request."""
    worker = server.workers()[0]
    before = cpu_us(worker)
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", server.url + "/livez"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    requests = int(re.search(r"(\d+) requests in", output)[1])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
    return rate, (cpu_us(worker) - before) / requests


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    flags = ("--access-log", "off")
    with Server(*flags, workers=1) as sealed, \
            Server(*flags, workers=1, environment=UNSEALED) as unsealed:
        servers = {"sealed": sealed, "unsealed": unsealed}
        if not has_filter(sealed.workers()[0]) or has_filter(unsealed.workers()[0]):
            sys.exit("bench/seal.py: this kernel or container has no seccomp")
        found = {name: [] for name in servers}
        for _ in range(rounds):
            for name, server in servers.items():
                found[name].append(measure(server, seconds))
    for name, values in found.items():
        rate, cpu = (statistics.median(column) for column in zip(*values))
        print(f"{name:9} {rate:9.0f} requests/s {cpu:6.2f} us of CPU time a request")
    ratios = [a[1] / b[1] for a, b in zip(found["sealed"], found["unsealed"])]
    print(f"CPU time a request, sealed / unsealed: {statistics.median(ratios):.3f} "
          f"({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()
