#!/usr/bin/env python3
"""Makes a C table of the commonest passwords, of which a new password must be none.

    embed_passwords.py OUT LIST

LIST is a text file with a password a line, perhaps compressed by gzip: Debian's python3-django has
one. Those that are too short to be accepted anyway are left out; letters are compared in lower case.
"""

import gzip
import re
import sys

LENGTH_MIN = 10  # PASSWORD_LENGTH_MIN of include/domain/person.h


def read_lines(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", errors="ignore") as file:
        return [line.strip().lower() for line in file]


def main():
    out, source = sys.argv[1:]
    known = {word for word in read_lines(source)
             if len(word) >= LENGTH_MIN and re.fullmatch(r"[!-~]+", word)}
    quoted = [word.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
              for word in sorted(known)]
    lines = ["#include <stddef.h>", "", "extern const char *const common_passwords[];",
             "extern const size_t common_password_count;",
             "/* Sorted byte by byte. */", "const char *const common_passwords[] = {",
             *(f'\t"{word}",' for word in quoted), "};",
             f"const size_t common_password_count = {len(quoted)};", ""]
    with open(out, "w", encoding="ascii") as file:
        file.write("\n".join(lines))


main()
