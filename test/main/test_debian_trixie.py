"""The packages on Debian 13, with a real systemd: the whole work of a displayd. The tests stand in this order.

First they are installed on a fresh Debian 13. Then that becomes a Debian 12 that was upgraded to 13: it gets the
state of a displayd that the same packages ran on Debian 12, with a database of PostgreSQL 15, which
is upgraded to 17.
"""

import contextlib
import http.server
import os
import ssl
import sys
import threading

import certificates
import debian
import pytest
from guests import EMAIL, Desk, Installed, color_of
from packages import install, make_packages
from server import ROOT
from tls import context

sys.path.append(os.path.join(ROOT, "test/link"))

from panel import Panel  # noqa: E402

TLS_PORT = 8443
CONFIGURATION = "workers = 2\nsandbox = required\nrate-limit = 0\negress-allow = 127.0.0.0/8\n"
NEWER = "/usr/lib/postgresql/17"
STATE = "/var/lib/displayd"
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
STARLARK = """load("http.star", "http")
load("render.star", "render")
def main():
    return render.Root(child = render.Box(color = http.get("%s").body()))
"""
TYPESCRIPT = """import { Box, Root } from "panel";
export default async function main() {
    const answer = await fetch("%s");
    return Root({ child: Box({ color: await answer.text() }) });
}
"""
MANIFEST = "---\nid: {id}\nname: {id}\nsummary: A colour\ndesc: A colour of the network.\nauthor: Ada\n"
APPS = {"star": (STARLARK, "#00f", BLUE), "ts": (TYPESCRIPT, "#0f0", GREEN)}


def write(machine, path, text):
    machine.run("sh", "-c", 'mkdir -p "$(dirname "$1")" && cat >"$1"', "sh", path, stdin=text)


def install_and_start(machine, packages):
    install(machine, packages)
    write(machine, "/etc/displayd/displayd.conf", CONFIGURATION)
    machine.run("systemctl", "restart", "displayd.service")
    return Installed(machine).start()


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    return make_packages(tmp_path_factory.mktemp("packages"))


@contextlib.contextmanager
def boot(wanted):
    try:
        with debian.Machine(debian=wanted) as made:
            yield made
    except debian.Unavailable as why:
        pytest.skip(str(why))


@pytest.fixture(scope="module")
def server(packages):
    """A server on Debian 13."""
    with boot(debian.TRIXIE) as machine:
        yield install_and_start(machine, packages)


@pytest.fixture(scope="module")
def old(packages, tmp_path_factory):
    """State directory of a Debian 12, packed, and its desk. If the tests run on Debian 13, it was made by a
    Debian 13 with PostgreSQL 15 alone."""
    with boot(debian.of_this_machine()) as machine:
        machine.run("rm", "-rf", NEWER)
        server = install_and_start(machine, packages)
        server.ctl("account", "create", EMAIL, "--name", "Ada")
        desk = Desk(server)
        desk.push(RED)
        desk.wait_until_polled(RED)
        server.stop()
        path = tmp_path_factory.mktemp("old") / "state.tar"
        machine.get(path, "tar", "-C", STATE, "-c", ".")
    return path, desk


@pytest.fixture(scope="module")
def desk(server, old):
    path, made = old
    server.stop()
    server.machine.run("find", STATE, "-mindepth", "1", "-delete")
    server.machine.put(path, "/srv/state.tar")
    server.machine.run("tar", "-C", STATE, "-xf", "/srv/state.tar")
    made.server = server.start()
    return made


@pytest.fixture(scope="module")
def authority(server, tmp_path_factory):
    """A certificate for this machine that programs of the guest trust."""
    made = certificates.make(str(tmp_path_factory.mktemp("tls")), "authority")
    server.machine.put(made.certificate, "/usr/local/share/ca-certificates/authority.crt")
    server.machine.run("update-ca-certificates")
    return made


def version(server):
    return server.machine.run("cat", STATE + "/postgres/data/PG_VERSION").strip()


def test_a_fresh_installation(server):
    assert version(server) == "17"
    assert server.show("ActiveState") == "active"
    server.ctl("account", "create", EMAIL, "--name", "Ada")
    fresh = Desk(server)
    fresh.push(RED)
    fresh.wait_until_polled(RED)


def test_after_an_upgrade_of_the_system(server, desk):
    """After an upgrade of the system, displayd continues with its existing database."""
    assert version(server) == "15"
    desk.wait_until_polled(RED)
    desk.push(GREEN)
    desk.wait_until_polled(GREEN)


def test_upgrade_of_the_database(server, desk):
    server.stop()
    done = server.ctl("database", "upgrade", "--yes")
    assert (done["from"], done["to"], done["method"]) == (15, 17, "pg_upgrade")
    server.start()
    assert version(server) == "17"
    desk.wait_until_polled(GREEN)


def read_picture(panel, color):
    """Reads until the panel gets a picture of this colour."""
    while (found := panel.read()) is not None:
        if isinstance(found, bytes):
            panel.show()
            if color_of(found) == color:
                return
    raise AssertionError("the panel's connection has ended")


def test_a_panel_by_websocket(server, desk):
    with server.machine.network():
        panel = Panel(server.address, server.path_of(desk.device["websocketUrl"]))
    with panel:
        read_picture(panel, GREEN)
        desk.push(BLUE)
        read_picture(panel, BLUE)


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        body = APPS[self.path.strip("/")][1].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def colors(server, authority):
    """URL of a server with TLS in the machine that sends each app its colour."""
    with server.machine.network():
        listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(authority.certificate, authority.key)
    listener.socket = made.wrap_socket(listener.socket, server_side=True)
    with listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        yield f"https://127.0.0.1:{listener.server_address[1]}/"
        listener.shutdown()


@pytest.mark.parametrize("language", APPS)
def test_an_app_that_asks_the_network(server, desk, colors, language):
    script, _, color = APPS[language]
    name = "color-" + language
    write(server.machine, f"/srv/{name}/main.{language}", script % (colors + language))
    write(server.machine, f"/srv/{name}/manifest.yaml", MANIFEST.format(id=name))
    server.ctl("app", "import", "/srv/" + name, "--account", EMAIL)
    shown = Desk(server, name)
    server.ctl("installation", "create", "--device", shown.device["id"], "--app", name)
    shown.wait_until_polled(color)


OPEN_FILES = """for one in /proc/[0-9]*/fd/*; do
    pid=${one#/proc/} && echo "$(cat "/proc/${pid%%/*}/comm") $(readlink "$one")"
done"""


def test_no_process_has_an_io_uring(server, desk):
    """libuv 1.50 creates an io_uring for each loop, if it can. The apps above have started all kinds of processes."""
    lines = [line.split(" ", 1) for line in server.machine.run("sh", "-c", OPEN_FILES).splitlines()]
    ours = {name for name, _ in lines}
    assert {"displayd", "render-host", "render-starlark", "egress"} <= ours, ours
    assert not [line for line in lines if "io_uring" in line[1]]


@pytest.fixture
def tls_server(server, authority):
    for path, name in ((authority.certificate, "panels.pem"), (authority.key, "panels.key")):
        server.machine.put(path, "/etc/displayd/" + name)
    server.machine.run("chgrp", "displayd", "/etc/displayd/panels.key")
    server.machine.run("chmod", "640", "/etc/displayd/panels.key")
    write(server.machine, "/etc/displayd/displayd.conf", CONFIGURATION + f"listen = 127.0.0.1:{server.address[1]}\n"
          f"tls-listen = 127.0.0.1:{TLS_PORT}\ntls-certificate = /etc/displayd/panels.pem\n"
          "tls-key = /etc/displayd/panels.key\n")
    server.restart()
    yield server
    write(server.machine, "/etc/displayd/displayd.conf", CONFIGURATION)
    server.restart()


def test_tls(tls_server, desk, authority):
    """A panel's WebSocket works over TLS."""
    def wrap(plain):
        return context(authority).wrap_socket(plain, server_hostname="localhost")

    with tls_server.machine.network():
        panel = Panel(("127.0.0.1", TLS_PORT), tls_server.path_of(desk.device["websocketUrl"]), wrap=wrap)
    with panel:
        read_picture(panel, BLUE)


def test_backup_and_restore(server, desk):
    server.ctl("backup", "/srv/all.backup")
    desk.push(WHITE)
    desk.wait_until_polled(WHITE)
    server.stop()
    server.ctl("restore", "--replace", "--yes", "/srv/all.backup")
    server.start()
    desk.wait_until_polled(BLUE)


def test_no_process_has_ended(server):
    """No process has crashed, neither at a start nor later."""
    assert "process=worker-1" in server.log()
    assert "ended unexpectedly" not in server.log()
    assert server.show("NRestarts") == "0"
