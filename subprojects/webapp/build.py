#!/usr/bin/env python3
"""Lets meson and tools/setup build the pages with Node.

build.py find [all]        prints the path of Node (tools/node.py), if the packages that the pages are made
                           of are on this machine, or all of package-lock.json, which tests need; asks no
                           network
build.py fetch [all|run]   fetches Node and those packages
build.py mark [all|run]    prints the content of node_modules/.installed
build.py build NODE FOLDER LIST DEPFILE [--development]     see build.mjs
"""

import fcntl
import hashlib
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
sys.dont_write_bytecode = True

import node  # noqa: E402 pylint: disable=wrong-import-position

API = HERE.parent.parent / "docs/api"

PACKAGES = HERE / "node_modules"
STAMP = PACKAGES / ".installed"


def wanted():
    """Returns a checksum of the packages to install."""
    digest = hashlib.sha256()
    for name in ("package.json", "package-lock.json"):
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()


def mark_of(part):
    """Returns the content of the stamp of an installed part."""
    return wanted() + (" run" if part == "run" else "")


def has_packages(part):
    """Whether the packages of this part are installed; those for "run" include those of the pages."""
    return STAMP.exists() and STAMP.read_text() in {wanted(), mark_of(part)}


def find(part="run"):
    return node.find() if has_packages(part) else 1


def fetch(part="all"):
    if node.fetch():
        return 1
    with open(HERE / "package-lock.json", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if has_packages(part):
            return 0
        less = ["--omit=dev"] if part == "run" else []
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--prefer-offline",
                               "--loglevel=error", *less], cwd=HERE, env=node.environment(),
                              stdin=subprocess.DEVNULL)
        if done.returncode:
            return 1
        STAMP.write_text(mark_of(part))
    return 0


def mark(part="all"):
    print(mark_of(part), end="")
    return 0


def plain_settings(path):
    """Writes the plain forms of docs/api, and the files that they were made from, for build.mjs."""
    import plain_settings as plain  # noqa: PLC0415 pylint: disable=import-outside-toplevel
    operations = plain.record_schemas.operations
    try:
        document = operations.read(API, "pages")
        forms = plain.forms_of(document)
    except operations.problem_kinds.Fault as fault:
        sys.exit(str(fault))
    tools = [operations.__file__, plain.__file__, plain.record_schemas.__file__, __file__]
    inputs = [os.path.abspath(one) for one in [*document.files, *tools]]
    path.write_text(json.dumps({"forms": forms, "inputs": inputs}), encoding="utf-8")


def build(place, folder, made, depfile, *options):
    settings = pathlib.Path(f"{made}.settings.json").absolute()
    plain_settings(settings)
    command = [place, HERE / "build.mjs", os.path.abspath(folder), made, depfile, settings, *options]
    return subprocess.run(command, stdin=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit({"find": find, "fetch": fetch, "mark": mark, "build": build}[sys.argv[1]](*sys.argv[2:]))
