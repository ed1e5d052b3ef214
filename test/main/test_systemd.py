"""displayd as a systemd service: its notifications, its sockets, its unit."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile

import pytest
from ports import free_port
from server import DISPLAYCTL, DISPLAYD, PATIENCE_S, ROOT, wait_until

UNITS = os.path.join(ROOT, "share")
ACTIVATE = shutil.which("systemd-socket-activate")
ANALYZE = shutil.which("systemd-analyze")


class Manager:
    """A service manager, as far as the protocol of sd_notify goes."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="displayd-notify-")
        self.path = os.path.join(self.folder, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.settimeout(PATIENCE_S)

    def read(self, beginning, passes_over=("WATCHDOG=1",)):
        """The next message, which must begin so; skips the messages named here."""
        while True:
            text = self.socket.recv(4096).decode()
            if text.startswith(beginning):
                return text
            assert text in passes_over, (beginning, text)

    def close(self):
        self.socket.close()
        shutil.rmtree(self.folder)


@pytest.fixture
def manager():
    made = Manager()
    yield made
    made.close()


def test_what_it_tells_the_manager(launch, manager):
    """Inherited variables are ignored: the sockets were given to another process."""
    server = launch(environment={"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "400000",
                                 "LISTEN_PID": "1", "LISTEN_FDS": "1"}).start()
    assert server.log().count("msg=listening") == 1
    assert manager.read("READY=1\n") == f"READY=1\nSTATUS={server.url}"
    assert [manager.read("WATCHDOG=1") for _ in range(3)]
    server.process.send_signal(signal.SIGTERM)
    manager.read("STOPPING=1")
    assert server.process.wait(PATIENCE_S) == 0


def test_children_are_no_part_of_it(launch, manager):
    """A stopped supervisor sends nothing, even if its workers run."""
    server = launch(environment={"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "100000"}).start()
    manager.read("READY=1\n")
    manager.read("WATCHDOG=1")
    server.process.send_signal(signal.SIGSTOP)
    wait_until(lambda: open(f"/proc/{server.process.pid}/stat").read().split()[2] == "T", "a stop")
    manager.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        while True:
            manager.socket.recv(4096)
    for _ in range(5):
        assert server.get("/livez").status == 200
    with pytest.raises(BlockingIOError):
        manager.socket.recv(4096)
    server.process.send_signal(signal.SIGCONT)


def test_a_start_that_fails(launch, manager, folder):
    server = launch(environment={"NOTIFY_SOCKET": manager.path}, is_new=True)
    server.command += ["--secret-key-file", os.path.join(folder, "nowhere")]
    server.launch()
    assert server.process.wait(PATIENCE_S) == 2
    assert manager.read("STATUS=").startswith("STATUS=ended")


@pytest.mark.skipif(not ACTIVATE, reason="systemd is not installed")
class TestActivation:
    """systemd opens the sockets, and starts displayd for the first connection."""

    @pytest.fixture
    def activate(self, launch, manager):
        def start(*listen, names=(), options=(), **more):
            prefix = [ACTIVATE, "-E", f"NOTIFY_SOCKET={manager.path}"]
            prefix += [f"--listen={place}" for place in listen]
            prefix += [f"--fdname={':'.join(names)}"] if names else []
            server = launch(*options, prefix=prefix, environment={"PATH": os.environ["PATH"]} | more.pop(
                "environment", {}), **({"listen": None} | more))
            server.launch()
            return server
        return start

    @staticmethod
    def knock(port, path="/readyz"):
        """Connects until a server listens. Returns the status of its answer."""
        def connect():
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
            except ConnectionRefusedError:
                return None
        with wait_until(connect, "a socket") as peer:
            peer.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while chunk := peer.recv(4096):
                answer += chunk
        return int(answer.split()[1])

    def test_the_first_connection_is_answered(self, activate, manager):
        port = free_port()
        server = activate(f"127.0.0.1:{port}")
        assert self.knock(port, "/livez") == 200
        manager.read("READY=1\n")
        assert server.url == f"http://127.0.0.1:{port}"
        # The default of --listen is not used in addition.
        assert server.log().count("msg=listening") == 1
        server.process.send_signal(signal.SIGTERM)
        manager.read("STOPPING=1")
        assert server.process.wait(PATIENCE_S) == 0

    def test_names_a_unix_socket_and_listen(self, activate, manager):
        """Addresses of displayd's own options are listened on, too; a repeated address only once."""
        public, admin, own = free_port(), free_port(), free_port()
        path = os.path.join(manager.folder, "http.sock")
        server = activate(f"127.0.0.1:{public}", f"127.0.0.1:{admin}", path,
                          names=("http", "admin", "http"), listen=f"127.0.0.1:{own}",
                          options=("--listen", f"127.0.0.1:{public}"))
        assert self.knock(public, "/livez") == 200
        manager.read("READY=1\n")
        assert self.knock(public, "/openapi.json") == 200
        assert self.knock(own, "/openapi.json") == 200
        assert self.knock(admin, "/livez") == 200
        assert self.knock(admin, "/openapi.json") == 404
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(path)
            peer.sendall(b"GET /livez HTTP/1.0\r\n\r\n")
            assert b" 200 " in peer.recv(4096)
        assert "address=unix:" + path in server.log()
        assert server.log().count("msg=listening") == 4
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_S) == 0
        assert os.path.exists(path)  # the socket belongs to the manager

    def test_what_is_no_listening_stream(self, folder):
        state, script = os.path.join(folder, "state"), 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
            done = subprocess.run(["sh", "-c", script + " 3<&0", "sh", DISPLAYD, "--state-dir", state],
                                  stdin=datagrams, capture_output=True, text=True,
                                  timeout=PATIENCE_S, check=False)
        assert done.returncode == 3
        assert "not a listening stream socket" in done.stderr


def unit(name, folder):
    """The unit with the programs of this build."""
    with open(os.path.join(UNITS, name + (".in" if name.endswith("service") else "")),
              encoding="utf-8") as file:
        text = file.read().replace("@sysconfdir@", "/etc")
    for program, path in (("displayd", DISPLAYD), ("displayctl", DISPLAYCTL)):
        text = text.replace("@bindir@/" + program, path)
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path, text


@pytest.mark.skipif(not ANALYZE, reason="systemd is not installed")
class TestUnit:
    def test_it_is_well_formed(self, folder):
        paths = [unit(name, folder)[0] for name in ("displayd.service", "displayd.socket", "displayd-backup.service",
                                                  "displayd-backup.timer")]
        done = subprocess.run([ANALYZE, "verify", "--man=no", "--recursive-errors=no", *paths],
                              capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        assert done.returncode == 0 and "displayd" not in done.stderr, done.stderr

    def test_exposure(self, folder):
        path, _ = unit("displayd.service", folder)
        done = subprocess.run([ANALYZE, "security", "--offline=true", "--no-pager", "--threshold=15", path],
                              capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        found = re.search(r"exposure level for displayd.service: ([\d.]+)", done.stdout)
        assert done.returncode == 0 and float(found[1]) <= 1.5, done.stdout + done.stderr
