"""Writes vectors.h: what Python says about UTF-8 and Base64, for the tests in C."""

import base64
import itertools
import random
import sys
import unicodedata

# Around every border of table 3-7 of the Unicode standard.
UTF8_BORDERS = bytes.fromhex("0041 7f80 8f90 9fa0 bfc0 c1c2 dfe0 e1ec edee eff0 f1f3 f4f5 ff")
BASE64_BORDERS = b"ABQwgZz09+/-_= \n\0~\x80"


def is_utf8(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def is_base64(text):
    """Canonical, padded rightly or not at all, in one alphabet, white space anywhere."""
    text = bytes(c for c in text if c not in b" \n\r\t\f")
    bare = text.rstrip(b"=")
    if text != bare and (len(text) % 4 != 0 or len(text) - len(bare) > 2):
        return False
    if len(bare) % 4 == 1:
        return False
    padded = bare + b"=" * (-len(bare) % 4)
    for altchars in (b"+/", b"-_"):
        try:
            data = base64.b64decode(padded, altchars, validate=True)
        except ValueError:
            continue
        if base64.b64encode(data, altchars) == padded:
            return True
    return False


def bitmap(name, alphabet, length, is_good):
    bits = [is_good(bytes(t)) for t in itertools.product(alphabet, repeat=length)]
    data = bytearray((len(bits) + 7) // 8)
    for i, bit in enumerate(bits):
        data[i // 8] |= bit << i % 8
    return f"static const uint8_t {name}_{length}[] = {{{','.join(map(str, data))}}};"


def c_bytes(name, data):
    return f"static const uint8_t {name}[] = {{{','.join(map(str, data))}}};"


def ranges(name, predicate):
    found = [c for c in range(0x110000) if predicate(chr(c))]
    return f"static const uint32_t {name}[] = {{{','.join(map(str, found))}}};"


def is_white_space(c):
    # str.isspace() also takes the four information separators, which are not White_Space.
    return c.isspace() and not 0x1C <= ord(c) <= 0x1F


def base64_vectors(rng):
    yield "static const struct { const char *text; const char *hex; } base64_vectors[] = {"
    for size in itertools.chain(range(70), [191, 192, 193]):
        data = rng.randbytes(size)
        for altchars in (b"+/", b"-_"):
            text = base64.b64encode(data, altchars).decode()
            for form in {text, text.rstrip("=")}:
                yield f'{{"{form}", "{data.hex()}"}},'
    yield "};"


def main():
    rng = random.Random(1)
    lines = ["#pragma once", "#include <stdint.h>"]
    lines.append(c_bytes("utf8_borders", UTF8_BORDERS))
    lines += [bitmap("utf8_good", UTF8_BORDERS, n, is_utf8) for n in range(1, 5)]
    lines.append(ranges("control_characters", lambda c: unicodedata.category(c) == "Cc"))
    lines.append(ranges("white_space", is_white_space))
    lines.append(c_bytes("base64_borders", BASE64_BORDERS))
    lines += [bitmap("base64_good", BASE64_BORDERS, n, is_base64) for n in range(1, 5)]
    lines += base64_vectors(rng)
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


main()
