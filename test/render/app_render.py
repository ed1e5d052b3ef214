"""What tests of displayctl app render share."""

import os

import pytest

DISPLAYCTL = os.environ["DISPLAYCTL"]

needs_starlark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK"), reason="built without the renderer of apps in Starlark"
)

needs_typescript = pytest.mark.skipif(
    not os.environ.get("HAS_TYPESCRIPT"), reason="built without the renderer of apps in TypeScript"
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
