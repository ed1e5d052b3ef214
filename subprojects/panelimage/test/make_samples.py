"""Writes unit/samples.h: one small file of each format for the unit tests.

Run by hand, the header is committed: make_samples.py > unit/samples.h"""

import random

import giffile
import pngfile
import webpfile
from giffile import Frame


def array(name, data):
    lines = [", ".join(f"0x{b:02x}" for b in data[i:i + 15]) for i in range(0, len(data), 15)]
    return f"static const uint8_t {name}[] = {{\n\t" + ",\n\t".join(lines) + "};\n"


def samples():
    rng = random.Random(11)
    table = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (1, 2, 3)]
    frames = [Frame([(x // 8) % 4 for y in range(32) for x in range(64)], delay_cs=5),
              Frame([rng.randrange(4) for _ in range(80)], 10, 8, 3, 4, 20, 3, 0),
              Frame([2] * 60, 6, 10, 50, 20, 0, 2)]
    still = [(x * 4, y * 8, 7, 255 if x < 32 else 128) for y in range(32) for x in range(64)]
    opaque = [(x * 4, y * 8, 7, 255) for y in range(32) for x in range(64)]
    return {
        "sample_png": pngfile.write([[(x * 4, y * 8, 7, 255 - x) for x in range(64)]
                                     for y in range(32)], 6, 8, True),
        "sample_gif": giffile.write(frames, table, loop=2),
        "sample_webp": webpfile.still(opaque),
        "sample_webp_alpha": webpfile.riff(
            webpfile.vp8x(), webpfile.anim(5), webpfile.frame(still, ms=30),
            webpfile.frame([(9, 9, 9, 200)] * 16, (4, 4), left=8, top=6, ms=40, flags=0)),
    }


if __name__ == "__main__":
    print("/* Made by make_samples.py: 64x32 files, one of each kind. */\n#pragma once\n\n"
          "#include <stdint.h>\n")
    print("/* clang-format off */")
    print("\n".join(array(name, data) for name, data in samples().items()), end="")
    print("/* clang-format on */")
