"""How long a push takes to its panel while another account's panels all change at once."""

import json
import os
import sys
import threading

from harness.paths import BENCH
from scenarios.base import SUBJECT, Goal, Sample, Scenario
from scenarios.fleet import HINT_BYTES, Panels

RATE = 50
PUSHED = 20  # devices
PANELS = 6_000
WAVE_S = 1.5
REST_S = 0.7  # seconds from storing to the hints

CHANGE_ALL = """
    WITH locked AS (  -- in the server's order
        SELECT device.id FROM device JOIN account ON account.id = device.account_id
        WHERE account.email = 'fleet@example.org' ORDER BY device.id FOR NO KEY UPDATE OF device
    )
    UPDATE device SET generation = generation + 1, brightness = %s FROM locked
    WHERE device.id = locked.id RETURNING device.id, generation"""


class BesideFleet(Scenario):
    name = "beside-fleet"
    title = f"A push to a panel, while {PANELS:,} of another account change"
    bound_by = "one load and one message of the other account"
    measures = (f"Small PNGs to {PUSHED} devices in turn, {RATE} a second, as in push-to-panel, while "
                f"each {WAVE_S} s the brightness of {PANELS:,} connected panels of another account is "
                "changed, all at once; and the same with those panels at rest (\"unloaded\").")
    references = ("unloaded",)
    goals = (Goal("p50_us", of="unloaded", at_most=2.0), Goal("p99_us", of="unloaded"))
    unit = "pushes"
    slow = True

    def prepare(self, bench):
        self.server = bench.start_server()
        key, devices = self.server.make_account("bench@example.org", PUSHED)
        self.server.ctl("account", "create", "fleet@example.org", "--name", "Fleet")
        ids = self.server.make_devices("fleet@example.org", PANELS)
        self.server.settle()
        base = self.server.url.replace("http://", "ws://")
        self.panels = Panels(bench, [f"{base}/d/{device}/ws?key={number:024d}"
                                     for number, device in enumerate(ids)])
        self.file = bench.write_file(
            "devices.json", json.dumps({"url": self.server.url, "key": key, "devices": devices}))
        self.brightness = 0

    def change_all(self, ended):
        while not ended.wait(WAVE_S - REST_S):
            self.brightness = self.brightness % 90 + 1
            rows = self.server.sql(CHANGE_ALL, (self.brightness,))
            words = [f"device:{device}:{generation}" for device, generation in rows]
            per_notify = HINT_BYTES // (len(max(words, key=len)) + 1)
            hints = [" ".join(words[i:i + per_notify]) for i in range(0, len(words), per_notify)]
            if not ended.wait(REST_S):
                self.server.sql("SELECT pg_notify('displayd_hint', hint) FROM unnest(%s) AS hint",
                                (hints,))

    def run(self, bench, who, seconds):
        pushes = round(seconds * RATE)
        ended = threading.Event()
        changes = threading.Thread(target=self.change_all, args=(ended,))
        if who == SUBJECT:
            changes.start()
        try:
            said = json.loads(bench.program(
                [sys.executable, os.path.join(BENCH, "push_latency.py"), self.file, RATE, pushes,
                 RATE // 2]))
        finally:
            ended.set()
            if who == SUBJECT:
                changes.join()
        panel = said["panel_ms"]
        return Sample(requests=pushes, seconds=pushes / RATE, rate=RATE,
                      p50_us=panel["median"] * 1000, p99_us=panel["p99"] * 1000,
                      figures={"max_us": panel["max"] * 1000})
