#!/usr/bin/env python3
"""Draws the picture of the line that tools/run prints: demo.png.

    tools/demo/draw.py [FOLDER]
"""

import pathlib
import struct
import sys
import zlib

WIDTH, HEIGHT = 64, 32
SKY = [(12, 8, 40), (24, 12, 64), (48, 16, 88), (88, 24, 96), (140, 36, 84), (196, 60, 60),
       (232, 104, 40), (248, 160, 48)]
SUN, FAR, NEAR = (255, 224, 96), (52, 24, 72), (18, 10, 30)
STAR, LETTER = (200, 200, 255), (255, 255, 255)
PALETTE = SKY + [SUN, FAR, NEAR, STAR, LETTER]
STARS = [(3, 2), (9, 4), (15, 1), (22, 4), (29, 2), (37, 5), (44, 1), (50, 4), (57, 2), (61, 6)]
LETTERS = {
    "H": "101 101 111 101 101", "E": "111 100 110 100 111", "L": "100 100 100 100 111",
    "O": "111 101 101 101 111", "!": "1 1 1 0 1",
}


def ridge(x, heights):
    """Returns the height at x of a line of hills through (x, y) points."""
    for (x0, y0), (x1, y1) in zip(heights, heights[1:]):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) // (x1 - x0)
    raise ValueError(x)


def draw():
    """Returns rows of palette indexes."""
    rows = [[min(y * len(SKY) // 26, len(SKY) - 1) for _ in range(WIDTH)] for y in range(HEIGHT)]
    for x, y in STARS:
        rows[y][x] = PALETTE.index(STAR)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if (x - 46) ** 2 + (y - 20) ** 2 <= 42:
                rows[y][x] = PALETTE.index(SUN)
            if y >= ridge(x, [(0, 22), (12, 17), (24, 24), (38, 19), (52, 25), (64, 20)]):
                rows[y][x] = PALETTE.index(FAR)
            if y >= ridge(x, [(0, 26), (16, 29), (30, 25), (44, 29), (64, 24)]):
                rows[y][x] = PALETTE.index(NEAR)
    left = 4
    for letter in "HELLO!":
        lines = LETTERS[letter].split()
        for dy, line in enumerate(lines):
            for dx, dot in enumerate(line):
                if dot == "1":
                    # Twice as high as wide: legible from across a room.
                    rows[7 + 2 * dy][left + dx] = rows[8 + 2 * dy][left + dx] = PALETTE.index(LETTER)
        left += len(lines[0]) + 2
    return rows


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def encode(rows):
    """Returns an indexed PNG with 8 bits per pixel."""
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    lines = b"".join(b"\0" + bytes(row) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
            chunk(b"PLTE", b"".join(bytes(color) for color in PALETTE)) +
            chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    (folder / "demo.png").write_bytes(encode(draw()))


if __name__ == "__main__":
    main()
