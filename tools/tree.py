"""Shared parts of the checks: the list of our files, and the report of faults."""

import argparse
import os
import pathlib
import sys

SKIPPED_FOLDERS = {".git", "build", "state", "__pycache__", ".pytest_cache", "node_modules"}


def is_source_package(folder):
    """Whether it is a source package of Debian, such as those that tools/setup unpacks into subprojects."""
    return os.path.exists(os.path.join(folder, "debian/changelog"))


def files(root, *suffixes):
    """Yields all files below root with one of these endings (none given: all), in a stable order."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in sorted(set(folders) - SKIPPED_FOLDERS)
                      if not is_source_package(os.path.join(folder, name))]
        for name in sorted(set(names) - SKIPPED_FOLDERS):  # .git is a file in a work tree of git
            path = pathlib.Path(folder, name)
            if (not suffixes or name.endswith(suffixes)) and not path.is_symlink():
                yield path


def is_data(path):
    """Whether the file is test data or a list written by a program, not a text of ours."""
    if path.name == "package-lock.json":
        return True
    return any(part.endswith("corpus") or part == "data" for part in path.parts)


def reasons(path):
    """Reads a list of exceptions: (what, reason) for each line."""
    for line in path.read_text().splitlines() if path.exists() else ():
        if line and not line.startswith("#"):
            what, _, reason = line.partition(" ")
            yield what, reason.strip()


def first_line(path):
    with open(path, "rb") as file:
        return file.readline(200)


def python_files(root):
    """Yields files named .py, and commands whose first line names Python."""
    for path in files(root):
        if path.suffix == ".py" or (not path.suffix and b"python3" in first_line(path)[:40]):
            yield path


def shell_files(root):
    for path in files(root):
        if path.suffix == ".sh" or first_line(path).startswith((b"#!/bin/bash", b"#!/bin/sh")):
            yield path


def arguments(text, with_build=False):
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--root", type=pathlib.Path, help="the tree to look at")
    if with_build:
        parser.add_argument(
            "--build",
            type=pathlib.Path,
            default=os.environ.get("MESON_BUILD_ROOT"),
            help="a folder made by meson setup, and built",
        )
    parsed = parser.parse_args()
    parsed.root = (parsed.root or pathlib.Path(__file__).parent.parent).resolve()
    if with_build:
        if not parsed.build:
            parser.error("--build is needed")
        parsed.build = pathlib.Path(parsed.build).resolve()
    return parsed


def finish(faults):
    """Prints every fault, one per line, and exits with 1 if there are any."""
    faults = list(faults)
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)
