"""Shared parts of the tests of displayctl app render."""

import os
import subprocess

import PIL.Image
import pytest

DISPLAYCTL = os.environ["DISPLAYCTL"]

needs_starlark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK"), reason="built without the Starlark renderer"
)

needs_typescript = pytest.mark.skipif(
    not os.environ.get("HAS_TYPESCRIPT"), reason="built without the TypeScript renderer"
)

RED = """load("render.star", "render")
def main(config):
    print("for", config.get("who"))
    return render.Root(child = render.Box(color = "#f00"))
"""

RED_TYPED = """import { Box, Root, type Input } from "panel";
export default function main({ config }: Input) {
    console.log("for", config.who);
    return Root({ child: Box({ color: "#f00" }) });
}
"""


def run(*arguments, program=DISPLAYCTL, **options):
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    return subprocess.run(
        [program, "app", "render", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


def frames(path):
    """Frames as a panel shows them: pixels over black, and milliseconds."""
    with PIL.Image.open(path) as picture:
        for index in range(getattr(picture, "n_frames", 1)):
            picture.seek(index)
            shown = PIL.Image.new("RGBA", picture.size, (0, 0, 0, 255))
            shown.alpha_composite(picture.convert("RGBA"))
            yield shown.tobytes(), picture.info.get("duration")
