"""Packages of npm that tests need, in the build directory, installed once.

What is installed is what a package-lock.json says; it is installed again when that changes. When all
is there, nothing asks a network.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../tools"))

# pylint: disable=wrong-import-position
import node  # noqa: E402

FILES = ("package.json", "package-lock.json")
# None of them is to tell anybody anything, or to look for something newer.
ENVIRONMENT = {"NO_UPDATE_NOTIFIER": "1", "CI": "true", "NO_COLOR": "1"}

_failures = {}


def environment():
    """With it "node" is the one of tools/node.py, too."""
    return node.environment() | ENVIRONMENT


def install(source, name):
    """The folder in which node finds the packages of the lock file in source; name is its name in
    the build directory. Where it fails it is not tried again: without a network each test would wait
    for the same time-outs."""
    if source in _failures:
        raise _failures[source]
    try:
        return _install(source, name)
    except Exception as error:
        _failures[source] = error
        raise


def _wanted(source):
    """Stands for what is to be installed, and for what."""
    digest = hashlib.sha256()
    for name in FILES:
        with open(os.path.join(source, name), "rb") as file:
            digest.update(file.read())
    digest.update(node.VERSION.encode())
    return digest.hexdigest()


def _install(source, name):
    root = os.environ.get("MESON_BUILD_ROOT") or os.path.join(HERE, "../build")
    place = os.path.abspath(os.path.join(root, name))
    os.makedirs(place, exist_ok=True)
    stamp = os.path.join(place, "installed")
    with open(os.path.join(place, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = _wanted(source)
        if os.path.exists(stamp):
            with open(stamp, encoding="ascii") as file:
                if file.read() == wanted:
                    return place
            os.unlink(stamp)
        for file in FILES:
            shutil.copy(os.path.join(source, file), place)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--prefer-offline", "--loglevel=error"],
                       cwd=place, env=environment(), check=True, timeout=600)
        with open(stamp, "w", encoding="ascii") as file:
            file.write(wanted)
    return place
