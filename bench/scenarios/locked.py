"""Whether an account's pushes wait for rows of another account that stay locked."""

import contextlib
import http.client
import itertools
import json
import os
import subprocess
import sys
import threading

from harness.paths import BENCH
from scenarios import pictures
from scenarios.base import SUBJECT, Failed, Goal, Sample, Scenario
from server import DISPLAYCTL

RATE = 100
DEVICES = 20  # each allows 10 pushes a second
OTHERS = 8  # each waits for its answer, but disconnects after some time
OTHER_DEVICES = 16
OTHER_PAUSE_S = 0.4
OTHER_PATIENCE_S = 2
LOCKED = 1
REMOVED = 20_000


class OtherPushes(threading.Thread):
    """Pushes to some devices in turn, one after the other, and ignores the answers."""

    def __init__(self, server, key, devices):
        super().__init__()
        self.server, self.key, self.devices = server, key, itertools.cycle(devices)
        self.body = pictures.push_body(pictures.stills(1)[0])
        self.has_ended = threading.Event()
        self.start()

    def run(self):
        while not self.has_ended.wait(OTHER_PAUSE_S):
            connection = http.client.HTTPConnection(*self.server.address, timeout=OTHER_PATIENCE_S)
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection.request("POST", f"/v1/devices/{next(self.devices)}/push", self.body, {
                    "Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
                connection.getresponse().read()
            connection.close()

    def end(self):
        self.has_ended.set()
        self.join()


class LockedRow(Scenario):
    name = "locked-row"
    title = "Pushes, while a row of another account stays locked"
    bound_by = "lock_timeout"
    measures = (f"{RATE} small PNGs a second to {DEVICES} devices, "
                f"while another account pushes to {OTHER_DEVICES} devices, at most "
                f"{OTHERS / OTHER_PAUSE_S:.0f} times a second, and a transaction keeps the row of one of these locked; and the same "
                "pushes with nothing else to do (\"unloaded\"). Measured by bench/push_latency.py "
                "from when a push was to be sent until it was answered.")
    references = ("unloaded",)
    goals = (Goal("p99_us", at_most=50_000), Goal("p99_us", of="unloaded"))
    shown_figures = ("max_us",)
    unit = "pushes"

    def prepare(self, bench):
        self.server = bench.start_server()
        key, _ = self.server.make_account("bench@example.org", 1)
        devices = self.server.make_devices("bench@example.org", DEVICES)
        self.file = bench.write_file("devices.json", json.dumps(
            {"url": self.server.url, "key": key, "devices": [{"id": one} for one in devices]}))
        self.prepare_other()
        self.server.settle()

    def prepare_other(self):
        self.other = self.make_other("other@example.org")

    def make_other(self, email):
        """Makes an account. Returns its key, and some of its devices."""
        key, _ = self.server.make_account(email, 1)
        return key, self.server.make_devices(email, OTHER_DEVICES)

    def run(self, bench, who, seconds):
        if who != SUBJECT:
            return self.push(bench, seconds)
        key, devices = self.other
        others = [OtherPushes(self.server, key, devices[number::OTHERS])
                  for number in range(OTHERS)]
        try:
            return self.run_beside(bench, seconds)
        finally:
            for other in others:
                other.end()

    def run_beside(self, bench, seconds):
        import psycopg2

        database = psycopg2.connect(self.server.database_url)
        try:
            with database.cursor() as cursor:
                cursor.execute("SELECT FROM device WHERE id = ANY (%s::uuid[]) FOR UPDATE",
                               (self.other[1][:LOCKED],))
            return self.push(bench, seconds)
        finally:
            database.close()

    def push(self, bench, seconds):
        pushes = round(seconds * RATE)
        said = json.loads(bench.program(
            [sys.executable, os.path.join(BENCH, "push_latency.py"), self.file, RATE, pushes,
             RATE // 2]))["answer_ms"]
        return Sample(
            requests=pushes,
            seconds=seconds,
            rate=RATE,
            p50_us=said["median"] * 1000,
            p99_us=said["p99"] * 1000,
            figures={"max_us": said["max"] * 1000},
        )


class AccountRemoval(LockedRow):
    name = "account-removal"
    title = f"Pushes, while an account with {REMOVED:,} devices is removed"
    bound_by = "PostgreSQL"
    measures = (f"The same, while displayctl removes the other account, which has {REMOVED:,} "
                "devices more.")
    runs = 0

    def prepare_other(self):
        """Runs who; each run removes one account."""

    def run(self, bench, who, seconds):
        if who == SUBJECT:
            self.runs += 1
            self.email = f"gone{self.runs}@example.org"
            self.other = self.make_other(self.email)
            self.server.make_devices(self.email, REMOVED)
            self.server.settle()
        return super().run(bench, who, seconds)

    def run_beside(self, bench, seconds):
        removal = bench.spawn([DISPLAYCTL, "--state-dir", self.server.state_dir, "account",
                               "remove", self.email, "--yes"], stdout=subprocess.DEVNULL)
        sample = self.push(bench, seconds)
        if bench.reap(removal):
            raise Failed("displayctl failed")
        return sample
