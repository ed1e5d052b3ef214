"""Writes the seeds of the corpus: seed.py FOLDER. Found inputs are added by hand."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test"))

import giffile  # noqa: E402
import make_samples  # noqa: E402
import pngfile  # noqa: E402
import test_hostile  # noqa: E402
import test_png  # noqa: E402

if __name__ == "__main__":
    seeds = {name.replace(" ", "-"): data
             for name, data in {**test_hostile.SEEDS, **make_samples.samples()}.items()}
    for kind in test_png.KINDS:
        if kind[0] == 3 or kind[1] == 16:
            continue
        seeds["png-type{}-{}bit-{:d}-{:d}".format(*kind)] = test_png.make(*kind)[0]
    for interlace in (False, True):
        rows = [[(x // 8 * 9000, y * 300, 5, 65535 - y) for x in range(64)] for y in range(32)]
        seeds[f"png-16bit-{interlace:d}"] = pngfile.write(rows, 6, 16, interlace)
    frames = [giffile.Frame([i % 2], 1, 1, i, 3, 5, i % 4, 1) for i in range(20)]
    seeds["gif-tiny"] = giffile.write(frames, [(0, 0, 0), (9, 9, 9)], loop=0)
    for name, data in seeds.items():
        with open(os.path.join(sys.argv[1], "seed-" + name), "wb") as file:
            file.write(data)
