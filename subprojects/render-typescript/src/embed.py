#!/usr/bin/env python3
"""embed.py INPUT OUTPUT NAME: writes a file as an array of bytes in C, which ends with a NUL."""

import sys

with open(sys.argv[1], "rb") as file:
    data = file.read() + b"\0"
lines = (",".join(map(str, data[i:i + 24])) for i in range(0, len(data), 24))
with open(sys.argv[2], "w", encoding="ascii") as file:
    file.write(f"extern const char {sys.argv[3]}[];\nconst char {sys.argv[3]}[] = {{\n" + ",\n".join(lines) + "};\n")
