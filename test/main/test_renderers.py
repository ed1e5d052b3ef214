"""The render host among displayd's processes: its rights, its end, and that nothing runs before there is
something to render."""

import os

import pytest
from conftest import is_alive, kill
from server import wait_until

as_root = pytest.mark.skipif(os.getuid() != 0, reason="as root alone")
pytestmark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK"), reason="built without the renderer of apps in Starlark"
)


def status(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return {name: value.split() for name, value in (line.split(":", 1) for line in file)}


def below(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return file.read().split()


def sockets(pid):
    links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    return {link for link in links if link.startswith("socket:")}


def test_nothing_runs_before_there_is_something_to_render(serve):
    server = serve(workers=2).start()
    assert server.get("/readyz").status == 200
    host = server.render_host()
    assert below(host) == []
    with open(f"/proc/{host}/smaps_rollup", encoding="ascii") as file:
        own = sum(int(line.split()[1]) for line in file if line.startswith("Private_Dirty"))
    assert own < 4096 or "asan" in open(f"/proc/{host}/maps", encoding="ascii").read()  # KiB


def test_no_app_is_rendered_where_that_is_turned_off(serve):
    server = serve("--renderers", "0", workers=1).start()
    assert server.get("/readyz").status == 200
    assert "renderers started" not in server.log()
    assert server.stop() == 0


def test_a_host_that_is_killed_is_replaced(serve):
    server = serve(workers=1).start()
    host, workers = server.render_host(), server.workers()
    kill(host)
    server.wait_for_log('msg="renderers ended unexpectedly"')
    server.wait_for_log('msg="renderers started"', 2)
    assert wait_until(lambda: (now := server.render_host()) != host and now, "another host")
    assert server.get("/readyz").status == 200
    assert server.workers() == workers
    assert server.stop() == 0


def test_it_ends_with_displayd(serve):
    server = serve(workers=1).start()
    host = server.render_host()
    assert server.stop() == 0
    assert not is_alive(host)
    server = serve(workers=1).start()
    host = server.render_host()
    kill(server.process.pid)
    wait_until(lambda: not is_alive(host), "the end of the host")


def test_what_the_processes_have_open(serve):
    """The host has nothing that requests come through; of the links a worker has its own alone."""
    server = serve(workers=3).start()
    host, workers = server.render_host(), [sockets(pid) for pid in server.workers()]
    made = sockets(server.process.pid)
    listening = set.intersection(*workers)
    assert len(listening & made) == 2  # that of --listen, and that of displayctl status
    for number, own in enumerate(workers):
        assert not own & sockets(host)
        assert len(own & made - listening) == 1, number
    assert len(sockets(host) & made) == 2 * len(workers)  # of two generations


@as_root
def test_its_rights(serve):
    server = serve(workers=1).start()
    needed = (5, 6, 7, 8)  # of <linux/capability.h>: to signal, and to start with another user
    wait_until(lambda: int(status(server.render_host())["CapEff"][0], 16)
               == sum(1 << number for number in needed), "a host that has given up the others")
    assert status(server.render_host())["Uid"] == ["0"] * 4
