#!/usr/bin/python3
"""Measures what an idle panel costs: connects panels, lets them be, and reads the workers' memory.

    bench/idle_panels.py [--panels 1000]        starts a server of its own

Every panel has a device of its own, says who it is, takes its first picture and acknowledges it.
Memory is the sum over the workers of the proportional and the resident set, from
/proc/PID/smaps_rollup; what the kernel holds for a socket (about 5.5 KB an end) is not in it.
A server that was started elsewhere: --pid of its supervisor, --urls FILE with one websocketUrl a
line.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import resource
import selectors
import sys
import time

from panel_socket import BINARY, PanelSocket

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))
from server import Server  # noqa: E402


def workers_of(supervisor):
    with open(f"/proc/{supervisor}/task/{supervisor}/children", encoding="ascii") as file:
        children = file.read().split()
    workers = []
    for pid in children:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            if os.path.basename(file.read().split(b"\0")[0]) != b"postgres":
                workers.append(int(pid))
    return workers


def memory(pids):
    """Bytes over all processes, by kind."""
    total = {"pss": 0, "rss": 0}
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            for line in file:
                name = line.split(":")[0].lower()
                if name in total:
                    total[name] += int(line.split()[1]) * 1024
    return total


def make_devices(server, count):
    server.ctl("account", "create", "bench@example.org", "--name", "Bench")

    def make(number):
        name = f"Panel {number}"
        device = server.ctl("device", "create", "--account", "bench@example.org", "--name", name)
        return device["websocketUrl"]

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(make, range(count)))


def connect(urls):
    panels = []
    for number, url in enumerate(urls):
        panels.append(PanelSocket(url, mac="02:00:00:" + number.to_bytes(3, "big").hex(":")))
        panels[-1].wait_for_picture()
    return panels


def rest(panels, seconds):
    """The panels live for a while: they answer pings and take what comes."""
    selector = selectors.DefaultSelector()
    for panel in panels:
        selector.register(panel, selectors.EVENT_READ)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        for key, _ in selector.select(left):
            for opcode, _ in key.fileobj.messages():
                if opcode == BINARY:
                    key.fileobj.acknowledge()
    selector.close()


def measure(urls, workers, seconds):
    fresh = memory(workers)
    # What the first panels make the server allocate once is not what a panel costs.
    for panel in connect(urls[: min(20, len(urls))]):
        panel.close()
    time.sleep(1)
    before = memory(workers)
    panels = connect(urls)
    rest(panels, seconds)
    after = memory(workers)
    for panel in panels:
        panel.close()
    time.sleep(1)
    return {
        "panels": len(urls),
        "workers": len(workers),
        "fresh_worker_bytes": {k: v // len(workers) for k, v in fresh.items()},
        "before_bytes": before,
        "after_bytes": after,
        "panel_bytes": {k: (after[k] - before[k]) // len(urls) for k in after},
        "left_bytes": memory(workers),
    }


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--panels", type=int, default=1000)
    parser.add_argument("--pid", type=int, help="supervisor of a server that runs already")
    parser.add_argument("--urls", help="file of websocketUrls for it")
    parser.add_argument("--workers", type=int, default=2, help="of a server of its own")
    parser.add_argument("--rest-s", type=float, default=5, help="time connected before measuring")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if (options.pid is None) != (options.urls is None):
        parser.error("--pid and --urls go together")
    if options.panels < 1:
        parser.error("there is nothing to measure")
    return options


def allow_files(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 200
    if soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            sys.exit(f"this machine allows {hard} open files, {wanted} are needed")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def main():
    options = parse_arguments()
    allow_files(options.panels)
    with contextlib.ExitStack() as stack:
        if options.pid:
            with open(options.urls, encoding="utf-8") as file:
                urls = file.read().split()[: options.panels]
            workers = workers_of(options.pid)
        else:
            server = stack.enter_context(Server("--rate-limit", "0", workers=options.workers))
            urls = make_devices(server, options.panels)
            workers = server.workers()
        result = measure(urls, workers, options.rest_s)
    if options.json:
        print(json.dumps(result))
        return
    print(f"{result['panels']} idle panels on {result['workers']} workers; KiB (PSS, RSS):")
    for name in ("fresh_worker_bytes", "before_bytes", "after_bytes", "left_bytes"):
        values = result[name]
        text = name.replace("_bytes", "").replace("_", " ")
        print(f"  {text:14}{values['pss'] / 1024:>10.0f}{values['rss'] / 1024:>10.0f}")
    print(f"  {result['panel_bytes']['pss']} bytes a panel (PSS), "
          f"{result['panel_bytes']['rss']} (RSS)")


if __name__ == "__main__":
    main()
