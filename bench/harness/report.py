"""A result as Markdown, for docs/performance.md."""

import dataclasses

from harness.table import (goal_cells, goal_words, machine_lines, run_cells, target_words, troubles)
from scenarios.base import SUBJECT

BEGIN = "<!-- results: written by bench/report -->"
END = "<!-- end of results -->"

# Figures of displayd's own run, then a line for each goal.
RUN_COLUMNS = ("rate/s", "p99 ms", "server µs", "database µs")
GOAL_COLUMNS = ("measure", "value", "rounds", "target", "met")
HEADER = ("scenario", *RUN_COLUMNS, *GOAL_COLUMNS)
LEGEND = ("Rate, latency and CPU time for each request are displayd's medians. A ratio is formed in each round: "
          "median, lowest, highest.")


def escape(cell):
    cell = cell.replace(">= ", "≥").replace("<= ", "≤")
    return cell.replace("|", "\\|").replace("<", "&lt;")


def markdown_line(cells):
    return "|" + "|".join(cells) + "|"


def subject_cells(scenario):
    """Returns the cells of RUN_COLUMNS; empty if the scenario has no rate, or was not measured."""
    run = scenario["runs"].get(SUBJECT)
    if run is None or run["rate"] is None:
        return [""] * len(RUN_COLUMNS)
    rate, _, p99, _, server, database, *_ = run_cells(run)
    return [rate, p99, server, database]


def result_rows(result):
    """Leaves measures without a target to the JSON."""
    for scenario in result["scenarios"]:
        first = [scenario["name"], *subject_cells(scenario)]
        judged = [goal for goal in scenario["goals"] if target_words(goal)]
        for goal in judged or scenario["goals"][:1]:
            *cells, reached = goal_cells(goal, scenario["valid"])
            yield [*first, *cells, {"yes": "yes", "NO": "**no**"}.get(reached, reached)]
            first = [""] * len(first)


def note_lines(result):
    """Yields reasons to trust a figure less."""
    for scenario in result["scenarios"]:
        for words in troubles(scenario):
            yield f"- {scenario['name']}: {escape(words)}"


def markdown(result, chart=None):
    """chart: the path of its SVG, relative to the file that gets this text."""
    lines = [BEGIN, ""]
    if chart:
        lines += [f"![Each scenario beside its reference]({chart})", ""]
    lines += ["Measured on:", ""]
    machine, _versions, commit = machine_lines(result)
    lines += [f"- {escape(line)}" for line in (machine, commit)]
    lines += ["", markdown_line(HEADER), markdown_line(["---"] * len(HEADER))]
    lines += [markdown_line([escape(cell) for cell in row]) for row in result_rows(result)]
    lines += ["", LEGEND, ""]
    notes = list(note_lines(result))
    return "\n".join([*lines, *notes, *([""] if notes else []), END]) + "\n"


def targets_of(kind):
    """Describes a scenario's goals."""
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
        yield f"- Reference: {', '.join(kind.references)}"
    yield f"- Target: {escape(targets_of(kind)) or 'none (for information)'}"
    yield ""


def scenarios_markdown(kinds):
    """Returns the descriptions of all scenarios, made from the scenarios themselves."""
    return "\n".join(line for kind in kinds for line in scenario_lines(kind))


def put_into(text, section):
    """Returns the text with the part between the section's first and last line replaced by the
    section. Raises ValueError if these lines are missing."""
    first, *_, last = section.splitlines()
    before, begin, rest = text.partition(first + "\n")
    _, end, after = rest.partition(last + "\n")
    if not begin or not end:
        raise ValueError(f"the line {first} or its end is missing")
    return before + section + after
