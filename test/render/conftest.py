"""An app that its author has in a file."""

import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


@pytest.fixture
def app(tmp_path):
    """Writes a script. Returns its path."""

    def write(text, name="mine.star"):
        path = tmp_path / name
        part = tmp_path / f"{name}.part"
        part.write_text(text)
        part.rename(path)  # watchers see a single change
        return path

    return write
