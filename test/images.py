"""Pictures for tests: made by Pillow, or byte by byte if Pillow cannot make them.

What a panel shows is a list of frames: (RGB bytes of 64x32 pixels over black, milliseconds).
"""

import base64
import io
import os
import random
import struct
import zlib

from PIL import Image, ImageSequence

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH, HEIGHT = 64, 32
SIZE = (WIDTH, HEIGHT)
INPUT_MAX_BYTES = 196608


def solid(color=(255, 0, 0), size=SIZE):
    return Image.new("RGB" if len(color) == 3 else "RGBA", size, color)


def gradient(step=0, size=SIZE):
    """A picture whose pixels all have different colours; step selects another picture."""
    picture = Image.new("RGB", size)
    picture.putdata([((x * 4 + step) % 256, (y * 8) % 256, (x * y + 7 * step) % 256)
                     for y in range(size[1]) for x in range(size[0])])
    return picture


def noise(seed=0, size=SIZE):
    """A picture that compresses badly."""
    return Image.frombytes("RGB", size, random.Random(seed).randbytes(size[0] * size[1] * 3))


def encode(picture, kind, **options):
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def png(picture=None, **options):
    return encode(picture or gradient(), "PNG", **options)


def webp(picture=None, **options):
    return encode(picture or gradient(), "WEBP", **{"lossless": True, **options})


def animation(kind, pictures, duration_ms=100, **options):
    if kind == "WEBP":
        options = {"lossless": True, "minimize_size": False, **options}
    return encode(pictures[0], kind, save_all=True, append_images=pictures[1:],
                  duration=duration_ms, loop=0, **options)


def gif(pictures=None, duration_ms=100):
    pictures = pictures or [solid((255, 0, 0)), solid((0, 255, 0)), solid((0, 0, 255))]
    return animation("GIF", pictures, duration_ms)


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))


def png_of(rows, depth, color_type, extra=b"", size=SIZE):
    """A PNG from rows of packed samples."""
    head = struct.pack(">IIBBBBB", *size, depth, color_type, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", body)
            + chunk(b"IEND", b""))


def png_of_size(size):
    """A PNG of this many bytes, padded by a chunk that decoders ignore."""
    data = png(solid((1, 2, 3)))
    end = data.index(b"IEND") - 4
    return data[:end] + chunk(b"teSt", bytes(size - len(data) - 12)) + data[end:]


def over_black(picture):
    """RGB bytes of one picture."""
    rgba = picture.convert("RGBA")
    out = bytearray()
    for r, g, b, a in rgba.getdata():
        out += bytes((c * a + 127) // 255 for c in (r, g, b))
    return bytes(out)


def of_share(name):
    """Pixels of one of the server's own pictures."""
    with Image.open(os.path.join(ROOT, "share/picture", f"{name}.png")) as picture:
        return over_black(picture)


def frames_of(data):
    """Visible frames of any image, by Pillow; equal neighbouring frames count as one."""
    seen = []
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.size == SIZE, picture.size
        for frame in ImageSequence.Iterator(picture):
            pixels = over_black(frame)
            milliseconds = frame.info.get("duration", 0)
            if seen and seen[-1][0] == pixels:
                seen[-1] = (pixels, seen[-1][1] + milliseconds)
            else:
                seen.append((pixels, milliseconds))
    return seen


def text(data, alphabet="standard"):
    """Base64, padded."""
    if alphabet == "standard":
        return base64.b64encode(data).decode()
    return base64.urlsafe_b64encode(data).decode()


def wrapped(data):
    """Base64 with line ends, like the output of `base64 FILE`."""
    return base64.encodebytes(data).decode()


def data_url(data, kind):
    return f"data:image/{kind};base64,{text(data)}"
