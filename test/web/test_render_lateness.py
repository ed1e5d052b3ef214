"""Apps beside busy programs: that their pictures come late is told, and their renderers get more of the processors."""

import contextlib
import os
import signal
import subprocess

import pytest
from authors import Author
from devices import Seat
from people import Person, World, wait_until
from rendered import HEAD, installed, published

pytestmark = pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no engine is built")
SLOW = HEAD + """
def main():
    n = 0
    for i in range(6000000):
        n += i
    return render.Root(child = render.Box(color = "#f00"), max_age = 15)
"""
DEVICES = 8


@contextlib.contextmanager
def busy_programs():
    """More programs than processors, in a session of their own, as of another person's terminal."""
    loops = " ".join("while :; do :; done &" for _ in range(4 * os.cpu_count()))
    with subprocess.Popen(["sh", "-c", f"{loops} wait"], start_new_session=True) as begun:
        try:
            yield
        finally:
            os.killpg(begun.pid, signal.SIGKILL)


def session_nice(pid):
    with open(f"/proc/{pid}/autogroup", encoding="ascii") as file:
        return int(file.read().split()[-1])


def nice_of_renderers(host):
    with open(f"/proc/{host}/task/{host}/children", encoding="ascii") as file:
        for pid in file.read().split():
            with contextlib.suppress(OSError):  # it has just ended
                yield os.getpriority(os.PRIO_PROCESS, int(pid))


@pytest.fixture
def world(postgres):
    with World(postgres.create_database(), "--rate-limit", "0", "--renderers", "1") as one:
        yield one


def test_late_pictures_are_told_and_get_more_of_the_processors(world):
    reviewer, browser = Person(world, is_reviewer=True).browser(), Person(world).browser()
    app = published(Author(world), reviewer, SLOW)
    host, own = world.server.render_host(), os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.ExitStack() as stack:
        stack.enter_context(busy_programs())
        for number in range(DEVICES):  # each has a picture of its own
            made = installed(browser, app, timezone=f"Etc/GMT+{number + 1}")
            stack.enter_context(Seat(world, made["link"]))
        status = wait_until(lambda: (told := world.server.ctl("status"))["renderLatenessSeconds"] >= 10 and told,
                            "late pictures", patience_s=300)
        assert status["renderingProblem"] == ""
        assert "s late: the processors are busy" in world.server.ctl("status", json_output=False)
        if own < 10:
            wait_until(lambda: own in set(nice_of_renderers(host)), "a renderer with the priority of others", patience_s=300)
        if os.path.exists(f"/proc/{host}/autogroup"):
            assert session_nice(host) == 0
    wait_until(lambda: world.server.ctl("status")["counters"]["rendersLate"] > 0, "a late picture", patience_s=300)
