"""Panels of other sizes: each kind of file comes out as its decoders see it, or is refused."""

import random
import subprocess

import pytest

import giffile
import pngfile
import webpfile
from conftest import Refused, command
from decoders import merged, over_black, panel_frames, pillow_frames
from giffile import Frame

LIMIT = 196608  # of what may be converted once more
SIZES = [(64, 64), (32, 8), (128, 64), (8, 128), (33, 17), (1, 1), (256, 256)]

by_size = pytest.mark.parametrize("size", SIZES, ids=lambda s: "{}x{}".format(*s))


def rgba_noise(rng, size, alphas=(255,)):
    return [(rng.randrange(256), rng.randrange(256), rng.randrange(256), rng.choice(alphas))
            for _ in range(size[0] * size[1])]


def picture(rng, size):
    """Noise in a corner, else a gradient: what large panels show fits into the limits."""
    noise = rgba_noise(rng, size, (0, 128, 255))
    return [noise[y * size[0] + x] if x < 40 and y < 30 else (x & 255, y & 255, 7, 255 - (x & 3))
            for y in range(size[1]) for x in range(size[0])]


@by_size
@pytest.mark.parametrize("interlace", [False, True])
def test_png(convert, size, interlace):
    pixels = picture(random.Random(str(size)), size)
    rows = [pixels[y * size[0]:(y + 1) * size[0]] for y in range(size[1])]
    webp, info = convert(pngfile.write(rows, 6, 8, interlace), size)
    expected = [over_black(p) for p in pixels]
    assert (info.format, info.frames) == ("png", 1)
    assert panel_frames(webp, size) == [(expected, 0)]
    assert pillow_frames(webp) == [(expected, 0)]


def random_frame(rng, size, colors):
    width, height = rng.randint(1, size[0]), rng.randint(1, size[1])
    some = [rng.randrange(colors) for _ in range(97)]  # repeats, so that it stays small
    return Frame([some[i % 97] for i in range(width * height)], width, height,
                 rng.randint(0, size[0] - width), rng.randint(0, size[1] - height),
                 delay_cs=rng.randint(2, 50), disposal=rng.randint(0, 3),
                 transparent=rng.choice((None, 1)), interlace=rng.random() < 0.5)


@by_size
@pytest.mark.parametrize("seed", range(5))
def test_gif(convert, size, seed):
    rng = random.Random(f"{size} {seed}")
    table = [tuple(rng.randrange(256) for _ in range(3)) for _ in range(16)]
    frames = [random_frame(rng, size, 16) for _ in range(rng.randint(2, 8))]
    webp, info = convert(giffile.write(frames, table, loop=0, size=size), size)
    expected = merged(giffile.compose(frames, table, size))
    if len(expected) == 1:
        expected = [(expected[0][0], 0)]
    assert panel_frames(webp, size) == expected
    assert pillow_frames(webp) == expected
    assert info.frames == len(expected)


@by_size
@pytest.mark.parametrize("alphas", [(255,), (0, 9, 255)], ids=["opaque", "transparent"])
def test_webp(convert, size, alphas):
    rng = random.Random(str(size))
    stills = [rgba_noise(rng, size, alphas) if size[0] * size[1] < 5000
              else [(n * 60, i & 255, i >> 8, rng.choice(alphas)) for i in range(size[0] * size[1])]
              for n in range(3)]
    data = webpfile.riff(webpfile.vp8x(size=size), webpfile.anim(2),
                         *(webpfile.frame(still, size) for still in stills))
    webp, info = convert(data, size, LIMIT)
    assert (webp == data) == (alphas == (255,))
    assert panel_frames(webp, size) == merged(pillow_frames(data))
    assert (info.frames, info.loop_count) == (3, 2) if size != (1, 1) else info.frames <= 3
    again, _ = convert(webp, size)
    assert again == webp
    probed = subprocess.run([command(), "--size", "{}x{}".format(*size), "--probe", "-"],
                            input=webp, capture_output=True, timeout=60)
    assert probed.returncode == 0, probed.stderr


def test_other_sizes_are_refused(convert):
    row = [(1, 2, 3)] * 64
    png = pngfile.write([row] * 32, 2, 8)
    gif = giffile.write([Frame([0] * 2048)], [(1, 2, 3)] * 2)
    webp = webpfile.still([(1, 2, 3, 255)] * 2048)
    for data in (png, gif, webp):
        convert(data, (64, 32))
        for size in ((64, 64), (32, 64), (63, 32), (64, 33)):
            with pytest.raises(Refused) as refused:
                convert(data, size)
            assert str(refused.value) == "image is 64x32 pixels, must be {}x{}".format(*size)


def test_frames_outside_are_refused(convert):
    frame = Frame([0] * 2048, 64, 32, 65, 0)
    with pytest.raises(Refused) as refused:
        convert(giffile.write([frame], [(1, 2, 3)] * 2, size=(128, 64)), (128, 64))
    assert "64x32 pixels at 65,0, outside of 128x64" in str(refused.value)
    still = [(1, 2, 3, 255)] * 2048
    data = webpfile.riff(webpfile.vp8x(size=(128, 64)), webpfile.anim(),
                         webpfile.frame(still, left=66))
    with pytest.raises(Refused) as refused:
        convert(data, (128, 64))
    assert "64x32 pixels at 66,0, outside of 128x64" in str(refused.value)


@pytest.mark.parametrize("option", ["--limit abc", "--limit -1", "--limit", "--limit 1x", "--limit 4294967296",
                                    "--size 64x", "--size x32", "--size -1x32", "--size 64x32x"])
def test_numbers_are_digits(option):
    done = subprocess.run([command(), *option.split(" "), "-", "-"], input=b"", capture_output=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith(b"usage: ")


@pytest.mark.parametrize("size", [(0, 32), (64, 0), (257, 32), (64, 257)])
def test_panels_beyond_the_limits_are_refused(convert, size):
    with pytest.raises(Refused) as refused:
        convert(webpfile.still([(1, 2, 3, 255)] * 2048), size)
    assert str(refused.value) == "panel is {}x{} pixels, must be 1x1 to 256x256".format(*size)
