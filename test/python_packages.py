"""Packages of PyPI that tests need: what a requirements.txt with hashes says (installed_once.py)."""

import os
import shutil
import subprocess
import sys

import installed_once

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../tools"))

# pylint: disable=wrong-import-position
import node  # noqa: E402


def install(requirements, name):
    """The folder from which Python imports them; name is its name in the build directory."""
    def run(place):
        shutil.rmtree(os.path.join(place, "packages"), ignore_errors=True)
        subprocess.run([*node.pip(), "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:",
                        "--no-compile", "--target", os.path.join(place, "packages"), "--requirement", requirements],
                       stdin=subprocess.DEVNULL, check=True, timeout=600)

    place = installed_once.install(name, [requirements], sys.version, run)
    return os.path.join(place, "packages")
