"""Tests values that are cut because they would not fit."""

import base64
import contextlib
import os
import pathlib
import select
import signal

import pytest

from renderer import Renderer, head, returns


@pytest.fixture(scope="module")
def renderer():
    with contextlib.closing(Renderer()) as running:
        yield running


def test_an_animation_is_cut_at_a_frame(renderer):
    imports = "Animation, Box, Root, Row, Sequence"
    for widget in "Animation", "Sequence":
        answer, tree = renderer.ask(returns(
            f"Root({{ child: {widget}({{ children: Array.from({{ length: 30000 }},"
            "(_, i) => Box({ width: i })) }) })", imports))
        assert "error" not in answer
        children = tree["fields"]["child"]["fields"]["children"]
        assert [child["fields"]["width"] for child in children] == list(range(2048))
    answer, tree = renderer.ask(returns(
        "({ frames: Array.from({ length: 900 }, (_, i) => new Uint8Array(6144).fill(i)), delay: 20 })"))
    assert "error" not in answer
    assert [base64.b64decode(frame["bytes"])[0] for frame in tree["frames"]] == [i % 256 for i in range(400)]
    # Lists in a frame, and those of other widgets, are not.
    answer, tree = renderer.ask(returns(
        "Root({ child: Animation({ children: [Row({ children: new Array(3000).fill(null) })] }) })", imports))
    assert "error" not in answer
    (row,) = tree["fields"]["child"]["fields"]["children"]
    assert len(row["fields"]["children"]) == 3000


def test_all_frames_have_room_for_ten_widgets(renderer):
    """Each with all that it may have."""
    answer, tree = renderer.ask(returns(
        "Root({ child: Animation({ children: Array.from({ length: 2048 }, (_, i) => Row({ children:"
        "Array.from({ length: 5 }, (_, k) => Padding({ pad: [i % 60, k, 0, 0], expanded: false,"
        "child: Box({ width: i, height: 3, padding: 0, color: '#' + String(100000 + 7 * i + k) }) })) })) }) })",
        "Animation, Box, Padding, Root, Row"))
    assert "error" not in answer, answer
    assert answer["memory_bytes"] < 16 << 20
    children = tree["fields"]["child"]["fields"]["children"]
    assert len(children) == 2048
    assert children[-1]["fields"]["children"][4]["fields"]["child"]["fields"]["color"] == "#114333"


def test_log_is_bounded(renderer):
    answer, _ = renderer.ask("for (let i = 0; i < 1e6; i++) print(i); export default () => null")
    assert answer["log"] == [str(i) for i in range(50)]
    assert answer["log_dropped"] == 999950
    answer, _ = renderer.ask(
        "console.log('y', {a: [1]}, 5n, undefined);"
        "console.error(new Error('z')); export default () => null")
    assert answer["log"] == ['y {"a":[1]} 5 undefined', "Error: z"]
    answer, _ = renderer.ask("print('\\ud800\\u0000\"'); export default () => null")
    assert answer["log"] == ['\ufffd\ufffd\ufffd\0"']


@pytest.mark.parametrize("script, log, dropped", [
    # A line that is too long, and those behind it.
    ("print('x'.repeat(9000)); print('y'); print('z\\nz')", ["x" * 8188 + "…"], 3),
    ("print('x'.repeat(5e6), 'y\\n', 7); print('z')", ["x" * 8188 + "…"], 2),
    ("print('x'.repeat(8100), '\\n'.repeat(9000))", ["x" * 8100 + " "] + [""] * 49, 8950),
    # Between two characters.
    ("print('a'); print('ö'.repeat(5000))", ["a", "ö" * 4093 + "…"], 0),
    ("print('€'.repeat(5000))", ["€" * 2729 + "…"], 0),
    # No room for a mark.
    ("print('x'.repeat(8187)); print('y'); print('zzzz')", ["x" * 8187], 2),
    ("print('x'.repeat(8183)); print('y'); print('zzzz')", ["x" * 8183, "y", "zzzz"], 0),
    ("print('x'.repeat(8184)); print('y'); print('zzzzz')", ["x" * 8184, "y", "z…"], 0),
    ("print('x'.repeat(8191))", ["x" * 8191], 0),
    # Lines of one text.
    ("print('a\\n\\nb\\n'); print(); print('\\n'.repeat(60))", ["a", "", "b", ""] + [""] * 46, 14),
])
def test_lines_that_are_too_long_are_cut(renderer, script, log, dropped):
    answer, _ = renderer.ask(script + "; export default () => null")
    assert "error" not in answer
    assert answer["log"] == log
    assert answer.get("log_dropped", 0) == dropped
    assert sum(len(line.encode()) + 1 for line in log) <= 8192


def cpu_ticks(renderer):
    return int(pathlib.Path(f"/proc/{renderer.process.pid}/stat").read_text().rpartition(")")[2].split()[11])


@pytest.mark.parametrize("extra", [{}, {"wall_extra_ms": 60_000}])
def test_time_by_the_clock(extra):
    """A script that the machine leaves no processor for 9 s has 8 s, and those that its caller adds."""
    script = "let n = 0; for (let i = 0; i < 8e6; i++) n += i % 7; export default () => null;"
    with contextlib.closing(Renderer()) as renderer:
        before = cpu_ticks(renderer)
        renderer.send(head(timeout_ms=1000, **extra), script)
        while cpu_ticks(renderer) < before + 2 and not select.select([renderer.link], [], [], 0)[0]:
            pass
        os.kill(renderer.process.pid, signal.SIGSTOP)
        has_answered = select.select([renderer.link], [], [], 9)[0]
        os.kill(renderer.process.pid, signal.SIGCONT)
        answer, _ = renderer.receive()
    assert not has_answered
    assert answer.get("error", {}).get("kind") == (None if extra else "late"), answer
