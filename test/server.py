"""A running displayd for tests.

    with Server() as server:                          # a state directory of its own
        account = server.ctl("account", "create", "a@example.org", "--name", "A")
        device = server.ctl("device", "create", "--account", "a@example.org", "--name", "Desk")
        key = server.ctl("key", "create", "--account", "a@example.org")["key"]
        server.get("/v1/devices", key=key).json()

    with Postgres() as postgres:                      # instances that share a database
        url = postgres.create_database()
        with Server(database=url) as one, Server(database=url) as other: ...

The programs are those that DISPLAYD and DISPLAYCTL name (meson sets them), else those of
build/release. displayd listens on a port that the kernel chooses and writes its log to a file;
what it said is in the error when something fails.
"""

import contextlib
import dataclasses
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.parse

import problems
from run_folder import copy_folder, made_once, new_folder
from waiting import PATIENCE_S, repeat_if_busy, wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DISPLAYD = os.environ.get("DISPLAYD", os.path.join(ROOT, "build/release/displayd"))
DISPLAYCTL = os.environ.get("DISPLAYCTL", os.path.join(ROOT, "build/release/displayctl"))
LISTENING = re.compile(r"listening[ ,]+address=(?!unix|proxy)(\S*):\d+[ ,]+port=(\d+)")


def amount(usual, full):
    """Returns how many inputs a test uses: tools/test --full has more."""
    return full if os.environ.get("DISPLAYD_TEST_FULL") else usual


@dataclasses.dataclass
class Response:
    """An answer. Field names are compared as HTTP does."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self):
        return json.loads(self.body)


class CtlError(Exception):
    """displayctl has exited with a code other than 0."""

    def __init__(self, code, text):
        super().__init__(f"displayctl ended with {code}: {text}")
        self.code = code
        self.text = text


def run_ctl(*arguments, json_output=True, **options):
    """Runs displayctl. Returns its output, read as JSON. Raises CtlError if it fails."""
    command = [DISPLAYCTL] + (["--json"] if json_output else []) + list(arguments)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, timeout=PATIENCE_S, **options)
    if done.returncode:
        raise CtlError(done.returncode, done.stderr)
    return json.loads(done.stdout) if json_output and done.stdout else done.stdout


def little_quarantine():
    """Returns variables for a server whose memory is measured. AddressSanitizer keeps freed memory,
    to detect a use of it: 256 MiB, too much to notice a leak, or a stored list, beside it."""
    little = "quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
    return {"ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:{little}".strip(":")}


def make_state(path):
    with Server(state_dir=path, is_new=True) as server:
        server.stop()
    os.unlink(os.path.join(path, "lock"))
    os.unlink(server.log_path)


def prepare_state(path):
    """Copies a state directory that this displayd has made: this takes a fifth of the time. Another build
    may have other migrations."""
    name = "state" + os.path.abspath(DISPLAYD).replace("/", "-")
    if not os.path.exists(path) or not os.listdir(path):
        copy_folder(made_once(name, make_state), path)


def prepare_key(path):
    """All instances on one database need the same key."""
    path = os.path.join(path, "secret-key")
    if os.path.isdir(os.path.dirname(path)) and not os.path.exists(path):
        with open(path, "w", encoding="ascii", opener=lambda *name: os.open(*name, 0o600)) as file:
            file.write("0f" * 32 + "\n")


class Server:
    """A displayd with its supervisor, workers and, unless database is given, its PostgreSQL.

    arguments: further flags of displayd. environment: further variables. state_dir: kept when it is
    given, else a temporary one that goes with the server. prefix: a command to run displayd by.

    A state directory that is missing or empty is copied from one that has a migrated, empty database, as
    a server makes it at its first start. is_new: the server makes it.
    """

    is_patient = True  # requests that are answered 503 are repeated, as clients must

    def __init__(self, *arguments, database=None, state_dir=None, workers=2, environment=None,
                 listen="127.0.0.1:0", prefix=(), is_new=False):
        self.database = database
        self.worker_count = workers
        self.own_state_dir = state_dir is None
        self.state_dir = state_dir or new_folder("displayd-test-", otherwise=None)
        if not database and not is_new:
            prepare_state(self.state_dir)
        if database and not is_new:
            prepare_key(self.state_dir)
        self.log_path = self.state_dir.rstrip("/") + ".log"
        self.command = [*prefix, DISPLAYD, "--state-dir", self.state_dir, "--workers", str(workers)]
        self.command += ["--listen", listen] if listen else []
        self.command += ["--database", database] if database else []
        self.command += arguments
        self.environment = {key: value for key, value in os.environ.items()
                            if not key.startswith("DISPLAYD_")} | (environment or {})
        self.process = None

    # ---- running ----

    def launch(self):
        """Starts it without waiting. Its log begins anew."""
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env=self.environment)
        return self

    def start(self):
        """Returns when it is ready."""
        self.launch()
        self.wait_until_ready()
        return self

    def wait_until_ready(self):
        """Whether all workers are ready, not only the one that answers: the next request may reach
        another."""
        try:
            wait_until(self._is_ready, "a ready displayd")
        except TimeoutError as error:
            raise TimeoutError(f"{error}:\n{self.log()[-4000:]}") from error
        # The process that logs the link of a first account has ended, too.
        self.workers()
        if "--log-level" in self.command or "--log-format" in self.command:
            return
        for worker in range(1, self.worker_count + 1):
            for kind in ("read", "write", "hint"):
                self.wait_for_log(f"process=worker-{worker} group=db msg=connected "
                                  f"connection={kind}")

    def _is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"displayd ended with {self.process.returncode}:\n{self.log()}")
        try:
            with open(os.path.join(self.state_dir, "lock"), encoding="ascii") as file:
                is_ours = file.read().strip() == str(self.process.pid)
            return is_ours and self.url and self.get("/readyz").status == 200
        except (OSError, http.client.HTTPException):
            return False

    def stop(self):
        """Sends SIGTERM. Returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def kill(self):
        """Sends SIGKILL to the supervisor; the remaining processes end by themselves."""
        self.process.kill()
        self.process.wait()

    @contextlib.contextmanager
    def without_supervisor(self):
        """Stops the supervisor meanwhile: no process is started again."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def wait(self):
        """Waits until it ends by itself. Returns its exit code."""
        return self.process.wait(PATIENCE_S)

    def restart(self):
        self.stop()
        return self.start()

    def remove(self):
        """Ends it and removes its files."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.own_state_dir:
            shutil.rmtree(self.state_dir, ignore_errors=True)
            if os.path.exists(self.log_path):
                os.unlink(self.log_path)

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_):
        self.remove()

    # ---- looking at it ----

    def log(self):
        """Returns the log so far."""
        if not os.path.exists(self.log_path):
            return ""
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_for_log(self, text, count=1):
        """Waits until the log contains the text this many times."""
        wait_until(lambda: self.log().count(text) >= count, f"{text!r} in the log")

    def children(self):
        """Returns the process IDs below the supervisor, by kind: workers and the postmaster."""
        workers, postmaster, _ = self._children()
        return workers, postmaster

    def render_host(self):
        """Waits for the render host. Returns its process ID."""
        return wait_until(lambda: self._children()[2], "a render host")

    def _children(self):
        pid = self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            pids = [int(word) for word in file.read().split()]
        workers, postmaster, host = [], None, None
        for child in pids:
            try:
                with open(f"/proc/{child}/cmdline", "rb") as file:
                    program = file.read().split(b"\0")[0]
                with open(f"/proc/{child}/comm", encoding="ascii") as file:
                    name = file.read().strip()
            except OSError:
                continue
            if os.path.basename(program) == b"postgres":
                postmaster = child
            elif name == "render-host":
                host = child
            else:
                workers.append(child)
        return workers, postmaster, host

    def workers(self):
        """Returns the process IDs of all its workers, once all are running: a killed one leaves the
        list a moment before its successor is in it."""
        return wait_until(lambda: len(found := self.children()[0]) == self.worker_count and found,
                          f"{self.worker_count} workers")

    def postmaster(self):
        return self.children()[1]

    def _public_url_path(self):
        return os.path.join(self.state_dir, "public-url")

    @property
    def url(self):
        """Returns the start of the URLs that it hands out."""
        with open(self._public_url_path(), encoding="utf-8") as file:
            return file.read().strip()

    @property
    def address(self):
        """Returns host and port of its first public listener, from the log: --public-url may be
        another."""
        with contextlib.suppress(FileNotFoundError), open(self.log_path, encoding="utf-8", errors="replace") as log:
            for line in log:  # the first ones: each request of a long test looks here
                found = LISTENING.search(line.replace('":"', "=").replace('":', "=").replace('"', " "))
                if found:
                    return found[1].strip("[]") or "localhost", int(found[2])
        parts = urllib.parse.urlsplit(self.url)  # --log-level hides it
        return parts.hostname, parts.port

    # ---- talking to it ----

    def ctl(self, *arguments, json_output=True):
        """Runs displayctl on this server. Returns its output, read as JSON. Raises CtlError if it
        fails."""
        where = ["--state-dir", self.state_dir]
        where += ["--database", self.database] if self.database else []
        return run_ctl(*where, *arguments, json_output=json_output, env=self.environment)

    def connect(self):
        """Opens a TCP connection, for raw bytes."""
        return socket.create_connection(self.address, timeout=PATIENCE_S)

    def request(self, method, path, body=None, key=None, headers=None):
        """Sends a request on a connection of its own. body: bytes, or an object for JSON. Repeats after
        a 503 if is_patient, except for /readyz."""
        fields = dict(headers or {})
        if key:
            fields.setdefault("Authorization", f"Bearer {key}")
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            fields.setdefault("Content-Type", "application/json")
        if not self.is_patient or path == "/readyz":
            return self._ask(method, path, body, fields)
        return repeat_if_busy(lambda: self._ask(method, path, body, fields),
                              lambda answer: (answer.status, answer.headers["Retry-After"]))

    def _ask(self, method, path, body, fields):
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body=body, headers=fields)
            answer = connection.getresponse()
            response = Response(answer.status, answer.headers, answer.read())
            problems.check(method, path, answer.status, answer.headers["Content-Type"], response.body)
            return response
        finally:
            connection.close()

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body, **options):
        return self.request("POST", path, body=body, **options)

    def delete(self, path, **options):
        return self.request("DELETE", path, **options)

    @staticmethod
    def path_of(url):
        """Returns path and query of one of its URLs: pollUrl, websocketUrl."""
        parts = urllib.parse.urlsplit(url)
        return parts.path + (f"?{parts.query}" if parts.query else "")
