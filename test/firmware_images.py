"""Firmware images as the tools of the chips make them, with the fields of panels' firmware."""

import hashlib
import struct

FIELDS = (b"XplaceholderWIFISSID".ljust(32, b"_"), b"XplaceholderWIFIPASSWORD".ljust(64, b"_"),
          b"XplaceholderREMOTEURL".ljust(128, b"_"))


def image(chip=9, fields=FIELDS, project=b"firmware", version=b"v1.6.6", tail=b"", last=bytes(range(256)) * 5,
          padding=b""):
    """An application as the chip's tools make it: header, description, two segments, checksum, hash."""
    description = struct.pack("<IIQ", 0xABCD5432, 0, 0) + version.ljust(32, b"\0") + project.ljust(32, b"\0")
    first = description.ljust(256, b"\0") + b"".join(field + b"\0" for field in fields)
    segments = [first.ljust(len(first) + -len(first) % 4, b"\0"), last]
    made = struct.pack("<BBBBI4sHBHH4xB", 0xE9, len(segments), 2, 0x3F, 0x40081234, bytes(4), chip, 0, 0, 99, 1)
    assert len(made) == 24
    checksum = 0xEF
    for number, segment in enumerate(segments):
        made += struct.pack("<II", 0x3F400020 + (number << 16), len(segment)) + segment
        for byte in segment:
            checksum ^= byte
    made += padding.ljust(15 - len(made) % 16, b"\0") + bytes([checksum])
    return made + hashlib.sha256(made).digest() + tail


def merged():
    return b"\xff" * 0x1000 + image(fields=()) + b"\xff" * (0x10000 - 0x1000 - len(image(fields=()))) + image()
