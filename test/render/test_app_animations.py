"""displayctl app render: how long animations are."""

import re

import pytest
from app_render import frames, needs_starlark, needs_typescript, run
from PIL import Image

SLOW = """load("render.star", "render")
def main():
    return render.Root(delay = 1000, show_full_animation = %s, child = render.Animation(children = [
        render.Box(width = 1 + number %% 64, color = "#f00") for number in range(%d)]))
"""


@needs_starlark
@pytest.mark.parametrize("is_whole, seconds, shown", [(False, 20, 15), (True, 20, 20), (True, 60, 60), (True, 62, 62), (True, 400, 400)])
def test_whole_animations_are_as_long_as_on_a_panel(app, tmp_path, is_whole, seconds, shown):
    output = tmp_path / "picture.webp"
    done = run(app(SLOW % (is_whole, seconds)), "--output", output)
    assert done.returncode == 0, done.stderr
    assert [delay for _, delay in frames(output)] == [1000] * shown
    checked = run(app(SLOW % (is_whole, seconds)), "--check").stdout
    assert f"{shown} frames in {shown}.0 s" in checked
    turn = f"; the animation lasts {shown} s, and its turn ends after 60 s; took "
    assert (turn in checked, "its turn" in checked) == (shown > 60, shown > 60)


@needs_starlark
def test_a_picture_for_a_wide_panel(app, tmp_path):
    output = tmp_path / "picture.webp"
    path = app(SLOW % (False, 12))
    for size, pixels in (("64x32", (64, 32)), ("128x64", (128, 64))):
        assert run(path, "--size", size, "--output", output).returncode == 0
        assert Image.open(output).size == pixels
        assert "12 frames in 12.0 s" in run(path, "--size", size, "--check").stdout
    assert run(path, "--size", "64x64").returncode == 2


@needs_typescript
def test_a_check_says_what_is_cut(app):
    script = """export default () => {
    const noise = () => new Uint8Array(64 * 32 * 3).map(() => Math.random() * 256);
    return { frames: Array.from({ length: %d }, noise) };
};
"""
    whole, cut = run(app(script % 20, "whole.ts"), "--check"), run(app(script % 100, "long.ts"), "--check")
    assert whole.returncode == cut.returncode == 0 and "20 frames in 1.0 s" in whole.stdout
    assert "is cut" not in whole.stdout
    assert re.search(r"[0-9]+ bytes; the animation is cut after [0-9]+ of 100 frames: the panel accepts 460000 bytes at most; took",
                     cut.stdout)
