"""tools/setup in a Debian 12 that has nothing: what it says that it would install, before it does."""

import os
import re

import debian
import pytest
from server import ROOT

PATIENCE_S = 900
SAID = re.compile(r"^tools/setup: installing (\d+) packages, ([\d.,]+) ([MG]B) of disk space:", re.M)
# Mirrors change from day to day, and the page says what was there on one of them.
FACTOR = 2


@pytest.fixture(scope="module")
def machine():
    try:
        with debian.Machine(debian.NOTHING, debian.BARE, shares_network=True) as made:
            made.put_tree("/src")
            yield made
    except debian.Unavailable as why:
        pytest.skip(str(why))


def megabytes(number, unit):
    return float(number.replace(",", "")) * {"MB": 1, "GB": 1000}[unit]


def announced(machine, *options):
    """Packages and megabytes of all steps."""
    text = machine.run("/src/tools/setup", "--announce", *options, patience_s=PATIENCE_S)
    found = SAID.findall(text)
    assert found, text
    assert "fetching the modules of Go" in text and "fetching the packages of npm" in text
    return sum(int(count) for count, *_ in found), sum(megabytes(*size) for _, *size in found)


def promised():
    """README.md on what is needed to run, and on what tests need beside it."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        text = " ".join(file.read().split())
    found = re.search(r"\(`tools/setup --run`, .*?\) is (\d+) packages and ([\d.]+) ([MG]B) .*?"
                      r"`tools/test` also asks for what tests need, (\d+) packages and ([\d.]+) ([MG]B) more", text)
    return (int(found[1]), megabytes(*found.group(2, 3))), (int(found[4]), megabytes(*found.group(5, 6)))


def test_what_it_announces(machine):
    """Two parts: what is needed to run, and the rest. They are about as large as README.md says."""
    def state():
        return machine.run("sh", "-c", "dpkg-query -W; getent passwd; ls -A /etc /etc/apt /usr/sbin")

    before = state()
    run, everything = announced(machine, "--run"), announced(machine)
    assert state() == before
    rest = [whole - part for whole, part in zip(everything, run)]
    for found, said in zip((run, rest), promised()):
        print("announced:", *found, "README.md:", *said)
        for one, other in zip(found, said):
            assert other / FACTOR < one < other * FACTOR


def test_what_it_is_not_asked_for(machine):
    """It says how it is called."""
    text = machine.run("/src/tools/setup", "--anounce", check=False)
    assert "tools/setup --announce" in text and "installing" not in text
