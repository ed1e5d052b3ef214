#!/usr/bin/env python3
"""Makes C source of files: a struct str for each.

embed_files.py OUT.c NAME=FILE...
"""
import sys


def main():
    out, *files = sys.argv[1:]
    lines = ["#include <text/str.h>", ""]
    for file_name in files:
        name, path = file_name.split("=", 1)
        with open(path, "rb") as file:
            data = file.read()
        octets = ", ".join(f"0x{octet:02x}" for octet in data)
        lines += [
            f"static const unsigned char {name}_bytes[] = {{{octets}}};",
            f"const struct str {name};",
            f"const struct str {name} = {{(const char *){name}_bytes, {len(data)}}};",
            "",
        ]
    with open(out, "w", encoding="ascii") as file:
        file.write("\n".join(lines))


main()
