"""Clients that continue while a server reloads or is upgraded, and count failures.

with Load(server.address, "/v1/devices", key) as load, Panels(server.address, paths) as panels:
server.process.send_signal(signal.SIGHUP)
...
load.failures, load.answers, panels.gaps

Only test/link/panel.py implements a whole panel; here a panel is only a handshake and an open
connection."""

import base64
import http.client
import os
import re
import selectors
import socket
import threading
import time

import images
from waiting import PATIENCE_S, wait_until


class Load:
    """Requests without pause on kept connections. After "Connection: close" a connection is replaced; any
    other end is a failure."""

    def __init__(self, address, path, key=None, clients=3):
        self.address, self.path = address, path
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.answers, self.closed, self.failures = 0, 0, []
        self._lock = threading.Lock()
        self._ends = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(clients)]

    def _run(self):
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE_S)
        while not self._ends.is_set():
            try:
                connection.request("GET", self.path, headers=self.headers)
                answer = connection.getresponse()
                answer.read()
                problem = None if answer.status == 200 else answer.status
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                problem = repr(error)
            with self._lock:
                self.answers += not problem
                self.closed += not problem and answer.will_close
                if problem:
                    self.failures.append(problem)
        connection.close()

    def wait_for(self, answers):
        """Waits for this many more answers."""
        wanted = self.answers + answers
        wait_until(lambda: self.answers >= wanted, f"more answers; {self.failures}")

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        for thread in self._threads:
            thread.join()


class Panels:
    """Panels that reconnect at once when their connection ends, one thread for all. It must end without a
    CLOSE frame: a panel with common firmware stays away for minutes after one. restarts: the server may be
    down, or answer 404 without its database, for a while; then they try again."""

    def __init__(self, address, paths, restarts=False):
        self.address = address
        self.restarts = restarts
        self._away = []  # panels without an answering server
        self.paths = paths
        self.gaps = []  # seconds from the end of a connection to the next one's 101
        self.faults = []
        self._selector = selectors.DefaultSelector()
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _connect(self, path, since=None):
        try:
            one = socket.create_connection(self.address, timeout=PATIENCE_S)
        except (ConnectionRefusedError, ConnectionResetError):
            if not self.restarts:
                raise
            self._away.append((path, since))
            return
        key = base64.b64encode(os.urandom(16)).decode()
        one.sendall(f"GET {path} HTTP/1.1\r\nHost: panel\r\nUpgrade: websocket\r\n"
                    f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    f"Sec-WebSocket-Key: {key}\r\n\r\n".encode())
        self._selector.register(one, selectors.EVENT_READ, {"path": path, "since": since,
                                                            "head": b""})

    def _read(self, one, state):
        try:
            data = one.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            self._selector.unregister(one)
            one.close()
            if state["head"] is None:
                self._connect(state["path"], time.monotonic())
            else:  # the handshake was not answered: the panel tries again
                self._connect(state["path"], state["since"] or time.monotonic())
            return
        if state["head"] is None:
            # The first byte of a portion is usually the first byte of a frame.
            if data[0] == 0x88:
                self.faults.append("a CLOSE frame")
            return
        state["head"] += data
        if b"\r\n\r\n" not in state["head"]:
            return
        if self.restarts and state["head"].startswith(b"HTTP/1.1 404 "):
            self._read_refusal(one, state)
            return
        if not state["head"].startswith(b"HTTP/1.1 101 "):
            self.faults.append(state["head"])
        if state["since"]:
            self.gaps.append(time.monotonic() - state["since"])
        state["head"] = None

    def _read_refusal(self, one, state):
        """A server that stops, or lacks its database, answers with one picture."""
        head, body = state["head"].split(b"\r\n\r\n", 1)
        if len(body) < int(re.search(rb"Content-Length: (\d+)", head)[1]):
            return
        if images.frames_of(body)[0][0] != images.of_share("no-database"):
            self.faults.append(state["head"])
        self._selector.unregister(one)
        one.close()
        self._away.append((state["path"], state["since"] or time.monotonic()))

    def _run(self):
        for path in self.paths:
            self._connect(path)
        while not self._ends.is_set():
            for key, _ in self._selector.select(timeout=0.1):
                self._read(key.fileobj, key.data)
            away, self._away = self._away, []
            for path, since in away:
                self._connect(path, since)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()

    def connected(self):
        """Number of panels that are connected now."""
        return sum(key.data["head"] is None for key in list(self._selector.get_map().values()))

    def wait_until_connected(self):
        wait_until(lambda: self.connected() >= len(self.paths), f"all panels; {self.faults}")

    def __enter__(self):
        self._thread.start()
        self.wait_until_connected()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()
