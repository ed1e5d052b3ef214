"""Runs scenarios: warm-up, rounds in turn, and their summary."""

import contextlib
import sys
import traceback

from harness.bench import rest
from harness.table import figure_value, figure_words
from harness.summary import failed_scenario, summarize_scenario
from scenarios.base import BEFORE, SUBJECT, Failed, Goal, Missing

WARM_UP_S = 2


def say(text):
    print(text, file=sys.stderr, flush=True)


def words_of(sample):
    """Describes a run in a few words, for a person who watches."""
    words = f"{sample.rate:,.0f}/s" if sample.rate is not None else ""
    words += "".join(f", {figure_words(name)} {figure_value(name, value)}"
                     for name, value in sample.figures.items())
    words += "".join(f" [{count} {fault}]" for fault, count in sample.faults.items())
    return words.removeprefix(", ")


def run_once(pairs, who, seconds):
    """Prepares a run of who; BEFORE is the subject of the other pair."""
    scenario, bench = pairs[who == BEFORE]
    bench.choose_programs()
    return bench, lambda: scenario.run(bench, SUBJECT if who == BEFORE else who, seconds)


def warm_up(pairs, names, seconds):
    """Runs each one shortly. Returns the memory of its servers during the run."""
    memory = {}
    for who in names:
        bench, run = run_once(pairs, who, seconds)
        displayd, nginx = bench.measure_memory(run)
        if who in (SUBJECT, BEFORE):
            memory[who] = displayd
        elif who == "nginx":
            memory[who] = nginx
        rest()
    return memory


def in_order(names, number):
    """Returns the names for this round. The two builds take turns to be first: any run after
    nginx's is a few percent slower than after displayd's."""
    if BEFORE in names and number % 2 == 0:
        return (BEFORE, SUBJECT, *(name for name in names if name not in (BEFORE, SUBJECT)))
    return names


def run_rounds(pairs, rounds, seconds):
    scenario = pairs[0][0]
    names = (SUBJECT, *scenario.references)
    memory = warm_up(pairs, names, min(WARM_UP_S, seconds)) if scenario.warms_up else {}
    measured = []
    for number in range(1, rounds + 1):
        samples = {}
        for who in in_order(names, number):
            bench, run = run_once(pairs, who, seconds)
            samples[who] = bench.measure(run)
            say(f"  {scenario.name} {number}/{rounds} {who}: {words_of(samples[who])}")
            rest()
        measured.append(samples)
    summary = summarize_scenario(scenario, measured, memory)
    summary["goals"] = [goal for goal in summary["goals"]
                        if goal["of"] != BEFORE or goal["value"] is not None]
    return summary


def compare_with_before(scenario):
    """Adds the figures that the scenario measures, as ratios of both builds. Its own goals are judged as
    usual."""
    figures = ["rate", "p99_us", "server_us", *(goal.figure for goal in scenario.goals)]
    scenario.references = (BEFORE, *scenario.references)
    scenario.goals = (*scenario.goals,
                      *(Goal(figure, of=BEFORE) for figure in dict.fromkeys(figures)))


def run_scenario(kind, benches, rounds, seconds):
    """Returns the scenario's part of the result file. A scenario that fails does not end the others.
    benches: of the build that is measured, and with --before of the other one."""
    pairs = [(kind(), bench) for bench in benches]
    scenario = pairs[0][0]
    if len(benches) > 1:
        compare_with_before(scenario)
    try:
        with contextlib.ExitStack() as finish:
            for one, bench in pairs:
                bench.choose_programs()
                one.prepare(bench)
                finish.callback(one.finish, bench)
            return run_rounds(pairs, scenario.rounds or rounds, seconds)
    except (Missing, Failed) as error:
        return failed_scenario(scenario, str(error))
    except Exception as error:  # any error: it is reported, and the next scenario runs
        say(traceback.format_exc())
        return failed_scenario(scenario, f"{type(error).__name__}: {error}")
    finally:
        for bench in benches:
            bench.finish_scenario()
