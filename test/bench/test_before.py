"""Two builds in turn: bench/run --before."""

import os
import subprocess
import sys

import pytest

import server
from conftest import ROOT
from harness import runner, table
from harness.bench import Bench
from scenarios.base import Goal, Missing, Sample, Scenario


class Reading(Scenario):
    """Records which programs would be started, and returns the rate of each build."""

    name = title = "reading"
    references = ("nginx",)
    goals = (Goal("rate", of="nginx", at_least=0.5), Goal("panel_bytes"))
    log = []

    def prepare(self, bench):
        self.log.append(("prepare", server.DISPLAYD))

    def run(self, bench, who, seconds):
        self.log.append((who, server.DISPLAYD))
        is_before = bench.build == "/b"
        return Sample(requests=10, rate=500 if is_before else 400, p99_us=1000,
                      figures={"panel_bytes": 1000 if is_before else 1500})

    def finish(self, bench):
        self.log.append(("finish", bench.build))


@pytest.fixture
def benches(monkeypatch):
    monkeypatch.setattr(runner, "rest", lambda: None)
    monkeypatch.setattr(server, "DISPLAYD", None)
    monkeypatch.setattr(server, "DISPLAYCTL", None)
    monkeypatch.setattr(Reading, "log", [])
    with Bench("/a", None) as one, Bench("/b", None, tools="/a") as other:
        yield one, other


def test_each_build_runs_its_own_programs(benches):
    runner.run_scenario(Reading, benches, 1, 1)
    a, b = ("/a/src/main/displayd", "/b/src/main/displayd")
    a_round = [("displayd", a), ("displayd", b), ("nginx", a)]
    assert Reading.log == [("prepare", a), ("prepare", b), *a_round, *a_round, ("finish", "/b"),
                           ("finish", "/a")]  # the first of both rounds warms up


def test_both_builds_go_first_in_turn(benches):
    runner.run_scenario(Reading, benches, 3, 1)
    runs = [who for who, path in Reading.log if who in ("displayd", "nginx")]
    assert runs == ["displayd", "displayd", "nginx"] * 4
    first = [path[1] for who, path in Reading.log if who == "displayd"][::2]
    assert first == ["a", "a", "b", "a"]  # the warm-up, and three rounds


def test_the_load_generators_are_of_one_build(benches, tmp_path):
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench/open_loop").touch()
    with Bench("/b", None, tools=str(tmp_path)) as bench:
        assert bench.built("open_loop") == str(tmp_path / "bench/open_loop")


def test_what_is_judged_is_judged_and_what_changed_is_shown(benches):
    scenario = runner.run_scenario(Reading, benches, 2, 1)
    assert scenario["valid"]
    goals = {(goal["figure"], goal["of"]): goal for goal in scenario["goals"]}
    assert goals["rate", "nginx"]["value"] == 1 and goals["rate", "nginx"]["reached"]
    assert goals["rate", "before"]["value"] == 0.8 and goals["rate", "before"]["reached"] is None
    assert goals["panel_bytes", "before"]["value"] == 1.5
    assert ("server_us", "before") not in goals  # no server runs here, so it was not measured
    assert scenario["runs"]["before"]["rate"] == 500


def test_without_another_build_nothing_is_added(benches):
    scenario = runner.run_scenario(Reading, benches[:1], 1, 1)
    assert set(scenario["runs"]) == {"displayd", "nginx"} and len(scenario["goals"]) == 2


def test_what_fails_in_one_build_ends_both(benches, monkeypatch):
    def prepare(scenario, bench):
        if bench is benches[1]:
            raise Missing("it has no such table")

    monkeypatch.setattr(Reading, "prepare", prepare)
    scenario = runner.run_scenario(Reading, benches, 1, 1)
    assert scenario["error"] == "it has no such table"
    assert Reading.log == [("finish", "/a")]


def test_both_commits_are_told(result):
    result["before"] = {"commit": "fedcba9876543210", "dirty": True}
    assert "commit 0123456789ab, before: fedcba987654 with changes, " in table.text(result)


def test_a_folder_without_displayd_is_refused(tmp_path):
    done = subprocess.run([sys.executable, os.path.join(ROOT, "bench/run"), "--before", tmp_path, "livez"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no displayd in" in done.stderr and "build folder of meson" in done.stderr
