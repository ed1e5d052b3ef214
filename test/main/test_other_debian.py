"""displayd on the other Debian than this machine's, with that one's libraries: 13 where the tests run on 12,
12 where they run on 13. It starts, takes a push, and a panel polls the picture.

A program of Debian 12 runs on Debian 13, as it does after an upgrade of the system. One of Debian 13 asks for
a newer C library than Debian 12 has: there displayd is built anew.
"""

import contextlib
import os

import debian
import guests
import pytest
from guests import EMAIL, Desk, Guest
from server import DISPLAYCTL, DISPLAYD

BUILD_S = 1200
# Build only the parts that the test needs: compiling takes most of its time.
OPTIONS = ("-Dtests=false", "-Dstarlark=disabled", "-Dtypescript=disabled", "-Degress=disabled", "-Dweb=disabled",
           "--buildtype=plain")
RED = (255, 0, 0)


def build(machine):
    """Builds displayd and displayctl at the paths to which put_programs() would copy those of this machine."""
    machine.put_tree("/src")
    targets = ("src/main/displayd", "src/ctl/displayctl")
    machine.run("meson", "setup", *OPTIONS, "/made", "/src", patience_s=BUILD_S)
    machine.run("ninja", "-C", "/made", *targets, patience_s=BUILD_S)
    for made, program in zip(targets, (DISPLAYD, DISPLAYCTL)):
        machine.run("install", "-D", "/made/" + made, os.path.abspath(program))


@pytest.fixture(scope="module")
def server():
    is_on_trixie = debian.suite_of_this_machine() == "trixie"
    with contextlib.ExitStack() as stack:
        try:
            wanted = debian.BOOKWORM_TO_BUILD if is_on_trixie else debian.TRIXIE_TO_RUN
            machine = stack.enter_context(debian.Machine(debian.NOTHING, wanted))
        except debian.Unavailable as why:
            pytest.skip(str(why))
        if is_on_trixie:
            build(machine)
        else:
            guests.put_programs(machine)
        guests.add_users(machine)
        yield stack.enter_context(Guest(machine))


def test_a_push_and_its_picture(server):
    server.ctl("account", "create", EMAIL, "--name", "Ada")
    desk = Desk(server)
    desk.push(RED)
    desk.wait_until_polled(RED)


def test_no_process_has_ended(server):
    """No process has crashed since the start."""
    assert server.log().count('msg="worker started"') == server.worker_count
    assert "ended unexpectedly" not in server.log()


def test_it_stops(server):
    assert server.stop() == 0
