"""Writes GIF of every kind (GIF89a), and composes it as browsers do."""

import struct
from dataclasses import dataclass, field

KEEP, BACKGROUND, PREVIOUS = 1, 2, 3


@dataclass
class Frame:
    pixels: list  # indices, row by row
    width: int = 64
    height: int = 32
    left: int = 0
    top: int = 0
    delay_cs: int = 10
    disposal: int = 0
    transparent: int = None
    palette: list = None
    interlace: bool = False
    control: bool = True
    code_size: int = None  # more than needed is allowed
    lzw: bytes = field(default=None, repr=False)  # instead of the pixels'


def lzw_encode(indices, min_code_size):
    clear, end = 1 << min_code_size, (1 << min_code_size) + 1
    bits, count, width = clear, min_code_size + 1, min_code_size + 1
    table, following, pieces = {}, end + 1, bytearray()  # table: code of a prefix << 8 | index -> code
    indices = iter(indices)
    prefix = next(indices)
    for index in indices:
        code = table.get(prefix << 8 | index)
        if code is not None:
            prefix = code
            continue
        bits |= prefix << count
        count += width
        if following < 4096:
            table[prefix << 8 | index] = following
            if following == 1 << width and width < 12:
                width += 1
            following += 1
        else:
            bits |= clear << count
            count += width
            table.clear()
            following, width = end + 1, min_code_size + 1
        prefix = index
        if count >= 512:  # a long number takes longer with each code
            pieces += (bits & (1 << 512) - 1).to_bytes(64, "little")
            bits >>= 512
            count -= 512
    bits |= prefix << count
    count += width
    if following == 1 << width and width < 12:
        width += 1
    bits |= end << count
    count += width
    return bytes(pieces) + bits.to_bytes((count + 7) // 8, "little")


def lzw_pack(codes, min_code_size):
    """Codes as they are given, in the widths that a decoder expects."""
    clear = 1 << min_code_size
    bits = count = 0
    width, following, has_last = min_code_size + 1, clear + 2, False
    for code in codes:
        bits |= code << count
        count += width
        if code == clear:
            width, following, has_last = min_code_size + 1, clear + 2, False
            continue
        following += has_last and following < 4096
        has_last = True
        width = min(12, max(width, following.bit_length()))
    return bits.to_bytes((count + 7) // 8, "little")


def sub_blocks(data, size=255):
    out = b"".join(bytes([len(data[i:i + size])]) + data[i:i + size]
                   for i in range(0, len(data), size))
    return out + b"\0"


def table_bits(palette):
    return max(1, (len(palette) - 1).bit_length())


def color_table(palette):
    entries = list(palette) + [(0, 0, 0)] * ((1 << table_bits(palette)) - len(palette))
    return b"".join(bytes(color) for color in entries)


def interlaced_rows(height):
    return [row for first, step in ((0, 8), (4, 8), (2, 4), (1, 2))
            for row in range(first, height, step)]


def loop_extension(count, name=b"NETSCAPE2.0"):
    return b"!\xff\x0b" + name + b"\x03\x01" + struct.pack("<H", count) + b"\0"


def write_frame(frame, palette):
    used = frame.palette or palette
    out = b""
    if frame.control:
        flags = frame.disposal << 2 | (frame.transparent is not None)
        out += b"!\xf9\x04" + struct.pack("<BHB", flags, frame.delay_cs, frame.transparent or 0)
        out += b"\0"
    flags = (0x40 if frame.interlace else 0)
    if frame.palette:
        flags |= 0x80 | (table_bits(frame.palette) - 1)
    out += b"," + struct.pack("<HHHHB", frame.left, frame.top, frame.width, frame.height, flags)
    if frame.palette:
        out += color_table(frame.palette)
    pixels = frame.pixels
    if frame.interlace:
        rows = [pixels[i * frame.width:(i + 1) * frame.width] for i in range(frame.height)]
        pixels = [p for row in interlaced_rows(frame.height) for p in rows[row]]
    bits = frame.code_size or max(2, table_bits(used) if used else 8)
    data = frame.lzw if frame.lzw is not None else lzw_encode(pixels, bits)
    return out + bytes([bits]) + sub_blocks(data)


def write(frames, palette=None, loop=None, extensions=b"", background=0, size=(64, 32),
          version=b"89a", trailer=b";"):
    flags = (0x80 | 0x70 | (table_bits(palette) - 1)) if palette else 0x70
    out = b"GIF" + version + struct.pack("<HHBBB", *size, flags, background, 0)
    if palette:
        out += color_table(palette)
    if loop is not None:
        out += loop_extension(loop)
    out += extensions
    return out + b"".join(write_frame(f, palette) for f in frames) + trailer


def compose(frames, palette=None, size=(64, 32)):
    """[(pixels over black, duration in ms)]: what browsers show."""
    width, height = size
    canvas = [None] * (width * height)
    out = []
    for frame in frames:
        used = frame.palette or palette
        before = list(canvas)
        places = [(frame.top + y) * width + frame.left + x
                  for y in range(frame.height) for x in range(frame.width)]
        for place, index in zip(places, frame.pixels):
            entries = 1 << table_bits(used)
            transparent = frame.transparent if frame.control else None
            if index != transparent and index < entries:
                canvas[place] = used[index] if index < len(used) else (0, 0, 0)
        delay_ms = frame.delay_cs * 10 if frame.control else 0
        out.append(([p or (0, 0, 0) for p in canvas], 100 if delay_ms <= 10 else delay_ms))
        disposal = frame.disposal if frame.control else 0
        if disposal == BACKGROUND:
            for place in places:
                canvas[place] = None
        elif disposal >= PREVIOUS:
            canvas = before
    return out
