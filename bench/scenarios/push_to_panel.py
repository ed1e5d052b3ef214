"""How long a push takes to reach its panel."""

import json
import os
import sys

from harness.paths import BENCH
from scenarios.base import Goal, Sample, Scenario

RATE = 100
PANELS = 20  # each allows 10 pushes a second


class PushToPanel(Scenario):
    name = "push-to-panel"
    title = f"A push to a connected panel, {RATE} a second"
    bound_by = "encode + commit"
    measures = (f"Small PNGs to {PANELS} devices in turn, each with a panel at a WebSocket, at a "
                "fixed rate; from when the push was to be sent until its panel has the picture, "
                "which is compared. Half of the pushes reach a worker that does not have the panel. "
                "What bench/push_latency.py, in Python, takes for itself is in it.")
    goals = (Goal("p50_us", at_most=2500, label="median"),
             Goal("p99_us", at_most=4500, label="p99"))
    unit = "pushes"
    shown_figures = ("answer_p50_us", "answer_p99_us")
    rate = RATE
    call = "push"

    def prepare(self, bench):
        server = bench.start_server()
        key, devices = server.make_account("bench@example.org", PANELS)
        server.settle()
        self.file = bench.write_file(
            "devices.json", json.dumps({"url": server.url, "key": key, "devices": devices,
                                             "call": self.call}))

    def run(self, bench, who, seconds):
        pushes = round(seconds * self.rate)
        said = json.loads(bench.program(
            [sys.executable, os.path.join(BENCH, "push_latency.py"), self.file, self.rate, pushes,
             self.rate // 2]))
        panel, answer = said["panel_ms"], said["answer_ms"]
        return Sample(
            requests=pushes,
            seconds=pushes / self.rate,
            rate=self.rate,
            p50_us=panel["median"] * 1000,
            p99_us=panel["p99"] * 1000,
            figures={"answer_p50_us": answer["median"] * 1000, "answer_p99_us": answer["p99"] * 1000,
                     "max_us": panel["max"] * 1000},
        )
