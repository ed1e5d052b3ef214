"""Decoders of others: Pillow, netpbm, the tools of libwebp."""

import io
import os
import subprocess
import tempfile

from PIL import Image


def over_black(rgba):
    r, g, b, a = rgba
    return tuple((c * a + 127) // 255 for c in (r, g, b))


def over_black_bytes(image):
    black = Image.new("RGBA", image.size, (0, 0, 0, 255))
    return Image.alpha_composite(black, image.convert("RGBA")).convert("RGB").tobytes()


def without_alpha_bytes(image):
    return image.convert("RGBA").convert("RGB").tobytes()


def decode(data, bytes_of):
    """[(bytes of RGB, duration in ms)]"""
    with Image.open(io.BytesIO(data)) as image:
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            image.load()
            yield bytes_of(image), image.info.get("duration", 0)


def pixels_of(frames):
    return [(list(zip(*[iter(rgb)] * 3)), ms) for rgb, ms in frames]


def pillow_frames(data):
    """[(pixels over black, duration in ms)]"""
    return pixels_of(decode(data, over_black_bytes))


def panel_frames(data, size=(64, 32)):
    """Frames as shown by a panel that ignores alpha: libwebp's composition, its RGB as it is."""
    with Image.open(io.BytesIO(data)) as image:
        assert image.format == "WEBP" and image.size == size
    return pixels_of(decode(data, without_alpha_bytes))


def assert_opaque(webp, count):
    """Checks that there are so many frames, and that a panel that ignores alpha shows what others
    do."""
    frames = list(decode(webp, without_alpha_bytes))
    assert len(frames) == count
    assert frames == list(decode(webp, over_black_bytes))


def merged(frames):
    """Merges equal neighbours."""
    out = []
    for pixels, ms in frames:
        if out and out[-1][0] == pixels:
            out[-1] = (pixels, out[-1][1] + ms)
        else:
            out.append((pixels, ms))
    return out


def tool(arguments, data=None):
    done = subprocess.run(arguments, input=data, capture_output=True, timeout=60)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def read_pnm(data):
    """[(tuples of samples)], maxval, of a raw PGM, PPM or PAM."""
    if data[:2] == b"P7":
        head, body = data.split(b"ENDHDR\n", 1)
        values = dict(line.split(None, 1) for line in head.splitlines()[1:] if b" " in line)
        depth, maxval = int(values[b"DEPTH"]), int(values[b"MAXVAL"])
    else:
        magic, _, _, maxval, body = split_pnm(data)
        depth, maxval = (3 if magic == b"P6" else 1), int(maxval)
    if maxval > 255:
        samples = [body[i] << 8 | body[i + 1] for i in range(0, len(body), 2)]
    else:
        samples = list(body)
    return [tuple(samples[i:i + depth]) for i in range(0, len(samples), depth)], maxval


def split_pnm(data):
    fields, pos = [], 0
    while len(fields) < 4:
        end = pos
        while not data[end:end + 1].isspace():
            end += 1
        fields.append(data[pos:end])
        pos = end + 1
    return (*fields, data[pos:])


def dwebp(data):
    """A still's pixels over black, by the command line decoder."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "in.webp")
        with open(path, "wb") as file:
            file.write(data)
        pixels, _ = read_pnm(tool(["dwebp", "-quiet", "-pam", path, "-o", "-"]))
    return [over_black(p) for p in pixels]


def webpmux_frames(data):
    """An animation's frames over black: each cut out by webpmux, decoded by dwebp, and composed
    here (RFC 9649, 2.7.1.2). Knows opaque and fully transparent pixels only."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "in.webp")
        part = os.path.join(folder, "part.webp")
        with open(path, "wb") as file:
            file.write(data)
        lines = tool(["webpmux", "-info", path]).decode().splitlines()
        rows = [line.split() for line in lines if line.strip()[:1].isdigit()]
        canvas, out = [(0, 0, 0)] * 2048, []
        for row in rows:
            number, width, height, _, left, top, ms, disposal, blend = row[:9]
            number = number.rstrip(":")
            assert disposal == "none"
            tool(["webpmux", "-get", "frame", number, path, "-o", part])
            pixels, _ = read_pnm(tool(["dwebp", "-quiet", "-pam", part, "-o", "-"]))
            for i, (r, g, b, a) in enumerate(pixels):
                assert a in (0, 255)
                x, y = int(left) + i % int(width), int(top) + i // int(width)
                if a or blend == "no":
                    canvas[y * 64 + x] = (r, g, b) if a else (0, 0, 0)
            out.append((list(canvas), int(ms)))
    return out
