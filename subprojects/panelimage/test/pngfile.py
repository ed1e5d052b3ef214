"""Writes PNG of every kind (ISO/IEC 15948), and says which pixels it must show."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
# first column, first row, column step, row step
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2))


def chunk(name, data=b""):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def pack_row(samples, depth):
    if depth == 16:
        return b"".join(struct.pack(">H", s) for s in samples)
    bits = "".join(format(s, f"0{depth}b") for s in samples)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def filter_row(kind, row, above, step):
    out = bytearray([kind])
    for i, value in enumerate(row):
        a = row[i - step] if i >= step else 0
        b = above[i]
        c = above[i - step] if i >= step else 0
        guess = (0, a, b, (a + b) // 2, paeth(a, b, c))[kind]
        out.append((value - guess) & 255)
    return bytes(out)


def scanlines(rows, channels, depth):
    """Every row with another of the five filters."""
    step = max(1, channels * depth // 8)
    above = None
    out = b""
    for number, row in enumerate(rows):
        packed = pack_row([s for pixel in row for s in pixel], depth)
        out += filter_row(number % 5, packed, above or bytes(len(packed)), step)
        above = packed
    return out


def image_data(rows, channels, depth, interlace):
    if not interlace:
        return scanlines(rows, channels, depth)
    out = b""
    for x0, y0, dx, dy in ADAM7:
        part = [row[x0::dx] for row in rows[y0::dy]]
        if part and part[0]:
            out += scanlines(part, channels, depth)
    return out


def write(rows, color_type, depth, interlace=False, before=(), after=(), idat_bytes=1000,
          size=None):
    """rows: lists of tuples of samples. before, after: chunks around IDAT."""
    width, height = size or (len(rows[0]), len(rows))
    packed = zlib.compress(image_data(rows, CHANNELS[color_type], depth, interlace))
    parts = [SIGNATURE,
             chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0,
                                        int(interlace)))]
    parts += before
    parts += [chunk(b"IDAT", packed[i:i + idat_bytes])
              for i in range(0, len(packed), idat_bytes)]
    parts += after
    parts.append(chunk(b"IEND"))
    return b"".join(parts)


def to_byte(sample, depth):
    return sample >> 8 if depth == 16 else sample * 255 // ((1 << depth) - 1)


def pixel_rgba(pixel, color_type, depth, palette=None, trns=None):
    """trns: the transparent samples, or the alphas of the palette."""
    if color_type == 3:
        alpha = trns[pixel[0]] if trns and pixel[0] < len(trns) else 255
        return palette[pixel[0]] + (alpha,)
    out = tuple(to_byte(s, depth) for s in pixel)
    if color_type == 0:
        return out * 3 + (0 if trns == pixel else 255,)
    if color_type == 2:
        return out + (0 if trns == pixel else 255,)
    return out[:1] * 3 + out[1:] if color_type == 4 else out
