"""Results as people see them: the table, the comparison, the chart, the report."""

import copy
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import scenarios
from conftest import ROOT, make_result
from harness import chart, compare, report, results, table
from harness.summary import failed_scenario
from scenarios.base import SUBJECT, Goal, Scenario

SVG = "{http://www.w3.org/2000/svg}"


def line_with(text, *words):
    found = [line for line in text.splitlines() if all(word in line for word in words)]
    assert len(found) == 1, text
    return found[0]


# ---- the table ----

def test_numbers():
    words = [table.number(value) for value in (None, 0, 0.4567, 9.99, 99.94, 99.96, 123456.7)]
    assert words == ["", "0", "0.46", "9.99", "99.9", "100", "123,457"]


def test_units_by_name():
    goal = {"figure": "memory_per_panel_bytes", "of": None, "label": None, "value": 1280,
            "at_least": None, "at_most": 1536, "reached": True}
    assert table.goal_value(goal, "value") == "1.25 KiB"
    assert table.goal_words(goal) == "memory per panel"
    assert table.goal_words({"figure": "p999_us", "of": "nginx", "label": None}) == "p99.9 / nginx"


def test_table(result):
    text = table.text(result)
    assert line_with(text, "reading", "displayd", "600", "0.90", "2.00").endswith("yes")
    assert line_with(text, "rate / nginx", "0.60", "0.50..0.70", ">= 0.50").endswith("yes")
    assert line_with(text, "panel", "1.00 KiB", "<= 1.50 KiB").endswith("yes")
    assert line_with(text, "p50 / nginx").endswith("3.00..3.00")
    assert "A CPU, 2 cores" in text and "commit 0123456789ab," in text
    assert "INVALID" not in text and "disturbed" not in text


def test_table_tells_what_was_not_reached():
    assert line_with(table.text(make_result(400.0)), "rate / nginx").endswith("NO")


def test_what_was_missed_by_a_hair_is_seen_to_be_missed():
    assert "0.4988" in line_with(table.text(make_result(498.8)), "rate / nginx", ">= 0.50", "NO")


def test_table_tells_faults():
    text = table.text(make_result(600.0, faults={"time-outs": 12}))
    assert line_with(text, "INVALID") == "reading: INVALID: displayd: 12 time-outs"
    assert line_with(text, "rate / nginx").endswith("invalid")


def test_table_tells_who_else_worked():
    text = table.text(make_result(600.0, others_percent=31.0))
    assert "reading: disturbed: others had up to 31 % of the machine" in text


class Broken(Scenario):
    name, title = "broken", "What cannot be measured"
    goals = (Goal("rate", of="nginx", at_least=1),)


@pytest.fixture
def with_failure(result):
    result["scenarios"].append(failed_scenario(Broken(), "nginx is not installed"))
    return result


def test_a_failure_is_shown_everywhere(with_failure):
    words = "broken: not measured: nginx is not installed"
    assert words in table.text(with_failure)
    assert words in report.markdown(with_failure)
    assert words not in chart.svg(with_failure)
    assert "not in both, or invalid: broken" in compare.text(with_failure, with_failure)


def test_a_goal_has_one_unit():
    goal = {"figure": "each_us", "of": None, "label": None, "value": 123.0, "low": 8, "high": 200,
            "at_least": None, "at_most": 10, "reached": False}
    assert table.goal_value(goal, "value") == "123 us"
    assert table.spread_words(goal) == "8.00..200"
    assert table.target_words(goal) == "<= 10.0 us"
    assert table.figure_value("each_us", 123.0) == "0.12 ms"
    assert table.figure_value("left_bytes", 32 << 20) == "32.0 MiB"
    assert table.figure_value("rows", 100000) == "100,000"


# ---- the comparison ----

@pytest.mark.parametrize(
    "rates,words",
    [
        ((800.0, 900.0, 850.0), "better"),
        ((300.0, 400.0, 350.0), "worse"),
        ((690.0, 900.0, 850.0), "no difference"),
        ((400.0, 510.0, 450.0), "no difference"),
        ((500.0, 600.0, 700.0), "no difference"),
    ],
)
def test_comparison_claims_no_more_than_spreads_show(result, rates, words):
    text = compare.text(result, make_result(*rates, name="other"))
    assert line_with(text, "reading", "rate / nginx").endswith(words)


def test_comparison_knows_what_is_less_better(result):
    text = compare.text(result, make_result(600.0, p99_us=900.0))
    assert "-55.0 %" in line_with(text, "p99", "0.90 ms")
    assert line_with(text, "p99", "0.90 ms").endswith("better")
    text = compare.text(result, make_result(600.0, p50_us=1900.0))
    assert line_with(text, "p50 / nginx").endswith("worse")


def test_comparison_leaves_out_what_is_invalid(result):
    text = compare.text(result, make_result(600.0, faults={"time-outs": 1}))
    assert "rate / nginx" not in text
    assert "not in both, or invalid: reading" in text


def test_comparison_tells_who_else_worked(result):
    assert "disturbed" not in compare.text(result, result)
    other = make_result(600.0, others_percent=31.0)
    assert "disturbed in B; what others had of the machine: reading (31 %)" in (
        compare.text(result, other))


def test_comparison_of_two_machines(result):
    other = copy.deepcopy(result)
    assert "machines differ" not in compare.text(result, other)
    other["machine"]["cores"] = 4
    assert "machines differ" in compare.text(result, other)


def test_commands(result, tmp_path):
    path = tmp_path / "a.json"
    results.write(result, path)
    assert results.read(path) == result
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{report.BEGIN}\nold\n{report.END}\n\nafter\n")
    for command in (["compare", path, path], ["chart", path, tmp_path / "a.svg"],
                    ["report", path], ["report", path, "--into", page]):
        subprocess.run([sys.executable, ROOT / "bench" / command[0], *command[1:]], check=True,
                       stdout=subprocess.DEVNULL)
    assert "old" not in page.read_text() and "rate / nginx" in page.read_text()
    assert page.read_text().startswith("before\n") and page.read_text().endswith("\nafter\n")
    assert (tmp_path / "results.svg").read_text() == (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize("text", ["", "[]", json.dumps({"schema": 0})])
def test_a_file_that_is_no_result(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(SystemExit, match="a.json"):
        results.read(path)


def test_report_needs_its_marks():
    with pytest.raises(ValueError):
        report.put_into("no marks here\n", f"{report.BEGIN}\nnew\n{report.END}\n")


def test_report_escapes(result):
    result["scenarios"][0]["goals"][0]["label"] = "a|b<c>"
    assert "|a\\|b&lt;c>|" in report.markdown(result)


# ---- the chart ----

def widths(root, kind):
    return [float(found.get("width")) for found in root.iter(SVG + "rect")
            if found.get("class") == kind]


def test_chart(result):
    root = ElementTree.fromstring(chart.svg(result))
    # The goal without a target has no bar.
    assert len(widths(root, "yes")) == 3 and not widths(root, "no")
    ratio = widths(root, "yes")[0] / widths(root, "track")[0]
    assert ratio == pytest.approx(0.6, abs=0.01)
    targets = [found for found in root.iter(SVG + "line") if found.get("class") == "target"]
    assert len(targets) == 3
    words = [text for found in root.iter(SVG + "text") for text in found.itertext()]
    assert "GET <something> & more" in words and "reached: ≥ 0.50" in words
    assert "prefers-color-scheme: dark" in chart.svg(result)


def test_chart_of_what_was_not_reached_and_of_what_is_invalid():
    assert len(widths(ElementTree.fromstring(chart.svg(make_result(400.0))), "no")) == 1
    root = ElementTree.fromstring(chart.svg(make_result(600.0, faults={"time-outs": 1})))
    assert len(widths(root, "plain")) == 3 and not widths(root, "yes")


def test_chart_cuts_what_is_too_long():
    root = ElementTree.fromstring(chart.svg(make_result(99000.0)))
    assert max(widths(root, "yes")) <= widths(root, "track")[0]
    assert "»" in "".join(root.itertext())


def test_chart_of_nothing(result):
    result["scenarios"] = []
    assert ElementTree.fromstring(chart.svg(result)).tag == SVG + "svg"


# ---- the scenarios ----

@pytest.mark.parametrize("kind", scenarios.load_all().values(), ids=lambda kind: kind.name)
def test_scenario_is_whole(kind):
    assert kind.name and kind.title and kind.bound_by and kind.measures and kind.goals
    assert SUBJECT not in kind.references and len(set(kind.references)) == len(kind.references)
    for goal in kind.goals:
        assert goal.of is None or goal.of in kind.references


def test_no_name_twice():
    assert len(scenarios.load_all()) == len(scenarios.SCENARIOS)


def test_report_describes_all_scenarios():
    done = subprocess.run([sys.executable, ROOT / "bench/report", "--scenarios"], check=True,
                          capture_output=True, text=True)
    parts = re.split(r"^### ", done.stdout, flags=re.M)[1:]
    kinds = scenarios.load_all().values()
    assert [part.split("\n")[0] for part in parts] == [f"`{kind.name}`" for kind in kinds]
    for kind, part in zip(kinds, parts):
        assert kind.title in part and report.escape(" ".join(kind.measures.split())) in part
        assert f"- Bound by: {kind.bound_by}\n" in part
        assert all(name in line_with(part, "- Reference: ") for name in kind.references)
        assert line_with(part, "- Target: ").endswith(
            report.escape(report.targets_of(kind)) or "none (for information)")


def test_the_page_has_results_of_scenarios_and_their_chart():
    page = (ROOT / "docs/performance.md").read_text()
    section = page.split(report.BEGIN)[1].split(report.END)[0]
    header = report.markdown_line(report.HEADER)
    rows = section.split(header)[1].strip().split("\n\n")[0].splitlines()
    assert all(row.count("|") == header.count("|") for row in rows)
    names, judged = [], set()
    for cells in (row.split("|")[1:-1] for row in rows[1:]):
        names += [cells[0]] if cells[0] else []
        judged |= {names[-1]} if cells[report.HEADER.index("target")] else set()
    assert len(names) >= 15 and set(names) <= set(scenarios.load_all())
    [commit] = re.findall(r"^- commit ([0-9a-f]{12})", section, re.M)
    root = ElementTree.parse(ROOT / "docs/results.svg").getroot()
    words = [text for found in root.iter(SVG + "text") for text in found.itertext()]
    assert any(f"commit {commit}" in line for line in words)
    assert {line for line in words if line in scenarios.load_all()} == judged
