"""GIF of every kind comes out frame by frame, delay by delay, as browsers show it."""

import functools
import itertools
import random
import re
import struct

import pytest

import giffile
from conftest import Refused, needs
from decoders import (dwebp, merged, panel_frames, pillow_frames, read_pnm, tool,
                      webpmux_frames)
from giffile import BACKGROUND, KEEP, PREVIOUS, Frame


def palette(colors, seed=0):
    rng = random.Random(f"palette {seed}")
    return [tuple(rng.randrange(256) for _ in range(3)) for _ in range(colors)]


def noise(count, colors, rng):
    return [rng.randrange(colors) for _ in range(count)]


def check(convert, frames, table, **more):
    """Converts, compares with the composition, returns what came out."""
    webp, info = convert(giffile.write(frames, table, **more))
    expected = merged(giffile.compose(frames, table))
    if len(expected) == 1:
        expected = [(expected[0][0], 0)]
    assert panel_frames(webp) == expected
    assert pillow_frames(webp) == expected
    assert info.frames == len(expected)
    assert info.duration_ms == sum(ms for _, ms in expected)
    return webp, info


def random_frame(rng, table, **fixed):
    width, height = rng.randint(1, 64), rng.randint(1, 32)
    own = palette(rng.choice((2, 5, 16, 64)), rng.random()) if rng.random() < 0.3 else None
    own = fixed.get("palette", own)
    colors = len(own or table)
    options = dict(width=width, height=height, left=rng.randint(0, 64 - width),
                   top=rng.randint(0, 32 - height), palette=own,
                   delay_cs=rng.choice((0, 1, 2, 3, 10, 250, 65535)),
                   disposal=rng.randint(0, 7), interlace=rng.random() < 0.5,
                   transparent=rng.randrange(colors) if rng.random() < 0.6 else None,
                   control=rng.random() < 0.9)
    options.update(fixed)
    count = options["width"] * options["height"]
    return Frame(noise(count, colors, rng), **options)


@pytest.mark.parametrize("colors", [2, 3, 4, 7, 16, 100, 128, 256])
@pytest.mark.parametrize("interlace", [False, True])
def test_still(convert, colors, interlace):
    rng = random.Random(colors)
    table = palette(colors)
    _, info = check(convert, [Frame(noise(2048, colors, rng), interlace=interlace)], table)
    assert (info.format, info.frames, info.loop_count) == ("gif", 1, 0)


@pytest.mark.parametrize("disposals", itertools.product(range(5), repeat=3), ids=str)
def test_disposals(convert, disposals):
    """All triples, on partial frames that overlap, with and without transparent pixels."""
    rng = random.Random(str(disposals))
    table = palette(8)
    places = [(0, 0, 64, 32), (4, 2, 33, 20), (11, 7, 40, 25), (20, 0, 44, 9)]
    for transparent in (None, 3):
        frames = [Frame(noise(w * h, 8, rng), w, h, x, y, disposal=d, transparent=transparent)
                  for (x, y, w, h), d in zip(places, disposals + (0,))]
        check(convert, frames, table, loop=0)
        check(convert, frames[1:], table, loop=0)


@pytest.mark.parametrize("seed", range(40))
def test_random(convert, seed):
    rng = random.Random(seed)
    table = palette(rng.choice((2, 4, 16, 256)), seed)
    frames = [random_frame(rng, table) for _ in range(rng.randint(1, 12))]
    webp, _ = check(convert, frames, table, loop=rng.choice((None, 0, 1, 3)))
    if seed < 6 and len(frames) > 1:
        assert webpmux_frames(webp) == panel_frames(webp)


@pytest.mark.parametrize("seed", range(20))
def test_as_pillow(convert, seed):
    """Pillow clears to the background colour where no index is transparent, so one always is; and
    it takes disposal 0 for that of the frame before, so none has it."""
    rng = random.Random(100 + seed)
    table = palette(16, seed)
    frames = [random_frame(rng, table, palette=None, transparent=5, control=True,
                           delay_cs=rng.randint(2, 90), disposal=rng.randint(1, 3))
              for _ in range(8)]
    frames[0] = random_frame(rng, table, palette=None, transparent=5, control=True, width=64,
                             height=32, left=0, top=0, delay_cs=7, disposal=rng.randint(1, 2))
    data = giffile.write(frames, table, loop=0)
    webp, _ = convert(data)
    assert panel_frames(webp) == merged(pillow_frames(data))


@needs("giftopnm")
@pytest.mark.parametrize("interlace", [False, True])
def test_as_netpbm(convert, interlace):
    rng = random.Random(5)
    data = giffile.write([Frame(noise(2048, 200, rng), interlace=interlace)], palette(200))
    pixels, maxval = read_pnm(tool(["giftopnm"], data))
    assert maxval == 255
    webp, _ = convert(data)
    assert dwebp(webp) == pixels


@needs("gif2webp")
@pytest.mark.parametrize("seed", range(8))
def test_as_gif2webp(convert, seed, tmp_path):
    rng = random.Random(500 + seed)
    table = palette(32, seed)
    frames = [random_frame(rng, table, palette=None, transparent=7, control=True,
                           delay_cs=rng.randint(2, 90), disposal=rng.randint(0, 3))
              for _ in range(9)]
    (tmp_path / "in.gif").write_bytes(giffile.write(frames, table, loop=0))
    tool(["gif2webp", "-quiet", str(tmp_path / "in.gif"), "-o", str(tmp_path / "out.webp")])
    theirs = pillow_frames((tmp_path / "out.webp").read_bytes())
    ours, _ = convert((tmp_path / "in.gif").read_bytes())
    assert panel_frames(ours) == merged(theirs)


LOOPS = [(None, 1), (0, 0), (1, 2), (3, 4), (65534, 65535), (65535, 65535)]


@pytest.mark.parametrize("given,played", LOOPS)
@pytest.mark.parametrize("name", [b"NETSCAPE2.0", b"ANIMEXTS1.0"])
def test_loop_count(convert, given, played, name):
    frames = [Frame([i] * 2048) for i in range(2)]
    extension = b"" if given is None else giffile.loop_extension(given, name)
    webp, info = convert(giffile.write(frames, palette(4), extensions=extension))
    assert info.loop_count == played
    at = webp.index(b"ANIM")
    assert struct.unpack("<H", webp[at + 12:at + 14]) == (played,)


def test_other_extensions(convert):
    frames = [Frame([1] * 2048), Frame([2] * 2048)]
    extensions = (b"!\xfe" + giffile.sub_blocks(b"a comment" * 100)
                  + b"!\xff\x0bXMP DataXMP" + giffile.sub_blocks(b"<x/>" * 1000)
                  + b"!\xff\x0bNETSCAPE2.0\x05\x02\0\0\0\0\0"  # buffering, no loop
                  + b"!\xff\x03abc\0" + b"!\xff\0" + b"!\xf9\0" + b"!\xf9\x01\x01\0"
                  + b"!\x01\x0c" + bytes(12) + b"\x03txt\0" + b"!\x77\x01a\0")
    _, info = check(convert, frames, palette(4), extensions=extensions)
    assert info.loop_count == 1


@pytest.mark.parametrize("delay_cs,ms", [(0, 100), (1, 100), (2, 20), (3, 30), (65535, 655350)])
def test_delays(convert, delay_cs, ms):
    frames = [Frame([i % 2] * 2048, delay_cs=delay_cs) for i in range(3)]
    webp, _ = check(convert, frames, palette(4))
    assert [shown for _, shown in panel_frames(webp)] == [ms] * 3


@pytest.mark.parametrize("later", [b"\x04\x00\x16\x10\x00", b"\x04\x05\x16\x10\x00", b"\x01\x00"],
                         ids=["delay", "transparent", "short"])
def test_first_part_of_a_control_counts(convert, later):
    """A control extension has one sub-block; what follows in it says nothing."""
    frames = [Frame([0] * 2048, delay_cs=30), Frame([1] * 2048, delay_cs=30)]
    sound = giffile.write(frames, palette(4))
    data = re.sub(rb"!\xf9\x04.\x1e\x00.", lambda match: match[0] + later, sound)
    assert len(data) == len(sound) + 2 * len(later)
    assert panel_frames(convert(data)[0]) == panel_frames(convert(sound)[0])
    assert convert(data)[1].duration_ms == 600


def test_neighbours_that_are_alike(convert):
    frames = [Frame([i // 5] * 2048, delay_cs=4) for i in range(15)]
    webp, info = check(convert, frames, palette(4))
    assert info.frames == 3 and len(webp) < 400


def test_neighbours_too_long_for_one_frame(convert):
    """26 times 655.35 s do not fit into 24 bits."""
    frames = [Frame([0] * 2048, delay_cs=65535) for _ in range(30)] + [Frame([1] * 2048)]
    webp, info = convert(giffile.write(frames, palette(4)))
    assert info.duration_ms == 30 * 655350 + 100
    assert [ms for _, ms in panel_frames(webp)] == [25 * 655350, 5 * 655350, 100]
    webp, info = convert(giffile.write(frames[:30], palette(4)))
    assert info.frames == 2 and merged(panel_frames(webp)) == merged(
        giffile.compose(frames[:30], palette(4)))


def test_animation_that_never_changes_is_a_still(convert):
    check(convert, [Frame([3] * 2048) for _ in range(9)], palette(4), loop=0)


def test_local_palettes_only(convert):
    rng = random.Random(3)
    frames = [Frame(noise(2048, 9, rng), palette=palette(9, i)) for i in range(5)]
    check(convert, frames, None)


def test_code_size_larger_than_needed(convert):
    rng = random.Random(4)
    check(convert, [Frame(noise(2048, 2, rng), code_size=8)], palette(2))


def test_index_beyond_the_table_draws_nothing(convert):
    frames = [Frame([1] * 2048), Frame([9] * 1000 + [2] * 1048, code_size=8)]
    check(convert, frames, palette(4))


def test_gif87a_zero_bytes_between_blocks_and_behind_the_trailer(convert):
    frames = [Frame([1] * 2048, control=False)]
    data = giffile.write(frames, palette(4), version=b"87a", extensions=bytes(7),
                         trailer=b"\0\0;behind")
    webp, _ = convert(data)
    assert panel_frames(webp) == [([palette(4)[1]] * 2048, 0)]


@pytest.mark.parametrize("count", [2047, 2048])
def test_as_many_frames_as_allowed(convert, count):
    frames = [Frame([i % 2], 1, 1, i % 64, i // 64) for i in range(count)]
    check(convert, frames, palette(2))


def truncated_lzw():
    return giffile.lzw_encode([1] * 2000, 2)


CLEAR, END, FIRST = 4, 5, 6  # of codes of two bits

# (codes, how many pixels they make); each code is defined when its turn comes.
DEFINED = {
    "literals": ([CLEAR, 0, 1, 2, 3, END], 4),
    "no clear code first": ([1, 2, END], 2),
    "the string that is being defined": ([CLEAR, 1, FIRST, FIRST + 1, END], 6),
    "a string of before": ([CLEAR, 1, 2, FIRST, FIRST + 1, END], 6),
    "clear again": ([CLEAR, 1, 2, CLEAR, CLEAR, 3, FIRST, END], 5),
}
# (codes, pixels): the last code that is needed was never defined.
UNDEFINED = {
    "first": ([CLEAR, FIRST, END], 2),
    "first of all": ([FIRST, END], 2),
    "one too far": ([CLEAR, 1, FIRST + 1, END], 3),
    "far away": ([CLEAR, 1, 2, 3, 15, END], 5),
    "forgotten by a clear code": ([CLEAR, 1, FIRST, CLEAR, 1, FIRST + 1, END], 6),
    "first after a clear code": ([CLEAR, 1, CLEAR, FIRST, END], 3),
}


def with_codes(codes, pixels):
    width = min(pixels, 64)
    height = -(-pixels // 64)
    return giffile.write([Frame([], width, height, lzw=giffile.lzw_pack(codes, 2))], palette(4))


def test_packed_codes_are_those_of_the_encoder():
    assert giffile.lzw_pack([CLEAR, 1, FIRST, FIRST + 1, END], 2) == giffile.lzw_encode([1] * 6, 2)


@pytest.mark.parametrize("name", DEFINED)
def test_codes_that_are_defined(convert, name):
    convert(with_codes(*DEFINED[name]))


@pytest.mark.parametrize("name", UNDEFINED)
def test_code_that_was_never_defined(convert, name):
    codes, pixels = UNDEFINED[name]
    with pytest.raises(Refused) as caught:
        convert(with_codes(codes, pixels))
    assert str(caught.value).startswith("GIF frame 1 is damaged: its LZW code ")


def test_code_behind_the_last_pixel_does_not_matter(convert):
    convert(with_codes([CLEAR, 1, 2, 15, END], 2))


REFUSED = {
    "32x32": ([Frame([0] * 1024, 32, 32)], dict(size=(32, 32)),
              "image is 32x32 pixels, must be 64x32"),
    "65535x65535": ([Frame([0] * 64, 8, 8)], dict(size=(65535, 65535)),
                    "image is 65535x65535 pixels, must be 64x32"),
    "no frame": ([], {}, "GIF has no frame"),
    "too wide": ([Frame([0] * 65, 65, 1)], {},
                 "GIF frame 1 is 65x1 pixels at 0,0, outside of 64x32"),
    "too far down": ([Frame([0] * 2048), Frame([0] * 64, 64, 1, 0, 32)], {},
                     "GIF frame 2 is 64x1 pixels at 0,32, outside of 64x32"),
    "65535 pixels": ([Frame([0], 65535, 65535)], {},
                     "GIF frame 1 is 65535x65535 pixels at 0,0, outside of 64x32"),
    "no width": ([Frame([0], 0, 1)], {}, "GIF frame 1 is 0x1 pixels at 0,0, outside of 64x32"),
    "frames": ([Frame([0], 1, 1, control=False)] * 8496, {},
               "image has 8496 frames, at most 2048 are allowed"),
    "frames 2049": ([Frame([0], 1, 1, control=False)] * 2049, {},
                    "image has 2049 frames, at most 2048 are allowed"),
    "too few pixels": ([Frame([0] * 2048), Frame([], lzw=truncated_lzw())], {},
                       "GIF frame 2 "),
    "no pixels": ([Frame([], lzw=b"")], {}, "GIF frame 1 "),
    "code size 0": ([Frame([0] * 2048, code_size=2, lzw=b"\xff" * 50)], {}, "GIF frame 1 "),
    "no table": ([Frame([0] * 2048)], dict(palette=None), "GIF frame 1 has no colour table"),
    "no trailer": ([Frame([0] * 2048)] * 3, dict(trailer=b""),
                   "GIF is truncated after frame 3"),
    "unknown block": ([Frame([0] * 2048)], dict(trailer=b"x;"),
                      "GIF has an unknown block 0x78 at byte "),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(convert, name):
    frames, more, text = REFUSED[name]
    with pytest.raises(Refused) as caught:
        convert(giffile.write(frames, **{"palette": palette(4), **more}))
    assert str(caught.value).startswith(text)


def test_truncated_at_every_byte(convert):
    rng = random.Random(1)
    frames = [Frame(noise(400, 4, rng), 20, 20, disposal=PREVIOUS, transparent=1),
              Frame([2] * 2048, disposal=KEEP), Frame([1] * 60, 10, 6, disposal=BACKGROUND)]
    data = giffile.write(frames, palette(4), loop=3)
    for size in range(len(data)):
        with pytest.raises(Refused):
            convert(data[:size])


def moving(kind):
    """Frames of what panels show: text that moves, a sprite over noise, snow, plasma."""
    rng = random.Random(kind)
    table = [(0, 0, 0)] + palette(15, kind)
    ground = noise(2048, 16, rng) if kind in ("sprite", "snow") else [0] * 2048
    flakes = [(rng.randrange(64), rng.randrange(32)) for _ in range(40)]
    frames = []
    for number in range(40):
        pixels = list(ground)
        if kind == "snow":
            for x, y in flakes:
                pixels[(y + number) % 32 * 64 + (x + number // 4) % 64] = 15
        for y in range(32):
            for x in range(64):
                if kind == "plasma":
                    pixels[y * 64 + x] = (x * x // 40 + y * y // 20 + number) // 4 % 16
                elif kind == "text" and (x + number) * 7 % 5 < 2 and 10 < y < 20:
                    pixels[y * 64 + x] = 1 + (x + number + y) // 5 % 3
                elif kind == "sprite" and (x - number) ** 2 + (y - 16) ** 2 < 25:
                    pixels[y * 64 + x] = 5
        frames.append(Frame(pixels, delay_cs=5))
    return frames, table


@needs("gif2webp")
@pytest.mark.parametrize("kind", ["text", "sprite", "snow", "plasma"])
def test_no_larger_than_gif2webp(convert, kind, tmp_path):
    """Where bytes are scarce; else with little effort, which makes files a tenth larger."""
    frames, table = moving(kind)
    usual, _ = check(convert, frames, table, loop=0)
    webp, _ = check(functools.partial(convert, limit=0), frames, table, loop=0)
    assert len(webp) < len(usual) <= len(webp) * 1.15
    (tmp_path / "in.gif").write_bytes(giffile.write(frames, table, loop=0))
    tool(["gif2webp", "-quiet", str(tmp_path / "in.gif"), "-o", str(tmp_path / "out.webp")])
    assert len(webp) <= len((tmp_path / "out.webp").read_bytes())


@needs("webpinfo")
@pytest.mark.parametrize("kind", ["text", "sprite", "snow", "plasma"])
def test_sound_container(convert, kind, tmp_path):
    """No fault, and the alpha flag is set just where a frame leaves something out."""
    webp, _ = convert(giffile.write(*moving(kind)))
    (tmp_path / "out.webp").write_bytes(webp)
    said = tool(["webpinfo", str(tmp_path / "out.webp")]).decode()
    assert "No error detected." in said and "arning" not in said
    vp8x, frames = said.split("Chunk ANIM", 1)
    assert ("Alpha: 1" in vp8x) == ("Alpha: 1" in frames)
