"""Apps on panels of 128x64: drawn for them if they support it, and doubled otherwise."""

import io
import os

import pytest
from devices import panel_of, path_of
from people import wait_until
from PIL import Image
from rendered import HEAD, author, install, installed, place_of, published, reviewer

__all__ = ["author", "reviewer"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no engine is built")
typescript = pytest.mark.skipif(not os.environ.get("HAS_TYPESCRIPT"), reason="no engine is built")

MANIFEST = "-- manifest.yaml --\nid: wide\nname: Wide\nsummary: Wide\ndesc: Wide.\nauthor: Nobody\nsupports2x: true\n-- wide.star --\n"
# One green pixel in the last corner.
CORNER = HEAD.replace('"render")', '"canvas", "render")', 1) + '''
def main():
    return render.Root(child = render.Padding(pad = (canvas.width() - 1, canvas.height() - 1, 0, 0),
        child = render.Box(width = 1, height = 1, color = "#0f0")))
'''


TYPESCRIPT = MANIFEST.replace("wide.star", "app.ts") + '''import { Box, Padding, Root, type Input } from "panel";
export default ({ device }: Input) => Root({ child: Padding({ pad: [device.width - 1, device.height - 1, 0, 0],
    child: Box({ width: 1, height: 1, color: "#0f0" }) }) });
'''


def lit(webp):
    """The size, and how many pixels shine."""
    image = Image.open(io.BytesIO(webp)).convert("RGB")
    return image.size, sum(1 for pixel in image.getdata() if pixel == (0, 255, 0))


def gets(panel, size, count):
    panel.wait_for(lambda: panel.pictures and lit(panel.pictures[-1]) == (size, count))


@pytest.mark.parametrize("language, text, count", [
    ("STARLARK", MANIFEST + CORNER, 1), ("STARLARK", CORNER, 4),
    pytest.param("TYPESCRIPT", TYPESCRIPT, 1, marks=typescript),
    pytest.param("TYPESCRIPT", TYPESCRIPT.replace("2x: true", "2x: false"), 4, marks=typescript),
])
def test_an_app_on_a_wide_panel(world, author, reviewer, browser, language, text, count):
    made = installed(browser, published(author, reviewer, text, language=language))
    path, device, entry = path_of(made["device"]), made["device"]["id"], made["entry"]
    small = place_of(world, device, entry)
    with panel_of(world, made) as panel:
        gets(panel, (64, 32), 1)
        browser.patch(path, {"size": "128x64"}).ok()
        wide = place_of(world, device, entry)
        assert wide != small
        gets(panel, (128, 64), count)
        browser.patch(path, {"size": "64x32"}).ok()
        assert place_of(world, device, entry) == small
        gets(panel, (64, 32), 1)
    assert world.sql("SELECT bool_or(problem IS NOT NULL) FROM render WHERE place IN (decode(%s, 'hex'), decode(%s, 'hex'))",
                     small, wide) == [(False,)]


def test_a_picture_of_before_is_doubled_meanwhile(world, author, reviewer, browser):
    """As long as there is none in the new size: here its render fails."""
    script = MANIFEST + CORNER.replace("def main():", 'def main():\n    if canvas.is2x():\n        fail("not on wide panels")')
    made = installed(browser, published(author, reviewer, script))
    with panel_of(world, made) as panel:
        gets(panel, (64, 32), 1)
        browser.patch(path_of(made["device"]), {"size": "128x64"}).ok()
        gets(panel, (128, 64), 4)


def test_previews_and_pushed_apps(world, author, reviewer, browser):
    app = published(author, reviewer, MANIFEST + CORNER)
    made = installed(browser, app)
    path, device = path_of(made["device"]), made["device"]["id"]
    browser.patch(path, {"size": "128x64"}).ok()
    second = install(browser, device, app)
    assert place_of(world, device, second) == place_of(world, device, made["entry"])
    with panel_of(world, made) as panel:
        gets(panel, (128, 64), 1)
        browser.post(path + "/message", {"text": "Hello"}).ok()
        panel.wait_for(lambda: lit(panel.pictures[-1])[0] == (128, 64) and lit(panel.pictures[-1])[1] == 0)
        image = Image.open(io.BytesIO(panel.pictures[-1])).convert("RGB")
        assert image.resize((64, 32), Image.NEAREST).resize((128, 64), Image.NEAREST).tobytes() == image.tobytes()
    wait_until(lambda: browser.get(path + "/rotation").ok()["entries"][0]["picture"], "a picture of the entry")
