"""SIGHUP loads another configuration without an interruption."""

import fcntl
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import termios

import certificates
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from keep_alive import Load, Panels  # noqa: E402
from ports import free_port  # noqa: E402
from server import CtlError, Server, run_ctl, wait_until  # noqa: E402

IN_FORCE = 'msg="new configuration in force"'
REFUSED = "configuration rejected"
RETIRED = 'msg="worker retired"'


class Scene:
    """A server with a configuration file, an account with a key, and some devices."""

    def __init__(self):
        self.server = Server("--config", "", workers=2)
        self.path = os.path.join(self.server.state_dir, "displayd.conf")
        self.server.command[self.server.command.index("--config") + 1] = self.path
        self.write()
        self.server.start()
        account = ("--account", "ada@example.org")
        self.server.ctl("account", "create", "ada@example.org", "--name", "Ada")
        self.devices = [self.server.ctl("device", "create", *account, "--name", f"D{i}")
                        for i in range(3)]
        self.key = self.server.ctl("key", "create", *account)["key"]

    def write(self, *lines):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))

    def count(self, text):
        return self.server.log().count(text)

    def signal(self):
        self.server.process.send_signal(signal.SIGHUP)

    def reload(self, *lines):
        """Loads another configuration. Waits until it is in use and the old workers are gone."""
        count, retired = self.count(IN_FORCE), self.count(RETIRED)
        self.write(*lines)
        self.signal()
        self.server.wait_for_log(IN_FORCE, count + 1)
        self.server.wait_for_log(RETIRED, retired + 2)

    def refuse(self, *lines):
        """Loads a configuration that is rejected. Returns the last log line about that."""
        count = self.count(REFUSED)
        self.write(*lines)
        self.signal()
        self.server.wait_for_log(REFUSED, count + 1)
        return [line for line in self.server.log().splitlines() if REFUSED in line][-1]

    def rate(self):
        """Value of --rate-limit in a serving worker."""
        policy = self.server.get("/v1/devices", key=self.key).headers["RateLimit-Policy"]
        return int(re.search(r"q=(\d+);w=2", policy)[1]) // 2

    def panel_paths(self):
        return [self.server.path_of(device["websocketUrl"]) for device in self.devices]


@pytest.fixture(scope="module")
def scene():
    one = Scene()
    yield one
    one.server.remove()


def answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=120) as client:
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return client.recv(100).startswith(b"HTTP/1.1 200")
    except ConnectionRefusedError:
        return False


def test_a_changed_setting_takes_effect(scene):
    before = scene.server.workers()
    scene.reload("rate-limit = 123")
    assert scene.rate() == 123
    assert not set(before) & set(scene.server.workers())


def test_nothing_is_started_where_nothing_has_changed(scene):
    before = scene.server.workers()
    scene.signal()
    scene.server.wait_for_log("nothing changed")
    assert scene.server.workers() == before


def test_another_password_in_the_same_file_takes_effect(scene):
    path = scene.path + ".password"

    def write(password):
        with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(password)

    def change(password):
        write(password)
        scene.reload("mqtt = mqtt://127.0.0.1:1", "mqtt-account = ada@example.org", "mqtt-username = desk", f"mqtt-password-file = {path}")
        return scene.server.log().splitlines()

    change("first")
    assert any('settings=mqtt-password-file' in line for line in change("second"))
    scene.reload("rate-limit = 123")


def test_a_faulty_configuration_is_refused(scene):
    before, rate = scene.server.workers(), scene.rate()
    assert "rate-limit" in scene.refuse("rate-limit = many")
    assert "nonsense" in scene.refuse("nonsense = 1")
    os.unlink(scene.path)
    scene.signal()
    scene.server.wait_for_log("No such file")
    assert scene.server.workers() == before
    assert scene.rate() == rate


def ctl_reload(scene, *lines):
    scene.write(*lines)
    return scene.server.ctl("reload")


def other_key(scene):
    """A line of the configuration that names a key."""
    path = os.path.join(os.path.dirname(scene.path), "key")
    with open(path, "w", encoding="ascii", opener=lambda *name: os.open(*name, 0o600)) as file:
        file.write("0f" * 32)
    return f"secret-key-file = {path}"


def test_displayctl_waits_for_the_verdict(scene):
    """displayctl waits for the result, and systemctl reload does the same."""
    assert ctl_reload(scene, "rate-limit = 124") == {"state": "done", "reason": ""}
    assert scene.rate() == 124
    assert ctl_reload(scene, "rate-limit = 124")["state"] == "done"
    assert "secret-key-file" in ctl_reload(scene, "rate-limit = 125", other_key(scene))["reason"]
    assert scene.rate() == 125
    for line, why in (("rate-limit = many", "rate-limit"), ("metrics-token-file = /nowhere", "/nowhere"),
                      ("secret-key-file = /nowhere", "/nowhere"), ("database = host=x sslrootcert=/nowhere", "/nowhere"),
                      ("rate-limit = 7 # a week", "a comment needs a line of its own")):
        with pytest.raises(CtlError) as caught:
            ctl_reload(scene, line)
        assert caught.value.code == 4 and why in caught.value.text and "the old configuration stays" in caught.value.text
    assert scene.rate() == 125


def test_displayctl_finds_no_server(scene, folder):
    with pytest.raises(CtlError) as caught:
        run_ctl("--state-dir", folder, "reload")
    assert caught.value.code == 5 and "no displayd is running on " in caught.value.text


def test_what_takes_a_restart_is_named(scene):
    scene.reload("rate-limit = 321", "sandbox = best-effort", other_key(scene), "renderers = 0")
    log = scene.server.log()
    assert "needs a restart\" setting=secret-key-file" in log
    assert "needs a restart\" setting=sandbox" not in log
    assert scene.rate() == 321


def test_listeners_come_and_go(scene, folder):
    one, other = free_port(), free_port()
    scene.reload(f"admin-listen = 127.0.0.1:{one}")
    assert answers(one) and not answers(other)
    scene.reload(f"admin-listen = 127.0.0.1:{other}")
    assert answers(other) and not answers(one)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", one))
        taken.listen()
        assert "another program listens there" in scene.refuse(f"admin-listen = 127.0.0.1:{one}",
                                                      "rate-limit = 5")
    assert answers(other)
    options = certificates.make(folder, "wall").options
    assert "this server already listens there for the admin listener" in scene.refuse(
        f"tls-listen = 127.0.0.1:{other}",
        *(f"{name[2:]} = {value}" for name, value in zip(options[::2], options[1::2])))
    assert answers(other)
    scene.reload()
    assert not answers(other)


def test_keys_of_a_refused_configuration_are_wiped(scene, folder):
    """Keys are read before displayd knows whether it can listen, so those of a rejected configuration are wiped."""
    made = certificates.make(folder, "wall")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "another program listens there" in scene.refuse(
            f"tls-listen = 127.0.0.1:{taken.getsockname()[1]}",
            f"tls-certificate = {made.certificate}", f"tls-key = {made.key}")
    assert not made.is_in_memory(scene.server.process.pid)


def test_an_idle_connection_gets_its_next_answer(scene):
    """An old worker has the connection, which was open before."""
    request = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
    with scene.server.connect() as client:
        client.sendall(request)
        assert b"\r\nConnection: close" not in client.recv(1000)
        count = scene.count(IN_FORCE)
        scene.write("rate-limit = 77")
        scene.signal()
        scene.server.wait_for_log(IN_FORCE, count + 1)
        answer = b""
        while b"\r\nConnection: close\r\n" not in answer:  # the worker may not know yet
            client.sendall(request)
            answer = client.recv(1000)
            assert answer.startswith(b"HTTP/1.1 200 ")
        assert client.recv(1000) == b""


def test_a_second_change_waits_for_the_first(scene):
    """An idle connection keeps a worker draining, so the second change waits."""
    with scene.server.connect() as client:
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        client.recv(1000)
        count = scene.count(IN_FORCE)
        scene.write("rate-limit = 78")
        scene.signal()
        scene.server.wait_for_log(IN_FORCE, count + 1)
        scene.write("rate-limit = 79")
        scene.signal()
        scene.server.wait_for_log("reload postponed until the old workers exit")
        # An old worker may not know yet.
        wait_until(lambda: scene.rate() == 78, "an answer of the new workers")
    scene.server.wait_for_log(IN_FORCE, count + 2)
    wait_until(lambda: scene.rate() == 79, "an answer of the newest workers")


def test_no_request_fails_and_panels_come_back(scene):
    scene.reload("rate-limit = 99999")
    address = scene.server.address
    with Panels(address, scene.panel_paths()) as panels, \
            Load(address, "/v1/devices", scene.key) as load:
        for i in range(2):
            load.wait_for(100)
            scene.reload(f"rate-limit = {100000 + i}")
        load.wait_for(100)
        # On a slow machine a client may reach an old worker again, which does not know yet that it drains.
        wait_until(lambda: len(panels.gaps) >= 2 * len(scene.devices), "that panels came back twice")
        panels.wait_until_connected()
    assert load.failures == []
    assert load.closed > 0
    assert panels.faults == []


def kill_a_fresh_worker(scene, rate):
    """Kills a new worker during a change, before it serves: it waits for a database that has been stopped.
    On a slow machine it may already serve; then the new configuration is in use."""
    before, postmaster = scene.server.workers(), scene.server.postmaster()
    failed = "its workers did not start"
    ends = scene.count(IN_FORCE) + scene.count(failed)
    os.kill(postmaster, signal.SIGSTOP)
    try:
        scene.write(f"rate-limit = {rate}")
        scene.signal()
        fresh = wait_until(lambda: set(scene.server.children()[0]) - set(before), "fresh workers")
        os.kill(fresh.pop(), signal.SIGKILL)
        wait_until(lambda: scene.count(IN_FORCE) + scene.count(failed) > ends, "an end")
    finally:
        os.kill(postmaster, signal.SIGCONT)
    wait_until(lambda: len(scene.server.children()[0]) == 2, "two workers")
    return before


def test_a_crash_of_fresh_workers_leaves_the_old_ones(scene):
    scene.reload("rate-limit = 100000")
    for rate in range(101, 104):
        before = kill_a_fresh_worker(scene, rate)
        if "its workers did not start" in scene.server.log():
            break
    else:
        pytest.skip("this machine is too slow to end a worker before it serves")
    assert sorted(scene.server.workers()) == sorted(before)
    assert scene.rate() in (100000, rate - 1)


def test_old_workers_serve_until_the_new_ones_have_the_database(scene):
    """PostgreSQL takes no new connections, as while it is overloaded; its backends go on."""
    scene.reload("rate-limit = 80000")
    before, count, retired = scene.server.workers(), scene.count(IN_FORCE), scene.count(RETIRED)
    waiting = 'msg="waiting for the database, the old workers serve meanwhile"'
    waited, postmaster = scene.count(waiting), scene.server.postmaster()
    with Load(scene.server.address, "/v1/devices", scene.key) as load:
        os.kill(postmaster, signal.SIGSTOP)
        try:
            scene.write("rate-limit = 90000")
            scene.signal()
            scene.server.wait_for_log(waiting, waited + 2)
            load.wait_for(100)
            assert set(before) < set(scene.server.children()[0]) and scene.count(IN_FORCE) == count
        finally:
            os.kill(postmaster, signal.SIGCONT)
        scene.server.wait_for_log(IN_FORCE, count + 1)
        scene.server.wait_for_log(RETIRED, retired + 2)
        load.wait_for(100)
    assert load.failures == []
    assert not set(before) & set(scene.server.workers())


def test_it_ends_with_its_terminal(launch):
    """On a terminal the kernel sends SIGHUP, which ends the server."""
    server = launch()
    master, slave = pty.openpty()
    with open(server.log_path, "wb") as log:
        server.process = subprocess.Popen(
            server.command, stdin=slave, stdout=log, stderr=log, env=server.environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(slave)
    server.wait_until_ready()
    os.close(master)
    assert server.wait() == 0


def test_it_stops_while_it_changes(scene, folder):
    """The server ends during a change, and leaves no socket files: neither of the old configuration nor of
    the new one, whose workers wait for a database that has been stopped."""
    before, tried = (os.path.join(folder, name) for name in ("before", "tried"))
    scene.reload(f"admin-listen = unix:{before}")
    assert os.path.lexists(before)
    changed = scene.count('msg="configuration changed"')
    postmaster = scene.server.postmaster()
    os.kill(postmaster, signal.SIGSTOP)
    try:
        scene.write(f"admin-listen = unix:{tried}")
        scene.signal()
        scene.server.wait_for_log('msg="configuration changed"', changed + 1)
        scene.server.process.send_signal(signal.SIGTERM)
        scene.server.wait_for_log('msg="stopping after requests')
    finally:
        os.kill(postmaster, signal.SIGCONT)
    assert scene.server.wait() == 0
    assert "ended unexpectedly" not in scene.server.log().split('msg="stopping')[1]
    assert f"msg=listening address=unix:{tried}" in scene.server.log()
    assert not os.path.lexists(tried)
    assert not os.path.lexists(before)
