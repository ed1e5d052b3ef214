"""For any bytes there is an answer and little memory is used; accepted files are converted
correctly."""

import functools
import os
import random
import re

import pytest

import giffile
import hostile
import pngfile
import webpfile
from conftest import Refused, run_convert
from decoders import assert_opaque, panel_frames
from test_webp import FILES

HOSTILE = hostile.files()
MUTATIONS = 150 if os.environ.get("DISPLAYD_TEST_FULL") else 30  # of each seed


@functools.cache
def converted(name):
    """Returns (WebP, Info), or the refusal. Cached: each takes seconds with a sanitizer."""
    try:
        return run_convert(HOSTILE[name])
    except Refused as refused:
        return refused


def convert_once(name):
    outcome = converted(name)
    if isinstance(outcome, Refused):
        raise outcome
    return outcome


@pytest.mark.parametrize("name", HOSTILE)
def test_an_answer(name):
    try:
        webp, info = convert_once(name)
    except Refused as refused:
        assert len(str(refused)) > 10
        return
    assert len(webp) <= 460000 and info.frames <= 2048
    assert_opaque(webp, info.frames)


ANSWERS = {
    "gif-8496-frames.gif": "image has 8496 frames, at most 2048 are allowed",
    "gif-zeros.gif": "GIF has no frame",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer(name):
    with pytest.raises(Refused) as caught:
        convert_once(name)
    assert str(caught.value) == ANSWERS[name]


def test_too_large_is_told_with_its_size():
    with pytest.raises(Refused) as caught:
        convert_once("webp-lossy.webp")
    size, most = re.fullmatch(r"image takes (\d+) bytes as a WebP, at most (\d+) are allowed",
                              str(caught.value)).groups()
    assert 1_700_000 < int(size) < 1_900_000 and most == "460000"


@pytest.mark.parametrize("name", [name for name in HOSTILE if name.startswith("webp-groups-")])
def test_no_clock_decides(name):
    """The slowest files possible: whether they are accepted must not depend on the machine's speed."""
    _, info = convert_once(name)
    assert (info.frames, info.duration_ms) == (1, 0)  # they never change


@pytest.mark.parametrize("name", [name for name in HOSTILE if name.startswith("png-")])
def test_bombs_are_passed_over(name):
    webp, _ = convert_once(name)
    assert panel_frames(webp) == [([(1, 2, 3)] * 2048, 0)]


def seeds():
    rng = random.Random(3)
    table = [tuple(rng.randrange(256) for _ in range(3)) for _ in range(16)]
    frames = [giffile.Frame([rng.randrange(16) for _ in range(30 * 20)], 30, 20, i, i, 5, i % 4,
                            3, interlace=bool(i & 1)) for i in range(5)]
    rows = [[(x * 3, y * 7) for x in range(64)] for y in range(32)]
    indices = [[((x + y) % 16,) for x in range(64)] for y in range(32)]
    return {
        "png": pngfile.write(rows, 4, 8, True),
        "png palette": pngfile.write(indices, 3, 4, before=[
            pngfile.chunk(b"PLTE", bytes(range(48))), pngfile.chunk(b"tRNS", b"\0\x80")]),
        "gif": giffile.write(frames, table, loop=2),
        "webp animation": webpfile.riff(webpfile.vp8x(), webpfile.anim(), *[
            webpfile.frame([(9, i, 7, 100 * i)] * 200, (20, 10), left=i, flags=i)
            for i in range(3)]),
        **FILES,
    }


SEEDS = seeds()


def mutate(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        at = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.choice((0, 1, 127, 128, 255))
        elif kind == 2:
            del data[at:at + rng.randrange(1, 9)]
        else:
            data[at:at] = data[at:at + rng.randrange(1, 20)]
        if not data:
            break
    return bytes(data)


@pytest.mark.parametrize("name", SEEDS)
def test_mutations(convert, name):
    """Refused, or what comes out looks on a panel as it does over black."""
    rng = random.Random(name)
    for _ in range(MUTATIONS):
        data = mutate(rng, SEEDS[name])
        try:
            webp, info = convert(data)
        except Refused:
            continue
        assert_opaque(webp, info.frames)


def test_random_bytes(convert):
    rng = random.Random(1)
    for start in (b"", pngfile.SIGNATURE, b"GIF89a\x40\0\x20\0", b"RIFF\x80\0\0\0WEBPVP8 ",
                  b"RIFF\x80\0\0\0WEBPVP8L"):
        for _ in range(40):
            with pytest.raises(Refused):
                convert(start + rng.randbytes(rng.randrange(400)))
