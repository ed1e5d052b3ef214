"""Packages of npm that tests need: what a package-lock.json says (installed_once.py)."""

import os
import shutil
import subprocess
import sys

import installed_once

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../tools"))

# pylint: disable=wrong-import-position
import node  # noqa: E402

FILES = ("package.json", "package-lock.json")
# None of them may send reports, or check for updates.
ENVIRONMENT = {"NO_UPDATE_NOTIFIER": "1", "CI": "true", "NO_COLOR": "1"}


def environment():
    """The environment in which "node" is that of tools/node.py, too."""
    return node.environment() | ENVIRONMENT


def install(source, name):
    """The folder in which node finds the packages of the lock file in source; name is its name in
    the build directory."""
    def run(place):
        for file in files:
            shutil.copy(file, place)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--prefer-offline", "--loglevel=error"],
                       cwd=place, env=environment(), check=True, timeout=600)

    files = [os.path.join(source, name) for name in FILES]
    return installed_once.install(name, files, node.VERSION, run)
