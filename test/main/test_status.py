"""displayctl status: state of a running server, for people and as JSON."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import stat
import struct
import subprocess
import termios
import time

import pytest
from scrape import Scrape
from traffic import Desk, picture

from postgres import Postgres
from server import DISPLAYCTL, PATIENCE_S, CtlError, Server, wait_until


@pytest.fixture(scope="module")
def server():
    with Server() as one:
        yield one


@pytest.fixture(scope="module")
def desk(server):
    one = Desk(server, "ada")
    assert one.push(picture()) == 200
    return one


def age_of(pid):
    """Seconds since a process began."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        began = int(file.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - began


def status(server):
    return server.ctl("status")


def test_json(server, desk):
    with desk.connect():
        wait_until(lambda: status(server)["panels"]["links"] == 1, "a panel")
        wait_until(lambda: status(server)["workers"][1]["residentBytes"] > 1e6, "its memory")
        told = status(server)
    assert told["version"] and re.fullmatch(r"\d{4}-.*Z", told["startedAt"])
    assert [one["number"] for one in told["workers"]] == [1, 2]
    assert all(one["isAlive"] and one["isDatabaseUp"] for one in told["workers"])
    assert told["renderingProblem"] == ""
    assert told["database"]["workersUp"] == 2 and told["database"]["connections"] >= 6
    assert told["counters"]["pushes"] == 1 and told["counters"]["requests"] > 1
    assert {one["lane"] for one in told["queues"]} >= {"short", "long", "password"}
    assert ("POST", "/v1/devices/{deviceId}/push") in [(one["method"], one["route"])
                                                       for one in told["slowest"]]
    times = [one["p99Us"] for one in told["slowest"]]
    assert times == sorted(times, reverse=True) and len(times) <= 10


def test_text(server, desk):
    assert desk.get().status == 200
    text = server.ctl("status", json_output=False)
    for words in ("displayd ", "database  connected, ", "panels    ", "a second", "slowest routes",
                  "POST /v1/devices/{deviceId}/push"):
        assert words in text, text
    names, _, so_far = [line.split() for line in text.splitlines()
                        if re.match(r" +requests|a second|so far", line)]
    counted = dict(zip(names, so_far[2:]))
    assert counted["pushes"] == "1" and int(counted["requests"]) > 1
    assert "\x1b" not in text and "\x01" not in text


def test_a_refusal_of_a_rule_is_no_trouble():
    """A constraint error is not a warning, since the client got the reason. A metric counts it."""
    with Server("--registration", "open", "--admin-listen", "127.0.0.1:0") as server:
        server.ctl("account", "create", "ada@example.org")
        answer = server.post("/web/registration", headers={"Sec-Fetch-Site": "same-origin"}, body={
            "email": "ada@example.org", "name": "Eve", "password": "what nobody guesses"})
        assert answer.status == 409 and "e-mail" in answer.json()["detail"]
        assert Scrape(server).value("displayd_database_failures_total", reason="refused") == 1
        assert status(server)["counters"]["databaseFailures"] == 0
        assert "not executed" not in server.ctl("status", json_output=False)


def test_workers_do_not_ask_a_database_that_is_away():
    """Periodic queries of a worker run only while the database is available."""
    with Postgres() as postgres, Server(database=postgres.create_database(), workers=1) as server:
        postgres.stop()
        [old] = server.workers()
        os.kill(old, signal.SIGKILL)
        wait_until(lambda: server.workers() not in ([], [old]), "another worker")
        # Its first queries are due within five seconds.
        wait_until(lambda: age_of(server.workers()[0]) > 7, "its first looks")
        told = status(server)
        assert not told["workers"][0]["isDatabaseUp"]
        failures = told["counters"]["databaseFailures"]
        postgres.start()
        statements = told["counters"]["statements"]
        wait_until(lambda: status(server)["counters"]["statements"] > statements, "its looks")
        assert failures == 0, failures


def test_errors_are_kept_without_secrets(server, desk):
    """Errors are kept even if their worker has died. Text in the form of a key is masked."""
    worker = server.workers()[0]
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: worker not in server.workers(), "another worker")
    errors = status(server)["errors"]
    assert any("worker ended unexpectedly" in line and "signal=9" in line for line in errors)
    assert desk.key not in json.dumps(errors)
    assert "recent errors" in server.ctl("status", json_output=False)


class Watch:
    """displayctl status --watch on a terminal of this size."""

    def __init__(self, server, rows=24, columns=80, **variables):
        self.parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        self.process = subprocess.Popen(
            [DISPLAYCTL, "--state-dir", server.state_dir, "status", "--watch"],
            stdin=subprocess.DEVNULL, stdout=child, stderr=child,
            env=environment | {"TERM": "xterm"} | variables)
        os.close(child)
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.returncode is None:
            self.stop()

    def stop(self):
        """Its exit code; its last output is in text."""
        self.process.send_signal(signal.SIGINT)
        try:
            while True:
                self.text += os.read(self.parent, 65536).decode()
        except OSError:  # its end
            os.close(self.parent)
        return self.process.wait(PATIENCE_S)

    def pages(self):
        """Complete pages without styles, as lists of lines."""
        plain = re.sub(r"\x1b\[[0-9;]*m|\x1b\[K|\x1b\[\?25.", "", self.text)
        return [page.partition("\x1b[J")[0].split("\r\n")
                for page in plain.split("\x1b[H") if "\x1b[J" in page]

    def wait_for(self, words):
        """A page that contains these words. Forgets all earlier pages."""
        while True:
            for page in self.pages():
                if words in "\n".join(page):
                    return page
            assert select.select([self.parent], [], [], PATIENCE_S)[0], self.text
            self.text += os.read(self.parent, 65536).decode()

    def forget(self):
        self.text = ""


def test_watch_shows_it_again(server):
    with Watch(server) as watch:
        while len(watch.pages()) < 3:
            watch.text += os.read(watch.parent, 65536).decode()
        assert watch.stop() == 0
        assert watch.text.endswith("\x1b[?25h\r\n")
        assert all("a second" in "\n".join(page) for page in watch.pages())


@pytest.mark.parametrize("rows, columns", [(24, 80), (12, 40), (60, 200)])
def test_it_fits_the_terminal(server, desk, rows, columns):
    """Output fits the terminal: the head and the workers stay, whatever else is cut."""
    with Watch(server, rows, columns) as watch:
        page = watch.wait_for("worker")
    assert len(page) <= rows and page[0].startswith("displayd ")
    assert max(map(len, page)) <= columns
    assert [line for line in page if line.startswith("1 ")]
    if rows > 12:
        assert "slowest routes" in "\n".join(page)


def test_colours(server):
    with Watch(server) as watch:
        watch.wait_for("worker")
        assert "\x1b[1mdisplayd " in watch.text
    with Watch(server, NO_COLOR="1") as watch:
        watch.wait_for("worker")
        assert not re.search(r"\x1b\[[0-9;]*m", watch.text)


def test_what_is_wrong_is_seen(launch):
    """Shows an unavailable database, and a server that ends and returns during the watch."""
    server = launch().start()
    with Watch(server) as watch:
        watch.wait_for("database  connected")
        os.kill(server.postmaster(), signal.SIGSTOP)
        try:
            os.kill(server.workers()[0], signal.SIGKILL)
            watch.wait_for("database  unavailable to 1 of 2 workers")
            assert "\x1b[1;31munavailable to 1 of 2" in watch.text
            watch.wait_for("worker ended unexpectedly")
        finally:
            os.kill(server.postmaster(), signal.SIGCONT)
        watch.wait_for("1 process ended unexpectedly")
        assert server.stop() == 0
        watch.wait_for("no displayd is running")
        watch.forget()
        server.start()
        watch.wait_for("database  connected")
        assert watch.stop() == 0


def test_socket_is_its_owners(server):
    mode = os.stat(os.path.join(server.state_dir, "admin.sock")).st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600


def test_not_for_clients(server):
    assert server.get("/status").status == 404


def refusal(state_dir):
    done = subprocess.run([DISPLAYCTL, "--state-dir", state_dir, "status"], capture_output=True,
                          text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 5 and done.stdout == ""
    return done.stderr


def test_no_server(server, folder, launch):
    assert f"no displayd is running on {folder}: start it first" in refusal(folder)
    stopped = launch().start()
    assert stopped.stop() == 0
    assert not os.path.exists(os.path.join(stopped.state_dir, "admin.sock"))
    assert "no displayd is running" in refusal(stopped.state_dir)
    stopped.start()
    stopped.kill()
    wait_until(lambda: "no displayd is running" in refusal(stopped.state_dir), "the end of its workers")
    with pytest.raises(CtlError):
        stopped.ctl("status")
