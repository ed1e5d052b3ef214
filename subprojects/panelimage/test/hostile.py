"""Files of the largest size allowed that make the most work or ask for the most memory.

As a program: hostile.py FOLDER writes them there, for bench and fuzz target."""

import functools
import os
import random
import struct
import sys
import zlib

import giffile
import pngfile
import webpfile
from giffile import Frame

MAX_BYTES = 196608
FRAMES_MAX = 2048


def noise(rng, colors, count=2048):
    return [rng.randrange(colors) for _ in range(count)]


def palette(rng, colors):
    return [tuple(rng.randrange(256) for _ in range(3)) for _ in range(colors)]


def filled_up(first, make, last=b""):
    """first, and as many of make(number) as fit into the largest file, at most 2048 frames."""
    parts, size = [first], len(first) + len(last)
    for number in range(FRAMES_MAX - 1):
        part = make(number)
        if size + len(part) > MAX_BYTES:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts) + last


def gif_animation(first, table, make):
    head = giffile.write([first], table, loop=0, trailer=b"")
    return filled_up(head, lambda number: giffile.write_frame(make(number), table), b";")


def gif_corners(rng, colors):
    """Noise, in which each frame changes two opposite corners."""
    table = palette(rng, colors)

    def make(number):
        return Frame([number % 2] + [colors - 1] * 2046 + [number % 2],
                     transparent=colors - 1)

    return gif_animation(Frame(noise(rng, colors)), table, make)


def gif_sparse(rng, colors, changed):
    """Noise, in which each frame changes some pixels anywhere."""
    table = palette(rng, colors)

    def make(_):
        pixels = [colors - 1] * 2048
        for _ in range(changed):
            pixels[rng.randrange(2048)] = rng.randrange(colors - 1)
        return Frame(pixels, transparent=colors - 1)

    return gif_animation(Frame(noise(rng, colors)), table, make)


def gif_stripes(rng, colors):
    """Every frame changes the whole canvas."""
    table = palette(rng, colors)

    def make(number):
        return Frame([(x // (1 + number % 13) + number) % colors
                      for y in range(32) for x in range(64)])

    return gif_animation(Frame(noise(rng, colors)), table, make)


def gif_previous(rng):
    """Noise, brought back after each frame that covers it."""
    table = palette(rng, 256)
    covers = [giffile.write_frame(Frame([color] * 2048, disposal=3), table) for color in range(256)]
    head = giffile.write([Frame(noise(rng, 256))], table, loop=0, trailer=b"")
    return filled_up(head, lambda number: covers[number % 256], b";")


def gif_new_palette(rng):
    """A small local table for each frame."""
    table = palette(rng, 256)
    pixels = [(x // 3 + y // 2) % 4 for y in range(32) for x in range(64)]
    return gif_animation(Frame(noise(rng, 256)), table,
                         lambda _: Frame(pixels, palette=palette(rng, 4)))


def gif_tiny(rng):
    table = palette(rng, 256)
    return gif_animation(Frame(noise(rng, 256)), table,
                         lambda number: Frame([number % 2], 1, 1, number % 64, number % 32))


def gif_one_byte_sub_blocks():
    data = giffile.lzw_encode([1] * 2048, 8) + bytes(90000)
    head = giffile.write([], [(0, 0, 0), (255, 255, 255)], trailer=b"")
    return (head + b"," + struct.pack("<HHHHB", 0, 0, 64, 32, 0) + b"\x08"
            + giffile.sub_blocks(data, 1) + b";")


def webp_animation(first, make):
    """The first frame has alpha, so that all must be flattened and encoded."""
    head = webpfile.vp8x() + webpfile.anim() + webpfile.frame(first)
    return webpfile.riff(filled_up(head, make)[:MAX_BYTES - 12])


def rgba_noise(rng, alpha=128):
    return [(rng.randrange(256), rng.randrange(256), rng.randrange(256), alpha)
            for _ in range(2048)]


def webp_corners(rng):
    frames = [webpfile.frame([(c, c, c, 200)] + [(0, 0, 0, 0)] * 2046 + [(c, 9, 9, 200)],
                             flags=0) for c in (3, 250)]
    return webp_animation(rgba_noise(rng), lambda number: frames[number % 2])


def webp_lossy(rng):
    frames = [webpfile.anmf(webpfile.chunks_of(webpfile.still(
        [(c, x * 4, 9, 255 - x) for y in range(32) for x in range(64)], lossless=False,
        exact=False, quality=1, alpha_quality=1)), flags=0) for c in (3, 250)]
    return webp_animation(rgba_noise(rng), lambda number: frames[number % 2])


def webp_tiny(rng):
    frames = [webpfile.frame([(c, 1, 2, 255)], (1, 1)) for c in (3, 250)]
    return webp_animation(rgba_noise(rng), lambda number: frames[number % 2])


def webp_noise(rng):
    return webp_animation(rgba_noise(rng), lambda _: webpfile.frame(rgba_noise(rng)))


def webp_unknown_chunks():
    image = webpfile.chunks_of(webpfile.still([(1, 2, 3, 255)] * 2048))
    return webpfile.riff(webpfile.vp8x(0), image, webpfile.chunk(b"what", b"") * 24000)


class Bits:
    """Least significant bit first, as VP8L has it (RFC 9649, 3.1)."""

    def __init__(self):
        self.whole, self.value, self.count = bytearray(), 0, 0

    def put(self, value, count):
        self.value |= value << self.count
        self.count += count
        while self.count >= 8:
            self.whole.append(self.value & 255)
            self.value >>= 8
            self.count -= 8

    def put_bytes(self, data):
        value = self.value | int.from_bytes(data, "little") << self.count
        *whole, self.value = value.to_bytes(len(data) + 1, "little")
        self.whole += bytes(whole)

    def put_code(self, symbol):
        """A Huffman code of one symbol, which then takes no bits at all."""
        self.put(1, 1)
        self.put(0, 1)
        self.put(int(symbol > 1), 1)
        self.put(symbol, 8 if symbol > 1 else 1)

    def bytes(self):
        return bytes(self.whole) + self.value.to_bytes((self.count + 7) // 8, "little")


def webp_groups(groups, cache_bits, alpha):
    """Frames of one colour that bring many Huffman groups along, of which they use the last."""
    bits = Bits()
    for value, count in ((0x2f, 8), (63, 14), (31, 14), (alpha, 1), (0, 3), (0, 1)):
        bits.put(value, count)
    bits.put(int(cache_bits > 0), 1)
    if cache_bits:
        bits.put(cache_bits, 4)
    bits.put(1, 1)  # an entropy image of one pixel, the number of the last group
    bits.put(7, 3)
    bits.put(0, 1)
    for symbol in ((groups - 1) & 255, (groups - 1) >> 8, 0, 0, 0):
        bits.put_code(symbol)
    codes = (groups - 1) * 5  # of the symbol 0, which take four bits each: 1, 0, 0, 0
    bits.put_bytes(b"\x11" * (codes // 2))
    if codes % 2:
        bits.put_code(0)
    for symbol in (1, 1, 1, 0, 0):
        bits.put_code(symbol)
    frame = webpfile.anmf(webpfile.chunk(b"VP8L", bits.bytes() + bytes(8)))
    head = webpfile.vp8x() + webpfile.anim()
    return webpfile.riff(filled_up(head, lambda _: frame)[:MAX_BYTES - 12])


@functools.cache
def packed_zeros():
    return zlib.compress(bytes(190_000_000), 9)


def png_bomb(name, head):
    rows = [[(1, 2, 3)] * 64] * 32
    bomb = pngfile.chunk(name, head + packed_zeros())
    return pngfile.write(rows, 2, 8, before=[bomb])


def png_empty_idats():
    rows = [[(1, 2, 3)] * 64] * 32
    return pngfile.write(rows, 2, 8, before=[pngfile.chunk(b"IDAT")] * 16000)


def png_idat_bomb():
    packed = zlib.compress(pngfile.scanlines([[(1, 2, 3)] * 64] * 32, 3, 8)
                           + bytes(180_000_000), 9)
    data = pngfile.write([[(0, 0, 0)] * 64] * 32, 2, 8)
    return data[:33] + pngfile.chunk(b"IDAT", packed) + pngfile.chunk(b"IEND")


def files():
    """{name: bytes}, the same in each run."""
    rng = random.Random(2026)
    made = {
        "gif-corners-2.gif": gif_corners(rng, 4),
        "gif-corners-256.gif": gif_corners(rng, 256),
        "gif-sparse-3.gif": gif_sparse(rng, 256, 3),
        "gif-sparse-30.gif": gif_sparse(rng, 16, 30),
        "gif-sparse-500.gif": gif_sparse(rng, 256, 500),
        "gif-stripes-2.gif": gif_stripes(rng, 2),
        "gif-stripes-256.gif": gif_stripes(rng, 256),
        "gif-previous.gif": gif_previous(rng),
        "gif-new-palette.gif": gif_new_palette(rng),
        "gif-tiny.gif": gif_tiny(rng),
        "gif-8496-frames.gif": giffile.write([Frame([0], 1, 1, control=False)] * 8496,
                                             [(0, 0, 0), (1, 1, 1)]),
        "gif-one-byte-sub-blocks.gif": gif_one_byte_sub_blocks(),
        "gif-zeros.gif": giffile.write([], [(0, 0, 0)], extensions=bytes(196500)),
        "webp-corners.webp": webp_corners(rng),
        "webp-lossy.webp": webp_lossy(rng),
        "webp-tiny.webp": webp_tiny(rng),
        "webp-noise.webp": webp_noise(rng),
        "webp-unknown-chunks.webp": webp_unknown_chunks(),
        "webp-groups-1000-alpha.webp": webp_groups(1000, 11, 1),
        "webp-groups-1000.webp": webp_groups(1000, 11, 0),
        "webp-groups-300.webp": webp_groups(300, 11, 1),
        "webp-groups-65536.webp": webp_groups(65536, 11, 1),
        "webp-groups-50.webp": webp_groups(50, 11, 1),
        "webp-groups-20.webp": webp_groups(20, 11, 1),
        "png-iccp.png": png_bomb(b"iCCP", b"name\0\0"),
        "png-ztxt.png": png_bomb(b"zTXt", b"name\0\0"),
        "png-itxt.png": png_bomb(b"iTXt", b"name\0\1\0en\0name\0"),
        "png-empty-idats.png": png_empty_idats(),
        "png-idat-bomb.png": png_idat_bomb(),
    }
    assert max(map(len, made.values())) <= MAX_BYTES
    return made


if __name__ == "__main__":
    for name, data in files().items():
        with open(os.path.join(sys.argv[1], name), "wb") as file:
            file.write(data)
