"""The Debian packages of this tree.

The variable PACKAGES names a folder with packages of tools/package. Without it they are made here, once for all
tests: that takes four minutes of a processor.
"""

import glob
import os
import shutil
import subprocess

import pytest
from server import ROOT

CANNOT_FETCH = 3


def make_packages(folder):
    """Paths of the packages, which may be copies in this folder. Skips the test if they cannot be made."""
    if os.environ.get("PACKAGES"):
        return sorted(glob.glob(os.path.join(os.environ["PACKAGES"], "*.deb")))
    if not shutil.which("dh"):
        pytest.skip("debhelper is not installed")
    done = subprocess.run(["tools/package", "--output", str(folder)], cwd=ROOT, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode == CANNOT_FETCH:
        pytest.skip("the libraries of packages cannot be fetched: " + done.stderr[-300:])
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def install(machine, paths):
    """Installs with dpkg alone: the machine already has all that the packages need of Debian."""
    for path in paths:
        machine.put(path, "/srv/" + os.path.basename(path))
    return machine.run("dpkg", "-i", *("/srv/" + os.path.basename(path) for path in paths))
