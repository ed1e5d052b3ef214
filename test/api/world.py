"""A running server, accounts in its database, and clients.

Accounts, devices and keys are put into the database directly, which is fast. Keys are made here from the
documented form, so that the server's implementation is checked. """

import contextlib
import dataclasses
import hashlib
import http.client
import json
import os
import re
import secrets
import signal
import socket
import struct
import string
import sys
import uuid
import zlib
from concurrent.futures import ThreadPoolExecutor

import psycopg2

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "contract")]

# pylint: disable=wrong-import-position
import images  # noqa: E402
import kept  # noqa: E402
import validate  # noqa: E402
from logfmt import log_fields  # noqa: E402
from server import Server  # noqa: E402
from waiting import PATIENCE_S, repeat_if_busy, wait_as_told, wait_until  # noqa: E402

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UNKNOWN_ID = "0190163d-8694-739b-aea5-966c26f8ad91"
TITLES = {**http.client.responses, 413: "Content Too Large"}
SECRETS = set()  # logs must not contain these


def base62(number, length):
    digits = ""
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits = BASE62[digit] + digits
    return digits


def random_base62(length):
    return "".join(secrets.choice(BASE62) for _ in range(length))


def new_key(secret=None):
    """Returns "ddk_", 30 characters, and the CRC-32 of both in 6 characters."""
    start = "ddk_" + (secret or random_base62(30))
    key = start + base62(zlib.crc32(start.encode()), 6)
    SECRETS.add(key)
    return key


def sha256(text):
    return hashlib.sha256(text.encode()).digest()


# ---- clients ----


class Answer:
    """An answer, its fields in their order."""

    def __init__(self, status, fields, body):
        self.status = status
        self.fields = fields
        self.body = body

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"

    def __contains__(self, name):
        return any(known.lower() == name.lower() for known, _ in self.fields)

    def __getitem__(self, name):
        values = [value for known, value in self.fields if known.lower() == name.lower()]
        assert len(values) == 1, (name, self.fields)
        return values[0]

    def json(self):
        return json.loads(self.body)

    def problem(self, status):
        """Returns the members of a problem, which must be well-formed."""
        assert self.status == status, self
        assert self["Content-Type"] == "application/problem+json"
        members = self.json()
        assert members["type"] == "about:blank"
        assert members["status"] == status
        assert members["title"] == TITLES[status]
        assert isinstance(members["detail"], str) and members["detail"]
        assert set(members) <= {"type", "title", "status", "code", "detail", "errors"}
        return members

    def faults(self):
        """Returns the faults of the body, pointer -> detail, of a 400 with "errors"."""
        errors = self.problem(400)["errors"]
        assert errors and all(set(error) == {"pointer", "detail"} for error in errors)
        faults = {error["pointer"]: error["detail"] for error in errors}
        assert len(faults) == len(errors), errors
        return faults

    def ok(self):
        assert self.status == 200, self
        assert self["Content-Type"] == "application/json"
        return self.json()


def told_of(answer):
    """Returns the delay for repeat_if_busy(); None: this connection takes no other request."""
    is_last = "Connection" in answer and answer["Connection"] == "close"
    return answer.status, answer["Retry-After"] if "Retry-After" in answer and not is_last else None


class Connection:
    """A keep-alive connection that sends bytes as they are. is_patient: request() asks again after a 503,
    as clients must."""

    def __init__(self, server, is_patient=True):
        self.is_patient = is_patient
        self.socket = server.connect()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Closes the connection with a RST."""
        with contextlib.suppress(OSError):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def _fill(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError(f"the connection ended in {self.buffer[:200]!r}")
        self.buffer += data

    def _take(self, size):
        while len(self.buffer) < size:
            self._fill()
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def _take_chunks(self):
        body = []
        while True:
            while b"\r\n" not in self.buffer:
                self._fill()
            size = int(self._take(self.buffer.index(b"\r\n") + 2), 16)
            body.append(self._take(size))
            assert self._take(2) == b"\r\n"
            if size == 0:
                return b"".join(body)

    def answer(self, method="GET"):
        while b"\r\n\r\n" not in self.buffer:
            self._fill()
        head = self._take(self.buffer.index(b"\r\n\r\n") + 4)[:-4].decode("latin-1")
        lines = head.split("\r\n")
        status = int(lines[0].split(" ")[1])
        if status == 100:
            return self.answer(method)
        answer = Answer(status, [tuple(line.split(": ", 1)) for line in lines[1:]], b"")
        if method != "HEAD" and "Content-Length" in answer:
            answer.body = self._take(int(answer["Content-Length"]))
        elif method != "HEAD" and "Transfer-Encoding" in answer and \
                answer["Content-Type"] != "text/event-stream":  # an answer without end
            answer.body = self._take_chunks()
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,128}", answer["X-Request-Id"])
        return answer

    def request(self, method, target, **options):
        """Sends a request. The answer must be documented in the API document."""
        def ask():
            self.send(data)
            answer = self.answer(method)
            validate.answer(method, target, answer.status, answer.fields, answer.body)
            return answer

        data = request_bytes(method, target, **kept.options_of(method, target, options))
        return repeat_if_busy(ask, told_of) if self.is_patient and target != "/readyz" else ask()


def request_bytes(method, target, body=None, key=None, fields=(), chunked=False):
    """Returns the bytes of a request. body: bytes, or an object for JSON. fields: names and values."""
    fields = list(fields)
    names = {name.lower() for name, _ in fields}
    if key is not None:
        fields.append(("Authorization", f"Bearer {key}"))
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    if body is not None:
        if "content-type" not in names:
            fields.append(("Content-Type", "application/json"))
        if chunked:
            fields.append(("Transfer-Encoding", "chunked"))
            body = b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + 60000]), body[i:i + 60000])
                            for i in range(0, len(body), 60000)) + b"0\r\n\r\n"
        elif "content-length" not in names:
            fields.append(("Content-Length", str(len(body))))
    lines = [f"{method} {target} HTTP/1.1", "Host: test"]
    lines += [f"{name}: {value}" for name, value in fields if value is not None]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + (body or b"")


# ---- what is in the database ----


@dataclasses.dataclass
class Device:
    """A device, and actions of its panel."""

    account: "Account"
    id: str
    serial: str
    mac: str
    link_key: str

    @property
    def path(self):
        return f"/v1/devices/{self.id}"

    def get(self, path="", **options):
        return self.account.get(self.path + path, **options)

    def push(self, image=None, **members):
        """image: bytes, or the text of the member."""
        if image is None:
            image = images.png()
        if isinstance(image, bytes):
            image = images.text(image)
        return self.push_body({"image": image, **members})

    def push_body(self, body, **options):
        return self.account.post(self.path + "/push", body, **options)

    def delete(self, installation, **options):
        return self.account.request("DELETE", f"{self.path}/installations/{installation}",
                                    **options)

    def installations(self):
        return self.get("/installations").ok()

    def ids(self):
        return [entry["id"] for entry in self.installations()]

    def poll(self, world=None):
        """Returns the answer to a panel that polls."""
        world = world or self.account.world
        return world.request("GET", f"/d/{self.id}/next?key={self.link_key}")

    def shown(self, world=None):
        """Returns the frames of the next picture."""
        answer = self.poll(world)
        assert answer.status == 200 and answer["Content-Type"] == "image/webp"
        return images.frames_of(answer.body)

    def shows(self, data, world=None):
        """Waits until a picture that looks like this image is served: other workers get the hint later."""
        expected = images.frames_of(data)
        wait_until(lambda: self.shown(world) == expected, "the image on the panel")


class Account:
    def __init__(self, world):
        self.world = world
        self.id = str(uuid.uuid4())
        self.email = f"{secrets.token_hex(8)}@example.org"
        world.sql("INSERT INTO account (id, email, name) VALUES (%s, %s, %s)",
                  self.id, self.email, "Some One")
        self.key = self.new_key()

    def new_key(self, scope="all"):
        key = new_key()
        self.world.sql("INSERT INTO api_key (id, account_id, name, secret_hash, scope) "
                       "VALUES (%s, %s, 'test', %s, %s)", str(uuid.uuid4()), self.id, sha256(key), scope)
        return key

    def revoke(self, key=None):
        """Revokes a key like displayctl, but without the hint."""
        self.world.sql("UPDATE api_key SET revoked_at = clock_timestamp() WHERE secret_hash = %s",
                       sha256(key or self.key))

    def device(self, name="Desk", **columns):
        link_key = random_base62(24)
        SECRETS.add(link_key)
        mac = columns.pop("mac", None) or ":".join(
            f"{byte:02x}" for byte in b"\x02" + secrets.token_bytes(5))
        serial = columns.pop("serial", None) or "SN-" + secrets.token_hex(6)
        device = Device(self, columns.pop("id", None) or str(uuid.uuid4()), serial, mac, link_key)
        values = {"id": device.id, "account_id": self.id, "name": name, "serial": serial,
                  "mac": mac, "link_key_hash": sha256(link_key), **columns}
        places = ", ".join(["%s"] * len(values))
        kept.device_is_made()
        self.world.sql(f"INSERT INTO device ({', '.join(values)}) VALUES ({places})",
                       *values.values())
        return device

    def devices(self, count):
        self.world.sql("INSERT INTO device (id, account_id, name, link_key_hash) SELECT gen_random_uuid(), %s, 'Many', "
                       "sha256((%s || n)::bytea) FROM generate_series(1, %s) AS n", self.id, self.id, count)

    def request(self, method, target, **options):
        options.setdefault("key", self.key)
        return self.world.request(method, target, **options)

    def get(self, target, **options):
        return self.request("GET", target, **options)

    def post(self, target, body, **options):
        return self.request("POST", target, body=body, **options)


def until_refused(ask, at_once=1):
    """Sends requests until a 429, which is the last of the returned answers. Several at once are faster
    than tokens grow on a busy machine."""
    answers = []
    with ThreadPoolExecutor(at_once) as pool:
        for _ in range(5000 // at_once):
            asked = list(pool.map(lambda _: ask(), range(at_once)))
            answers += [answer for answer in asked if answer.status != 429]
            refused = [answer for answer in asked if answer.status == 429]
            if refused:
                return [*answers, refused[0]]
    raise AssertionError("no limit")


# ---- servers ----


class World:
    """A server on a database, and a connection to that database for the test."""

    def __init__(self, database, *arguments, **options):
        self.database = database
        self.server = Server(*arguments, database=database, **options)
        self.connection = None
        self.kills = 0  # workers that tests have killed
        self.is_patient = True  # its clients ask again after a 503

    def __enter__(self):
        try:
            self.server.start()
            return self
        except BaseException:
            self.server.remove()
            raise

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.stop()
        finally:
            if self.connection:
                self.connection.close()
            self.server.remove()

    def stop(self):
        """Ends the server, and checks its log and exit status."""
        if self.server.process.poll() is None:
            assert self.server.stop() == 0, self.server.log()[-5000:]
        self.check_log()

    def check_log(self):
        log = self.server.log()
        for secret in SECRETS:
            assert secret not in log, "a secret is in the log"
        for finding in ("AddressSanitizer", "LeakSanitizer", "runtime error:", "assertion"):
            assert finding not in log, log[log.index(finding) - 200:][:5000]
        assert log.count("worker ended unexpectedly") == self.kills, log[-5000:]

    # ---- database ----

    def sql(self, statement, *values):
        if not self.connection or self.connection.closed:
            self.connection = psycopg2.connect(self.database)
            self.connection.autocommit = True
        with self.connection.cursor() as cursor:
            cursor.execute(kept.looked_at(statement), values)
            return cursor.fetchall() if cursor.description else None

    def hint_backends(self):
        """Returns PostgreSQL's processes for the workers' connections for hints."""
        rows = self.sql("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND "
                        "application_name = 'displayd' AND (query = 'SELECT' OR "
                        "query LIKE 'LISTEN%%' OR query LIKE '%%pg_notify(%%' OR "
                        "query LIKE '%%pg_terminate_backend(%%' OR "
                        "query LIKE '%%hint_beat%%' AND query NOT LIKE 'INSERT%%')")
        return [row[0] for row in rows]

    def account(self):
        return Account(self)

    # ---- clients ----

    def client(self):
        return Connection(self.server, self.is_patient)

    @contextlib.contextmanager
    def impatient(self):
        """Clients made in this block accept a 503 as an answer."""
        self.is_patient = False
        try:
            yield
        finally:
            self.is_patient = True

    def request(self, method, target, **options):
        with self.client() as client:
            return client.request(method, target, **options)

    def get(self, target, **options):
        return self.request("GET", target, **options)

    # ---- processes ----

    def workers(self):
        return sorted(self.server.workers())

    def client_of(self, pid):
        """Returns a connection accepted by this worker: the others are stopped meanwhile."""
        others = [worker for worker in self.workers() if worker != pid]
        for other in others:
            os.kill(other, signal.SIGSTOP)
            wait_until(lambda other=other: state_of(other) == "T", "a stopped worker")
        try:
            client = self.client()
            assert client.request("GET", "/livez").status == 200
            return client
        finally:
            for other in others:
                os.kill(other, signal.SIGCONT)

    def clients(self):
        """Returns a connection to each worker."""
        return [self.client_of(pid) for pid in self.workers()]

    @contextlib.contextmanager
    def each_worker(self):
        """Yields a connection to each worker, and closes them at the end."""
        with contextlib.ExitStack() as stack:
            yield [stack.enter_context(contextlib.closing(client)) for client in self.clients()]

    def kill_worker(self, pid):
        """Returns once the worker is no longer among workers()."""
        self.kills += 1
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: pid not in self.workers(), "the end of the worker")


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def descriptors_without_database(pid):
    """Counts descriptors, without those of connections to the database, which open and close by
    themselves."""
    with open("/proc/net/unix", encoding="ascii", errors="replace") as file:
        local = {f"socket:[{line.split()[6]}]" for line in file.readlines()[1:]}
    names = []
    for entry in os.scandir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            names.append(os.readlink(entry.path))
    return sum(name not in local for name in names)


__all__ = ["Account", "Answer", "Connection", "Device", "PATIENCE_S", "SECRETS", "Server",
           "TIMESTAMP", "UNKNOWN_ID", "World", "descriptors", "images", "log_fields", "new_key",
           "random_base62", "repeat_if_busy", "request_bytes", "state_of", "told_of", "until_refused",
           "wait_as_told", "wait_until"]
