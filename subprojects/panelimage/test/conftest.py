"""Runs the built command, whose path is in PANELIMAGE, and decodes what it wrote by other means."""

import os
import shutil
import subprocess

import pytest


class Refused(Exception):
    """The command has refused the image; the text is its message."""


class Info:
    def __init__(self, line):
        self.format, *numbers = line.split()
        self.frames, self.duration_ms, self.loop_count, self.bytes = map(int, numbers)


def command():
    return os.environ.get("PANELIMAGE", "panelimage")


def run_convert(data, size=None, limit=None):
    """Returns (WebP, Info) or raises Refused. Anything but these two ends the test."""
    arguments = ["--size", "{}x{}".format(*size)] if size else []
    if limit is not None:
        arguments += ["--limit", str(limit)]
    done = subprocess.run([command(), *arguments, "-", "-"], input=data, capture_output=True,
                          timeout=60)
    text = done.stderr.decode()
    if done.returncode == 1:
        assert text.endswith("\n") and text.count("\n") == 1 and not text.endswith(".\n")
        raise Refused(text.rstrip("\n"))
    assert done.returncode == 0, text
    info = Info(text)
    assert info.bytes == len(done.stdout)
    return done.stdout, info


@pytest.fixture
def convert():
    return run_convert


def needs(*tools):
    missing = [tool for tool in tools if not shutil.which(tool)]
    return pytest.mark.skipif(bool(missing), reason="not installed: " + " ".join(missing))
