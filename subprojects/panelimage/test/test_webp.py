"""WebP is delivered unchanged if a panel shows it correctly, and flattened otherwise."""

import io
import random

import pytest
from PIL import Image

import giffile
import webpfile
from conftest import Refused, needs
from decoders import dwebp, merged, panel_frames, pillow_frames, tool
from webpfile import DISPOSE, NO_BLEND, anim, anmf, chunks_of, lengthened, riff, vp8x


def rgba_noise(rng, count=2048, alphas=(255,)):
    return [(rng.randrange(256), rng.randrange(256), rng.randrange(256), rng.choice(alphas))
            for _ in range(count)]


def smooth(number=0):
    return [((x * 4 + number * 9) & 255, y * 8, (x + y) & 255, 255)
            for y in range(32) for x in range(64)]


def saved(images, **more):
    out = io.BytesIO()
    images[0].save(out, "WEBP", save_all=len(images) > 1, append_images=images[1:], **more)
    return out.getvalue()


def image_of(pixels):
    image = Image.new("RGBA", (64, 32))
    image.putdata(pixels)
    return image


def as_it_came(convert, data):
    webp, info = convert(data)
    assert webp == lengthened(data)
    frames = pillow_frames(webp)
    assert panel_frames(webp) == frames
    assert info.frames == len(frames)
    assert info.duration_ms == (sum(ms for _, ms in frames) if len(frames) > 1 else 0)
    return info


def flattened(convert, data):
    assert panel_frames(data) != pillow_frames(data)
    webp, info = convert(data)
    assert webp != data
    expected = merged(pillow_frames(lengthened(data)))
    if len(expected) == 1:
        expected = [(expected[0][0], 0)]
    assert panel_frames(webp) == expected
    assert pillow_frames(webp) == expected
    assert info.frames == len(expected)
    return webp, info


STILLS = {
    "lossy": dict(quality=50),
    "lossy best": dict(quality=100, method=6),
    "lossless": dict(lossless=True),
}


@pytest.mark.parametrize("name", STILLS)
def test_opaque_still(convert, name):
    info = as_it_came(convert, saved([image_of(smooth()).convert("RGB")], **STILLS[name]))
    assert (info.format, info.loop_count) == ("webp", 0)
    as_it_came(convert, saved([image_of(smooth())], **STILLS[name]))


@needs("cwebp")
@pytest.mark.parametrize("options", [["-q", "30"], ["-lossless"], ["-near_lossless", "40"],
                                     ["-lossless", "-z", "9"], ["-q", "5", "-segments", "4"],
                                     ["-q", "80", "-partition_limit", "50", "-mt"]], ids=str)
def test_cwebp(convert, options, tmp_path):
    image_of(smooth()).save(tmp_path / "in.png")
    tool(["cwebp", "-quiet", *options, str(tmp_path / "in.png"), "-o", str(tmp_path / "o.webp")])
    as_it_came(convert, (tmp_path / "o.webp").read_bytes())


def test_transparent_black_needs_nothing(convert):
    """An alpha flag alone is no reason to encode again."""
    pixels = [(0, 0, 0, i % 256) if i % 3 else (i % 256, 7, 9, 255) for i in range(2048)]
    data = webpfile.still(pixels)
    assert b"VP8L" in data and pillow_frames(data)[0][0] == [p[:3] for p in pixels]
    as_it_came(convert, data)


def test_dark_and_nearly_opaque_needs_nothing(convert):
    """127 * 254 / 255 rounds to 127 again."""
    as_it_came(convert, webpfile.still([(i % 128, 5, 127, 254) for i in range(2048)]))
    flattened(convert, webpfile.still([(128, 5, 127, 254) for _ in range(2048)]))


@pytest.mark.parametrize("alphas", [(0, 255), (0,), (1, 254), tuple(range(256))], ids=len)
def test_alpha_is_flattened(convert, alphas):
    rng = random.Random(len(alphas))
    data = webpfile.still(rgba_noise(rng, alphas=alphas))
    webp, _ = flattened(convert, data)
    assert dwebp(webp) == dwebp(data)


def test_lossy_alpha_is_flattened(convert):
    rng = random.Random(9)
    pixels = [p[:3] + (rng.randrange(256),) for p in smooth()]
    flattened(convert, saved([image_of(pixels)], quality=40))


@needs("gif2webp")
@pytest.mark.parametrize("options", [[], ["-lossy"], ["-mixed"], ["-min_size"],
                                     ["-kmin", "1", "-kmax", "2"]], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_gif2webp(convert, options, seed, tmp_path):
    rng = random.Random(seed)
    table = [tuple(rng.randrange(256) for _ in range(3)) for _ in range(8)]
    frames = [giffile.Frame([(x // 9 + y // 5 + seed) % 8 for y in range(32) for x in range(64)])]
    for number in range(8):
        frames.append(giffile.Frame([rng.randrange(8) for _ in range(80)], 10, 8, number * 5,
                                    number * 2, disposal=1, transparent=2))
    (tmp_path / "in.gif").write_bytes(giffile.write(frames, table, loop=4))
    tool(["gif2webp", "-quiet", *options, str(tmp_path / "in.gif"), "-o",
          str(tmp_path / "out.webp")])
    data = (tmp_path / "out.webp").read_bytes()
    assert data.count(b"ANMF") > 1
    if panel_frames(data) == pillow_frames(data):
        assert as_it_came(convert, data).loop_count == 5
    else:
        assert "-lossy" in options or "-mixed" in options
        assert flattened(convert, data)[1].loop_count == 5


@pytest.mark.parametrize("lossless", [False, True])
def test_animation_with_durations(convert, lossless):
    images = [image_of(smooth(i)) for i in range(6)]
    data = saved(images, lossless=lossless, duration=[10, 0, 500, 16000000, 1, 33], loop=7)
    info = as_it_came(convert, data)
    assert (info.frames, info.duration_ms, info.loop_count) == (6, 16000833, 7)


@pytest.mark.parametrize("ms, shown", [(0, 100), (1, 100), (10, 100), (11, 11), (20, 20)])
def test_short_frames_are_shown_as_those_of_a_gif(convert, ms, shown):
    """Copied or encoded anew."""
    for pixels in ([(255, 0, 0, 255)] * 2048, [(255, 0, 0, 128)] * 2048):
        parts = [webpfile.frame(smooth(1), ms=ms), webpfile.frame(pixels, ms=ms), webpfile.frame(smooth(2), ms=ms)]
        webp, info = convert(riff(vp8x(), anim(), *parts))
        assert [duration for _, duration in panel_frames(webp)] == [shown] * 3
        assert info.duration_ms == 3 * shown


def random_animation(rng, alphas, count=7):
    parts = []
    for _ in range(count):
        width, height = rng.randint(1, 64), rng.randint(1, 32)
        left, top = rng.randint(0, 64 - width) & ~1, rng.randint(0, 32 - height) & ~1
        pixels = rgba_noise(rng, width * height, alphas)
        if rng.random() < 0.3 and parts:
            parts.append(parts[-1])
        parts.append(webpfile.frame(pixels, (width, height), left=left, top=top,
                                    ms=rng.choice((0, 20, 100, 70000)),
                                    flags=rng.choice((0, NO_BLEND, DISPOSE, 3))))
    return riff(vp8x(), anim(loops=3), *parts)


@pytest.mark.parametrize("seed", range(25))
def test_random_animations_with_alpha(convert, seed):
    rng = random.Random(seed)
    data = random_animation(rng, alphas=rng.choice([(0, 255), (128,), tuple(range(256))]))
    _, info = flattened(convert, data)
    assert info.loop_count == (3 if info.frames > 1 else 0)


@pytest.mark.parametrize("seed", range(8))
def test_random_opaque_animations(convert, seed):
    as_it_came(convert, random_animation(random.Random(seed), alphas=(255,)))


def test_alpha_in_one_late_frame(convert):
    parts = [webpfile.frame(smooth(i)) for i in range(5)]
    parts.append(webpfile.frame([(255, 0, 0, 128)] * 2048))
    flattened(convert, riff(vp8x(), anim(), *parts))


def test_blending_hides_alpha(convert):
    """Transparent pixels of a frame are opaque on the canvas if something is below them."""
    parts = [webpfile.frame(smooth()), webpfile.frame([(255, 0, 0, 0)] * 2048, flags=0)]
    as_it_came(convert, riff(vp8x(), anim(), *parts))


def test_single_frame_animation(convert):
    data = riff(vp8x(), anim(), webpfile.frame(smooth()))
    info = as_it_came(convert, data)
    assert (info.frames, info.duration_ms, info.loop_count) == (1, 0, 0)


def test_metadata_and_unknown_chunks_are_delivered(convert):
    image = chunks_of(saved([image_of(smooth()).convert("RGB")], quality=80))
    data = riff(vp8x(0x2c), webpfile.chunk(b"ICCP", b"x" * 333), image,
                webpfile.chunk(b"EXIF", b"e" * 100), webpfile.chunk(b"XMP ", b"<x/>"),
                webpfile.chunk(b"what", b"?"))
    as_it_came(convert, data)


def test_bytes_behind_the_riff_are_cut_off(convert):
    data = saved([image_of(smooth()).convert("RGB")], lossless=True)
    webp, _ = convert(data + b"behind")
    assert webp == data


def test_longest_durations(convert):
    """The sum of the durations is beyond 32 bits."""
    top = 0xffffff
    parts = [webpfile.frame([(i % 2, 0, 0, 255)] * 4, (2, 2), ms=top) for i in range(300)]
    data = riff(vp8x(), anim(), webpfile.frame(smooth()), *parts)
    webp, info = convert(data)
    assert webp == data and info.duration_ms == 0xffffffff
    parts[0] = webpfile.frame([(9, 0, 0, 9)] * 4, (2, 2), ms=top)
    webp, info = convert(riff(vp8x(), anim(), webpfile.frame(smooth(), ms=7), *parts))
    assert info.frames == 301 and info.duration_ms == 0xffffffff
    assert webp.count(webpfile.le24(top) + b"\2") == 300


SMALL = chunks_of(webpfile.still([(1, 2, 3, 255)] * 4, (2, 2)))
WHOLE = chunks_of(webpfile.still(smooth()))
WIDE = chunks_of(webpfile.still([(1, 2, 3, 255)] * 128 * 32, (128, 32)))
BIG = chunks_of(webpfile.still([(1, 2, 3, 255)] * 128 * 128, (128, 128)))


def tiny(count, **more):
    return [anmf(SMALL, size=(2, 2), **more)] * count


REFUSED = {
    "32x32": (webpfile.still([(0, 0, 0, 255)] * 1024, (32, 32)),
              "image is 32x32 pixels, must be 64x32"),
    "lossy 32x64": (saved([Image.new("RGB", (32, 64))]), "image is 32x64 pixels, must be 64x32"),
    "canvas": (riff(vp8x(size=(16384, 16384)), anim(), anmf(WHOLE)),
               "image is 16384x16384 pixels, must be 64x32"),
    "still smaller than its canvas": (riff(vp8x(0), SMALL),
                                      "image is 2x2 pixels, must be 64x32"),
    "still larger than its canvas": (riff(vp8x(0), BIG),
                                     "image is 128x128 pixels, must be 64x32"),
    "frame outside": (riff(vp8x(), anim(), anmf(WHOLE, left=2)),
                      "WebP frame 1 is 64x32 pixels at 2,0, outside of 64x32"),
    "frame lies": (riff(vp8x(), anim(), anmf(WHOLE), anmf(BIG)),
                   "WebP frame 2 is 128x128 pixels, not 64x32"),
    "frame lies in its width": (riff(vp8x(), anim(), anmf(WIDE)),
                                "WebP frame 1 is 128x32 pixels, not 64x32"),
    "frame without image": (riff(vp8x(), anim(), anmf(b"")), "WebP frame 1 holds no image"),
    "frames": (riff(vp8x(), anim(), *tiny(3000)),
               "image has 3000 frames, at most 2048 are allowed"),
    "frames 2049": (riff(vp8x(), anim(), *tiny(2049)),
                    "image has 2049 frames, at most 2048 are allowed"),
    "no frame": (riff(vp8x(), anim()), "WebP has no frame"),
    "no image": (riff(vp8x(0)), "WebP holds no image"),
    "nothing": (riff() + bytes(8), "WebP holds no image"),
    "not an image first": (riff(webpfile.chunk(b"EXIF", b"1234"), WHOLE),
                           "WebP is damaged, it does not start with an image"),
    "no ANIM": (riff(vp8x(), anmf(WHOLE)), "WebP is damaged"),
    "two images": (riff(vp8x(0), WHOLE, WHOLE), "WebP is damaged"),
    "damaged frame": (riff(vp8x(), anim(), anmf(WHOLE), anmf(WHOLE[:8] + b"\x2e" + WHOLE[9:])),
                      "WebP frame 2 "),
    "short frame": (riff(vp8x(), anim(), anmf(WHOLE), anmf(
        webpfile.chunk(b"VP8L", WHOLE[8:len(WHOLE) // 2]))),
        "WebP frame 2 of 2 is damaged or truncated"),
    "short still": (riff(webpfile.chunk(b"VP8L", WHOLE[8:len(WHOLE) // 2])),
                    "WebP frame 1 of 1 is damaged or truncated"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(convert, name):
    data, text = REFUSED[name]
    with pytest.raises(Refused) as caught:
        convert(data)
    assert str(caught.value).startswith(text)


FILES = {
    "lossy": saved([image_of(smooth()).convert("RGB")], quality=20),
    "lossless": saved([image_of(smooth()).convert("RGB")], lossless=True),
    "lossy alpha": saved([image_of([p[:3] + (p[0],) for p in smooth()])], quality=20),
    "animation": saved([image_of(smooth(i)) for i in range(3)], quality=10, duration=50),
}


@pytest.mark.parametrize("name", FILES)
def test_truncated_at_every_byte(convert, name):
    """A file cut off says by its length that it was longer."""
    data = FILES[name]
    for size in range(len(data)):
        with pytest.raises(Refused):
            convert(data[:size])


def alpha_chunks(seed):
    """ALPH and VP8 of a lossy still whose alpha is compressed."""
    rng = random.Random(seed)
    chunks = chunks_of(saved([image_of([p[:3] + (rng.choice((0, 90, 200)),) for p in smooth()])],
                             quality=20))
    assert chunks.startswith(b"ALPH") and chunks[8] & 3
    return chunks


@pytest.mark.parametrize("place", ["still", "first frame", "second frame"])
def test_damaged_alpha_is_damage(convert, place):
    """Colours without a fault do not make a lack of memory of it."""
    refused = 0
    for seed in range(16):
        rng = random.Random(seed)
        chunks = bytearray(alpha_chunks(seed % 4))
        size = int.from_bytes(chunks[4:8], "little")
        for _ in range(4):
            chunks[rng.randrange(8, 8 + size)] = rng.randrange(256)
        frames = [bytes(chunks), WHOLE] if place == "first frame" else [WHOLE, bytes(chunks)]
        data = (riff(vp8x(webpfile.ALPHA), bytes(chunks)) if place == "still"
                else riff(vp8x(), anim(), *map(anmf, frames)))
        try:
            convert(data)
        except Refused as why:
            assert str(why).endswith("is damaged or truncated")
            refused += 1
    assert refused > 0


@pytest.mark.parametrize("alpha", [b"", b"\x01", b"\x00" + bytes(2047), *(
    bytes([head]) + bytes(2048) for head in (2, 3, 0x20, 0x80))], ids=lambda alpha: alpha[:1].hex())
def test_alpha_that_is_none(convert, alpha):
    color = chunks_of(FILES["lossy"])
    with pytest.raises(Refused, match="WebP frame 1 of 1 is damaged or truncated"):
        convert(riff(vp8x(webpfile.ALPHA), webpfile.chunk(b"ALPH", alpha), color))


@pytest.mark.parametrize("name", ["lossy", "lossless"])
def test_truncated_within_its_container(convert, name):
    """The container is sound, its image is not all there."""
    payload = chunks_of(FILES[name])[8:]
    for size in range(0, len(payload) * 9 // 10, 7):
        with pytest.raises(Refused):
            convert(riff(webpfile.chunk(FILES[name][12:16], payload[:size])))
