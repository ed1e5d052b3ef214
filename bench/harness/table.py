"""The table that bench/run prints: a line for the subject and each reference, with the goals beside
their figures."""

import re

from scenarios.base import SUBJECT

# The last three numbers before the memory are CPU time per request.
HEADER = ("scenario", "who", "rate/s", "p50 ms", "p99 ms", "p99.9 ms", "server us", "db us",
          "load us", "MiB", "judged", "value", "spread", "reach", "reached")
LEFT = {"scenario", "who", "judged", "spread", "reach", "reached"}
LEGEND = "us: CPU time per request; MiB: memory of the server under load; spread: of the rounds"
DISTURBED_PERCENT = 5
# By the ending of a figure's name: its units, (from which value on, unit, divisor).
ENDINGS = {
    "_us": ((100, "ms", 1000), (0, "us", 1)),
    "_ms": ((0, "ms", 1),),
    "_bytes": ((10 << 20, "MiB", 1 << 20), (0, "KiB", 1024)),
    "_percent": ((0, "%", 1),),
}


def number(value):
    """Formats three significant digits; integers from a hundred up. Empty for None."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 9.995 else f"{value:.2f}"


def scaled(value, divisor):
    return "" if value is None else number(value / divisor)


def ending_of(figure):
    return next((ending for ending in ENDINGS if figure.endswith(ending)), "")


def unit_of(figure, like):
    """Returns (unit, divisor) by the ending of a figure's name and by its size."""
    for least, unit, divisor in ENDINGS.get(ending_of(figure), ()):
        if like is None or abs(like) >= least:
            return unit, divisor
    return "", 1


def figure_words(figure):
    """p999_us -> p99.9; memory_per_panel_bytes -> memory per panel."""
    figure = figure.removesuffix(ending_of(figure))
    return {"p999": "p99.9"}.get(figure, figure.replace("_", " "))


def figure_value(figure, value):
    unit, divisor = unit_of(figure, value)
    return f"{scaled(value, divisor)} {unit}".rstrip()


def goal_words(goal):
    """Names the figure that is judged."""
    if goal["label"]:
        return goal["label"]
    words = figure_words(goal["figure"])
    return f"{words} / {goal['of']}" if goal["of"] else words


def goal_unit(goal):
    """Finds one unit and divisor for all of a goal's numbers. A ratio has no unit."""
    if goal["of"]:
        return "", 1
    for name in ("at_most", "at_least", "value"):
        if goal.get(name) is not None:
            return unit_of(goal["figure"], goal[name])
    return unit_of(goal["figure"], None)


def goal_value(goal, name):
    """Formats value, low, high, at_least or at_most in the goal's unit."""
    unit, divisor = goal_unit(goal)
    if goal[name] is None:
        return ""
    text = scaled(goal[name], divisor)
    if name == "value" and goal["reached"] is False:
        # Shows enough digits to make a difference visible: 0.898 is not 0.90.
        targets = [scaled(goal[target], divisor) for target in ("at_least", "at_most")]
        text = f"{goal[name] / divisor:.5g}" if text in targets else text
    return f"{text} {unit}".strip()


def target_words(goal):
    parts = [f">= {goal_value(goal, 'at_least')}" if goal["at_least"] is not None else "",
             f"<= {goal_value(goal, 'at_most')}" if goal["at_most"] is not None else ""]
    return " and ".join(part for part in parts if part)


def reached_words(goal, valid):
    if goal["value"] is None:
        return "not measured"
    if goal["reached"] is None:
        return ""
    if not valid:
        return "invalid"
    return "yes" if goal["reached"] else "NO"


def spread_words(goal):
    """Formats the spread over the rounds, in the value's unit."""
    if goal["value"] is None:
        return ""
    divisor = goal_unit(goal)[1]
    return f"{scaled(goal['low'], divisor)}..{scaled(goal['high'], divisor)}"


def goal_cells(goal, valid):
    return [goal_words(goal), goal_value(goal, "value"), spread_words(goal),
            target_words(goal), reached_words(goal, valid)]


def run_cells(run):
    cpu = run["cpu_us_per_request"]
    return [number(run["rate"]), *(scaled(run[name], 1000)
                                   for name in ("p50_us", "p99_us", "p999_us")),
            *(number(cpu[group]) for group in ("server", "database", "load")),
            scaled(run["memory_bytes"], 1 << 20)]


def scenario_lines(scenario):
    """Returns lists of cells, one for each column of HEADER."""
    goals = list(scenario["goals"])
    lines = []
    for who, run in scenario["runs"].items():
        about = [goal for goal in goals if (goal["of"] or SUBJECT) == who] or [None]
        for position, goal in enumerate(about):
            cells = [who, *run_cells(run)] if position == 0 else [""] * 9
            cells += goal_cells(goal, scenario["valid"]) if goal else [""] * 5
            lines.append([scenario["name"] if not lines else "", *cells])
    return lines


def shown_figures(scenario):
    """Yields (who, words): figures of this scenario alone that no goal shows."""
    judged = {goal["figure"] for goal in scenario["goals"] if not goal["of"]}
    for who, run in scenario["runs"].items():
        words = [f"{figure_words(name)} {figure_value(name, run['figures'][name])}"
                 for name in scenario["shown_figures"]
                 if run["figures"].get(name) is not None
                 and not (who == SUBJECT and name in judged)]
        if words:
            yield who, ", ".join(words)


def disturbance(scenario):
    """Returns the largest share of the machine in percent that other programs had; None if it is
    too small to matter."""
    share = max((run.get("others_percent") or 0 for run in scenario["runs"].values()), default=0)
    return share if share >= DISTURBED_PERCENT else None


def troubles(scenario):
    """Yields remarks about why its figures are less reliable, or invalid."""
    if "error" in scenario:
        yield "not measured: " + " ".join(scenario["error"].split())[:300]
    for who, run in scenario["runs"].items():
        for words, count in run["faults"].items():
            yield f"INVALID: {who}: {count:,} {words}"
    share = disturbance(scenario)
    if share:
        yield f"disturbed: others had up to {share:.0f} % of the machine"


def notes(scenario):
    """Lines below the table."""
    for words in troubles(scenario):
        yield f"{scenario['name']}: {words}"
    for who, words in shown_figures(scenario):
        yield f"{scenario['name']}: {who}: {words}"


def align(rows, header=HEADER, left=LEFT):
    """Formats rows with aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    return ["  ".join(cell.ljust(width) if name in left else cell.rjust(width)
                      for cell, width, name in zip(row, widths, header)).rstrip()
            for row in rows]


def commit_words(commit):
    return f"{(commit['commit'] or 'unknown')[:12]}{' with changes' if commit['dirty'] else ''}"


def limit_words(cores):
    return f", displayd and its PostgreSQL limited to {cores:g} cores" if cores else ""


def machine_lines(result):
    machine, versions, build = result["machine"], result["versions"], result["build"]
    yield (f"{machine['cpu']}, {machine['cores']} cores, "
           f"{machine['memory_bytes'] / (1 << 30):.0f} GiB, Linux {machine['kernel']}, "
           f"{machine['system']} ({machine['debian']})")
    yield ", ".join(f"{name} {version}" for name, version in versions.items() if version) + (
        f", {build['compiler']}" if build.get("compiler") else "")
    before = f", before: {commit_words(result['before'])}" if "before" in result else ""
    yield (f"commit {commit_words(result['commit'])}{before}, {result['date']}, "
           f"{result['settings']['rounds']} rounds of {result['settings']['seconds']} s, "
           f"load before {machine['load_before']}"
           f"{limit_words(result['settings'].get('cores'))}")


def coloured(words):
    """Colours the table for a terminal: reached, missed, and suspect."""
    patterns = ((r"\byes$", 32), (r"\bNO$", 31), (r"\b(INVALID|invalid|disturbed)\b", 33))
    for pattern, colour in patterns:
        words = re.sub(pattern, rf"\033[{colour}m\g<0>\033[0m", words, flags=re.M)
    return words


def text(result):
    """Returns everything: the table, notes, machine and time."""
    rows = [list(HEADER)]
    ends = set()
    for scenario in result["scenarios"]:
        rows += scenario_lines(scenario)
        ends.add(len(rows))
    lines = align(rows)
    width = max(len(line) for line in lines)
    shown = []
    for i, line in enumerate(lines, 1):
        shown.append(line)
        if i == 1 or i in ends:
            shown.append("-" * width)
    for scenario in result["scenarios"]:
        shown += notes(scenario)
    return "\n".join([*shown, "", LEGEND, *machine_lines(result)]) + "\n"
