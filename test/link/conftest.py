"""Shared parts of the tests of panel connections."""

import base64
import contextlib
import io
import itertools
import os
import secrets
import signal
import subprocess
import sys
import urllib.parse
import uuid

import psycopg2
import pytest
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../api"))

from panel import Panel  # noqa: E402
from postgres import shared  # noqa: E402
from server import Server, wait_until  # noqa: E402, F401
from world import new_key  # noqa: E402

LINK_TEST_SERVER = os.environ.get("LINK_TEST_SERVER", "build/link/test/link/link_test_server")
NUMBERS = itertools.count(1)


def png(colour, size=(64, 32)):
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def gif(frames, duration_ms):
    images = [Image.new("RGB", (64, 32), (i * 37 % 256, i * 91 % 256, i * 53 % 256))
              for i in range(frames)]
    file = io.BytesIO()
    images[0].save(file, "GIF", save_all=True, append_images=images[1:], duration=duration_ms,
                   loop=0)
    return base64.b64encode(file.getvalue()).decode()


def noise(seed):
    """A picture that does not compress: about 6 KB."""
    generator = __import__("random").Random(seed)
    file = io.BytesIO()
    Image.frombytes("RGB", (64, 32), generator.randbytes(64 * 32 * 3)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def colour_of(webp):
    """Colour of the first pixel."""
    with Image.open(io.BytesIO(webp)) as image:
        assert image.size == (64, 32)
        assert image.format == "WEBP"
        return image.convert("RGB").getpixel((0, 0))


def make_without_server(database, *arguments):
    """displayctl account create, device create and key create for a server that displayctl cannot reach."""
    if arguments[0] == "account":
        database.run("INSERT INTO account (id, email, name) VALUES (gen_random_uuid(), %s, 'A')", arguments[2])
        return {}
    email, key = arguments[3], new_key() if arguments[0] == "key" else secrets.token_hex(12)
    made = {"key": key, "id": str(uuid.uuid4())}
    if arguments[0] == "key":
        database.run("INSERT INTO api_key (id, account_id, name, secret_hash) SELECT %s, id, 'x', sha256(%s::bytea) "
                     "FROM account WHERE email = %s", made["id"], key, email)
        return made
    assert len(arguments) == 6, arguments
    database.run("INSERT INTO device (id, account_id, name, link_key_hash) SELECT %s, id, %s, sha256(%s::bytea) "
                 "FROM account WHERE email = %s", made["id"], arguments[5], key, email)
    return made | {"pollUrl": f"http://localhost/d/{made['id']}/next?key={key}"}


class Device:
    """A device with an account and a key of its own."""

    def __init__(self, server, ctl, **settings):
        number = next(NUMBERS)
        self.server = server
        email = f"panel{os.getpid()}-{number}@example.org"
        ctl("account", "create", email, "--name", "A")
        arguments = [part for name, value in settings.items() for part in ("--" + name, value)]
        made = ctl("device", "create", "--account", email, "--name", "Desk", *arguments)
        self.id, self.link_key = made["id"], made["key"]
        self.url = made["pollUrl"]
        self.key = ctl("key", "create", "--account", email)["key"]

    def path(self, what, device=None, key=None):
        return f"/d/{device or self.id}/{what}?key={key or self.link_key}"

    def poll(self, method="GET", server=None, **options):
        return (server or self.server).request(method, self.path("next"), **options)

    def connect(self, server=None, **options):
        return Panel((server or self.server).address, self.path("ws"), **options)

    def push(self, image, server=None, **members):
        answer = (server or self.server).post(f"/v1/devices/{self.id}/push",
                                              {"image": image} | members, key=self.key)
        assert answer.status == 200, answer.body
        return answer

    def change(self, server=None, **members):
        answer = (server or self.server).request("PATCH", f"/v1/devices/{self.id}", body=members,
                                                 key=self.key)
        assert answer.status == 200, answer.body

    def delete(self, installation):
        path = f"/v1/devices/{self.id}/installations/{urllib.parse.quote(installation)}"
        assert self.server.delete(path, key=self.key).status == 200

    def get(self):
        return self.server.get(f"/v1/devices/{self.id}", key=self.key).json()


class Database:
    """A database, for several servers and for SQL."""

    def __init__(self, postgres):
        self.postgres = postgres
        self.url = postgres.create_database()

    def run(self, sql, *values):
        connection = psycopg2.connect(self.url)
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql, values)
                return cursor.fetchall() if cursor.description else None
        finally:
            connection.close()


@contextlib.contextmanager
def only(server, number):
    """New connections reach this worker: the others are stopped."""
    others = sorted(server.workers())
    del others[number]
    for worker in others:
        os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        for worker in others:
            os.kill(worker, signal.SIGCONT)


class TestServer(Server):
    """link_test_server: one worker, whose limits are arguments. Its database must be migrated."""

    __test__ = False

    def __init__(self, database, **limits):
        super().__init__(database=database)
        self.command = [LINK_TEST_SERVER, database]
        self.command += [f"{name}={value}" for name, value in limits.items()]
        self.port = None

    def launch(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=log,
                                            env=self.environment)
        self.port = int(self.process.stdout.readline())
        return self

    def wait_until_ready(self):
        wait_until(lambda: self.process.poll() is not None or self.get("/readyz").status == 200,
                   "a ready server")
        assert self.process.poll() is None, self.log()
        # The connections for reads and for hints.
        self.wait_for_log("msg=connected connection=read")
        self.wait_for_log("msg=connected connection=hint")

    @property
    def address(self):
        return ("127.0.0.1", self.port)


@pytest.fixture(scope="session")
def postgres():
    with shared() as running:
        yield running


@pytest.fixture(scope="module")
def database(postgres):
    return Database(postgres)


def run_displayd(database, workers):
    with Server("--rate-limit", "0", database=database.url, workers=workers) as running:
        yield running
        assert running.stop() == 0
        assert "Sanitizer" not in running.log(), running.log()


@pytest.fixture(scope="module")
def server(database):
    """A displayd with one worker, so that tests know which worker acts."""
    yield from run_displayd(database, workers=1)


@pytest.fixture(scope="module")
def pair(database):
    """A displayd with two workers: another instance on the same database."""
    yield from run_displayd(database, workers=2)


@pytest.fixture
def make_device(server):
    return lambda **settings: Device(server, server.ctl, **settings)


@pytest.fixture
def device(make_device):
    return make_device()


@pytest.fixture
def limited(postgres):
    """limited(ping_ms=...): a TestServer on a database of its own; limited.device() makes
    devices."""
    servers = []

    def make(database=None, **limits):
        database = database or Database(postgres)
        running = TestServer(database.url, **limits).start()
        running.sql = database
        running.device = lambda: Device(running, lambda *arguments: make_without_server(database, *arguments))
        servers.append(running)
        return running

    yield make
    for running in servers:
        if running.process.poll() is None:
            running.process.terminate()
        code = running.process.wait(120)
        log = running.log()
        running.remove()
        assert code == 0 and "Sanitizer" not in log, log
