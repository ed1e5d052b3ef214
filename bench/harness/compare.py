"""Two results side by side: what has changed, and what has not changed by more than its spread."""

from harness.table import align, commit_words, disturbance, goal_value, goal_words, number, scaled

HEADER = ("scenario", "judged", "A", "spread A", "B", "spread B", "change", "")
RUN_HEADER = ("scenario", "A rate/s", "B rate/s", "A p99 ms", "B p99 ms", "A server us",
              "B server us", "A db us", "B db us")
LEFT = ("scenario", "judged", "")


def by_name(result):
    return {scenario["name"]: scenario for scenario in result["scenarios"]}


def goal_key(goal):
    return goal["figure"], goal["of"], goal["label"]


def pairs(a, b):
    """Yields (name, goal of A, goal of B) for goals that are valid in both."""
    others = by_name(b)
    for scenario in a["scenarios"]:
        other = others.get(scenario["name"])
        if not other or not scenario["valid"] or not other["valid"]:
            continue
        goals = {goal_key(goal): goal for goal in other["goals"]}
        for goal in scenario["goals"]:
            found = goals.get(goal_key(goal))
            if found and goal["value"] is not None and found["value"] is not None:
                yield scenario["name"], goal, found


def is_less_better(goal):
    """Whether less is better: by the target, or without one by the kind of figure."""
    if goal["at_least"] is not None or goal["at_most"] is not None:
        return goal["at_least"] is None
    return goal["figure"] != "rate"


def verdict(a, b):
    """Describes the change. Overlapping spreads count as no difference."""
    if a["low"] <= b["high"] and b["low"] <= a["high"]:
        return "no difference"
    return "better" if (b["value"] < a["value"]) == is_less_better(a) else "worse"


def change_percent(a, b):
    """Returns the change from A to B in percent; None if A is 0."""
    return 100 * (b / a - 1) if a else None


def signed(percent):
    return "" if percent is None else f"{percent:+.1f} %"


def spread(goal):
    return f"{goal_value(goal, 'low')}..{goal_value(goal, 'high')}"


def goal_rows(a, b):
    for name, one, other in pairs(a, b):
        yield [name, goal_words(one), goal_value(one, "value"), spread(one),
               goal_value(other, "value"), spread(other),
               signed(change_percent(one["value"], other["value"])), verdict(one, other)]


def run_rows(a, b):
    """Figures of displayd alone: they are not ratios, so they can be compared only on one machine."""
    others = by_name(b)
    for scenario in a["scenarios"]:
        other = others.get(scenario["name"])
        if not other or not scenario["runs"] or not other["runs"]:
            continue
        one, two = scenario["runs"]["displayd"], other["runs"]["displayd"]
        if one["rate"] is None or two["rate"] is None:
            continue
        cells = [scenario["name"], number(one["rate"]), number(two["rate"]),
                 scaled(one["p99_us"], 1000), scaled(two["p99_us"], 1000)]
        for group in ("server", "database"):
            cells += [number(run["cpu_us_per_request"][group]) for run in (one, two)]
        yield cells


def name_of(result):
    return f"{result['name']}, {result['date']}, commit {commit_words(result['commit'])}"


def same_machine(a, b):
    names = ("cpu", "cores", "memory_bytes", "kernel")
    return all(a["machine"].get(name) == b["machine"].get(name) for name in names)


def disturbed(result):
    """Returns the names of scenarios during which other programs ran, with their share of the
    machine."""
    for scenario in result["scenarios"]:
        share = disturbance(scenario)
        if share:
            yield f"{scenario['name']} ({share:.0f} %)"


def only_in(a, b):
    """Returns the names of scenarios that only one result has measured."""
    valid = [{name for name, scenario in by_name(result).items() if scenario["valid"]}
             for result in (a, b)]
    return sorted((set(by_name(a)) | set(by_name(b))) - (valid[0] & valid[1]))


def text(a, b):
    lines = [f"A: {name_of(a)}", f"B: {name_of(b)}"]
    if not same_machine(a, b):
        lines.append("The machines differ: only ratios say anything.")
    lines += ["", *align([list(HEADER), *goal_rows(a, b)], HEADER, LEFT)]
    lines += ["", "displayd itself; on a machine that is shared, ratios say more:"]
    lines += align([list(RUN_HEADER), *run_rows(a, b)], RUN_HEADER, LEFT)
    for name, result in (("A", a), ("B", b)):
        if words := ", ".join(disturbed(result)):
            lines += ["", f"disturbed in {name}; what others had of the machine: {words}"]
    missing = only_in(a, b)
    if missing:
        lines += ["", "not in both, or invalid: " + ", ".join(missing)]
    return "\n".join(lines) + "\n"
