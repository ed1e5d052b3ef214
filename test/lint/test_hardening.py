"""All code compiled into displayd is hardened, including our own libraries."""

import json
import os
import pathlib
import platform

import pytest

BUILD = os.environ.get("BUILD")
MEANS = {"x86_64": "-fcf-protection", "aarch64": "-mbranch-protection=standard"}


@pytest.fixture(scope="module")
def commands():
    if not BUILD:
        pytest.skip("BUILD names no build folder")
    commands = json.loads((pathlib.Path(BUILD) / "compile_commands.json").read_text())
    ours = [one for one in commands if one["file"].endswith(".c")]
    assert any("panelimage" in one["file"] for one in ours)
    return ours


def without(commands, *flags):
    return [one["file"] for one in commands
            if not any(flag in one["command"].split() for flag in flags)]


def test_stacks_cannot_be_jumped_over(commands):
    assert without(commands, "-fstack-clash-protection") == []


def test_returns_are_guarded(commands):
    assert without(commands, "-fstack-protector-strong") == []


@pytest.mark.skipif(platform.machine() not in MEANS, reason="this processor has no such means")
def test_jumps_land_where_they_may(commands):
    assert without(commands, MEANS[platform.machine()]) == []


def test_calls_of_the_library_are_checked(commands):
    """Sanitizers have checks of their own, so their builds are excluded."""
    checked = [one for one in commands if "-fsanitize=" not in one["command"]
               and "-O0" not in one["command"].split()]
    if len(checked) < len(commands) / 2:
        pytest.skip("this build has a sanitizer")
    assert without(checked, "-D_FORTIFY_SOURCE=3", "-D_FORTIFY_SOURCE=2") == []


def test_links_use_all_processors(commands):
    """gcc links as many parts at a time as the objects say; without "=auto" one after the other."""
    whole = [one for one in commands if any(flag.startswith("-flto") for flag in one["command"].split())]
    if not whole or "clang" in whole[0]["command"].split()[0]:
        pytest.skip("this build has no link-time optimization of gcc")
    assert without(whole, "-flto=auto") == []
