"""Runs scenarios: warm-up, rounds in turn, what they come to."""

import sys
import traceback

from harness.bench import rest
from harness.table import figure_value, figure_words
from harness.summary import failed_scenario, summarize_scenario
from scenarios.base import SUBJECT, Failed, Missing

WARM_UP_S = 2


def say(text):
    print(text, file=sys.stderr, flush=True)


def words_of(sample):
    """A run in a few words, for a person who watches."""
    words = f"{sample.rate:,.0f}/s" if sample.rate is not None else ""
    words += "".join(f", {figure_words(name)} {figure_value(name, value)}"
                     for name, value in sample.figures.items())
    words += "".join(f" [{count} {fault}]" for fault, count in sample.faults.items())
    return words.removeprefix(", ")


def warm_up(scenario, bench, names, seconds):
    """One short run of each; the memory of the servers meanwhile."""
    memory = {}
    for who in names:
        displayd, nginx = bench.measure_memory(lambda: scenario.run(bench, who, seconds))
        if who == SUBJECT:
            memory[who] = displayd
        elif who == "nginx":
            memory[who] = nginx
        rest()
    return memory


def run_rounds(scenario, bench, rounds, seconds):
    names = (SUBJECT, *scenario.references)
    memory = warm_up(scenario, bench, names, min(WARM_UP_S, seconds)) if scenario.warms_up else {}
    measured = []
    for number in range(1, rounds + 1):
        samples = {}
        for who in names:
            samples[who] = bench.measure(lambda: scenario.run(bench, who, seconds))
            say(f"  {scenario.name} {number}/{rounds} {who}: {words_of(samples[who])}")
            rest()
        measured.append(samples)
    return summarize_scenario(scenario, measured, memory)


def run_scenario(scenario, bench, rounds, seconds):
    """What the result file says of it. What goes wrong in one does not end the others."""
    try:
        scenario.prepare(bench)
        try:
            return run_rounds(scenario, bench, scenario.rounds or rounds, seconds)
        finally:
            scenario.finish(bench)
    except (Missing, Failed) as error:
        return failed_scenario(scenario, str(error))
    except Exception as error:  # of whatever kind: it is told, and the next one runs
        say(traceback.format_exc())
        return failed_scenario(scenario, f"{type(error).__name__}: {error}")
    finally:
        bench.finish_scenario()
