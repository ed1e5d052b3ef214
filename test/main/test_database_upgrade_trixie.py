"""displayctl database upgrade on a Debian 13 that has kept the PostgreSQL 15 of Debian 12 beside its own 17.

Such a Debian is made once: half a minute, 195 MB of packages, 715 MB of disk.
"""

import contextlib
import json
import os
import signal
import subprocess
import time

import debian
import guests
import pytest
from guests import STATE, Guest
from server import wait_until

DATA = STATE + "/postgres/data"
NEWER = "/usr/lib/postgresql/17"
UPGRADE = ("database", "upgrade", "--yes")


class Host(Guest):
    """user: the user that runs the host and displayctl."""

    def __init__(self, machine, user="root"):
        become = ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups") if user != "root" else ()
        super().__init__(machine, "--renderers", "0", become=become, workers=1)
        self.old = "/srv/old-" + user

    @contextlib.contextmanager
    def running(self):
        self.start()
        try:
            yield
        finally:
            code = self.stop()
        assert code == 0, self.log()

    def told(self, *arguments, check=True):
        """Exit code of displayctl, its output as JSON, and its reasons."""
        done = self.run_ctl(*arguments)
        assert done.returncode == 0 or not check, done.stderr
        return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr

    def version(self):
        return int(self.machine.run("cat", DATA + "/PG_VERSION"))

    def emails(self):
        return [one["email"] for one in self.ctl("account", "list")]

    @contextlib.contextmanager
    def without(self, path):
        self.machine.run("mv", path, path + ".away")
        try:
            yield
        finally:
            self.machine.run("mv", path + ".away", path)

    def make_old(self):
        """A state directory as Debian 12 left it."""
        with self.without(NEWER), self.running():
            self.ctl("account", "create", "kept@example.org")
            self.ctl("device", "create", "--account", "kept@example.org", "--name", "Desk")
        self.machine.run("mv", STATE, self.old)

    def begin_anew(self):
        """Starts again with a copy of that state, without leftovers of a killed upgrade."""
        self.machine.run("sh", "-c", f"rm -rf {STATE} /tmp/displayd-upgrade*")
        self.machine.run("cp", "-a", self.old, STATE)
        assert self.version() == 15

    def check_new(self):
        """Checks that the host runs with the newer version, and that the rows are there."""
        assert self.version() == 17
        with self.running():
            assert self.emails() == ["kept@example.org"]
            assert self.ctl("account", "create", "new@example.org")["id"]
        assert "than the newest one installed" not in self.log()
        assert self.machine.run("ls", "-1", STATE + "/postgres") == "data\ndata.old\nsocket\n"
        assert self.machine.run("sh", "-c", "ls -d /tmp/displayd-upgrade* 2>/dev/null || true") == ""


@pytest.fixture(scope="module")
def machine():
    try:
        with debian.Machine(debian.NOTHING, debian.TRIXIE) as made:
            guests.put_programs(made)
            guests.add_users(made)
            made.run("chmod", "1777", "/srv")
            yield made
    except debian.Unavailable as why:
        pytest.skip(str(why))


@pytest.fixture(scope="module", params=["root", "displayd"])
def old_host(machine, request):
    """A state directory of root, and one of the service, in which the user displayd owns all files."""
    found = Host(machine, request.param)
    machine.run("rm", "-rf", STATE)
    found.make_old()
    return found


@pytest.fixture
def host(old_host):
    old_host.begin_anew()
    return old_host


def test_pg_upgrade(host):
    with host.running():
        assert host.emails() == ["kept@example.org"]
    # The server continues with the old version, and logs that.
    assert [line for line in host.log().splitlines() if "to move it, stop displayd and run" in line
            and "postgresql=15" in line and "installed=17" in line]
    assert host.version() == 15
    begun = time.monotonic()
    _, told, said = host.told(*UPGRADE)
    print(f"pg_upgrade: {time.monotonic() - begun:.1f} s; {said}")
    assert told == {"from": 15, "to": 17, "method": "pg_upgrade", "old": DATA + ".old"}
    host.check_new()
    assert "nothing was changed" in host.told(*UPGRADE)[2]


def test_root_for_the_service(host):
    """sudo displayctl upgrades a server that runs as another user."""
    assert Host(host.machine).told(*UPGRADE)[1]["method"] == "pg_upgrade"
    host.check_new()


def test_dump_and_restore(host):
    begun = time.monotonic()
    _, told, said = host.told(*UPGRADE, "--method", "dump")
    print(f"dump and restore: {time.monotonic() - begun:.1f} s; {said}")
    assert told == {"from": 15, "to": 17, "method": "dump", "old": DATA + ".old"}
    host.check_new()


def test_where_pg_upgrade_is_missing(host):
    with host.without(NEWER + "/bin/pg_upgrade"):
        code, _, said = host.told(*UPGRADE, "--method", "pg_upgrade", check=False)
        assert code == 1 and "/usr/lib/postgresql/17/bin/pg_upgrade is missing" in said
        assert host.version() == 15
        _, told, said = host.told(*UPGRADE)
    assert told["method"] == "dump" and "not by pg_upgrade: /usr/lib/postgresql/17/bin/pg_upgrade is missing" in said
    host.check_new()


def test_where_pg_upgrade_refuses(host):
    """If pg_upgrade refuses, here because only one of the clusters has checksums, rows are copied by dump
    and restore."""
    owner = host.machine.run("stat", "-c", "%U", DATA).strip()
    host.machine.run("chmod", "711", STATE)
    host.machine.run("setpriv", f"--reuid={owner}", f"--regid={owner}", "--clear-groups",
                     "/usr/lib/postgresql/15/bin/pg_checksums", "--disable", "-D", DATA)
    _, told, said = host.told(*UPGRADE)
    assert told["method"] == "dump" and "not by pg_upgrade: " in said and "checksum" in said, said
    host.check_new()


def test_without_the_old_programs(host):
    with host.without("/usr/lib/postgresql/15"):
        code, _, said = host.told(*UPGRADE, check=False)
        assert code == 5 and "Debian: package postgresql-15" in said
        assert host.launch().wait() == 5 and "Debian: package postgresql-15" in host.log()
    assert host.version() == 15


# Moments of a power cut: files of the new cluster, of a process, of the old cluster at its new path.
MOMENTS = [("data.new/PG_VERSION",), ("data.new/pg_upgrade_output.d",),
           ("data/postmaster.pid", "data.new/pg_upgrade_output.d"), ("data.new/postmaster.pid",), ("data.old",)]
# Some moments last milliseconds, so this thread runs before all others even on a busy machine.
LOOK_S = 0.0005
ATTEMPTS = 5


@contextlib.contextmanager
def before_all_others():
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def kill_at(host, paths):
    """Kills displayctl at this moment of the move. False if the moment passed unseen."""
    folder = f"/proc/{host.machine.first_process()}/root{STATE}/postgres"
    command = host.machine.inside(*host.displayctl, *UPGRADE)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process, before_all_others():
        while process.poll() is None:
            if all(os.path.exists(os.path.join(folder, path)) for path in paths):
                with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
                    os.kill(int(file.read()), signal.SIGKILL)
                return True
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_S)
    return False


@pytest.mark.parametrize("paths", MOMENTS, ids=" and ".join)
def test_killed(host, paths):
    attempt = 1
    while not kill_at(host, paths):
        assert attempt < ATTEMPTS, "no upgrade came by there"
        attempt += 1
        host.begin_anew()
    with host.running():
        assert host.emails() == ["kept@example.org"]
    wait_until(lambda: "data.new" not in host.machine.run("ls", STATE + "/postgres"), "a clean folder")
    assert host.version() in (15, 17)
    # Ignore zombies: process 1 of the machine does not collect them.
    assert not host.machine.run("pgrep", "-r", "DRST", "-x", "postgres|pg_upgrade|pg_dump|psql", check=False)
