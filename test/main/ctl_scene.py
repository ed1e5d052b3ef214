"""Shared parts of the tests of displayctl's later commands."""

import fcntl
import itertools
import os
import pty
import re
import select
import struct
import subprocess
import termios

import psycopg2
import pytest
from server import DISPLAYCTL, PATIENCE_S, CtlError

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
SCRIPT = "def main():\n    return []\n"
NOWHERE = "0190163d-8694-739b-aea5-966c26f8ad91"
APP_FIELDS = ["id", "slug", "name", "description", "visibility", "status", "version",
              "pendingVersion", "createdAt"]
DEVICE_FIELDS = ["id", "name", "brightness", "volume", "lastOnline", "autoDim", "timezone",
                 "scheduleInterval", "sleep"]
numbers = itertools.count()


def refused(server, code, *arguments):
    """The reason that displayctl gives with this exit code."""
    with pytest.raises(CtlError) as caught:
        server.ctl(*arguments)
    assert caught.value.code == code, caught.value.text
    assert caught.value.text.startswith("displayctl: ")
    return caught.value.text.removeprefix("displayctl: ").rstrip("\n")


def database_of(server):
    if server.database:
        return psycopg2.connect(server.database)
    path = os.path.join(server.state_dir, "postgres/socket")
    return psycopg2.connect(host=path, user="displayd", dbname="displayd")


def query(server, sql, *values):
    database = database_of(server)
    with database, database.cursor() as cursor:
        cursor.execute(sql, values)
        rows = cursor.fetchall() if cursor.description else None
    database.close()
    return rows


@pytest.fixture
def email(running):
    address = f"owner{next(numbers)}@example.org"
    running.ctl("account", "create", address, "--name", "Ann")
    return address


@pytest.fixture
def device(running, email):
    return running.ctl("device", "create", "--account", email, "--name", "Desk", "--serial",
                       f"A-{next(numbers)}")


@pytest.fixture
def key(running, email, device):
    return running.ctl("key", "create", "--account", email)["key"]


def new_app(server, email, *options):
    return server.ctl("app", "create", "--account", email, "--name", "Clock", "--slug",
                      f"clock-{next(numbers)}", *options)


def upload(server, key, app, version="1.0"):
    answer = server.post(f"/v1/apps/{app['slug']}/upload", {
        "version": version, "scriptContent": SCRIPT, "scriptLanguage": "STARLARK"}, key=key)
    assert answer.status == 201, answer
    return answer.json()


def publish(server, key, app, version="1.0"):
    upload(server, key, app, version)
    return server.ctl("app", "review", app["slug"], version, "approve")


@pytest.fixture
def app(running, email):
    return new_app(running, email)


@pytest.fixture
def published(running, key, app):
    publish(running, key, app)
    return app


def on_terminal(server, *arguments, typed=b"", columns=0, on_output=lambda text: None):
    """Runs displayctl on a terminal and types this text at its question: code, all output. columns: width
    of the terminal; 0: unknown. on_output is called with all output so far."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    process = subprocess.Popen([DISPLAYCTL, "--state-dir", server.state_dir, *arguments],
                               stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    text = b""
    has_typed = False
    while True:
        if not select.select([ours], [], [], PATIENCE_S)[0]:
            raise TimeoutError(text)
        try:
            data = os.read(ours, 4096)
        except OSError:
            data = b""
        if not data:
            break
        text += data
        on_output(text)
        if b"Type yes to continue: " in text and not has_typed:
            has_typed = True
            os.write(ours, typed)
    os.close(ours)
    return process.wait(PATIENCE_S), text.decode()
