"""Puts WebP containers together, sound ones and others (RFC 9649)."""

import io
import struct

from PIL import Image

NO_BLEND, DISPOSE = 2, 1
ALPHA, ANIMATION = 0x10, 0x02


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) & 1)


def riff(*chunks):
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def le24(value):
    return struct.pack("<I", value)[:3]


def vp8x(flags=ALPHA | ANIMATION, size=(64, 32)):
    return chunk(b"VP8X", bytes([flags, 0, 0, 0]) + le24(size[0] - 1) + le24(size[1] - 1))


def anim(loops=0, background=0xffffffff):
    return chunk(b"ANIM", struct.pack("<IH", background, loops))


def anmf(image, left=0, top=0, size=(64, 32), ms=100, flags=NO_BLEND):
    """image: the chunks of a frame, as chunks_of() gives them."""
    return chunk(b"ANMF", le24(left // 2) + le24(top // 2) + le24(size[0] - 1)
                 + le24(size[1] - 1) + le24(ms) + bytes([flags]) + image)


def still(pixels, size=(64, 32), mode="RGBA", **more):
    image = Image.new(mode, size)
    image.putdata(pixels)
    out = io.BytesIO()
    image.save(out, "WEBP", **{"lossless": True, "exact": True, **more})
    return out.getvalue()


def chunks_of(data):
    """The image chunks of a still: ALPH, VP8 or VP8L."""
    out, pos = b"", 12
    while pos < len(data):
        size = struct.unpack("<I", data[pos + 4:pos + 8])[0]
        end = pos + 8 + size + (size & 1)
        if data[pos:pos + 4] in (b"ALPH", b"VP8 ", b"VP8L"):
            out += data[pos:end]
        pos = end
    return out


def lengthened(data):
    """An animation whose frames of 10 ms or less are of 100 ms; what is no animation stays."""
    out, pos, places = bytearray(data), 12, []
    while pos + 8 <= len(data):
        if data[pos:pos + 4] == b"ANMF":
            places.append(pos + 8 + 12)
        size = struct.unpack("<I", data[pos + 4:pos + 8])[0]
        pos += 8 + size + (size & 1)
    for place in places if len(places) > 1 else []:
        if int.from_bytes(data[place:place + 3], "little") <= 10:
            out[place:place + 3] = le24(100)
    return bytes(out)


def frame(pixels, size=(64, 32), **more):
    return anmf(chunks_of(still(pixels, size)), size=size, **more)
