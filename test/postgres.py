#!/usr/bin/env python3
"""A private PostgreSQL for tests: its own cluster in a temporary folder, on a unix socket only.

    with Postgres() as postgres:
        psycopg2.connect(postgres.url)

    test/postgres.py PROGRAM [ARGUMENT...]

As a command it starts a cluster, runs the program and ends with its exit status. The program finds

    DISPLAYD_TEST_DATABASE  the URL
    DISPLAYD_TEST_CONTROL   number of an open socket that takes one command a line and answers "ok"
                            or what went wrong: start, stop, kill, restart, pause, resume,
                            create NAME [ENCODING]

Works as root too: PostgreSQL then runs as the user "postgres". The cluster dies with its maker.
"""

import glob
import os
import pwd
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from waiting import wait_until

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "max_connections": "50",
    "shared_buffers": "16MB",
    "log_min_messages": "fatal",
    "timezone": "UTC",
}


def has_ended(pid):
    """Ended, though its parent may not have taken note."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def find_binaries():
    """The folder of the newest PostgreSQL."""
    folders = glob.glob("/usr/lib/postgresql/*/bin/postgres")
    folders.sort(key=lambda path: float(path.split("/")[4]))
    if folders:
        return os.path.dirname(folders[-1])
    postgres = shutil.which("postgres")
    if not postgres:
        raise RuntimeError("no PostgreSQL server is installed; run tools/setup")
    return os.path.dirname(os.path.realpath(postgres))


class Postgres:
    """A cluster. settings are lines of postgresql.conf."""

    def __init__(self, settings=None):
        self.settings = SETTINGS | (settings or {})
        self.binaries = find_binaries()
        # A short path: a unix socket's may have 107 bytes.
        self.folder = tempfile.mkdtemp(prefix="displayd-pg-", dir="/tmp")
        self.data = os.path.join(self.folder, "data")
        self.process = None
        self.databases = 0
        # setpriv also makes the postmaster end with us, whatever becomes of us.
        self.prefix = ["setpriv", "--pdeathsig", "INT"]
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            # Workers are another user; the data stay in a closed folder of their own.
            os.chmod(self.folder, 0o711)
            self.prefix += ["--reuid=postgres", "--regid=postgres", "--init-groups"]
        self._initialise()

    def _initialise(self):
        command = [self.binaries + "/initdb", "--pgdata", self.data, "--username", "postgres",
                   "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync",
                   "--no-instructions"]
        done = subprocess.run(self.prefix + command, cwd="/", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stdout)
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="utf-8") as file:
            for name, value in self.settings.items():
                file.write(f"{name} = '{value}'\n")
            file.write(f"unix_socket_directories = '{self.folder}'\n")

    @property
    def url(self):
        """libpq's connection string of the database "postgres"."""
        return self.url_of("postgres")

    def url_of(self, database):
        return f"postgresql:///{database}?host={self.folder}&port={self.port}&user=postgres"

    @property
    def port(self):
        return self.settings.get("port", "5432")

    def start(self):
        """Returns when it takes connections."""
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
        """Fast shutdown: clients are told, then cut off."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def kill(self):
        """As if the machine had lost its power: every process of the cluster at once."""
        if self.process.poll() is None:
            children = self._signal_all(signal.SIGSTOP)
            for pid in [*children, self.process.pid]:
                os.kill(pid, signal.SIGKILL)  # they are stopped: no other process has the number
            # The next one does not start while one of them has the shared memory.
            wait_until(lambda: all(map(has_ended, children)), "the end of its processes")
        self.process.wait()
        lock = os.path.join(self.data, "postmaster.pid")
        if os.path.exists(lock):
            os.unlink(lock)

    def restart(self):
        self.stop()
        self.start()

    def pause(self):
        """It takes connections and requests, and answers nothing, until resume()."""
        self._signal_all(signal.SIGSTOP)

    def resume(self):
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number):
        """To the postmaster first, so that it starts nothing more, then to its children. Returns those."""
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

    def execute(self, sql, database="postgres"):
        """Runs SQL outside of a transaction; its output, unaligned, without headers."""
        command = ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", self.url_of(database)]
        done = subprocess.run(command, input=sql, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def create_database(self, name=None, encoding="UTF8"):
        """A fresh database; its URL."""
        self.databases += 1
        name = name or f"test_{self.databases}"
        locale = "C.UTF-8" if encoding == "UTF8" else "C"
        self.execute(f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING '{encoding}' "
                     f"LOCALE '{locale}'")
        return self.url_of(name)

    def remove(self):
        """Ends it and leaves nothing."""
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


def serve(postgres, connection):
    """Does what the program asks for, a line each, until it ends."""
    commands = {name: getattr(postgres, name)
                for name in ("start", "stop", "kill", "restart", "pause", "resume")}
    commands["create"] = postgres.create_database
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


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with Postgres() as postgres:
        ours, theirs = socket.socketpair()
        environment = os.environ | {
            "DISPLAYD_TEST_DATABASE": postgres.url,
            "DISPLAYD_TEST_CONTROL": str(theirs.fileno()),
        }
        with theirs:
            # A program for another processor is emulated: see debian/rules.
            emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
            program = subprocess.Popen(emulator + sys.argv[1:], env=environment, pass_fds=[theirs.fileno()])
        threading.Thread(target=serve, args=(postgres, ours), daemon=True).start()
        try:
            status = program.wait()
        finally:
            program.kill()
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
