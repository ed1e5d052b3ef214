"""displayctl's commands for apps, installations, and the lives of devices and accounts: what they
print, refuse and take away."""

import concurrent.futures
import itertools
import os
import pty
import re
import select
import socket
import subprocess
import urllib.parse

import psycopg2
import pytest
from postgres import Postgres
from server import DISPLAYCTL, PATIENCE_S, CtlError, Server, wait_until

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
NOWHERE = "0190163d-8694-739b-aea5-966c26f8ad91"
APP_FIELDS = ["id", "slug", "name", "description", "visibility", "status", "version", "createdAt"]
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
        "version": version, "scriptContent": "x", "scriptLanguage": "STARLARK"}, key=key)
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


def on_terminal(server, *arguments, typed):
    """Runs displayctl on a terminal where somebody types this once it asks: code, all output."""
    ours, theirs = pty.openpty()
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
        if b"Type yes to go on: " in text and not has_typed:
            has_typed = True
            os.write(ours, typed)
    os.close(ours)
    return process.wait(PATIENCE_S), text.decode()


class TestAppCreate:
    def test_what_is_printed(self, running, email):
        slug = f"my-app-{next(numbers)}"
        app = running.ctl("app", "create", "--account", email.upper(), "--name", "\u00dchr \U0001f570",
                          "--slug", slug, "--description", "A\nclock")
        assert list(app) == APP_FIELDS
        assert ID.fullmatch(app["id"]) and TIMESTAMP.fullmatch(app["createdAt"])
        assert {name: app[name] for name in APP_FIELDS if name not in ("id", "createdAt")} == {
            "slug": slug, "name": "\u00dchr \U0001f570", "description": "A\nclock",
            "visibility": "private", "status": "draft", "version": None}

    @pytest.mark.parametrize("visibility", ["private", "public", "legacy"])
    def test_visibility(self, running, email, visibility):
        assert new_app(running, email, "--visibility", visibility)["visibility"] == visibility

    def test_taken(self, running, email, app):
        text = refused(running, 4, "app", "create", "--account", email, "--name", "x", "--slug",
                       app["slug"])
        assert text == f"there is an app {app['slug']} already"

    def test_unknown_account(self, running):
        assert refused(running, 3, "app", "create", "--account", "no@example.org", "--name", "x",
                       "--slug", "x") == "there is no account no@example.org"

    @pytest.mark.parametrize("slug", ["", "-a", "a-", "A", "a b", "a_b", "\u00e9", "a" * 65, "a/b",
                                      ".", NOWHERE])
    def test_invalid_slug(self, running, email, slug):
        assert refused(running, 2, "app", "create", "--account", email, "--name", "x",
                       f"--slug={slug}").startswith("--slug must ")

    @pytest.mark.parametrize("slug", ["0", "a", "a-b", "a--b", "z" * 64])
    def test_valid_slug(self, running, email, slug):
        assert running.ctl("app", "create", "--account", email, "--name", "x", "--slug",
                           slug)["slug"] == slug

    @pytest.mark.parametrize("option, value, text", [
        ("--account", "x", "--account must "), ("--name", "", "--name must have 1 to 100"),
        ("--name", "x" * 101, "--name must have 1 to 100"), ("--name", " ", "--name must "),
        ("--name", "a\nb", "--name must not"), ("--description", "x" * 501, "--description is too"),
        ("--description", "a\x1bb", "--description must not"),
        ("--visibility", "hidden", "--visibility must be private, public or legacy"),
        ("--visibility", "", "--visibility must be private, public or legacy")])
    def test_invalid_value(self, running, email, option, value, text):
        options = {"--account": email, "--name": "x", "--slug": "never-made", option: value}
        assert refused(running, 2, "app", "create", *itertools.chain(*options.items())).startswith(
            text)

    @pytest.mark.parametrize("missing", ["--account", "--name", "--slug"])
    def test_required(self, running, email, missing):
        options = {"--account": email, "--name": "x", "--slug": "never-made"}
        del options[missing]
        assert refused(running, 2, "app", "create", *itertools.chain(*options.items())).startswith(
            f"app create needs {missing}")


class TestAppList:
    def test_all_and_one_s_own(self, running, email, key):
        apps = [new_app(running, email) for _ in range(3)]
        publish(running, key, apps[1], "2.0")
        apps[1] |= {"status": "active", "version": "2.0"}
        assert running.ctl("app", "list", "--account", email.upper()) == apps
        listed = running.ctl("app", "list")
        assert [app for app in listed if app["id"] in [own["id"] for own in apps]] == apps
        assert listed == sorted(listed, key=lambda app: (app["createdAt"], app["id"]))

    def test_none(self, running, email):
        assert running.ctl("app", "list", "--account", email) == []

    def test_unknown_account(self, running):
        assert refused(running, 3, "app", "list", "--account",
                       "no@example.org") == "there is no account no@example.org"

    def test_for_a_person(self, running, email):
        """A line an app, whatever stands in its description."""
        running.ctl("app", "create", "--account", email, "--name", "One", "--slug",
                    f"one-{next(numbers)}", "--description", "a\nb\tc")
        new_app(running, email)
        lines = running.ctl("app", "list", "--account", email, json_output=False).splitlines()
        assert lines[0].split() == APP_FIELDS
        assert len(lines) == 3
        assert all(ID.match(line) for line in lines[1:])
        assert "\t" not in lines[1]


class TestAppDisable:
    def test_by_id_and_slug(self, running, published):
        for name in (published["id"], published["id"].upper(), published["slug"]):
            disabled = running.ctl("app", "disable", name)
            assert list(disabled) == APP_FIELDS
            assert (disabled["status"], disabled["version"]) == ("disabled", "1.0")
            assert running.ctl("app", "enable", name)["status"] == "active"

    def test_for_a_person(self, running, app):
        lines = dict(line.split(None, 1) for line in
                     running.ctl("app", "disable", app["slug"], json_output=False).splitlines()
                     if " " in line.strip())
        assert lines["status"] == "disabled" and lines["version"] == "-"

    @pytest.mark.parametrize("name", [NOWHERE, "nothing", "", "'"])
    @pytest.mark.parametrize("command", ["disable", "enable"])
    def test_unknown(self, running, command, name):
        assert refused(running, 3, "app", command, name) == f"there is no app {name}"


class TestAppReview:
    def test_unknown(self, running, key, app):
        assert "there is no version 1.0 of an app" in refused(
            running, 3, "app", "review", app["slug"], "1.0", "approve")
        upload(running, key, app)
        for arguments in ((app["slug"], "1.1"), ("nothing", "1.0"), (NOWHERE, "1.0")):
            assert "there is no version" in refused(running, 3, "app", "review", *arguments,
                                                    "approve")
        assert running.ctl("app", "review", app["id"].upper(), "1.0", "approve")["version"] == "1.0"

    @pytest.mark.parametrize("options, text", [
        (["approved"], "approved is no decision: approve, request-changes or reject"),
        (["approve", "--reason", "x"], "--reason goes with reject"),
        (["request-changes", "--reason", "x"], "--reason goes with reject"),
        (["reject", "--reason", ""], "--reason must not be empty"),
        (["reject", "--summary", ""], "--summary must not be empty"),
        (["reject", "--summary", "x" * 4001], "--summary is too long"),
        (["reject", "--reason", "\x07"], "--reason must not contain control characters"),
        (["reject", "--comment", ""], "--comment must not be empty"),
        (["reject", "--comment", "x" * 4001], "--comment is too long"),
        (["reject", "--author", " "], "--author must "),
        (["reject", "--line", "1"], "--line belongs behind a --comment, once"),
        (["reject", "--comment", "x", "--line", "1", "--line", "2"],
         "--line belongs behind a --comment, once"),
        (["reject", "--comment", "x", "--line", "0"], "--line must be a number from 1"),
        (["reject", "--comment", "x", "--line", "-1"], "--line must be a number from 1"),
        (["reject", "--comment", "x", "--line", "1.0"], "--line must be a number from 1"),
        (["reject", "--comment", "x", "--line", "2147483648"], "--line must be a number from 1"),
        (["reject", *["--comment", "x"] * 201], "--comment is given too often"),
        (["reject", "stray"], "app review does not take stray; see displayctl --help"),
        ([], "app review needs APP VERSION approve|request-changes|reject"),
    ])
    def test_invalid(self, running, app, options, text):
        assert refused(running, 2, "app", "review", app["slug"], "1.0", *options).startswith(text)

    def test_for_a_person(self, running, key, app):
        upload(running, key, app)
        text = running.ctl("app", "review", app["slug"], "1.0", "approve", json_output=False)
        lines = dict(line.split(None, 1) for line in text.splitlines())
        assert list(lines) == ["id", "version", "status", "reviewedAt"]
        assert lines["status"].strip() == "APPROVED"

    def test_as_many_remarks_as_are_taken(self, running, key, app):
        upload(running, key, app)
        running.ctl("app", "review", app["slug"], "1.0", "reject",
                    *itertools.chain(*(["--comment", f"c{n}", "--line", str(n)]
                                       for n in range(1, 101))))
        version, = running.get(f"/v1/apps/{app['id']}/versions", key=key).json()
        assert [(entry["comment"], entry["line"]) for entry in version["reviewComments"]] == [
            (f"c{n}", n) for n in range(1, 101)]


class TestInstallation:
    def test_create_and_list(self, running, key, device, published):
        assert running.ctl("installation", "list", "--device", device["id"]) == []
        entries = [running.ctl("installation", "create", "--device", name, "--app", app)
                   for name, app in ((device["id"], published["id"]),
                                     (device["serial"], published["slug"]))]
        for entry in entries:
            assert list(entry) == ["id", "app", "createdAt"]
            assert ID.fullmatch(entry["id"]) and TIMESTAMP.fullmatch(entry["createdAt"])
            assert entry["app"] == {"id": published["id"], "name": "Clock"}
        assert running.ctl("installation", "list", "--device", device["serial"]) == entries
        path = f"/v1/devices/{device['id']}/installations"
        assert running.get(path, key=key).json() == entries
        assert running.delete(f"{path}/{entries[0]['id']}", key=key).status == 200
        assert running.ctl("installation", "list", "--device", device["id"]) == entries[1:]

    def test_for_a_person(self, running, device, published):
        running.ctl("installation", "create", "--device", device["id"], "--app", published["id"],
                    json_output=False)
        lines = running.ctl("installation", "list", "--device", device["id"],
                            json_output=False).splitlines()
        assert lines[0].split() == ["id", "app.id", "app.name", "createdAt"]
        assert lines[1].split()[1:3] == [published["id"], "Clock"]

    def test_what_cannot_be_installed(self, running, email, key, device, published):
        create = ("installation", "create", "--device", device["id"], "--app")
        assert "there is no app nothing" in refused(running, 3, *create, "nothing")
        fresh = new_app(running, email)
        refused(running, 3, *create, fresh["slug"])
        upload(running, key, fresh)
        refused(running, 3, *create, fresh["slug"])
        running.ctl("app", "review", fresh["slug"], "1.0", "reject")
        refused(running, 3, *create, fresh["slug"])
        running.ctl("app", "disable", published["slug"])
        refused(running, 3, *create, published["slug"])
        assert running.ctl("installation", "list", "--device", device["id"]) == []

    @pytest.mark.parametrize("visibility, is_installable", [
        ("private", False), ("public", True), ("legacy", True)])
    def test_app_of_another_account(self, running, email, key, visibility, is_installable):
        app = new_app(running, email, "--visibility", visibility)
        publish(running, key, app)
        other = f"other{next(numbers)}@example.org"
        running.ctl("account", "create", other)
        device = running.ctl("device", "create", "--account", other, "--name", "x")
        create = ("installation", "create", "--device", device["id"], "--app", app["id"])
        if is_installable:
            assert running.ctl(*create)["app"]["id"] == app["id"]
        else:
            refused(running, 3, *create)

    def test_a_hundred_at_most(self, running, device, published):
        query(running, "INSERT INTO installation (device_id, id, position, picture) "
                       "SELECT %s, 'e' || n, -n, '\\x00' FROM generate_series(1, 100) n",
              device["id"])
        assert refused(running, 4, "installation", "create", "--device", device["id"], "--app",
                       published["id"]) == "the device has 100 entries already"

    @pytest.mark.parametrize("name", [NOWHERE, "nothing", "02:ff:ff:ff:ff:ff", "", "a b"])
    def test_unknown_device(self, running, name):
        for command in (("list",), ("create", "--app", "x")):
            assert refused(running, 3, "installation", *command, f"--device={name}") == (
                f"there is no device {name}")

    def test_required(self, running):
        assert "needs --device" in refused(running, 2, "installation", "list")
        assert "needs --app" in refused(running, 2, "installation", "create", "--device", "x")


class TestDevice:
    def test_list(self, running, email, device):
        second = running.ctl("device", "create", "--account", email, "--name", "Two", "--mac",
                             "02:00:00:aa:00:%02x" % (next(numbers) % 256))
        listed = running.ctl("device", "list", "--account", email.upper())
        assert [list(entry) for entry in listed] == [
            ["id", "name", "serial", "mac", "createdAt", "lastOnline"]] * 2
        assert [entry["id"] for entry in listed] == [device["id"], second["id"]]
        assert (listed[0]["serial"], listed[1]["mac"]) == (device["serial"], second["mac"])
        assert device["key"] not in str(listed)
        lines = running.ctl("device", "list", "--account", email, json_output=False).splitlines()
        assert len(lines) == 3

    def test_list_of_an_unknown_account(self, running, email):
        assert refused(running, 3, "device", "list", "--account",
                       "no@example.org") == "there is no account no@example.org"
        assert running.ctl("device", "list", "--account", email) == []

    def test_update(self, running, key, device):
        updated = running.ctl(
            "device", "update", device["serial"], "--name", "K\u00fcche", "--brightness", "0",
            "--volume", "100", "--auto-dim", "on", "--timezone", "Europe/Zagreb",
            "--schedule-interval", "86400", "--sleep", "on", "--sleep-start", "23:59",
            "--sleep-end", "00:00")
        assert list(updated) == DEVICE_FIELDS
        assert running.get(f"/v1/devices/{device['id']}", key=key).json() == updated
        assert {name: updated[name] for name in DEVICE_FIELDS if name not in ("id", "lastOnline")
                } == {"name": "K\u00fcche", "brightness": 0, "volume": 100, "autoDim": True,
                      "timezone": "Europe/Zagreb", "scheduleInterval": 86400,
                      "sleep": {"enabled": True, "start": "23:59", "end": "00:00"}}
        # What is not named stays.
        again = running.ctl("device", "update", device["id"], "--auto-dim", "off")
        assert again == {**updated, "autoDim": False}
        text = running.ctl("device", "update", device["id"], "--sleep", "off", json_output=False)
        lines = dict(line.split(None, 1) for line in text.splitlines())
        assert (lines["sleep.enabled"], lines["sleep.start"]) == ("no", "23:59")

    def test_nothing_to_update(self, running, device):
        before = query(running, "SELECT generation FROM device WHERE id = %s", device["id"])
        assert "needs at least one setting" in refused(running, 2, "device", "update", device["id"])
        assert query(running, "SELECT generation FROM device WHERE id = %s",
                     device["id"]) == before

    @pytest.mark.parametrize("option, values, text", [
        ("brightness", ["-1", "101", "1.5", "", "x", "0x10", " 1", "1 "],
         "must be a number from 0 to 100"),
        ("volume", ["101"], "must be a number from 0 to 100"),
        ("schedule-interval", ["14", "86401", "18446744073709551631"],
         "must be a number from 15 to 86400"),
        ("auto-dim", ["yes", "", "ON"], "must be on or off"), ("sleep", ["true"], "must be on or off"),
        ("sleep-start", ["24:00", "7:00", ""], "must be a time of day"),
        ("sleep-end", ["12:60"], "must be a time of day"),
        ("timezone", ["", "europe/zagreb", "../UTC", "PDT"], "must be the name of a time zone"),
        ("name", ["", "x" * 26, " ", "a\nb"], "must ")])
    def test_invalid_value(self, running, device, option, values, text):
        for value in values:
            assert refused(running, 2, "device", "update", device["id"],
                           f"--{option}={value}").startswith(f"--{option} {text}")

    def test_unknown(self, running):
        for command in (("update", "--volume", "1"), ("remove", "--yes")):
            for name in (NOWHERE, "nothing"):
                assert refused(running, 3, "device", command[0], name, *command[1:]) == (
                    f"there is no device {name}")

    def test_update_reaches_the_panel(self, running, device):
        with Panel(device) as panel:
            panel.wait_for(b'"brightness":60')
            running.ctl("device", "update", device["id"], "--brightness", "7")
            panel.wait_for(b'"brightness":7')


class Panel:
    """A panel's connection, of which only the server's bytes matter."""

    def __init__(self, device):
        url = urllib.parse.urlsplit(device["websocketUrl"])
        self.socket = socket.create_connection((url.hostname, url.port), PATIENCE_S)
        self.socket.sendall((f"GET {url.path}?{url.query} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket"
                             "\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
        self.bytes = b""
        self.wait_for(b"\r\n\r\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def wait_for(self, text):
        """None: for the end."""
        while text is None or text not in self.bytes:
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                data = b""
            if not data:
                assert text is None, f"closed instead of {text}"
                return
            self.bytes += data
        self.bytes = self.bytes.split(text, 1)[1]


def poll(server, device):
    return server.get(server.path_of(device["pollUrl"]))


class TestDeviceRemove:
    def test_link_and_panel(self, running, key, device):
        """The panel is dropped, its link answers 404, and the API knows the device no more."""
        assert poll(running, device).status == 200
        with Panel(device) as panel:
            assert running.ctl("device", "remove", device["serial"], "--yes") == {
                "id": device["id"], "name": "Desk"}
            panel.wait_for(None)
        wait_until(lambda: all(poll(running, device).status == 404 for _ in range(10)), "404")
        assert running.get(f"/v1/devices/{device['id']}", key=key).status == 404
        assert running.get("/v1/devices", key=key).json() == []

    def test_with_its_rotation(self, running, device, published):
        running.ctl("installation", "create", "--device", device["id"], "--app", published["id"])
        running.ctl("device", "remove", device["id"], "--yes")
        assert query(running, "SELECT count(*) FROM installation WHERE device_id = %s",
                     device["id"]) == [(0,)]
        assert refused(running, 3, "device", "remove", device["id"], "--yes")

    def test_asks_first(self, running, device):
        for typed in (b"no\n", b"\n", b"y\n", b"YES\n", b"yes please\n", b"\x04"):
            code, text = on_terminal(running, "device", "remove", device["id"], typed=typed)
            assert code == 4, text
            assert 'This removes the device "Desk" with its rotation.' in text
            assert "nothing was changed" in text
        assert poll(running, device).status == 200
        code, text = on_terminal(running, "device", "remove", device["id"], typed=b"yes\n")
        assert code == 0 and device["id"] in text.split("Type yes")[1]
        assert refused(running, 3, "device", "update", device["id"], "--volume", "1")

    def test_nobody_to_ask(self, running, device):
        done = subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "device", "remove",
                               device["id"]], input="yes\n", capture_output=True, text=True,
                              check=False)
        assert (done.returncode, done.stderr) == (
            4, "displayctl: nobody can be asked here; say --yes\n")
        assert poll(running, device).status == 200


class TestAccount:
    def test_list(self, running, email, key, published):
        entry = next(entry for entry in running.ctl("account", "list") if entry["email"] == email)
        assert list(entry) == ["id", "email", "name", "createdAt", "devices", "keys", "apps"]
        assert (entry["devices"], entry["keys"], entry["apps"]) == (1, 1, 1)
        text = running.ctl("account", "list", json_output=False)
        assert text.splitlines()[0].split() == list(entry)

    def test_asks_first(self, running, email, device):
        code, text = on_terminal(running, "account", "remove", email, typed=b"no\n")
        assert code == 4 and "nothing was changed" in text
        assert f"This removes the account {email} with its devices, keys and apps." in text
        assert poll(running, device).status == 200
        code, text = on_terminal(running, "account", "remove", email.upper(), typed=b"yes\n")
        assert code == 0, text
        assert "there is no account" in refused(running, 3, "key", "list", "--account", email)

    def test_unknown(self, running):
        assert refused(running, 3, "account", "remove", "no@example.org", "--yes") == (
            "there is no account no@example.org")
        # Nobody is asked about what is not there.
        code, text = on_terminal(running, "account", "remove", "no@example.org", typed=b"yes\n")
        assert code == 3 and "Type yes" not in text

    def test_two_removals_at_once(self, running, email, device):
        def remove(_):
            try:
                return running.ctl("account", "remove", email, "--yes")["email"]
            except CtlError as error:
                return error.code

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            assert sorted(map(str, pool.map(remove, range(4)))) == ["3", "3", "3", email]

    def test_everything_goes_on_all_instances(self, running, postgres_pair):
        """Keys end within a second and panels are dropped, wherever they are connected."""
        one, other = postgres_pair
        email, stays = (f"all{next(numbers)}@example.org" for _ in range(2))
        devices = {}
        for address in (email, stays):
            one.ctl("account", "create", address)
            devices[address] = one.ctl("device", "create", "--account", address, "--name", "x",
                                       "--serial", f"ALL-{next(numbers)}")
        keys = {address: one.ctl("key", "create", "--account", address)["key"]
                for address in devices}
        app = new_app(one, email, "--visibility", "public")
        publish(one, keys[email], app)
        for device in devices.values():
            one.ctl("installation", "create", "--device", device["id"], "--app", app["id"])
        here, there = (Panel({"websocketUrl": "ws" + server.url[4:] +
                              server.path_of(devices[email]["websocketUrl"])})
                       for server in postgres_pair)
        # Every worker knows the key.
        for server in postgres_pair:
            for _ in range(20):
                assert server.get("/v1/devices", key=keys[email]).status == 200
        removed = one.ctl("account", "remove", email, "--yes")
        assert list(removed) == ["id", "email"]
        here.wait_for(None)
        there.wait_for(None)
        for server in postgres_pair:
            wait_until(lambda server=server: all(
                server.get("/v1/devices", key=keys[email]).status == 401 for _ in range(20)),
                "a key that is refused")
            wait_until(lambda server=server: poll(server, devices[email]).status == 404, "404")
            assert app["id"] not in server.get("/v1/apps", key=keys[stays]).body.decode()
            assert server.get(f"/v1/apps/{app['id']}/versions", key=keys[stays]).status == 404
            # What others had installed of it went with it.
            assert server.get(f"/v1/devices/{devices[stays]['id']}/installations",
                              key=keys[stays]).json() == []
            assert poll(server, devices[stays]).status == 200
        for table in ("device", "api_key", "app"):
            rows = run_sql(one, f"SELECT count(*) FROM {table} WHERE account_id = %s",
                           removed["id"])
            assert rows == [(0,)]
        # The address is free again.
        assert one.ctl("account", "create", email)["id"] != removed["id"]

    def test_removal_that_meets_another_change(self, postgres_pair):
        """Where the database ends one of two that wait for each other, it is done again."""
        one, _ = postgres_pair
        email, other = (f"meet{next(numbers)}@example.org" for _ in range(2))
        for address in (email, other):
            one.ctl("account", "create", address)
        device = one.ctl("device", "create", "--account", other, "--name", "x")
        one.ctl("device", "create", "--account", email, "--name", "x")
        key = one.ctl("key", "create", "--account", email)["key"]
        app = new_app(one, email, "--visibility", "public")
        publish(one, key, app)
        one.ctl("installation", "create", "--device", device["id"], "--app", app["id"])
        # displayctl looks for a circle after so long, this connection never.
        run_sql(one, "ALTER DATABASE {} SET deadlock_timeout = '3s'".format(
            urllib.parse.urlsplit(one.database).path[1:]))
        database = psycopg2.connect(one.database)
        with database.cursor() as cursor, concurrent.futures.ThreadPoolExecutor(1) as pool:
            cursor.execute("SET deadlock_timeout = '1h'")
            cursor.execute("SELECT FROM device WHERE id = %s FOR UPDATE", (device["id"],))
            removed = pool.submit(one.ctl, "account", "remove", email, "--yes")
            wait_until(lambda: run_sql(one, "SELECT 1 FROM pg_stat_activity WHERE wait_event_type "
                                            "= 'Lock' AND application_name = 'displayctl'"),
                       "a removal that waits")
            cursor.execute("SELECT FROM app WHERE id = %s FOR KEY SHARE", (app["id"],))
            database.commit()
            assert removed.result()["email"] == email
        database.close()


def run_sql(server, sql, *values):
    database = psycopg2.connect(server.database)
    database.autocommit = True
    with database.cursor() as cursor:
        cursor.execute(sql, values)
        rows = cursor.fetchall() if cursor.description else None
    database.close()
    return rows


@pytest.fixture(scope="module")
def postgres_pair():
    with Postgres() as postgres:
        url = postgres.create_database()
        with Server(database=url) as one, Server(database=url) as other:
            yield one, other
