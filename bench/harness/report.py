"""A result as Markdown, for docs/performance.md."""

import dataclasses

from harness.table import (goal_cells, goal_words, machine_lines, run_cells, shown_figures,
                           target_words, troubles)
from scenarios.base import SUBJECT

BEGIN = "<!-- results: written by bench/report -->"
END = "<!-- end of results -->"
SCENARIOS_BEGIN = "<!-- scenarios: written by bench/report --scenarios -->"
SCENARIOS_END = "<!-- end of scenarios -->"

GOALS = ("scenario", "judged", "value", "lowest..highest round", "to reach", "reached")
RUNS = ("scenario", "who", "rate/s", "p50 ms", "p99 ms", "p99.9 ms", "server µs", "database µs",
        "load µs", "memory MiB")
# Columns of numbers, from which one on.
NUMBERS_FROM = {GOALS: len(GOALS), RUNS: 2}


def escape(cell):
    cell = cell.replace(">=", "≥").replace("<=", "≤")
    return cell.replace("|", "\\|").replace("<", "&lt;")


def markdown_table(header, rows):
    from_column = NUMBERS_FROM[header]
    rule = ["---:" if i >= from_column else "---" for i in range(len(header))]
    lines = [header, rule, *([escape(cell) for cell in row] for row in rows)]
    return ["| " + " | ".join(line) + " |" for line in lines]


def goal_rows(result):
    for scenario in result["scenarios"]:
        for goal in scenario["goals"]:
            words, value, spread, target, reached = goal_cells(goal, scenario["valid"])
            yield [scenario["name"], words, value, spread, target,
                   {"yes": "yes", "NO": "**no**"}.get(reached, reached)]


def run_rows(result):
    for scenario in result["scenarios"]:
        for who, run in scenario["runs"].items():
            if run["rate"] is not None:
                yield [scenario["name"] if who == SUBJECT else "", who, *run_cells(run)]


def note_lines(result):
    """What only some scenarios have, and what makes figures mean less."""
    for scenario in result["scenarios"]:
        for words in troubles(scenario):
            yield f"- {scenario['name']}: {escape(words)}"
        for who, words in shown_figures(scenario):
            yield f"- {scenario['name']}, {who}: {words}"


def markdown(result, chart=None):
    """chart: the path of its SVG, as seen from where this text will be."""
    lines = [BEGIN, ""]
    if chart:
        lines += [f"![Each scenario beside its reference]({chart})", ""]
    lines += ["Measured on:", ""]
    lines += [f"- {escape(line)}" for line in machine_lines(result)]
    lines += ["", *markdown_table(GOALS, goal_rows(result)), "",
              "What each run took, medians; CPU time is per request:", "",
              *markdown_table(RUNS, run_rows(result))]
    return "\n".join([*lines, "", *note_lines(result), "", END]) + "\n"


def to_reach(kind):
    """What a scenario's goals are, in words."""
    goals = [dataclasses.asdict(goal) for goal in kind.goals if goal.has_target]
    return "; ".join(f"{goal_words(goal)} {target_words(goal)}" for goal in goals)


def scenario_lines(kind):
    yield f"### `{kind.name}`"
    yield ""
    yield f"{kind.title}{' (slow: only with --all, or by its name)' if kind.slow else ''}"
    yield ""
    yield escape(" ".join(kind.measures.split()))
    yield ""
    yield f"- Bound by: {kind.bound_by}"
    if kind.references:
        yield f"- Beside it: {', '.join(kind.references)}"
    yield f"- To reach: {escape(to_reach(kind)) or 'nothing, it is shown'}"
    yield ""


def scenarios_markdown(kinds):
    """What there is to be measured, from the scenarios themselves."""
    lines = [SCENARIOS_BEGIN, ""]
    for kind in kinds:
        lines += scenario_lines(kind)
    return "\n".join([*lines, SCENARIOS_END]) + "\n"


def put_into(text, section):
    """The text with what stands between the section's own first and last line replaced by it.
    ValueError where they are not there."""
    first, *_, last = section.splitlines()
    before, begin, rest = text.partition(first + "\n")
    _, end, after = rest.partition(last + "\n")
    if not begin or not end:
        raise ValueError(f"there is no {first} with its end")
    return before + section + after
