"""The log of a running server whose reader stops."""

import os
import re
import signal
import socket
import subprocess
import threading

import pytest
from server import PATIENCE_S, wait_until

REQUESTS = 4000


class Reader:
    """The reading end of a server's stderr, which reads nothing until start()."""

    def __init__(self, server, ends=None):
        self.fd, end = ends or os.pipe()
        server.process = subprocess.Popen(server.command, stdin=subprocess.DEVNULL,
                                          stdout=subprocess.DEVNULL, stderr=end,
                                          env=server.environment)
        os.close(end)
        self.data = b""
        self.thread = threading.Thread(target=self._read)

    def start(self):
        self.thread.start()

    def _read(self):
        while chunk := os.read(self.fd, 65536):
            self.data += chunk

    def wait_for(self, text):
        wait_until(lambda: text in self.data, f"{text!r} in the log")

    def close(self):
        """Returns the whole log, once all its writers have ended."""
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()
        os.close(self.fd)
        return self.data


def launch_unread(server):
    reader = Reader(server)
    wait_until(server._is_ready, "a ready displayd")
    return reader


def launch_unopened(server):
    """A server that cannot reopen its log, as with a pipe of another user: a named pipe cannot be opened
    for writing before it has a reader."""
    path = server.state_dir + ".pipe"
    os.mkfifo(path)
    both = os.open(path, os.O_RDWR)
    end = os.open(path, os.O_WRONLY)
    os.close(both)
    reader = Reader(server, (None, end))
    wait_until(server._is_ready, "a ready displayd")
    reader.fd = os.open(path, os.O_RDONLY)
    for pid in [server.process.pid, *server.workers()]:
        opened = [file for file in os.listdir(f"/proc/{pid}/fd")
                  if os.readlink(f"/proc/{pid}/fd/{file}") == path]
        assert opened == ["2"]
    os.unlink(path)
    return reader


unread = pytest.mark.parametrize("launched", [launch_unread, launch_unopened])


def ask(server, count):
    """Each request leaves a line in the log."""
    with server.connect() as client, client.makefile("rb") as answers:
        for _ in range(count):
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            while answers.readline() != b"ok\n":
                pass


@unread
def test_a_log_that_nobody_reads_stops_nothing(launch, launched):
    server = launch(workers=1)
    reader = launched(server)
    ask(server, REQUESTS)
    assert server.stop() == 0
    os.close(reader.fd)


@unread
def test_lines_that_do_not_fit_are_counted(launch, launched):
    server = launch(workers=1)
    reader = launched(server)
    ask(server, REQUESTS)
    reader.start()
    reader.wait_for(b'"dropped log lines')
    ask(server, 1)
    assert server.stop() == 0
    lines = reader.close().decode().splitlines()
    assert all(re.match(r"ts=\S{24} level=(debug|info|warn|error) ", line) for line in lines)
    told = [line for line in lines if "path=/livez" in line]
    missing = sum(int(re.search(r" lines=(\d+)", line)[1]) for line in lines
                  if "process=worker-1 group=log" in line)
    assert 0 < missing
    assert len(told) + missing >= REQUESTS + 1


def test_a_reader_that_is_gone_stops_nothing(launch):
    server = launch(workers=1)
    reader = launch_unread(server)
    os.close(reader.fd)
    ask(server, REQUESTS)
    assert server.stop() == 0


def test_a_journal_gets_each_line_with_its_priority(launch):
    server = launch(workers=1)
    ours, end = socket.socketpair()
    found = os.fstat(end.fileno())
    server.environment["JOURNAL_STREAM"] = f"{found.st_dev}:{found.st_ino}"
    reader = Reader(server, (ours.detach(), end.detach()))
    reader.start()
    wait_until(server._is_ready, "a ready displayd")
    os.kill(server.workers()[0], signal.SIGKILL)
    reader.wait_for(b"ended unexpectedly")
    assert server.stop() == 0
    priorities = {"debug": "7", "info": "6", "warn": "4", "error": "3"}
    lines = reader.close().decode().splitlines()
    kept = [re.match(r"<(\d)>ts=\S{24} level=(\w+) ", line).groups() for line in lines]
    assert {("6", "info"), ("3", "error")} <= set(kept)
    assert all(priorities[level] == number for number, level in kept)


def test_a_configuration_that_is_refused_is_an_error_of_the_journal(launch):
    server = launch("--workers=none")
    ours, end = socket.socketpair()
    found = os.fstat(end.fileno())
    server.environment["JOURNAL_STREAM"] = f"{found.st_dev}:{found.st_ino}"
    reader = Reader(server, (ours.detach(), end.detach()))
    reader.start()
    assert server.process.wait() == 2
    assert reader.close().startswith(b"<3>displayd: ")
