"""bench/run --list and --help on a machine that has only Python."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# -S: without package folders. -E: without variables of the environment.
ALONE = ["/usr/bin/python3", "-E", "-S", ROOT / "bench/run"]


@pytest.mark.parametrize("option, line", [("--list", r"livez +GET /livez, 256 connections"),
                                          ("--list", r"hostile +GET device, .* \(slow\)"),
                                          ("--help", r" +bench/run --list +.*")])
def test_needs_no_packages(option, line):
    done = subprocess.run([*ALONE, option], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(f"^{line}$", done.stdout, re.M)


def test_says_what_is_missing():
    done = subprocess.run([*ALONE, "livez"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert re.fullmatch(r"bench/run: not installed: .*psycopg2.*; bench/setup installs it\n", done.stderr)
