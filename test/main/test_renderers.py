"""The render host among displayd's processes: its rights and its end. No renderer runs before there is
something to render."""

import os
import shutil
import signal

import pytest
from conftest import is_alive, kill, refusing
from ctl_scene import query
from server import DISPLAYD, wait_until
from verdicts import can_run

as_root = pytest.mark.skipif(os.getuid() != 0, reason="as root alone")
pytestmark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK"), reason="built without the Starlark renderer"
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
    assert below(server.render_host()) == []  # the host still runs for the egress
    assert "crashed too often" not in server.log()
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


def test_a_host_that_hangs_is_replaced(serve):
    """Missing heartbeats show that a host hangs, as with a worker."""
    server = serve(workers=1).start()
    host, workers = server.render_host(), server.workers()
    wait_until(lambda: server.get("/readyz").status == 200, "that it serves")
    kill(host, signal.SIGSTOP)
    server.wait_for_log('msg="renderers did not respond, killed"')
    server.wait_for_log('msg="renderers ended unexpectedly" number=1 signal=9')
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
    """The host has no listening socket, and a worker has only its own renderer socket."""
    server = serve(workers=3).start()
    host, workers = server.render_host(), [sockets(pid) for pid in server.workers()]
    made = sockets(server.process.pid)
    listening = set.intersection(*workers)
    assert len(listening & made) == 2  # the socket of --listen, and that of displayctl status
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


class Tree:
    """Installed programs, of which those that render can be replaced."""

    def __init__(self, folder, others):
        self.libexec = os.path.join(folder, "libexec/displayd")
        os.makedirs(self.libexec)
        os.makedirs(os.path.join(folder, "bin"))
        os.chmod(folder, 0o755)
        self.displayd = shutil.copy(os.path.realpath(DISPLAYD), os.path.join(folder, "bin"))
        for name, path in (PROGRAMS | others).items():
            shutil.copy(path, os.path.join(self.libexec, name))

    def mend(self, name):
        path = os.path.join(self.libexec, name)
        shutil.copy(PROGRAMS[name], path + ".new")
        os.rename(path + ".new", path)


BUILD = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(DISPLAYD))))
PROGRAMS = {name: os.path.join(BUILD, "subprojects", folder, name) for name, folder in (
    ("sandbox-launch", "sandbox"), ("render-starlark", "render-starlark"),
    ("render-typescript", "render-typescript"), ("egress", "egress"), ("mqtt", "mqtt"))}
EGRESS_PROBLEM = "apps that use the network cannot be rendered: the egress crashed too often"
MQTT_PROBLEM = "accounts cannot reach their MQTT brokers: the MQTT bridge crashed too often"
PROBLEM = "Starlark apps cannot be rendered: their renderer crashed too often"
HOST_PROBLEM = "apps cannot be rendered: the process that starts renderers crashed too often"
# Only the host opens a file like this.
CRASHING_HOST = refusing(f"openat:2:{os.O_RDWR | os.O_CLOEXEC}=SIGSYS")


def readiness(server):
    answer = server.get("/readyz")
    assert answer.status == 200
    return answer.body.decode()


PLAIN = 'load("render.star", "render")\ndef main():\n    return render.Root(child=render.Text("{slug}"))\n'
# The address is unused (RFC 5737), and a healthy egress refuses it.
ASKING = 'load("http.star", "http")\n' + PLAIN.replace("Text(", "Text(http.get('https://192.0.2.1/').body() + ")


def show_an_app(server, slugs=("one", "two", "three"), script=PLAIN):
    """Shows the app on a device, which polls. Returns the polling panel."""
    server.ctl("account", "create", "a@example.org", "--name", "A")
    device = server.ctl("device", "create", "--account", "a@example.org", "--name", "Desk")
    key = server.ctl("key", "create", "--account", "a@example.org")["key"]
    for slug in slugs:
        app = server.ctl("app", "create", "--account", "a@example.org", "--name", slug, "--slug", slug)
        upload = {"version": "1", "scriptContent": script.format(slug=slug), "scriptLanguage": "STARLARK"}
        assert server.post(f"/v1/apps/{slug}/upload", upload, key=key).status == 201
        can_run(lambda sql, *values: query(server, sql, *values), app["id"], "1")  # some of these cannot render
        server.ctl("app", "review", slug, "1", "approve")
        server.ctl("installation", "create", "--device", device["id"], "--app", slug)
    path = server.path_of(device["pollUrl"])
    return lambda: server.get(path)


def nice_of_session(pid):
    """The nice value with which the session shares the processors with others."""
    with open(f"/proc/{pid}/autogroup", encoding="ascii") as file:
        return int(file.read().rpartition("nice")[2])


def test_renderers_let_others_go_first(serve):
    server = serve(workers=1).start()
    host = server.render_host()
    if os.path.exists(f"/proc/{host}/autogroup"):
        # Before a renderer starts: of several, the system may make none nice.
        wait_until(lambda: nice_of_session(host) == 10, "a nice session")
    poll = show_an_app(server)

    def renderers():
        poll()
        return [pid for pid in below(host) if status(pid)["Name"] == ["render-starlark"]]

    found = [int(pid) for pid in wait_until(renderers, "a renderer")]
    assert {os.getsid(pid) for pid in found} == {os.getsid(host)}
    assert os.getsid(host) not in {os.getsid(pid) for pid in [server.process.pid, *server.workers()]}
    assert all(os.getpriority(os.PRIO_PROCESS, pid) >= 10 for pid in found)


def test_messages_are_drawn_at_the_priority_of_workers(serve):
    server = serve(workers=1).start()
    host, [worker] = server.render_host(), server.workers()
    server.ctl("account", "create", "a@example.org", "--name", "A")
    device = server.ctl("device", "create", "--account", "a@example.org", "--name", "Desk")
    key = server.ctl("key", "create", "--account", "a@example.org")["key"]
    assert server.post(f"/v1/devices/{device['id']}/message", {"text": "Hello"}, key=key).status == 200
    [renderer] = [int(pid) for pid in below(host) if status(pid)["Name"] == ["render-starlark"]]
    assert os.getpriority(os.PRIO_PROCESS, renderer) == os.getpriority(os.PRIO_PROCESS, worker) == 0
    assert os.getsid(renderer) not in (os.getsid(host), os.getsid(worker))
    if os.path.exists(f"/proc/{renderer}/autogroup"):
        assert nice_of_session(renderer) == nice_of_session(worker) == 0


def test_renderers_that_crash_are_given_up(launch, folder):
    tree = Tree(folder, {"render-starlark": "/bin/false"})
    server = launch(workers=1)
    server.command[server.command.index(DISPLAYD)] = tree.displayd
    server.start()
    poll = show_an_app(server)
    assert readiness(server) == "ok\n"
    wait_until(lambda: poll() and readiness(server) == f"ok, but {PROBLEM}\n", "the end of a crash loop")
    assert server.log().count(f'level=error process=worker-1 group=render msg="{PROBLEM}" times=10 code=1') == 1
    assert PROBLEM in server.ctl("status", json_output=False)
    # The API still works.
    assert server.ctl("status")["renderingProblem"] == PROBLEM
    assert server.get("/v1/devices").status == 401
    # Rendering is tried again, and works.
    tree.mend("render-starlark")
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: readiness(server) == "ok\n", "another try")
    wait_until(lambda: poll() and "renderers run in a sandbox" in server.log(), "a renderer")
    assert readiness(server) == "ok\n"


def test_a_bridge_to_mqtt_that_crashes_is_given_up(launch, folder):
    """A bridge to MQTT that keeps crashing is given up, and its instance releases the connections of accounts."""
    tree = Tree(folder, {"mqtt": "/bin/false"})
    server = launch(workers=1)
    server.command[server.command.index(DISPLAYD)] = tree.displayd
    server.start()
    server.ctl("account", "create", "a@example.org", "--name", "A")
    server.ctl("mqtt", "update", "--account", "a@example.org", "--url", "mqtt://broker.invalid")

    def holders():
        return query(server, "SELECT holder IS NOT NULL FROM mqtt_connection")

    wait_until(lambda: holders() == [(True,)], "a lease")
    wait_until(lambda: readiness(server) == f"ok, but {MQTT_PROBLEM}\n", "the end of a crash loop")
    wait_until(lambda: holders() == [(False,)], "the end of the lease")


def test_mqtt_without_its_program_is_told(serve, folder):
    """A missing bridge program is logged once, even if no app is rendered."""
    tree = Tree(folder, {})
    os.remove(os.path.join(tree.libexec, "mqtt"))
    server = serve("--renderers", "0", "--mqtt", "mqtt://127.0.0.1:9", "--mqtt-account", "a@example.org", workers=1)
    server.command[server.command.index(DISPLAYD)] = tree.displayd
    server.start()
    assert server.log().count('msg="--mqtt applies to no account"') == 1


def test_an_egress_that_crashes_is_given_up(launch, folder):
    tree = Tree(folder, {"egress": "/bin/false"})
    server = launch(workers=1)
    server.command[server.command.index(DISPLAYD)] = tree.displayd
    server.start()
    poll = show_an_app(server, [f"asks-{number}" for number in range(12)], ASKING)
    wait_until(lambda: poll() and readiness(server) == f"ok, but {EGRESS_PROBLEM}\n", "the end of a crash loop")
    assert server.ctl("status")["renderingProblem"] == EGRESS_PROBLEM
    assert server.get("/v1/devices").status == 401
    tree.mend("egress")
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: readiness(server) == "ok\n", "another try")
    assert server.stop() == 0


def test_a_host_that_crashes_is_given_up(launch, postgres):
    server = launch("--renderers", "1", database=postgres.create_database(), workers=1,
                    prefix=CRASHING_HOST).start()
    wait_until(lambda: readiness(server) == f"ok, but {HOST_PROBLEM}\n", "the end of a crash loop")
    server.wait_for_log('msg="renderers crashed too often, not started until a reload, upgrade or restart" '
                        'times=10 signal=31')
    assert server.ctl("status")["renderingProblem"] == HOST_PROBLEM
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log('msg="renderers started"', 11)
    assert server.stop() == 0
