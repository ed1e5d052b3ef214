"""Colour filters of devices, nights, dimming and entries, and pixels that are darker than a panel can be."""

import base64
import datetime
import io

import pytest
from devices import add, panel_of, path_of, poll_answer
from events import Events
from live import own_device
from PIL import Image

COLOURS = "ff0000 00ff00 0000ff ffffff 123456 c08040"
# Colours, and what each filter makes of them.
TABLE = {
    "none": "ff0000 00ff00 0000ff ffffff 123456 c08040",
    "dimmed": "400000 004000 000040 404040 050d16 302010",
    "redshift": "ff0000 40bf00 0d004d ffbf4d 23271a e36013",
    "warm": "ff0000 0df200 0000cc fff2cc 163145 d07a33",
    "sunset": "ff0d1a 40cc0d 000d80 ffe6a6 212f2f f3733a",
    "sepia": "645945 c4af88 302b21 ffffef 3f382c baa681",
    "vintage": "cc3326 4db340 1a1a73 ffffd9 273136 c6865a",
    "dusk": "e6000d 00a61a 261aa6 ffbfcc 1d2a3e b65a40",
    "cool": "cc0000 00f20d 0d0dff d9ffff 133666 9d7d50",
    "bw": "4c4c4c 969696 1d1d1d ffffff 2e2e2e 8c8c8c",
    "ice": "594040 598c73 1a2680 ccf2ff 212e47 76808a",
    "moonlight": "4d3340 335959 0d1a80 8ca6ff 141e42 565a7d",
    "neon": "ff0000 00ff00 0000ff ffffff 003475 fa8006",
    "pastel": "bf4040 40bf40 4040bf ffffff 304152 c0a080",
}
NAMES = [name for name in TABLE if name != "none"]


def rgb(text):
    return tuple(bytes.fromhex(text))


def picture(colours=COLOURS, frames=1):
    """Stripes of the colours, which an animation moves."""
    stripes = [rgb(one) for one in colours.split()]
    images = []
    for frame in range(frames):
        images.append(image := Image.new("RGB", (64, 32)))
        for x in range(64):
            image.paste(stripes[(x // 8 + frame) % len(stripes)], (x, 0, x + 1, 32))
    file = io.BytesIO()
    images[0].save(file, "WEBP", lossless=True, save_all=frames > 1, append_images=images[1:], duration=200)
    return base64.b64encode(file.getvalue()).decode()


def seen(webp):
    """The colours of the first frame's stripes."""
    image = Image.open(io.BytesIO(webp)).convert("RGB")
    found = []
    for x in range(0, 48, 8):
        column = {image.getpixel((x + i, y)) for i in range(8) for y in range(32)}
        assert len(column) == 1
        found.append(column.pop())
    return found


def wanted(name):
    return [rgb(one) for one in TABLE[name].split()]


def shown(panel, name):
    """Waits until the panel gets the picture in the colours of the filter."""
    panel.wait_for(lambda: panel.pictures and seen(panel.pictures[-1]) == wanted(name))
    return panel.pictures[-1]


@pytest.fixture
def made(browser):
    """A device whose rotation has one entry."""
    made = add(browser)
    browser.post(path_of(made["device"]) + "/push", {"image": picture(), "installationId": "a"}).ok()
    return made


@pytest.mark.parametrize("name", NAMES)
def test_the_values_of_each_filter(world, browser, made, name):
    """A panel with a WebSocket, one that polls, and GET picture have exactly these colours."""
    path = path_of(made["device"])
    with panel_of(world, made) as panel:
        shown(panel, "none")
        assert browser.patch(path, {"colorFilter": name}).ok()["colorFilter"] == name
        shown(panel, name)
        assert seen(poll_answer(world, made["link"]).body) == wanted(name)
        browser.patch(path, {"colorFilter": "none"}).ok()
        shown(panel, "none")


def test_animations_keep_their_times(world, browser, made):
    path = path_of(made["device"])
    browser.patch(path, {"colorFilter": "sepia"}).ok()
    with panel_of(world, made) as panel:
        shown(panel, "sepia")
        browser.post(path + "/push", {"image": picture(frames=3), "installationId": "b"}).ok()
        panel.wait_for(lambda: Image.open(io.BytesIO(panel.pictures[-1])).n_frames == 3)
        assert seen(panel.pictures[-1]) == wanted("sepia")
        durations = []
        image = Image.open(io.BytesIO(panel.pictures[-1]))
        for frame in range(3):
            image.seek(frame)
            image.load()
            durations.append(image.info["duration"])
        assert durations == [200] * 3


def test_an_entry_has_its_own(world, browser, made):
    path = path_of(made["device"])
    with panel_of(world, made) as panel:
        shown(panel, "none")
        browser.patch(path, {"colorFilter": "ice"}).ok()
        shown(panel, "ice")
        for change, name in (("bw", "bw"), ("none", "none"), ("inherit", "ice")):
            browser.patch(path + "/rotation/a", {"colorFilter": change}).ok()
            shown(panel, name)
            entry, = browser.get(path + "/rotation").ok()["entries"]
            assert entry["colorFilter"] == change


def minute(offset):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=offset)).strftime("%H:%M")


def test_night_and_dimming(world, browser, made):
    path = path_of(made["device"])
    with panel_of(world, made) as panel:
        shown(panel, "none")
        browser.patch(path, {"colorFilter": "cool", "dimColorFilter": "warm", "nightColorFilter": "redshift"}).ok()
        shown(panel, "cool")
        browser.patch(path, {"dimEnabled": True, "dimStart": minute(-60), "sleepEnd": minute(120), "dimBrightness": 50}).ok()
        shown(panel, "warm")
        browser.patch(path, {"dimColorFilter": "inherit"}).ok()
        shown(panel, "cool")
        browser.patch(path, {"dimColorFilter": "none"}).ok()
        shown(panel, "none")
        browser.patch(path + "/night", {"installationId": "a", "brightness": 9}).ok()
        browser.patch(path, {"sleepEnabled": True, "sleepStart": minute(-30)}).ok()
        shown(panel, "redshift")
        browser.patch(path, {"nightColorFilter": "inherit", "dimColorFilter": "inherit"}).ok()
        shown(panel, "cool")


def darkened(percent):
    """The curve's lowest step is at 20 %: below it the pixels are darker."""
    return [tuple(max(1, (c * percent * 50 + 500) // 1000) if c else 0 for c in rgb(one)) for one in COLOURS.split()]


def test_below_the_lowest_step_pixels_are_darker(world, browser, made):
    path = path_of(made["device"])
    with panel_of(world, made) as panel:
        shown(panel, "none")
        for percent in (10, 1, 19, 5):
            browser.patch(path, {"board": "other", "brightness": percent}).ok()
            panel.wait_for(lambda: seen(panel.pictures[-1]) == darkened(percent))
            assert panel.brightness == 1
        browser.patch(path, {"brightness": 20}).ok()
        shown(panel, "none")
        browser.patch(path, {"board": "tidbyt_gen2", "brightness": 10}).ok()
        panel.wait_for(lambda: seen(panel.pictures[-1]) == darkened(10))
        assert panel.brightness == 3
        browser.patch(path, {"colorFilter": "bw"}).ok()
        both = [tuple(max(1, (c * 500 + 500) // 1000) if c else 0 for c in one) for one in wanted("bw")]
        panel.wait_for(lambda: seen(panel.pictures[-1]) == both)


def test_a_temporary_image(world, browser, made):
    path = path_of(made["device"])
    browser.patch(path, {"colorFilter": "neon"}).ok()
    with panel_of(world, made) as panel:
        shown(panel, "neon")
        browser.post(path + "/push", {"image": picture("ff0000 " * 6)}).ok()
        panel.wait_for(lambda: set(seen(panel.pictures[-1])) == {wanted("neon")[0]})


def test_get_picture_and_pages_see_it(world, person):
    """GET picture has the colours in each format, and the page's picture is named by hash and filter."""
    browser, device = person.browser(), own_device(world, person)
    path = f"/web/devices/{device.id}"
    device.push(base64.b64decode(picture()), installationId="a", background=True).ok()
    browser.patch(path, {"colorFilter": "sepia"}).ok()
    assert seen(device.poll().body) == wanted("sepia")
    for name in ("webp", "png", "gif"):
        answer = device.get("/picture." + name)
        assert seen(answer.body) == wanted("sepia")
        assert device.get("/picture." + name, fields=[("If-None-Match", answer["ETag"])]).status == 304
    with Events(browser, [device.id]) as events:
        name = events.next("panel", lambda data: data["picture"])["picture"]
        plain, _, word = name.partition("-")
        assert word == "sepia"
        assert seen(browser.get(f"{path}/pictures/{name}").body) == wanted("sepia")
        assert seen(browser.get(f"{path}/pictures/{plain}").body) == wanted("none")
        browser.patch(path, {"colorFilter": "none"}).ok()
        device.poll()
        events.next("panel", lambda data: data["picture"] == plain)
    for wrong in ("-", "-none", "-inherit", "-x", "-sepia-", "-sepia-bw"):
        browser.get(f"{path}/pictures/{plain}{wrong}").problem(404)
    assert seen(device.get("/picture.webp").body) == wanted("none")


@pytest.mark.parametrize("member", ["colorFilter", "nightColorFilter", "dimColorFilter"])
@pytest.mark.parametrize("value", ["", "Sepia", "red", "sepia\n", None, 1, ["sepia"]])
def test_filters_that_are_refused(browser, made, member, value):
    path = path_of(made["device"])
    assert set(browser.patch(path, {member: value, "brightness": 7}).faults()) == {"/" + member}
    assert browser.get(path).ok()["brightness"] != 7


def test_inherit_is_for_what_has_a_device_behind_it(browser, made):
    path = path_of(made["device"])
    assert browser.patch(path, {"colorFilter": "inherit"}).faults()["/colorFilter"].startswith("must be none, dimmed")
    for value in ("", "x", None, 5):
        assert set(browser.patch(path + "/rotation/a", {"colorFilter": value}).faults()) == {"/colorFilter"}
    assert browser.get(path + "/rotation").ok()["entries"][0]["colorFilter"] == "inherit"
