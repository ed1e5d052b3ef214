"""Shared parts of the tests of the programs."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from postgres import shared  # noqa: E402
from run_folder import new_folder  # noqa: E402
from server import DISPLAYD, Server  # noqa: E402
from waiting import wait_until  # noqa: E402

DISK = "160m"  # a fresh state directory takes 60 MiB


@pytest.fixture
def folder():
    """A temporary folder that is removed with the test. It may contain a cluster."""
    path = new_folder("displayd-main-", otherwise=None)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def disk():
    """A small disk. Only root can mount it."""
    with tempfile.TemporaryDirectory(prefix="displayd-full-") as path:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "displayd-test", path],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"cannot mount a tmpfs: {done.stderr.strip()}")
        try:
            yield path
        finally:
            subprocess.run(["umount", "-l", path], check=True)


@pytest.fixture
def launch():
    """Server(...) that is removed at the end."""
    servers = []

    def make(*arguments, **options):
        servers.append(Server(*arguments, **options))
        return servers[-1]

    yield make
    for server in servers:
        server.remove()


@pytest.fixture(scope="session")
def postgres():
    """The PostgreSQL of the run."""
    with shared() as cluster:
        yield cluster


@pytest.fixture
def serve(launch, postgres):
    """launch() with the database of the run, which starts faster: for tests that do not need the private database."""
    return lambda *arguments, **options: launch(*arguments, database=postgres.create_database(), **options)


@pytest.fixture(scope="module")
def running():
    """A server for tests that leave it unchanged."""
    with Server() as server:
        yield server


def refusing(*calls):
    """Prefix of a command for which the kernel refuses these calls (refused_calls.py)."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "refused_calls.py")
    return (sys.executable, program, *calls, "--")


def displayd(*arguments, **variables):
    """Runs displayd until it exits: code, stdout, stderr."""
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("DISPLAYD_")} | variables
    done = subprocess.run([DISPLAYD, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=120, env=environment,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def state_of(pid):
    """State of proc_pid_stat(5); "X" if the process is missing."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "X"


def is_alive(pid):
    """Whether the process runs. A zombie does not count as alive."""
    return state_of(pid) not in ("X", "Z")


def kill(pid, number=signal.SIGKILL):
    os.kill(pid, number)


def kill_database(server):
    """Returns when the workers know that their database is gone: a write that is under way is answered 503."""
    with server.without_supervisor():
        kill(server.postmaster())
        wait_until(lambda: all(server.get("/readyz").status == 503 for _ in range(20)), "workers without database")
