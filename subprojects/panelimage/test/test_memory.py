"""Hostile files take little memory."""

import os
import subprocess

import pytest

import hostile

HOSTILE = hostile.files()
MEMORY_MAX = 32 * 1024 * 1024
HELD_MAX = 1024 * 1024  # PANELIMAGE_HELD_MAX_BYTES


@pytest.mark.skipif("PANELIMAGE_HEAP_PEAK" not in os.environ, reason="built with a sanitizer")
def test_memory(tmp_path):
    """The heap at its peak, in a step, and what is held between two steps: counted, not
    measured."""
    for name, data in HOSTILE.items():
        (tmp_path / name).write_bytes(data)
    done = subprocess.run([os.environ["PANELIMAGE_HEAP_PEAK"]]
                          + [str(tmp_path / name) for name in HOSTILE],
                          capture_output=True, check=True, timeout=300)
    lines = [line.split() for line in done.stdout.decode().splitlines()]
    assert len(lines) == len(HOSTILE)
    assert max(int(peak) for peak, _, _ in lines) < MEMORY_MAX, lines
    assert max(int(held) for _, held, _ in lines) < HELD_MAX, lines
