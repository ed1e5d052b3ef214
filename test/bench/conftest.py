"""bench/ is not an installed package, so its folder comes first."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "test")]
sys.path.append(str(ROOT / "test/main"))  # after this folder, which also has a conftest.py

from harness.summary import summarize_scenario  # noqa: E402
from scenarios.base import Goal, Sample, Scenario  # noqa: E402


class Reading(Scenario):
    name = "reading"
    title = "GET <something> & more"
    bound_by = "the test"
    references = ("nginx",)
    goals = (Goal("rate", of="nginx", at_least=0.5), Goal("p99_us", at_most=3000, label="p99"),
             Goal("panel_bytes", at_most=1536), Goal("p50_us", of="nginx"))
    shown_figures = ("panel_bytes",)


def a_round(rate, reference=1000.0, **changes):
    cpu_us = {"server": 4000.0, "database": 8000.0, "load": 5000.0}
    displayd = Sample(requests=1000, seconds=1, rate=rate, p50_us=900, p99_us=2000, p999_us=4000,
                      figures={"panel_bytes": 1024}, cpu_us=cpu_us, others_percent=1)
    nginx = Sample(requests=1000, seconds=1, rate=reference, p50_us=300, p99_us=600, p999_us=800,
                   cpu_us=cpu_us, others_percent=1)
    for name, value in changes.items():
        setattr(displayd, name, value)
    return {"displayd": displayd, "nginx": nginx}


def make_result(*rates, name="made", **changes):
    """Makes a result like those of bench/run, with one scenario and a round for each rate."""
    rounds = [a_round(rate, **changes) for rate in rates]
    return {
        "schema": 1,
        "name": name,
        "date": "2026-11-21T08:00:00Z",
        "commit": {"commit": "0123456789abcdef", "dirty": False},
        "machine": {"cpu": "A CPU", "cores": 2, "memory_bytes": 8 << 30, "kernel": "6.1.0-1",
                    "system": "Debian GNU/Linux 12", "debian": "12.11", "load_before": 0.1},
        "versions": {"postgresql": "15.20", "nginx": "1.22.1", "wrk": None},
        "build": {"compiler": "gcc 12.2.0"},
        "settings": {"rounds": len(rounds), "seconds": 1},
        "scenarios": [summarize_scenario(Reading(), rounds, {"displayd": 4 << 20, "nginx": None})],
    }


@pytest.fixture
def result():
    return make_result(600.0, 500.0, 700.0)
