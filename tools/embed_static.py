#!/usr/bin/env python3
"""Makes C source of files that are served as they are: a table of include/http/static.h.

embed_static.py OUT.c TABLE [--cache-control VALUE] PATH=FILE... [--cache-control VALUE PATH=FILE...]

A --cache-control is for the files behind it. --list FILE stands for arguments in a file, one a line.
A gzip variant is made where it is smaller; FILE.br, where there is one, is the Brotli variant. A short page of
HTML goes as it is: it fits into one write either way, and scanners report a compressed front page (BREACH).
"""
import gzip
import hashlib
import os
import sys

SHORT_PAGE_BYTES = 4096

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/vnd.microsoft.icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def variants(path):
    """Returns the bytes of each coding that is smaller, and those of the file itself."""
    data = read(path)
    if path.endswith(".html") and len(data) <= SHORT_PAGE_BYTES:
        return {"IDENTITY": data}
    codings = {"IDENTITY": data, "GZIP": gzip.compress(data, 9, mtime=0)}
    if os.path.exists(path + ".br"):
        codings["BR"] = read(path + ".br")
    return {c: d for c, d in codings.items() if c == "IDENTITY" or len(d) < len(data)}


def text(value):
    return f'{{"{value}", {len(value)}}}'


def main():
    out, table, *arguments = sys.argv[1:]
    cache_control = "no-cache"
    lines = ['#include "http/static.h"', ""]
    entries = {}
    while arguments:
        argument = arguments.pop(0)
        if argument == "--cache-control":
            cache_control = arguments.pop(0)
            continue
        if argument == "--list":
            with open(arguments.pop(0), encoding="utf-8") as file:
                arguments = file.read().splitlines() + arguments
            continue
        path, file_name = argument.split("=", 1)
        bodies = []
        for coding, data in sorted(variants(file_name).items()):
            name = f"bytes_{len(entries)}_{coding.lower()}"
            octets = ",".join(str(octet) for octet in data)
            lines.append(f"static const unsigned char {name}[] = {{{octets}}};")
            tag = hashlib.sha256(data).hexdigest()[:32]
            bodies.append(f"[HTTP_CODING_{coding}] = {{{{(const char *){name}, {len(data)}}}, "
                          f'{{"\\"{tag}\\"", {len(tag) + 2}}}}}')
        kind = TYPES[os.path.splitext(file_name)[1]]
        entries[path] = (f'{{"{path}", {text(kind)}, {text(cache_control)}, '
                         f'{{{", ".join(bodies)}}}}},')
    lines += [
        "",
        f"extern const struct http_static_file {table}[];",
        f"extern const size_t {table}_count;",
        f"const struct http_static_file {table}[] = {{",
        *(entries[path] for path in sorted(entries)),
        "};",
        f"const size_t {table}_count = {len(entries)};",
        "",
    ]
    with open(out, "w", encoding="ascii") as file:
        file.write("\n".join(lines))


main()
