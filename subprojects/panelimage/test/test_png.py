"""PNG of every kind comes out as the very pixels that other decoders see."""

import random
import struct
import zlib

import pytest

import pngfile
from conftest import Refused, needs
from decoders import dwebp, over_black, panel_frames, pillow_frames, read_pnm, tool

KINDS = [(color_type, depth, interlace, trns)
         for color_type, depths in pngfile.DEPTHS.items() for depth in depths
         for interlace in (False, True) for trns in (False, True)
         if not (trns and color_type in (4, 6))]


def make(color_type, depth, interlace, trns, seed=0):
    """Returns (file, expected RGBA)."""
    rng = random.Random(f"{color_type} {depth} {seed}")
    top = (1 << depth) - 1
    rows = [[tuple(rng.randint(0, top) for _ in range(pngfile.CHANNELS[color_type]))
             for _ in range(64)] for _ in range(32)]
    before, palette, transparent = [], None, None
    if color_type == 3:
        palette = [tuple(rng.randrange(256) for _ in range(3)) for _ in range(top + 1)]
        before.append(pngfile.chunk(b"PLTE", bytes(c for color in palette for c in color)))
    if trns and color_type == 3:
        transparent = [rng.randrange(256) for _ in range(max(1, top // 2))]
        before.append(pngfile.chunk(b"tRNS", bytes(transparent)))
    elif trns:
        transparent = rows[3][5]
        # Only all 16 bits together make it transparent: a neighbour in the low byte stays.
        rows[4][6] = transparent[:-1] + (transparent[-1] ^ 1,)
        before.append(pngfile.chunk(b"tRNS", b"".join(struct.pack(">H", s)
                                                     for s in transparent)))
    data = pngfile.write(rows, color_type, depth, interlace, before)
    rgba = [pngfile.pixel_rgba(p, color_type, depth, palette, transparent)
            for row in rows for p in row]
    return data, rgba


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: "type{}-{}bit{}{}".format(
    k[0], k[1], "-adam7" if k[2] else "", "-trns" if k[3] else ""))
def test_every_kind(convert, kind):
    data, rgba = make(*kind)
    expected = [over_black(p) for p in rgba]
    webp, info = convert(data)
    assert (info.format, info.frames, info.duration_ms, info.loop_count) == ("png", 1, 0, 0)
    assert panel_frames(webp) == [(expected, 0)]
    assert pillow_frames(webp) == [(expected, 0)]


# pngtopam does not apply the tRNS of true colour, Pillow not that of gray with fewer than 8 bits.
@needs("dwebp", "pngtopam")
@pytest.mark.parametrize("kind", [k for k in KINDS if not (k[0] == 2 and k[3])], ids=str)
def test_as_netpbm(convert, kind):
    data, _ = make(*kind, seed=1)
    pixels, maxval = read_pnm(tool(["pngtopam", "-alphapam"], data))

    def byte(sample):
        return sample >> 8 if maxval == 65535 else sample * 255 // maxval

    rgba = [tuple(map(byte, p)) for p in pixels]
    if len(rgba[0]) == 2:
        rgba = [(p[0], p[0], p[0], p[1]) for p in rgba]
    webp, _ = convert(data)
    assert dwebp(webp) == [over_black(p) for p in rgba]


@pytest.mark.parametrize("kind", [k for k in KINDS if k[1] <= 8
                                  and not (k[0] == 0 and k[1] < 8 and k[3])], ids=str)
def test_as_pillow(convert, kind):
    data, _ = make(*kind, seed=2)
    webp, _ = convert(data)
    assert [p for p, _ in panel_frames(webp)] == [p for p, _ in pillow_frames(data)]


@pytest.mark.parametrize("depth", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("color_type", [0, 2])
def test_transparent_sample_beyond_the_depth(convert, color_type, depth):
    """PNG 11.3.2.1: only the low bits of a tRNS sample count, as many as a sample has."""
    if depth not in pngfile.DEPTHS[color_type]:
        pytest.skip("no such depth")
    rng = random.Random(depth)
    channels, top = pngfile.CHANNELS[color_type], (1 << depth) - 1
    rows = [[tuple(rng.randint(0, top) for _ in range(channels)) for _ in range(64)]
            for _ in range(32)]
    clear = rows[7][9]
    high = 0xffff & ~top
    trns = pngfile.chunk(b"tRNS", b"".join(struct.pack(">H", s | high) for s in clear))
    webp, _ = convert(pngfile.write(rows, color_type, depth, before=[trns]))
    expected = [over_black(pngfile.pixel_rgba(p, color_type, depth, None, clear))
                for p in flat(rows)]
    assert panel_frames(webp) == [(expected, 0)]


def test_all_alphas(convert):
    """All 65,536 pairs of sample and alpha, as Pillow composes them."""
    for start in range(0, 65536, 2048):
        pairs = [((start + i) >> 8, (start + i) & 255) for i in range(2048)]
        rows = [[(c, 255 - c, c ^ 0x55, a) for c, a in pairs[y * 64:y * 64 + 64]]
                for y in range(32)]
        data = pngfile.write(rows, 6, 8)
        webp, _ = convert(data)
        assert panel_frames(webp) == pillow_frames(data)


def rgb_rows():
    rng = random.Random(7)
    return [[tuple(rng.randrange(256) for _ in range(3)) for _ in range(64)] for _ in range(32)]


def flat(rows):
    return [p for row in rows for p in row]


BOMB = zlib.compress(bytes(30_000_000), 9)

IGNORED = {
    "gAMA": [pngfile.chunk(b"gAMA", struct.pack(">I", 10000))],
    "sRGB": [pngfile.chunk(b"sRGB", b"\0")],
    "cHRM": [pngfile.chunk(b"cHRM", bytes(32))],
    "sBIT": [pngfile.chunk(b"sBIT", b"\3\3\3")],
    "bKGD": [pngfile.chunk(b"bKGD", struct.pack(">HHH", 255, 0, 0))],
    "PLTE suggested": [pngfile.chunk(b"PLTE", bytes(range(48)))],
    "iCCP bomb": [pngfile.chunk(b"iCCP", b"name\0\0" + BOMB)],
    "zTXt bomb": [pngfile.chunk(b"zTXt", b"name\0\0" + BOMB)] * 3,
    "iTXt bomb": [pngfile.chunk(b"iTXt", b"name\0\1\0en\0name\0" + BOMB)] * 3,
    "sPLT": [pngfile.chunk(b"sPLT", b"x\0\x08" + bytes(60000))],
    "unknown": [pngfile.chunk(b"abCd", b"what")],
    "damaged and ancillary": [pngfile.chunk(b"gAMA", b"1234567")[:-1] + b"x"],
    "twice": [pngfile.chunk(b"gAMA", struct.pack(">I", 45455))] * 2,
    "many": [pngfile.chunk(b"tEXt", b"a\0b")] * 9000,
}


@pytest.mark.parametrize("name", IGNORED)
def test_ancillary_chunks_change_nothing(convert, name):
    rows = rgb_rows()
    webp, _ = convert(pngfile.write(rows, 2, 8, before=IGNORED[name]))
    assert panel_frames(webp) == [(flat(rows), 0)]
    webp, _ = convert(pngfile.write(rows, 2, 8, after=IGNORED[name]))
    assert panel_frames(webp) == [(flat(rows), 0)]


def test_apng_is_its_idat_image(convert):
    rows, other = rgb_rows(), [[(1, 2, 3)] * 64] * 32
    packed = zlib.compress(pngfile.image_data(other, 3, 8, False))
    control = struct.pack(">IIIIIHHBB", 0, 64, 32, 0, 0, 1, 10, 0, 0)
    second = struct.pack(">IIIIIHHBB", 1, 64, 32, 0, 0, 1, 10, 0, 0)
    data = pngfile.write(rows, 2, 8, before=[pngfile.chunk(b"acTL", struct.pack(">II", 2, 0)),
                                             pngfile.chunk(b"fcTL", control)],
                         after=[pngfile.chunk(b"fcTL", second),
                                pngfile.chunk(b"fdAT", struct.pack(">I", 2) + packed)])
    webp, info = convert(data)
    assert info.frames == 1
    assert panel_frames(webp) == [(flat(rows), 0)]


def test_one_byte_idats_and_bytes_behind_the_end(convert):
    rows = [[(9, 8, 7)] * 64] * 32
    webp, _ = convert(pngfile.write(rows, 2, 8, idat_bytes=1) + b"behind the end")
    assert panel_frames(webp) == [(flat(rows), 0)]


def test_index_beyond_the_palette_is_black(convert):
    data = pngfile.write([[(9,)] * 64] * 32, 3, 8,
                         before=[pngfile.chunk(b"PLTE", b"\xff" * 6)])
    webp, _ = convert(data)
    assert panel_frames(webp) == [([(0, 0, 0)] * 2048, 0)]


def spoil(data, name, offset=8):
    """Flips a bit in the chunk of that name."""
    at = data.index(name) - 4 + offset
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


ROWS = [[(x, 3, 4) for x in range(64)] for _ in range(32)]
GOOD = pngfile.write(ROWS, 2, 8)

REFUSED = {
    "32x32": (pngfile.write([row[:32] for row in ROWS], 2, 8),
              "image is 32x32 pixels, must be 64x32"),
    "64x33": (pngfile.write(ROWS + ROWS[:1], 2, 8), "image is 64x33 pixels, must be 64x32"),
    "huge": (pngfile.write(ROWS, 2, 8, size=(2**31 - 1, 2**31 - 1)),
             "image is 2147483647x2147483647 pixels, must be 64x32"),
    "zero": (pngfile.write(ROWS, 2, 8, size=(0, 0)), "image is 0x0 pixels, must be 64x32"),
    "fewer rows": (pngfile.write(ROWS[:31], 2, 8, size=(64, 32)), "PNG is damaged: "),
    "IDAT checksum": (spoil(GOOD, b"IDAT"), "PNG is damaged: "),
    "IDAT none": (pngfile.SIGNATURE + GOOD[8:33] + pngfile.chunk(b"IEND"), "PNG is damaged: "),
    "no palette": (pngfile.write([[(1,)] * 64] * 32, 3, 8), "PNG is damaged: "),
    "two palettes": (pngfile.write([[(1,)] * 64] * 32, 3, 8, before=[
        pngfile.chunk(b"PLTE", bytes(6))] * 2), "PNG has two palettes"),
    "two suggested palettes": (pngfile.write(ROWS, 2, 8, before=[
        pngfile.chunk(b"PLTE", bytes(6))] * 2), "PNG has two palettes"),
    "tRNS checksum of gray": (spoil(pngfile.write([[(1,)] * 64] * 32, 0, 4, before=[
        pngfile.chunk(b"tRNS", b"\xff\x01")]), b"tRNS"), "PNG is damaged: "),
    "tRNS checksum": (spoil(pngfile.write(ROWS, 2, 8, before=[
        pngfile.chunk(b"tRNS", bytes(6))]), b"tRNS"), "PNG is damaged: "),
    "critical": (pngfile.write(ROWS, 2, 8, before=[pngfile.chunk(b"ABCD")]),
                 "PNG has an unknown critical chunk at byte 33"),
    "no IHDR": (pngfile.SIGNATURE + pngfile.chunk(b"IDAT", bytes(13)) + GOOD[33:],
                "PNG does not start with a header"),
    "depth 3": (pngfile.SIGNATURE + pngfile.chunk(
        b"IHDR", struct.pack(">IIBBBBB", 64, 32, 3, 0, 0, 0, 0)) + GOOD[33:],
        "PNG is damaged: "),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(convert, name):
    data, text = REFUSED[name]
    with pytest.raises(Refused) as caught:
        convert(data)
    assert str(caught.value).startswith(text)


def test_truncated_at_every_byte(convert):
    rows = [[(x, y, 0) for x in range(64)] for y in range(32)]
    data = pngfile.write(rows, 2, 8)
    assert len(data) < 1500
    for size in range(len(data)):
        with pytest.raises(Refused):
            convert(data[:size])
