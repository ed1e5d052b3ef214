#!/usr/bin/env python3
"""Processor time of converting GIFs to WebP, beside the fastest settings of libwebp's own programs.

animations.py BUILD     BUILD is a folder that meson has set up, best with -Dbuildtype=release

For animations of 4, 40 and 292 frames, run alternately: panelimage, gif2webp -m 0, and img2webp -m 0 on the frames
as PNG files. Times are user and system time of processes, less what each program takes to start, medians of ROUNDS;
target: at most 0.8 of the cheaper program of the two. Beside other load this time stays about the same. Needs the
package webp (bench/setup).

The last column is a conversion within a process that has converted before, as in the server, by the clock: its
shortest time. Where a process is new, most of the time of 4 frames goes into first uses of memory."""

import io
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

# pylint: disable=wrong-import-position
from scenarios import pictures  # noqa: E402

ROUNDS = 7
RUNS = 5  # in a row, of which one time is made
TARGET = 0.8
WIDTH, HEIGHT = pictures.WIDTH, pictures.HEIGHT


def scroller(frames):
    """A GIF in which blocks like letters scroll over a background: 25 KB for 292 frames."""
    chance = random.Random(1)
    text = Image.new("P", (4 * frames + WIDTH, 8))
    for x in range(0, text.width, 6):
        text.paste(1 + x % 3, (x, chance.randrange(3), x + 4, 3 + chance.randrange(5)))
    images = []
    for number in range(frames):
        image = Image.new("P", (WIDTH, HEIGHT))
        image.putpalette([0, 0, 0, 250, 200, 60, 90, 160, 250, 240, 90, 90])
        image.paste(2, (0, 26, WIDTH, 28))
        image.paste(text.crop((number, 0, number + WIDTH, 8)), (0, 10))
        images.append(image)
    file = io.BytesIO()
    images[0].save(file, "GIF", save_all=True, append_images=images[1:], duration=50, loop=0)
    return file.getvalue()


FILES = {
    "4 frames": pictures.animation(4),
    "40 frames": pictures.animation(40),
    "292 frames": pictures.animation(292),
    "292 frames that scroll": scroller(292),
}


def cpu_ms(command, may_fail=False):
    """User and system time of one run, in milliseconds, the mean of some."""
    used = 0.0
    for _ in range(RUNS):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode and not may_fail:
            sys.exit(f"{command[0]} ended with {process.returncode}")
        used += usage.ru_utime + usage.ru_stime
    return used * 1000 / RUNS


def write_frames(gif, folder):
    """Paths of the frames as PNG files."""
    paths = []
    with Image.open(io.BytesIO(gif)) as image:
        for number in range(image.n_frames):
            image.seek(number)
            paths.append(folder / f"{number:04}.png")
            image.convert("RGB").save(paths[-1])
    return paths


def start_ms(command):
    return statistics.median(cpu_ms(command, may_fail=True) for _ in range(ROUNDS))


def warm_ms(build, source):
    """Shortest time of panelimage_bench."""
    printed = subprocess.run([build / "bench/panelimage_bench", source], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    return int(printed.split()[0]) / 1000


def compare(build, starts, name, gif):
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        source, outputs = folder / "in.gif", [folder / f"out{number}.webp" for number in range(3)]
        source.write_bytes(gif)
        commands = [[build / "panelimage", source, outputs[0]],
                    ["gif2webp", "-quiet", "-m", "0", source, "-o", outputs[1]],
                    ["img2webp", "-lossless", "-m", "0", "-d", "50", *write_frames(gif, folder),
                     "-o", outputs[2]]]
        rounds = [[cpu_ms(command) - start for command, start in zip(commands, starts)]
                  for _ in range(ROUNDS)]
        sizes = [path.stat().st_size for path in outputs]
        warm = warm_ms(build, source)
    ours, theirs, frames = (statistics.median(column) for column in zip(*rounds))
    ratios = [own / min(others) for own, *others in rounds]
    middle = statistics.median(ratios)
    print(f"{name:24}{len(gif):>7}{ours:>9.2f}{theirs:>9.2f}{frames:>9.2f}{middle:>7.2f}"
          f" ({min(ratios):.2f} to {max(ratios):.2f}){'' if middle <= TARGET else ' missed'}"
          f"  {' '.join(map(str, sizes))}{warm:>9.2f}")


def main():
    build = pathlib.Path(sys.argv[1]) / "subprojects/panelimage"
    for program in ("gif2webp", "img2webp"):
        if not shutil.which(program):
            sys.exit(f"{program} is not installed: run bench/setup")
    starts = [start_ms([build / "panelimage"]), start_ms(["gif2webp", "-version"]),
              start_ms(["img2webp", "-version"])]
    print(f"{'':24}{'bytes':>7}{'ours ms':>9}{'gif2webp':>9}{'img2webp':>9}{'ratio':>7}  bytes made, ours warm ms")
    for name, gif in FILES.items():
        compare(build, starts, name, gif)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
