"""Writes vectors.h: timestamps as Python computes them, for the tests in C."""

import datetime
import random
import sys

EPOCH = datetime.datetime(1970, 1, 1)


def timestamp_vectors(rng):
    first = (datetime.datetime(1, 1, 1) - EPOCH) // datetime.timedelta(microseconds=1)
    last = (datetime.datetime.max - EPOCH) // datetime.timedelta(microseconds=1)
    times = [first, last, -1, 0, 1, 999, 1000, -999, -1000, -1001, 951782399999999, 951782400000000]
    times += [rng.randint(first, last) for _ in range(500)]
    yield "static const struct { int64_t wall_us; const char *text; } timestamp_vectors[] = {"
    for wall_us in times:
        t = EPOCH + datetime.timedelta(microseconds=wall_us)
        text = f"{t.year:04}-{t:%m-%dT%H:%M:%S}.{t.microsecond // 1000:03}Z"
        yield f'{{{wall_us}LL, "{text}"}},'
    yield "};"


def main():
    rng = random.Random(1)
    lines = ["#pragma once", "#include <stdint.h>"]
    lines += timestamp_vectors(rng)
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


main()
