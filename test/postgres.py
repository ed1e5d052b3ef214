#!/usr/bin/env python3
"""PostgreSQL for tests, in a temporary folder, on a unix socket only.

    with shared() as postgres:                 # a cluster that other tests use at the same time
        url = postgres.create_database()       # that has displayd's tables already

    with Postgres() as postgres:               # one of its own, for a test that stops or breaks it
        psycopg2.connect(postgres.url)

    test/postgres.py PROGRAM [ARGUMENT...]
    test/postgres.py --serve

As a command it starts a cluster, runs the program and ends with its exit status. The program finds

    DISPLAYD_TEST_DATABASE  the URL
    DISPLAYD_TEST_CONTROL   number of an open socket that takes one command a line and answers "ok"
                            or what went wrong: start, stop, kill, restart, pause, resume,
                            create NAME [ENCODING]

With --serve it starts the cluster that all tests of a run share, writes its folder to standard output,
in one line, and runs until standard input ends. Tests find it by

    DISPLAYD_TEST_CLUSTER   that folder. Without it a process makes a shared cluster of its own.

Works as root too: PostgreSQL then runs as the user "postgres". A cluster dies with its maker.
"""

import contextlib
import glob
import os
import pwd
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading

from waiting import wait_until

from run_folder import copy_folder, locked, made_once, new_folder
from server import run_ctl

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    # Not in /dev/shm, where it stays if the postmaster is killed.
    "dynamic_shared_memory_type": "mmap",
    "max_connections": "50",
    "shared_buffers": "16MB",
    "log_min_messages": "fatal",
    "timezone": "UTC",
}


def has_ended(pid):
    """Whether the process has ended, even if its parent has not reaped it."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def find_binaries():
    """Returns the folder with the programs of the newest PostgreSQL."""
    folders = glob.glob("/usr/lib/postgresql/*/bin/postgres")
    folders.sort(key=lambda path: float(path.split("/")[4]))
    if folders:
        return os.path.dirname(folders[-1])
    postgres = shutil.which("postgres")
    if not postgres:
        raise RuntimeError("no PostgreSQL server is installed; run tools/setup")
    return os.path.dirname(os.path.realpath(postgres))


class Cluster:
    """A running PostgreSQL, which others may use at the same time."""

    TEMPLATE = "displayd_template"

    def __init__(self, folder, port="5432"):
        self.folder = folder
        self.port = port
        self.databases = []

    @property
    def url(self):
        """Returns libpq's connection string for the database "postgres"."""
        return self.url_of("postgres")

    def url_of(self, database):
        return f"postgresql:///{database}?host={self.folder}&port={self.port}&user=postgres"

    def execute(self, sql, database="postgres"):
        """Runs SQL outside of a transaction. Returns its output, unaligned, without headers."""
        command = ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", self.url_of(database)]
        done = subprocess.run(command, input=sql, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def _new_name(self):
        return f"test_{os.getpid()}_{len(self.databases) + 1}"

    def _create(self, name, options):
        self.execute(f'CREATE DATABASE "{name}" {options}')
        self.databases.append(name)
        return self.url_of(name)

    def create_empty(self, name=None, encoding="UTF8"):
        """Creates an empty database. Returns its URL."""
        locale = "C.UTF-8" if encoding == "UTF8" else "C"
        return self._create(name or self._new_name(),
                            f"TEMPLATE template0 ENCODING '{encoding}' LOCALE '{locale}'")

    def create_database(self):
        """Creates a database with displayd's tables. Returns its URL. Only the first one is migrated:
        others are copies of it, which takes a quarter of the time."""
        made = os.path.join(self.folder, "template")
        with locked(made + ".lock"):
            if not os.path.exists(made):
                self.execute(f"DROP DATABASE IF EXISTS {self.TEMPLATE}")
                self.execute(f"CREATE DATABASE {self.TEMPLATE} TEMPLATE template0 ENCODING 'UTF8' "
                             "LOCALE 'C.UTF-8'")
                run_ctl("--state-dir", self.folder, "--database", self.url_of(self.TEMPLATE), "migrate")
                # A database in use cannot be copied.
                self.execute(f"ALTER DATABASE {self.TEMPLATE} ALLOW_CONNECTIONS false")
                os.mkdir(made)
        return self._create(self._new_name(), f"TEMPLATE {self.TEMPLATE} STRATEGY file_copy")

    def drop_databases(self):
        """Drops the databases that were made here. A server may still have connections."""
        self.execute("".join(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE);\n' for name in self.databases))
        self.databases.clear()


@contextlib.contextmanager
def shared():
    """Yields the cluster of the run, or else a temporary one."""
    folder = os.environ.get("DISPLAYD_TEST_CLUSTER")
    if not folder:
        # Each worker of each server has eight connections.
        with Postgres({"max_connections": "200"}) as cluster:
            yield cluster
        return
    cluster = Cluster(folder)
    try:
        yield cluster
    finally:
        cluster.drop_databases()


class Postgres(Cluster):
    """A cluster of its own. settings are lines of postgresql.conf."""

    def __init__(self, settings=None):
        self.settings = SETTINGS | (settings or {})
        self.binaries = find_binaries()
        super().__init__(new_folder("displayd-pg-"), self.settings.get("port", "5432"))
        self.data = os.path.join(self.folder, "data")
        self.process = None
        # setpriv also makes the postmaster end with us, whatever becomes of us.
        self.prefix = ["setpriv", "--pdeathsig", "INT"]
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            # Workers are another user; the data stay in a closed folder of their own.
            os.chmod(self.folder, 0o711)
            self.prefix += ["--reuid=postgres", "--regid=postgres", "--init-groups"]
        self._make_data()
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="utf-8") as file:
            for name, value in self.settings.items():
                file.write(f"{name} = '{value}'\n")
            file.write(f"unix_socket_directories = '{self.folder}'\n")

    def _make_data(self):
        copy_folder(made_once("initdb", self._initialise), self.data, self.prefix)

    def _run(self, command):
        done = subprocess.run(self.prefix + command, cwd="/", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stdout)

    def _initialise(self, path):
        command = [self.binaries + "/initdb", "--pgdata", path, "--username", "postgres",
                   "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync",
                   "--no-instructions"]
        self._run(command)

    def start(self):
        """Starts it. Returns when it accepts connections."""
        command = self.prefix + [self.binaries + "/postgres", "-D", self.data]
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(command, cwd="/", stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, start_new_session=True)
        ready = [self.binaries + "/pg_isready", "-q", "-h", self.folder, "-p", self.port,
                 "-U", "postgres"]

        def is_ready():
            if self.process.poll() is not None:
                raise RuntimeError("PostgreSQL did not start:\n" + self.read_log())
            return subprocess.run(ready, check=False).returncode == 0

        wait_until(is_ready, "a PostgreSQL that takes connections")

    def read_log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def stop(self):
        """Stops it by a fast shutdown: clients are told, then cut off."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def kill(self):
        """Kills every process of the cluster at once, like a power failure of the machine."""
        if self.process.poll() is None:
            children = self._signal_all(signal.SIGSTOP)
            for pid in [*children, self.process.pid]:
                os.kill(pid, signal.SIGKILL)  # they are stopped: no other process has the number
            # The next one does not start while one of them uses the shared memory.
            wait_until(lambda: all(map(has_ended, children)), "the end of its processes")
        self.process.wait()
        self._drop_lock()

    def _drop_lock(self):
        """Also removes the segment of shared memory that its line 7 names, which a killed postmaster
        leaves behind."""
        lock = os.path.join(self.data, "postmaster.pid")
        if not os.path.exists(lock):
            return
        with open(lock, encoding="utf-8") as file:
            lines = file.read().splitlines()
        if len(lines) > 6:
            subprocess.run(["ipcrm", "--shmem-id", lines[6].split()[1]], stderr=subprocess.DEVNULL,
                           check=False)
        os.unlink(lock)

    def restart(self):
        self.stop()
        self.start()

    def pause(self):
        """Stops it: it accepts connections and requests, but answers nothing, until resume()."""
        self._signal_all(signal.SIGSTOP)

    def resume(self):
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number):
        """Sends a signal to the postmaster first, so that it starts nothing more, then to its children.
        Returns the children."""
        pid = self.process.pid
        os.kill(pid, number)
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = [int(child) for child in file.read().split()]
        for child in children:
            try:
                os.kill(child, number)
            except ProcessLookupError:
                pass
        return children

    def remove(self):
        """Ends it and removes its files."""
        if self.process:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_):
        self.remove()


class Standby(Postgres):
    """A copy of a running cluster, which follows it until promote(). With the settings of the other."""

    NAME = "standby"  # for synchronous_standby_names

    def __init__(self, primary):
        self.primary = primary
        super().__init__(primary.settings)

    def _make_data(self):
        where = f"host={self.primary.folder} port={self.primary.port} user=postgres application_name={self.NAME}"
        self._run([self.binaries + "/pg_basebackup", "--pgdata", self.data, "--dbname", where, "--checkpoint", "fast",
                   "--wal-method", "stream", "--write-recovery-conf", "--no-sync"])

    def promote(self):
        """Makes it a primary, on a timeline of its own."""
        self.execute("SELECT pg_promote()")


def serve(postgres, connection):
    """Executes the program's commands, one per line, until it ends."""
    commands = {name: getattr(postgres, name)
                for name in ("start", "stop", "kill", "restart", "pause", "resume")}
    commands["create"] = postgres.create_empty
    with connection, connection.makefile("rw", encoding="utf-8") as stream:
        for line in stream:
            name, *arguments = line.split()
            try:
                commands[name](*arguments)
                answer = "ok"
            except (RuntimeError, OSError, KeyError, TypeError) as error:
                answer = " ".join(str(error).split()) or repr(error)
            stream.write(answer + "\n")
            stream.flush()


def serve_run():
    """The cluster that the tests of a run share."""
    # Several programs with several servers each run beside busy processes.
    with Postgres({"max_connections": "1000"}) as postgres:
        print(postgres.folder, flush=True)
        sys.stdin.read()


def run_program(command):
    """With a cluster of its own."""
    with Postgres() as postgres:
        ours, theirs = socket.socketpair()
        environment = os.environ | {
            "DISPLAYD_TEST_DATABASE": postgres.url,
            "DISPLAYD_TEST_CONTROL": str(theirs.fileno()),
        }
        with theirs:
            # A program for another processor is emulated: see debian/rules.
            emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
            program = subprocess.Popen(emulator + command, env=environment, pass_fds=[theirs.fileno()])
        threading.Thread(target=serve, args=(postgres, ours), daemon=True).start()
        try:
            status = program.wait()
        finally:
            program.kill()
    sys.exit(status if status >= 0 else 128 - status)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if sys.argv[1] == "--serve":
        serve_run()
    else:
        run_program(sys.argv[1:])


if __name__ == "__main__":
    main()
