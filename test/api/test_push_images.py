"""Panels get pushed pictures pixel by pixel."""

import random
import struct
import urllib.parse

import pytest
from world import images, wait_until

MAX = images.INPUT_MAX_BYTES


def two_thirds():
    picture = images.gradient().convert("RGBA")
    picture.putalpha(170)
    return picture


def gray16():
    rows = [b"".join(struct.pack(">H", (x * 1024 + y) % 65536) for x in range(64))
            for y in range(32)]
    shown = bytes(byte for y in range(32) for x in range(64)
                  for byte in [(x * 1024 + y) % 65536 >> 8] * 3)
    return images.png_of(rows, 16, 0), shown


def bits():
    rows = [bytes([(0xF0 + y) % 256] * 8) for y in range(32)]
    shown = bytes(byte for y in range(32) for x in range(64)
                  for byte in [255 * (rows[y][x // 8] >> (7 - x % 8) & 1)] * 3)
    return images.png_of(rows, 1, 0), shown


STEPS = [images.gradient(step) for step in range(6)]
PALETTE = images.gradient().quantize(16)
KINDS = {
    "png": images.png(),
    "png with alpha": images.png(two_thirds()),
    "png of a palette": images.png(PALETTE),
    "png of a palette, transparent": images.png(PALETTE, transparency=3),
    "png of gray": images.png(images.gradient().convert("L")),
    "png of gray and alpha": images.png(two_thirds().convert("LA")),
    "png of noise": images.png(images.noise()),
    "gif": images.encode(PALETTE, "GIF"),
    "gif, animated": images.gif(),
    "gif of palettes": images.animation("GIF", [step.quantize(64) for step in STEPS], 70),
    "webp": images.webp(),
    "webp with alpha": images.webp(two_thirds()),
    "webp, lossy": images.webp(lossless=False, quality=40),
    "webp, animated": images.animation("WEBP", STEPS, 90),
    "webp, animated and lossy": images.animation("WEBP", STEPS, 90, lossless=False),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(account, device, kind):
    data = KINDS[kind]
    assert device.push(data).ok() == {}
    device.shows(data)
    other = account.device()
    assert other.push(data, installationId="kept").ok() == {}
    other.shows(data)


@pytest.mark.parametrize("make", [gray16, bits])
def test_deep_and_flat_png(device, make):
    data, shown = make()
    assert device.push(data).ok() == {}
    wait_until(lambda: device.shown() == [(shown, 0)], "the image on the panel")


def test_fit_webp_comes_as_it_is(device):
    data = images.webp(images.noise())
    assert device.push(data).ok() == {}
    wait_until(lambda: device.poll().body == data, "the image on the panel")


# ---- sizes ----

def test_largest_image(device):
    data = images.png_of_size(MAX)
    assert len(data) == MAX
    assert device.push(data).ok() == {}
    device.shows(data)
    assert device.push(images.data_url(data, "png")).ok() == {}


@pytest.mark.parametrize("more", [1, 2, 3, 4, 5, 6, 7, 8, 9, 1000, 500000])
def test_too_large_an_image(device, more):
    data = images.png_of_size(MAX + more)
    expected = f"image has {MAX + more} bytes, maximum {MAX}"
    assert device.push(data).faults() == {"/image": expected}
    assert device.push(images.text(data).rstrip("=")).faults() == {"/image": expected}


@pytest.mark.parametrize("size", [(32, 32), (64, 31), (65, 32), (32, 64), (1, 1), (640, 320)])
@pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP"])
def test_wrong_canvas(device, kind, size):
    data = images.encode(images.solid(size=size), kind)
    assert device.push(data).faults() == {
        "/image": f"image is {size[0]}x{size[1]} pixels, must be 64x32"}


@pytest.mark.parametrize("data", [
    b"x", b"<svg/>", images.encode(images.gradient(), "JPEG"), images.encode(images.gradient(), "BMP"),
    images.png()[:-30], images.png()[:20], images.gif()[:-3], images.gif()[:100], images.webp()[:-9],
    images.webp()[:30], images.png().replace(b"IDAT", b"IDAX"),
    images.animation("WEBP", STEPS, 90)[:-40],
], ids=lambda data: repr(data[:12]))
def test_no_whole_image(device, data):
    faults = device.push(data).faults()
    assert set(faults) == {"/image"} and faults["/image"]
    assert device.installations() == []


# ---- base64 ----

URL_SAFE = next(data for data in (images.png(images.noise(seed)) for seed in range(99))
                if "+" in images.text(data) and "/" in images.text(data))


def padded(count):
    """A PNG whose base64 ends with this many "="."""
    return next(data for data in (images.png_of_size(600 + n) for n in range(3))
                if images.text(data).count("=") == count)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_padding_may_be_absent(device, count):
    text = images.text(padded(count))
    assert device.push(text).status == 200
    assert device.push(text.rstrip("=")).status == 200
    for wrong in ("=", "==", "===", "===="):
        if wrong != "=" * count:
            fault = device.push(text.rstrip("=") + wrong).faults()["/image"]
            assert "padding in the wrong place" in fault or "ends too soon" in fault


def test_alphabets(device):
    standard, url_safe = images.text(URL_SAFE), images.text(URL_SAFE, "url")
    assert device.push(standard).ok() == {}
    assert device.push(url_safe).ok() == {}
    device.shows(URL_SAFE)
    for mixed in (standard.replace("+", "-"), url_safe.replace("_", "/")):
        fault = device.push(mixed).faults()["/image"]
        assert fault.startswith("image: the base64 mixes the standard and the URL-safe alphabet")


@pytest.mark.parametrize("wrap", [
    lambda text: text[:10] + "\n" + text[10:], lambda text: text + "\n", lambda text: " " + text,
    lambda text: text[:40] + "\t" + text[40:], lambda text: text[:76] + "\r\n" + text[76:],
    lambda text: "\f".join(text),
], ids=range(6))
def test_white_space_is_passed_over(device, wrap):
    text = wrap(images.text(padded(1)))
    assert device.push(text).ok() == {}
    device.shows(padded(1))
    assert device.push("data:image/png;base64," + text).ok() == {}


@pytest.mark.parametrize("encode", [
    urllib.parse.quote, lambda text: urllib.parse.quote(text, safe=""), lambda text: text.replace("=", "%3d"),
    lambda text: "".join(f"%{ord(c):02X}" for c in text), lambda text: text[:40] + "%0A" + text[40:] + "%0D%0a",
], ids=range(5))
def test_percent_encoded_data_url(device, encode):
    """RFC 2397: the data of a URL may be percent-encoded."""
    text = images.text(padded(1))
    assert "=" in text
    assert device.push("data:image/png;base64," + encode(text)).ok() == {}
    device.shows(padded(1))
    icon = "data:image/png;base64," + encode(images.text(images.png(images.solid(size=(8, 8)))))
    assert device.account.post(device.path + "/message", {"text": "x", "icon": icon}).ok() == {}
    # Base64 without a URL has no such encoding.
    assert "%" in device.push(encode(text)).faults()["/image"]


def test_the_largest_image_in_lines(device):
    """Line ends, as `base64 FILE` prints them, do not count."""
    data = images.png_of_size(images.INPUT_MAX_BYTES)
    assert device.push(images.wrapped(data)).ok() == {}
    device.shows(data)


@pytest.mark.parametrize("break_it", [
    lambda text: text[:40] + "\v" + text[40:], lambda text: text[:9] + "=" + text[10:],
    lambda text: text[:9] + "*" + text[10:], lambda text: text[:9] + "\u00e9" + text[10:],
    lambda text: text.rstrip("=")[:-1] + "A=", lambda text: "A" + text,
    lambda text: text + "====",
], ids=range(7))
def test_base64_with_something_else(device, break_it):
    text = break_it(images.text(padded(0)))
    assert set(device.push(text).faults()) == {"/image"}
    assert set(device.push("data:image/png;base64," + text).faults()) == {"/image"}


def test_nul_in_the_image(device):
    assert set(device.push(images.text(images.png()) + "\0").faults()) == {"/image"}


def test_bits_behind_the_last_byte(device):
    """These bits must be zero: otherwise one image would have many texts."""
    text = images.text(padded(1))
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    spoiled = text[:-2] + last[last.index(text[-2]) + 1] + "="
    assert "holds bits of a byte" in device.push(spoiled).faults()["/image"]


# ---- the same again ----

def test_the_same_again(account, device):
    """The converted picture may be cached: for this device, for another one, and for an entry."""
    data = images.png(images.noise(7))
    other = account.device()
    for _ in range(3):
        assert device.push(data).ok() == {}
        device.shows(data)
        assert other.push(data, installationId="kept").ok() == {}
    other.shows(data)
    assert device.push(images.data_url(data, "png")).ok() == {}
    # A wrong media type is refused as for a new picture.
    assert "its data URL says" in device.push(images.data_url(data, "gif")).faults()["/image"]


# ---- limits of boards ----

def sparks(count):
    """A GIF that takes 62 KB as a WebP with little effort, and 57 KB with more, if it has 297 frames."""
    chance = random.Random(0)
    frames = []
    for number in range(count):
        frame = images.solid((0, 0, 30))
        frame.paste((200, 40, 40), (number % 64, 4, number % 64 + 6, 12))
        frame.paste((40, 200, 40), (0, 20, 1 + number * 63 // count, 24))
        for _ in range(20):
            frame.putpixel((chance.randrange(64), chance.randrange(32)), (255, 255, chance.randrange(256)))
        frames.append(frame)
    return images.animation("GIF", frames, 50)


def test_a_large_animation_for_a_small_board(world, account, device):
    """It is made smaller for a board that takes 60,000 bytes, and for several devices."""
    def bytes_shown():
        return world.sql("SELECT length(picture) FROM showing WHERE device_id = %s", device.id)[0][0]

    data = sparks(297)
    assert device.push(data).ok() == {}
    assert 60000 < bytes_shown() < 66000
    world.sql("UPDATE device SET picture_limit_bytes = 60000 WHERE id = %s", device.id)
    assert device.push(data).ok() == {}
    smaller = bytes_shown()
    assert 50000 < smaller <= 60000
    device.shows(data)
    world.sql("UPDATE device SET picture_limit_bytes = 460000 WHERE id = %s", device.id)
    account.post("/v1/push", {"image": images.text(data), "devices": [device.id]}).ok()
    assert bytes_shown() == smaller


# ---- data URLs ----

@pytest.mark.parametrize("kind, start", [
    ("png", "data:image/png;base64,"), ("gif", "data:image/gif;base64,"),
    ("webp", "data:image/webp;base64,"), ("png", "DATA:Image/PNG;BASE64,"),
    ("png", "data:image/png;charset=utf-8;base64,"), ("gif", "data:IMAGE/gif;a=b;c;Base64,"),
    ("webp", "data:image/webp;name=\"x\";base64,"),
])
def test_data_url(device, kind, start):
    data = {"png": images.png, "gif": images.gif, "webp": images.webp}[kind]()
    assert device.push(start + images.text(data)).ok() == {}
    device.shows(data)
    assert device.push(start + images.text(data).rstrip("=")).ok() == {}


@pytest.mark.parametrize("before", ["\n", " ", "\t", "\r\n", "\f", " \t\r\n\f "], ids=range(6))
def test_white_space_before_a_data_url(device, before):
    assert device.push(before + images.data_url(images.png(), "png")).ok() == {}
    device.shows(images.png())


@pytest.mark.parametrize("start", [
    "data:,", "data:;base64,", "data:image/png,", "data:image/png;base64", "data:image/png;,",
    "data:image/png;base64;x,", "data:image/jpeg;base64,", "data:image/apng;base64,",
    "data:text/plain;base64,", "data:image/png ;base64,", "data: image/png;base64,",
    "data:image/png;base64;", "data", "data:", "http://x/y.png",
    "\vdata:image/png;base64,", "\u00a0data:image/png;base64,",
    "data:image/*;base64,", "data:image;base64,", "data:image/png;base64,data:image/png;base64,",
])
def test_data_url_that_is_none(device, start):
    assert set(device.push(start + images.text(images.png())).faults()) == {"/image"}


@pytest.mark.parametrize("named", ["png", "gif", "webp"])
def test_type_is_read_from_the_bytes(device, named):
    made = {"png": images.png(), "gif": images.gif(), "webp": images.webp()}
    for real, data in made.items():
        answer = device.push(images.data_url(data, named))
        if real == named:
            assert answer.ok() == {}
        else:
            assert answer.faults() == {
                "/image": f"image is image/{real}, but its data URL says image/{named}"}
