#!/usr/bin/python3
"""Reloads and upgrades, one after the other, under requests on kept connections (wrk, or clients of
the test's own where it is not installed) and panels.

    test/soak/upgrade.py [--requests 100000] [--panels 1000] [--rounds 6]

It ends when so many requests were answered and so many rounds were done. One line a round. Ends with
1 where one request was not answered with 200, a panel was told to stay away, or one was without its
connection for more than 2 s.
"""

import argparse
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "../bench")]

# pylint: disable=wrong-import-position
from harness import wrk  # noqa: E402

from keep_alive import Load, Panels  # noqa: E402
from server import Server, wait_until  # noqa: E402

ACCOUNT = ("--account", "upgrade@example.org")
CONNECTIONS = 16
GAP_S = 2.0
ROUND_S = 5
TARGET = "/v1/devices?limit=1"


class Wrk:
    """A load like keep_alive.Load that reports its answers and failures only at the end."""

    def __init__(self, address, path, key, seconds):
        url = f"http://{address[0]}:{address[1]}{path}"
        self.command = wrk.command(url, CONNECTIONS, seconds, "report",
                                   {"Authorization": f"Bearer {key}"})
        self.process = None
        self.answers, self.failures = 0, []

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        env=os.environ | wrk.environment())
        return self

    def __exit__(self, *_):
        sample = wrk.parse(self.process.communicate()[0])
        self.answers = sample.requests
        self.failures = [f"{count} {what}" for what, count in sample.faults.items()]


class Scene:
    """A server with an account's key and panels."""

    def __init__(self, folder, panels):
        self.config = os.path.join(folder, "displayd.conf")
        self.rate = 100000
        self.write_config()
        with socket.socket() as one:  # a port chosen by the kernel would change each time
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        self.server = Server("--config", self.config, listen=f"127.0.0.1:{port}")
        self.folder, self.panels = folder, panels
        self.paths, self.key = [], None

    def write_config(self):
        with open(self.config, "w", encoding="ascii") as file:
            file.write(f"rate-limit = {self.rate}\naccess-log = off\n")

    def __enter__(self):
        self.server.__enter__()
        try:
            self.server.ctl("account", "create", ACCOUNT[1])
            names = os.path.join(self.folder, "devices.csv")
            with open(names, "w", encoding="ascii") as file:
                file.writelines(["name\n", *(f"D{number}\n" for number in range(self.panels))])
            made = self.server.ctl("device", "create", *ACCOUNT, "--from", names)
            self.paths = [self.server.path_of(device["websocketUrl"]) for device in made]
            self.key = self.server.ctl("key", "create", *ACCOUNT)["key"]
        except BaseException:
            self.server.remove()
            raise
        return self

    def __exit__(self, *_):
        self.server.remove()

    # ---- a round ----

    def reload(self):
        self.rate += 1
        self.write_config()
        count = self.server.log().count("in force")
        self.server.process.send_signal(signal.SIGHUP)
        self.server.wait_for_log("in force", count + 1)

    def upgrade(self):
        state = self.server.ctl("upgrade")["state"]
        assert state == "done", state

    def wait_for_one_generation(self):
        wait_until(lambda: len(self.server.children()[0]) == self.server.worker_count,
                   "one generation of workers")


def run(scene, requests, rounds, say, load=None):
    """Runs upgrades and reloads in turn. Returns faults as sentences; the number of answers; and the gaps
    of panels in seconds. load() makes a load; by default wrk, a few seconds a round."""
    server, answers, number, wrong = scene.server, 0, 0, []
    make = load or (lambda: Wrk(server.address, TARGET, scene.key, ROUND_S))
    with Panels(server.address, scene.paths) as panels:
        while answers < requests or number < rounds:
            number += 1
            act = scene.upgrade if number % 2 == 0 else scene.reload
            with make() as requester:
                act()
                scene.wait_for_one_generation()
                panels.wait_until_connected()
                if load:
                    requester.wait_for(requests // rounds)
            answers += requester.answers
            wrong += [f"{act.__name__}: {failure}" for failure in requester.failures]
            say(f"{number} {act.__name__} {answers} answers, {len(panels.gaps)} panels came back, "
                f"after {max(panels.gaps, default=0):.3f} s at most")
        panels.wait_until_connected()
    return wrong + panels.faults, answers, sorted(panels.gaps)


def own_load(scene):
    """For run(), if wrk is missing or few requests are wanted."""
    return lambda: Load(scene.server.address, TARGET, scene.key, clients=4)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=100000)
    parser.add_argument("--panels", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=6)
    arguments = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, arguments.panels + 200), hard))
    with tempfile.TemporaryDirectory() as folder, Scene(folder, arguments.panels) as scene:
        load = None if shutil.which("wrk") else own_load(scene)
        wrong, answers, gaps = run(scene, arguments.requests, arguments.rounds,
                                   lambda line: print(line, flush=True), load)
    print(f"{answers} answers, wrong: {wrong or 'nothing'}; {len(gaps)} times a panel came back, p50 "
          f"{gaps[len(gaps) // 2]:.3f} s, p99 {gaps[len(gaps) * 99 // 100]:.3f} s, at most "
          f"{gaps[-1]:.3f} s")
    sys.exit(1 if wrong or gaps[-1] > GAP_S else 0)


if __name__ == "__main__":
    main()
