"""A result as SVG: bars, their spread, and their targets.

Two groups: ratios that should be large (longer is better), and limits that should be kept (shorter
is better), each as a share of its limit. Colours follow the reader's light or dark mode.
"""

import html
import math
import textwrap

from harness.table import goal_value, goal_words, target_words

WIDTH = 960
LABEL_WIDTH = 365
TITLE_LENGTH = 62  # characters that fit
BAR_LEFT = LABEL_WIDTH + 20
BAR_RIGHT = WIDTH - 215
ROW = 42
BAR = 16
STYLE = """\
	svg { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
	.page { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #656d76 }
	.grid { stroke: #d8dee4 } .track { fill: #f0f2f5 }
	.yes { fill: #2f81d9 } .no { fill: #d97b29 } .plain { fill: #8c959f }
	.target { stroke: #1f2328; stroke-width: 2 } .whisker { stroke: #1f2328; opacity: .65 }
	.title { font-size: 19px; font-weight: 600 } .group { font-size: 14px; font-weight: 600 }
	.name { font-weight: 600 } .small { font-size: 11.5px }
	.value { font-weight: 600; font-variant-numeric: tabular-nums }
	@media (prefers-color-scheme: dark) {
		.page { fill: #0d1117 } .ink { fill: #e6edf3 } .faint { fill: #8d96a0 }
		.grid { stroke: #2d333b } .track { fill: #161b22 }
		.yes { fill: #4a9af0 } .no { fill: #e8924a } .plain { fill: #6e7681 }
		.target { stroke: #e6edf3 } .whisker { stroke: #e6edf3 }
	}
"""


def element(name, content="", **attributes):
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
                    for key, value in attributes.items())
    return f"<{name}{words}>{content}</{name}>" if content != "" else f"<{name}{words}/>"


def label(x, y, words, classes="ink", anchor="start"):
    return element("text", html.escape(words), x=f"{x:g}", y=f"{y:g}", class_=classes,
                   text_anchor=anchor)


def shortened(words):
    return textwrap.shorten(words, TITLE_LENGTH, placeholder=" …")


def line(x1, y1, x2, y2, classes):
    return element("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}",
                   class_=classes)


def bars_of(result):
    """(ratios, limits): lists of {scenario, goal, value, low, high, target}, in chart units."""
    ratios, limits = [], []
    for scenario in result["scenarios"]:
        for goal in scenario["goals"]:
            if goal["value"] is None or goal["reached"] is None:
                continue
            by = 1 if goal["at_least"] is not None else goal["at_most"]
            bar = {"scenario": scenario, "goal": goal,
                   "target": goal["at_least"] if goal["at_least"] is not None else 1,
                   **{name: goal[name] / by for name in ("value", "low", "high")}}
            (ratios if goal["at_least"] is not None else limits).append(bar)
    return ratios, limits


def axis_end(bars, most):
    """Returns the axis's end: a round number above all values, but at most `most`: longer bars are
    cut there."""
    highest = max(max(bar["high"], bar["target"]) for bar in bars)
    for end in (1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0):
        if highest * 1.04 <= end or end >= most:
            return end
    return most


class Group:
    """Bars below a heading, on one axis. tick_words: function that labels a tick by its value."""

    def __init__(self, heading, hint, bars, most, tick_words):
        self.heading, self.hint, self.bars = heading, hint, bars
        self.end = axis_end(bars, most)
        self.tick_words = tick_words
        self.height = 54 + ROW * len(bars)

    def x(self, value):
        return BAR_LEFT + (BAR_RIGHT - BAR_LEFT) * min(value, self.end) / self.end

    def draw(self, top):
        yield label(24, top + 18, self.heading, "ink group")
        yield label(BAR_LEFT, top + 18, self.hint, "faint small")
        bottom = top + 34 + ROW * len(self.bars)
        step = 0.25 if self.end <= 1.5 else 0.5 if self.end <= 2 else 1 if self.end <= 5 else 2
        for i in range(math.floor(self.end / step) + 1):
            yield line(self.x(i * step), top + 30, self.x(i * step), bottom, "grid")
            yield label(self.x(i * step), bottom + 15, self.tick_words(i * step), "faint small",
                        "middle")
        for number, bar in enumerate(self.bars):
            yield from self.draw_bar(bar, top + 34 + ROW * number)

    def draw_bar(self, bar, top):
        scenario, goal = bar["scenario"], bar["goal"]
        middle = top + ROW / 2
        bar_top = middle - BAR / 2
        kind = "plain" if not scenario["valid"] else "yes" if goal["reached"] else "no"
        yield label(24, middle - 2, scenario["name"], "ink name")
        yield label(24, middle + 13, shortened(scenario["title"]), "faint small")
        yield element("rect", x=BAR_LEFT, y=f"{bar_top:g}", width=BAR_RIGHT - BAR_LEFT,
                      height=BAR, rx=3, class_="track")
        yield element("rect", x=BAR_LEFT, y=f"{bar_top:g}", height=BAR, rx=3, class_=kind,
                      width=f"{max(1, self.x(bar['value']) - BAR_LEFT):.1f}")
        low, high = self.x(bar["low"]), self.x(bar["high"])
        yield line(low, middle, high, middle, "whisker")
        for end in (low, high):
            yield line(end, middle - 4, end, middle + 4, "whisker")
        target = self.x(bar["target"])
        yield line(target, bar_top - 5, target, bar_top + BAR + 5, "target")
        if bar["value"] > self.end:
            yield label(BAR_RIGHT - 6, middle + 5, "»", "page name", "end")
        yield element("text", value_text(goal), x=BAR_RIGHT + 16, y=f"{middle - 2:g}", class_="ink")
        yield label(BAR_RIGHT + 16, middle + 13, reach_words(scenario, goal), "faint small")


def value_text(goal):
    """The figure is emphasized, its description is not."""
    return (element("tspan", html.escape(goal_value(goal, "value")), class_="value")
            + html.escape(f" {goal_words(goal)}"))


def reach_words(scenario, goal):
    if not scenario["valid"]:
        return "invalid: see the table"
    target = target_words(goal).replace(">=", "≥").replace("<=", "≤")
    return f"{'reached' if goal['reached'] else 'not reached'}: {target}"


def caption(result):
    machine, commit = result["machine"], result["commit"]
    yield (f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, "
           f"Linux {machine['kernel'].split('-')[0]}, "
           f"PostgreSQL {(result['versions']['postgresql'] or '').split(' ')[0]}, "
           f"nginx {result['versions']['nginx']}")
    yield (f"commit {(commit['commit'] or 'unknown')[:12]}"
           f"{' with changes' if commit['dirty'] else ''}, {result['date'][:10]}, medians of "
           f"{result['settings']['rounds']} rounds; whiskers: lowest and highest round; "
           "upright mark: what is to be reached")


def groups_of(result):
    ratios, limits = bars_of(result)
    if ratios:
        yield Group("Ratio to the reference", "measured in the same run; longer is better", ratios,
                    2.0, lambda value: f"{value:g}")
    if limits:
        yield Group("Share of what is allowed", "shorter is better", limits, 2.0,
                    lambda value: f"{100 * value:g} %")


def svg(result):
    """Returns the text of the whole file."""
    groups = list(groups_of(result))
    parts = [label(24, 36, "displayd beside what bounds it", "ink title")]
    parts += [label(24, 58 + 17 * i, words, "faint small")
              for i, words in enumerate(caption(result))]
    top = 96
    for group in groups:
        parts += group.draw(top)
        top += group.height + 24
    height = top
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img">')
    page = element("rect", class_="page", width=WIDTH, height=height)
    title = element("title", html.escape("displayd beside what bounds it"))
    return "\n".join([head, f"<style>\n{STYLE}</style>", title, page, *parts, "</svg>"]) + "\n"
