"""The table that bench/run prints: a line for each who, with the goals beside what they are about."""

from scenarios.base import SUBJECT

# The last three numbers before the memory are CPU time per request.
HEADER = ("scenario", "who", "rate/s", "p50 ms", "p99 ms", "p99.9 ms", "server us", "db us",
          "load us", "MiB", "judged", "value", "spread", "reach", "reached")
LEFT = {"scenario", "who", "judged", "spread", "reach", "reached"}
DISTURBED_PERCENT = 5
# Endings of a figure's name: unit shown, and what its number is divided by.
ENDINGS = (("_us", "ms", 1000), ("_ms", "ms", 1), ("_bytes", "KiB", 1024), ("_percent", "%", 1))


def number(value):
    """Three digits that count; whole from a hundred up. Empty for None."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 9.995 else f"{value:.2f}"


def scaled(value, divisor):
    return "" if value is None else number(value / divisor)


def unit_of(figure):
    """(unit, divisor) by the ending of a figure's name."""
    for ending, unit, divisor in ENDINGS:
        if figure.endswith(ending):
            return unit, divisor
    return "", 1


def figure_words(figure):
    """p999_us -> p99.9; memory_per_panel_bytes -> memory per panel."""
    for ending, _, _ in ENDINGS:
        figure = figure.removesuffix(ending)
    return {"p999": "p99.9"}.get(figure, figure.replace("_", " "))


def goal_words(goal):
    """What is judged."""
    if goal["label"]:
        return goal["label"]
    words = figure_words(goal["figure"])
    return f"{words} / {goal['of']}" if goal["of"] else words


def goal_value(goal, name):
    """One of value, low, high, at_least, at_most in the goal's unit."""
    unit, divisor = unit_of(goal["figure"]) if not goal["of"] else ("", 1)
    text = number(None if goal[name] is None else goal[name] / divisor)
    return f"{text} {unit}" if text and unit else text


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
    """Of the rounds, in the value's unit."""
    divisor = 1 if goal["of"] else unit_of(goal["figure"])[1]
    if goal["value"] is None:
        return ""
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
    """Lists of cells, one for each column of HEADER."""
    goals = list(scenario["goals"])
    lines = []
    for who, run in scenario["runs"].items():
        about = [goal for goal in goals if (goal["of"] or SUBJECT) == who] or [None]
        for position, goal in enumerate(about):
            cells = [who, *run_cells(run)] if position == 0 else [""] * 9
            cells += goal_cells(goal, scenario["valid"]) if goal else [""] * 5
            lines.append([scenario["name"] if not lines else "", *cells])
    return lines


def disturbance(run):
    """Words, where others had so much of the machine that figures mean less."""
    share = run.get("others_percent")
    if share is None or share < DISTURBED_PERCENT:
        return None
    return f"others had {share:.0f} % of the machine"


def notes(scenario):
    """Lines below a scenario: what went wrong, and figures of its own."""
    if "error" in scenario:
        yield f"{scenario['name']}: not measured: {scenario['error']}"
    for who, run in scenario["runs"].items():
        for words, count in run["faults"].items():
            yield f"{scenario['name']}: INVALID: {who}: {count:,} {words}"
        if words := disturbance(run):
            yield f"{scenario['name']}: disturbed: {who}: {words}"
        judged = {goal["figure"] for goal in scenario["goals"] if not goal["of"]}
        for name in scenario["shown_figures"]:
            if who == SUBJECT and name in judged:
                continue
            value = run["figures"].get(name)
            if value is not None:
                unit, divisor = unit_of(name)
                yield (f"{scenario['name']}: {who}: {figure_words(name)} "
                       f"{scaled(value, divisor)} {unit}").rstrip()


def align(rows, header=HEADER):
    """Text of equally wide columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    return ["  ".join(cell.ljust(width) if name in LEFT else cell.rjust(width)
                      for cell, width, name in zip(row, widths, header)).rstrip()
            for row in rows]


def machine_lines(result):
    machine, versions, build = result["machine"], result["versions"], result["build"]
    yield (f"{machine['cpu']}, {machine['cores']} cores, "
           f"{machine['memory_bytes'] / (1 << 30):.0f} GiB, Linux {machine['kernel']}, "
           f"{machine['system']} ({machine['debian']})")
    yield ", ".join(f"{name} {version}" for name, version in versions.items() if version) + (
        f", {build['compiler']}" if build.get("compiler") else "")
    yield (f"commit {(result['commit']['commit'] or 'unknown')[:12]}"
           f"{' with changes' if result['commit']['dirty'] else ''}, {result['date']}, "
           f"{result['settings']['rounds']} rounds of {result['settings']['seconds']} s, "
           f"load before {machine['load_before']}")


def text(result):
    """All of it: the table, notes, and where and when it was measured."""
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
    return "\n".join([*shown, "", *machine_lines(result)]) + "\n"
