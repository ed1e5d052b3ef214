#!/usr/bin/env python3
"""Writes who makes the packages, and where the project lives, into the folder debian of a copy of the tree:

    control.py FOLDER [--maintainer "NAME <ADDRESS>"] [--homepage URL] [--vcs URL]

The tree itself names nobody: whoever publishes packages answers for them. tools/package calls it."""

import argparse
import pathlib
import re


def change(control, changelog, maintainer, homepage, vcs):
    """Returns the changed texts of control and changelog. None: that field stays as it is."""
    if maintainer:
        control = re.sub(r"^Maintainer: .*$", lambda _: f"Maintainer: {maintainer}", control, count=1, flags=re.M)
        # The date stays, so that the packages are the same again.
        changelog = re.sub(r"^ -- .*?>  ", lambda _: f" -- {maintainer}  ", changelog, count=1, flags=re.M)
    added = [f"{name}: {value}\n" for name, value in (("Homepage", homepage), ("Vcs-Browser", homepage and vcs and homepage),
                                                      ("Vcs-Git", vcs)) if value]
    return control.replace("Standards-Version:", "".join(added) + "Standards-Version:", 1), changelog


def address(text):
    if not re.fullmatch(r"[^<>\n]+ <[^<>\s@]+@[^<>\s@]+>", text):
        raise argparse.ArgumentTypeError("must be NAME <ADDRESS>")
    return text


def url(text):
    if not re.fullmatch(r"https://\S+", text):
        raise argparse.ArgumentTypeError("must begin with https://")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--maintainer", type=address)
    parser.add_argument("--homepage", type=url)
    parser.add_argument("--vcs", type=url)
    options = parser.parse_args()
    paths = [options.folder / name for name in ("control", "changelog")]
    texts = change(*(path.read_text() for path in paths), options.maintainer, options.homepage, options.vcs)
    for path, text in zip(paths, texts):
        path.write_text(text)


if __name__ == "__main__":
    main()
