"""18,000 idle panels in one instance, and one picture to all of them: bench/fan_out.py."""

import json
import os
import sys

from harness.paths import BENCH
from scenarios.base import Failed, Goal, Sample, Scenario

PANELS = 18_000


class Fleet(Scenario):
    name = "fleet"
    title = f"{PANELS:,} panels, one picture to all"
    bound_by = "kernel"
    measures = (f"{PANELS:,} WebSocket panels in one instance: the server's memory for each (PSS of "
                "supervisor and workers), then one picture stored for all of them and told by "
                "hints. The workers' CPU time until the last panel has it, acknowledgements "
                "included; what the kernel takes for as many bare writes; and how long the worst "
                "of 200 GET /livez a second took meanwhile.")
    goals = (Goal("panel_bytes", at_most=1536, label="a panel"),
             Goal("panel_us", at_most=10, label="a panel"),
             Goal("livez_max_us", at_most=5000, label="longest wait"))
    unit = "pictures"
    shown_figures = ("bare_write_us", "last_ms", "pushed_panel_bytes", "quiet_livez_max_us")
    warms_up = False
    rounds = 2
    slow = True

    def run(self, bench, who, seconds):
        said = json.loads(bench.program(
            [sys.executable, os.path.join(BENCH, "fan_out.py"), "--panels", PANELS, "--json",
             "--program", bench.built("panels")],
            {"DISPLAYD": os.path.join(bench.build, "displayd"),
             "DISPLAYCTL": os.path.join(bench.build, "displayctl")}))
        rounds = said["rounds"]
        if any(one["count"] != PANELS for one in rounds):
            raise Failed("not all panels got the picture")

        def median(name):
            return sorted(one[name] for one in rounds)[len(rounds) // 2]

        return Sample(figures={
            "panel_bytes": said["panel_bytes"]["pss"],
            "pushed_panel_bytes": said["pushed_panel_bytes"]["pss"],
            "panel_us": median("workers_us"),
            "bare_write_us": said["bare_write_us"],
            "last_ms": median("last_ms"),
            "livez_max_us": median("livez_max_us"),
            "quiet_livez_max_us": said["livez_quiet_max_us"],
        })
