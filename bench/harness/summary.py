"""Medians and spreads over the rounds."""

import math
import statistics

from scenarios.base import SUBJECT


def percentile(ordered, percent):
    """Returns a percentile by nearest rank of sorted values; None if there are none."""
    if not ordered:
        return None
    rank = math.ceil(percent / 100 * len(ordered))
    return ordered[min(len(ordered), max(1, rank)) - 1]


def median(values):
    """Returns the median of the values that are not None; None if there are none."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def per_request(sample, group):
    """Returns the CPU microseconds per request; None if nothing was counted."""
    if not sample.requests or group not in sample.cpu_us:
        return None
    return sample.cpu_us[group] / sample.requests


def summarize_samples(samples):
    """Returns the median of each figure over the rounds, the CPU time per request, and the sum of
    faults."""
    names = sorted({name for sample in samples for name in sample.figures})
    faults = {}
    for sample in samples:
        for words, count in sample.faults.items():
            faults[words] = faults.get(words, 0) + count
    return {
        **{name: median(getattr(sample, name) for sample in samples)
           for name in ("rate", "p50_us", "p99_us", "p999_us", "others_percent")},
        "cpu_us_per_request": {group: median(per_request(sample, group) for sample in samples)
                               for group in ("server", "database", "load")},
        "figures": {name: median(sample.figures.get(name) for sample in samples)
                    for name in names},
        "faults": {words: count for words, count in faults.items() if count},
        "requests": sum(sample.requests for sample in samples),
    }


def summarize_goal(goal, rounds):
    """rounds: dicts of samples by name. The value is the median of the rounds' values."""
    values = [goal.value(samples) for samples in rounds]
    known = [value for value in values if value is not None]
    value = median(known)
    return {
        "figure": goal.figure,
        "of": goal.of,
        "label": goal.label,
        "at_least": goal.at_least,
        "at_most": goal.at_most,
        "value": value,
        "low": min(known, default=None),
        "high": max(known, default=None),
        "rounds": values,
        "reached": goal.is_reached(value) if value is not None and goal.has_target else None,
    }


def summarize_scenario(scenario, rounds, memory_bytes):
    """Makes a scenario's part of a result file."""
    runs = {who: summarize_samples([samples[who] for samples in rounds])
            for who in (SUBJECT, *scenario.references)}
    for who, run in runs.items():
        run["memory_bytes"] = memory_bytes.get(who)
    return {
        "name": scenario.name,
        "title": scenario.title,
        "bound_by": scenario.bound_by,
        "unit": scenario.unit,
        "shown_figures": list(scenario.shown_figures),
        "runs": runs,
        "goals": [summarize_goal(goal, rounds) for goal in scenario.goals],
        "valid": not any(run["faults"] for run in runs.values()),
    }


def failed_scenario(scenario, words):
    """Makes the same for a scenario that could not be measured."""
    return {
        "name": scenario.name,
        "title": scenario.title,
        "bound_by": scenario.bound_by,
        "unit": scenario.unit,
        "shown_figures": [],
        "runs": {},
        "goals": [],
        "valid": False,
        "error": words,
    }
