"""Medians, spreads, and summaries of rounds."""

import pytest

from conftest import Reading, a_round
from harness import cpu
from harness.summary import median, percentile, summarize_goal, summarize_scenario
from scenarios.base import Goal, Sample

import os
import subprocess


def test_percentile_is_a_value_that_was_seen():
    values = list(range(1, 101))
    assert percentile(values, 50) == 50
    assert percentile(values, 99) == 99
    assert percentile(values, 99.9) == 100
    assert percentile(values, 100) == 100
    assert percentile([7], 0) == percentile([7], 50) == percentile([7], 100) == 7
    assert percentile([], 50) is None


def test_median_of_what_is_known():
    assert median([3, None, 1, 2]) == 2
    assert median([1, 2]) == 1.5
    assert median([None]) is None


def test_goal_is_judged_by_ratios_of_the_same_round():
    # The median of ratios, not the ratio of medians: 0.5, 0.9, 0.5.
    rounds = [a_round(500, 1000), a_round(1800, 2000), a_round(1500, 3000)]
    goal = summarize_goal(Goal("rate", of="nginx", at_least=0.5), rounds)
    assert (goal["value"], goal["low"], goal["high"]) == (0.5, 0.5, 0.9)
    assert goal["reached"] is True


@pytest.mark.parametrize(
    "goal,reached",
    [
        (Goal("rate", of="nginx", at_least=0.61), False),
        (Goal("rate", of="nginx", at_least=0.6), True),
        (Goal("p99_us", at_most=2000), True),
        (Goal("p99_us", at_most=1999), False),
        (Goal("panel_bytes", at_least=1000, at_most=1100), True),
        (Goal("panel_bytes", at_least=1000, at_most=1001), False),
        (Goal("rate", of="nginx"), None),
        (Goal("not_measured", at_least=1), None),
        (Goal("panel_bytes", of="nginx", at_least=1), None),
    ],
)
def test_targets(goal, reached):
    assert summarize_goal(goal, [a_round(600)])["reached"] is reached


def test_a_reference_that_gave_nothing_is_no_ratio():
    goal = summarize_goal(Goal("rate", of="nginx", at_least=0.5), [a_round(600, 0)])
    assert goal["value"] is None and goal["reached"] is None


def test_reference_with_another_figure():
    goal = Goal("p99_us", of="nginx", of_figure="p50_us", at_most=10)
    assert summarize_goal(goal, [a_round(600)])["value"] == pytest.approx(2000 / 300)


def test_scenario(result):
    scenario = result["scenarios"][0]
    assert scenario["valid"]
    run = scenario["runs"]["displayd"]
    assert run["rate"] == 600
    assert run["cpu_us_per_request"] == {"server": 4, "database": 8, "load": 5}
    assert run["memory_bytes"] == 4 << 20
    assert run["figures"] == {"panel_bytes": 1024}


def test_one_fault_makes_it_invalid():
    rounds = [a_round(600), a_round(600, faults={"time-outs": 0, "reads failed": 2}),
              a_round(600, faults={"reads failed": 1})]
    scenario = summarize_scenario(Reading(), rounds, {})
    assert not scenario["valid"]
    assert scenario["runs"]["displayd"]["faults"] == {"reads failed": 3}
    assert scenario["runs"]["nginx"]["faults"] == {}


def test_a_run_without_requests_has_no_cpu_time():
    rounds = [{"displayd": Sample(), "nginx": Sample()}]
    run = summarize_scenario(Reading(), rounds, {})["runs"]["displayd"]
    assert set(run["cpu_us_per_request"].values()) == {None}
    assert run["rate"] is None


def test_cpu_time_counts_children_that_ended():
    before = cpu.process_us(os.getpid())
    usage = os.times()
    subprocess.run(["/bin/sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"],
                   check=True)
    spent = os.times().children_user + os.times().children_system
    spent -= usage.children_user + usage.children_system
    assert cpu.process_us(os.getpid()) - before >= spent * 1e6 > 0


def test_a_tree_has_all_that_live_below():
    with subprocess.Popen(["/bin/sh", "-c", "cat; true"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as shell:
        shell.stdin.write(b"x\n")
        shell.stdin.flush()
        shell.stdout.readline()
        below = cpu.children(shell.pid)
        assert len(below) == 1
        assert cpu.tree(os.getpid())[0] == os.getpid()
        assert {shell.pid, *below} <= set(cpu.tree(os.getpid()))
        assert not {shell.pid, *below} & set(cpu.tree(os.getpid(), without=(shell.pid,)))
        assert cpu.pss_bytes([shell.pid, *below]) > cpu.pss_bytes([shell.pid]) > 0
        shell.stdin.close()
    assert cpu.process_us(shell.pid) == 0 and cpu.pss_bytes([shell.pid]) == 0
