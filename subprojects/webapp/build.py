#!/usr/bin/env python3
"""What meson and tools/setup run to build the pages with Node.

build.py find [all]        prints the path of a Node that is new enough, where the packages that the
                           pages are made of are on this machine, or all of package-lock.json, which
                           tests need; asks no network
build.py fetch [all|run]   fetches those packages; 2 without such a Node
build.py build NODE FOLDER LIST DEPFILE [--development]     see build.mjs
"""

import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

OLDEST = (18, 18)
HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = HERE / "node_modules"
STAMP = PACKAGES / ".installed"
# npm is not to tell anybody anything, or to look for something newer.
QUIET = {"npm_config_update_notifier": "false", "npm_config_audit": "false",
         "npm_config_fund": "false"}


def node():
    """The path of Node, or None."""
    place = shutil.which("node")
    if not place:
        return None
    output = subprocess.run([place, "--version"], capture_output=True, text=True).stdout
    version = re.match(r"v(\d+)\.(\d+)", output)
    return place if version and tuple(map(int, version.groups())) >= OLDEST else None


def wanted():
    """Stands for what is to be installed."""
    digest = hashlib.sha256()
    for name in ("package.json", "package-lock.json"):
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()


def has_packages(part):
    """Who has all has also those of the pages."""
    return STAMP.exists() and STAMP.read_text() in {wanted(), wanted() + (" run" if part == "run" else "")}


def find(part="run"):
    place = node()
    if not place or not has_packages(part):
        return 1
    print(place)
    return 0


def fetch(part="all"):
    if not node():
        return 2
    with open(HERE / "package-lock.json", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if has_packages(part):
            return 0
        less = ["--omit=dev"] if part == "run" else []
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--prefer-offline",
                               "--loglevel=error", *less], cwd=HERE, env=os.environ | QUIET,
                              stdin=subprocess.DEVNULL)
        if done.returncode:
            return 1
        STAMP.write_text(wanted() + (" run" if less else ""))
    return 0


def build(place, folder, made, depfile, *options):
    command = [place, HERE / "build.mjs", os.path.abspath(folder), made, depfile, *options]
    return subprocess.run(command, stdin=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit({"find": find, "fetch": fetch, "build": build}[sys.argv[1]](*sys.argv[2:]))
