"""POST /v1/devices/{deviceId}/message: the server draws a text."""

import base64
import io
import json
import os

import PIL.Image
import pytest
import validate
from waiting import wait_until
from world import images, until_refused

pytestmark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK"), reason="built without the Starlark renderer")

COLOR = "must be a colour like #ffaa00"
HELD = "must be left out if hold is true"
WHITE, BLACK = (255, 255, 255), (0, 0, 0)


def say(device, text="Hello", **members):
    return device.account.post(device.path + "/message", {"text": text, **members})


def said(device, *arguments, **members):
    """The picture that the panel gets."""
    answer = say(device, *arguments, **members)
    assert answer.ok() == {}
    assert answer["Displayd-Shown"]
    return PIL.Image.open(io.BytesIO(device.poll().body))


def pixels(picture, frame=0):
    picture.seek(frame)
    return picture.convert("RGB")


def colors(picture, frame=0):
    return {color for _, color in pixels(picture, frame).getcolors(10000)}


def box(picture, frame=0):
    """Bounds of the pixels that are not black."""
    return pixels(picture, frame).getbbox()


def showing(world, device):
    return world.sql("SELECT duration_s, held_generation = push_generation, waking_generation = push_generation, "
                     "installation_id FROM showing WHERE device_id = %s", device.id)


def test_a_short_text(device):
    picture = said(device)
    assert (picture.size, picture.n_frames) == ((64, 32), 1)
    assert colors(picture) == {WHITE, BLACK}
    left, top, right, bottom = box(picture)
    assert abs(left - (64 - right)) <= 2 and abs(top - (32 - bottom)) <= 3


def test_colors(device):
    assert colors(said(device, color="#fa0", background="#000040")) == {(255, 170, 0), (0, 0, 64)}
    assert colors(said(device, color="#FFAA00")) == {(255, 170, 0), BLACK}


def test_alignment(device):
    left, right = box(said(device, "i", align="left")), box(said(device, "i", align="right"))
    assert left[0] <= 1 and right[2] >= 63


def test_lines(device):
    one, two = box(said(device, "a")), box(said(device, "a\na"))
    assert two[3] - two[1] > one[3] - one[1]
    assert said(device, "a word that is wrapped").n_frames == 1


def test_fonts_are_those_of_the_library(device):
    with open(validate.DOCUMENT, encoding="utf-8") as file:
        fonts = json.load(file)["components"]["schemas"]["Message"]["properties"]["font"]["enum"]
    heights = {}
    for font in fonts:
        bounds = box(said(device, "H", font=font))
        heights[font] = bounds[3] - bounds[1]
    assert heights["tom-thumb"] < heights["tb-8"] < heights["10x20"] < heights["terminus-32"]


@pytest.mark.parametrize("scroll, frames", [("auto", True), ("up", True), ("left", True), ("none", False)])
def test_a_long_text_scrolls(device, scroll, frames):
    picture = said(device, "more words than one panel can ever show at once, and then some more", scroll=scroll)
    assert (picture.n_frames > 20) is frames


def test_up_and_left(device):
    """The text scrolls in from outside the picture, and out of it."""
    for scroll in ("up", "left"):
        picture = said(device, "W", scroll=scroll)
        shown = [box(picture, frame) for frame in range(picture.n_frames)]
        seen = [bounds for bounds in shown if bounds]
        axis = 1 if scroll == "up" else 0
        assert shown[0] is None and len(seen) > 20
        assert seen[0][axis] > seen[-1][axis] == 0


def test_an_emoji(device):
    assert len(colors(said(device, "🍕"))) > 3


def test_icon(device):
    red = images.png(images.solid((255, 0, 0), (8, 8)))
    picture = said(device, "Hi", icon=images.text(red))
    assert colors(picture) == {(255, 0, 0), WHITE, BLACK}
    area = pixels(picture).crop((0, 0, 8, 32))
    assert area.getbbox() == (0, 12, 8, 20)
    for size in ((64, 32), (1, 1), (200, 10), (10, 200)):
        assert (255, 0, 0) in colors(said(device, "Hi", icon=images.text(images.png(images.solid((255, 0, 0), size)))))
    for kind in ("GIF", "WEBP"):
        data = images.encode(images.solid((255, 0, 0), (8, 8)), kind)
        assert box(said(device, " x", icon=f"data:image/{kind.lower()};base64,{images.text(data)}"))


@pytest.mark.parametrize("icon", ["", "!", "aGVsbG8=", "data:image/png,x", "https://example.org/a.png", "iVBORw0KGgo="])
def test_an_icon_that_is_none(device, icon):
    assert list(say(device, icon=icon).faults()) == ["/icon"]


# ---- how it is shown ----


@pytest.mark.parametrize("text, members, seconds", [
    ("Hello", {}, 5), ("Hello", {"duration": 30}, 30), ("Hello", {"showFor": 86400}, 86400),
    ("words " * 30, {}, 10), ("words " * 83, {"scroll": "left"}, 45)])
def test_duration(world, device, text, members, seconds):
    """A text is shown for one pass by default."""
    assert say(device, text, **members).ok() == {}
    assert showing(world, device) == [(seconds, None, None, None)]


def test_as_a_push(world, device):
    assert say(device, wake=True, hold=True).ok() == {}
    assert showing(world, device)[0][1:3] == (True, True)
    assert say(device, installationId="note", expiresIn=60).ok() == {}
    assert device.ids() == ["note"]
    assert say(device, installationId="note", hold=True, background="#123456").ok() == {}
    assert device.account.request("DELETE", device.path + "/temporary").ok() == {}


def test_it_costs_the_device_s_pushes(start):
    world = start(rate_limit=500)
    device = world.account().device()
    answers = until_refused(lambda: say(device), at_once=8)
    assert len(answers) > 40 and "to this device" in answers[-1].problem(429)["detail"]


# ---- the body ----


def test_what_no_font_has_is_named(device):
    fault = say(device, "snow ☃ and ቀ, and again ☃").faults()["/text"]
    assert "are not in the font: ☃ቀ; " in fault
    assert say(device, "Grüße, żółw, привет").ok() == {}
    assert "are not in the font: ж; " in say(device, "Grüße, ж", font="tom-thumb").faults()["/text"]


@pytest.mark.parametrize("scroll", ["auto", "up", "left"])
@pytest.mark.parametrize("letters", [60, 100, 200, 255, 490])
def test_a_long_text_costs_little_more(device, scroll, letters):
    """Frames cost time: a longer text takes larger steps, in at most 45 s. 20 letters take 163 of them to the left."""
    picture = said(device, "x" * letters, scroll=scroll)
    delays = []
    for frame in range(picture.n_frames):
        pixels(picture, frame)  # reads it
        delays.append(picture.info["duration"])
    assert len(delays) <= 2.2 * 163 and 1_000 < sum(delays) <= 45_000
    passed = 5 * letters if scroll == "left" else 8 * (letters // 13)
    assert len(delays) * 8 >= passed, "no step is wider than 8 pixels"


def test_a_text_that_takes_too_long(device):
    assert "45 s" in say(device, "word " * 100, scroll="left", font="terminus-32").faults()["/text"]
    assert say(device, "word " * 100).ok() == {}


@pytest.mark.parametrize("text", ["", " ", "\n", "\u2003", "x" * 501, "a\tb", "a\u0000", "a\u009f", None, 1, ["a"]])
def test_texts_that_are_none(device, text):
    assert list(say(device, text).faults()) == ["/text"]


def test_bounds_of_the_text(device):
    assert said(device, "x").n_frames == 1
    assert say(device, "ä" * 500).ok() == {}
    assert say(device, "\n" * 20 + "x").ok() == {}


@pytest.mark.parametrize("member, value, fault", [
    ("color", "red", COLOR), ("color", "#ff", COLOR), ("color", "#ffaa0", COLOR), ("color", "ffaa00", COLOR),
    ("color", "#gg0000", COLOR), ("background", "#ffaa00ff", COLOR), ("background", "", COLOR),
    ("align", "middle", "must be left, center or right"), ("scroll", "down", "must be auto, left, up or none"),
    ("font", "Arial", "must be a font such as tb-8, 10x20, 5x8, 6x10, 6x13 or tom-thumb; the API document "
                      "lists all")])
def test_members_that_are_not_allowed(device, member, value, fault):
    assert say(device, **{member: value}).faults() == {"/" + member: fault}


def test_all_faults_at_once(device):
    assert set(say(device, "", color=1, font="x", scroll=None, align="x", duration=6, expiresIn=60, wake=1,
                   background=True, icon=7).faults()) == {
        "/text", "/color", "/font", "/scroll", "/align", "/duration", "/expiresIn", "/wake", "/background", "/icon"}


def test_hold_excludes_duration_alone(device):
    assert say(device, hold=True, duration=5).faults() == {"/duration": HELD}
    assert say(device, hold=True, background="#000").ok() == {}


def test_show_for_is_of_texts_for_a_while(device):
    assert say(device, hold=True, showFor=60).faults() == {"/showFor": HELD}
    assert say(device, installationId="note", showFor=60).ok() == {}
    assert set(say(device, showFor=86401).faults()) == {"/showFor"}


# ---- a text that is being typed ----


def looked_at(device, text="Hello", **members):
    """The picture of a preview, and its duration."""

    def ask():
        """A process that has not drawn with this font yet may take too long."""
        seen = device.account.post(device.path + "/message/preview", {"text": text, **members}).ok()
        assert list(seen) == ["picture", "durationMs"]
        return seen["picture"] and seen

    seen = wait_until(ask, "a preview")
    return PIL.Image.open(io.BytesIO(base64.b64decode(seen["picture"]))), seen["durationMs"]


def test_a_preview_is_what_is_shown(world, account):
    """And shows it nowhere."""
    red = images.text(images.png(images.solid((255, 0, 0), (8, 8))))
    for members in ({}, {"color": "#fa0", "background": "#000040"}, {"font": "10x20"}, {"icon": red}, {"align": "left"}):
        device = account.device()
        picture, duration_ms = looked_at(device, **members)
        assert showing(world, device) == [] and device.installations() == []
        assert (picture.size, picture.n_frames, duration_ms) == ((64, 32), 1, 0)
        assert pixels(picture).tobytes() == pixels(said(device, **members)).tobytes()


@pytest.mark.parametrize("scroll", ["auto", "up", "left"])
def test_a_preview_stands_where_the_text_can_be_read(device, scroll):
    text = "more words than one panel can ever show at once, and then some more"
    picture, duration_ms = looked_at(device, text, scroll=scroll)
    shown = said(device, text, scroll=scroll)
    took_ms = 0
    for frame in range(shown.n_frames):
        shown.seek(frame)
        shown.load()
        took_ms += shown.info["duration"]
    assert picture.n_frames == 1 and abs(duration_ms - took_ms) <= 100
    left, top, *_ = box(picture)
    assert left <= 2 if scroll == "left" else top <= 2


def test_a_preview_names_the_faults_of_the_message(device):
    path = device.path + "/message/preview"
    for body in ({"text": ""}, {"text": "x", "color": "red"}, {"text": "\u4e16", "font": "tom-thumb"}, {"text": "x", "icon": "!"},
                 {"text": "W" * 500, "font": "terminus-32", "scroll": "left"}):
        faults = device.account.post(device.path + "/message", body).faults()
        assert device.account.post(path, body).faults() == faults


def test_a_preview_for_a_wide_panel(account):
    wide = account.device(size="128x64")
    assert looked_at(wide)[0].size == (128, 64)


def test_rights_of_previews(world, account, device):
    path = device.path + "/message/preview"
    assert account.post(path, {"text": "x"}, key=account.new_key("push")).status == 200
    assert world.account().post(path, {"text": "x"}).problem(403)
    assert account.post("/v1/devices/nobody/message/preview", {"text": "x"}).problem(404)


def test_an_image_is_no_member(device):
    assert "/image" in say(device, image="x").faults()


def test_rights(world, account, device):
    assert account.post(device.path + "/message", {"text": "x"}, key=account.new_key("push")).ok() == {}
    assert world.account().post(device.path + "/message", {"text": "x"}).problem(403)
    assert account.post("/v1/devices/nobody/message", {"text": "x"}).problem(404)


def test_what_scripts_could_do_stays_text(device):
    """Text is never run as code, and cannot pretend to be output of the script."""
    for text in ('"); fail("x', "missing x", "long", "\\n", "{{x}}", "%s %d", "'''", "\u200b"):
        answer = say(device, text)
        assert answer.status == 200 or "not in the font" in answer.faults()["/text"], (text, answer)
