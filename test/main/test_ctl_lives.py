"""displayctl's commands that create, disable and remove devices and accounts: output, errors and effects."""

import concurrent.futures
import json
import socket
import subprocess
import urllib.parse

import psycopg2
import pytest
from ctl_scene import (DEVICE_FIELDS, NOWHERE, app, device, email, key, new_app, numbers, on_terminal,
                       publish, published, query, refused)
from server import DISPLAYCTL, PATIENCE_S, CtlError, Server, wait_until

__all__ = ["app", "device", "email", "key", "published"]  # fixtures


class TestDevice:
    def test_list(self, running, email, device):
        second = running.ctl("device", "create", "--account", email, "--name", "Two", "--mac",
                             "02:00:00:aa:00:%02x" % (next(numbers) % 256))
        listed = running.ctl("device", "list", "--account", email.upper())
        assert listed == [running.ctl("device", "show", entry["id"]) for entry in listed]
        assert [entry["id"] for entry in listed] == [device["id"], second["id"]]
        assert (listed[0]["serialNumber"], listed[1]["macAddress"]) == (device["serialNumber"], second["macAddress"])
        assert device["key"] not in str(listed)
        lines = running.ctl("device", "list", "--account", email, json_output=False).splitlines()
        assert len(lines) == 3

    def test_list_of_an_unknown_account(self, running, email):
        assert refused(running, 3, "device", "list", "--account",
                       "no@example.org") == "there is no account no@example.org"
        assert running.ctl("device", "list", "--account", email) == []

    def test_update(self, running, key, device):
        updated = running.ctl(
            "device", "update", device["serialNumber"], "--name", "K\u00fcche", "--brightness", "0",
            "--volume", "100", "--auto-dim", "on", "--timezone", "Europe/Zagreb",
            "--schedule-interval", "86400", "--sleep", "on", "--sleep-start", "23:59",
            "--sleep-end", "00:00")
        assert running.ctl("device", "show", device["id"]) == updated
        told = running.get(f"/v1/devices/{device['id']}", key=key).json()
        assert list(told) == DEVICE_FIELDS and told == {name: updated[name] for name in told}
        assert {name: updated[name] for name in DEVICE_FIELDS if name not in ("id", "lastOnline")
                } == {"name": "K\u00fcche", "brightness": 0, "volume": 100, "autoDim": True,
                      "timezone": "Europe/Zagreb", "scheduleInterval": 86400,
                      "sleep": {"enabled": True, "start": "23:59", "end": "00:00"}}
        # Settings that are not named stay.
        again = running.ctl("device", "update", device["id"], "--auto-dim", "off")
        assert again == {**updated, "autoDim": False}
        text = running.ctl("device", "update", device["id"], "--sleep", "off", json_output=False)
        lines = dict((line.split(None, 1) + [""])[:2] for line in text.splitlines())
        assert (lines["sleep.enabled"], lines["sleep.start"]) == ("no", "23:59")

    def test_plan(self, running, device, tmp_path):
        file = tmp_path / "plan.json"
        window = {"from": "22:00", "to": "sunrise-30", "dark": True}
        file.write_text(json.dumps([window]))
        made = running.ctl("device", "plan-set", device["id"], str(file))
        assert made["windows"] == [{"weekdays": made["windows"][0]["weekdays"], **window}]
        assert running.ctl("device", "plan", device["id"])["windows"] == made["windows"]
        # It takes back what it shows.
        file.write_text(json.dumps(made))
        assert running.ctl("device", "plan-set", device["id"], str(file))["windows"] == made["windows"]
        for text, why in (("{", "the file is not JSON"), ("5", "the file has no windows"), ("{}", "the file has no windows")):
            file.write_text(text)
            assert why in refused(running, 2, "device", "plan-set", device["id"], str(file))
        for order, what in (("sleep", "asleep"), ("wake", None)):
            running.ctl("device", order, device["id"])
            assert running.ctl("device", "plan", device["id"])["orders"]["sleep"] == (what or "awake")
        running.ctl("device", "dim", device["id"])
        running.ctl("device", "undim", device["id"])

    def test_update_what_the_public_api_has_not(self, running, device):
        for options, shown in ((("--dim", "on", "--dim-start", "20:15", "--dim-brightness", "0"), (True, "20:15", 0)),
                               (("--dim", "off", "--dim-brightness", "100"), (False, "20:15", 100))):
            running.ctl("device", "update", device["id"], *options)
            found = running.ctl("device", "show", device["id"])
            assert (found["dimEnabled"], found["dimStart"], found["dimBrightness"]) == shown
        for word in ("on", "off"):
            running.ctl("device", "update", device["id"], "--allows-own-key", word)
            assert running.ctl("device", "show", device["id"])["allowsOwnKey"] is (word == "on")
        for options in (("--dim", "maybe"), ("--dim-start", "24:00"), ("--dim-brightness", "101"),
                        ("--allows-own-key", "1")):
            assert refused(running, 2, "device", "update", device["id"], *options)

    def test_nothing_to_update(self, running, device):
        before = query(running, "SELECT generation FROM device WHERE id = %s", device["id"])
        assert "needs at least one option" in refused(running, 2, "device", "update", device["id"])
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
    """A panel connection of which only the server's bytes matter."""

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
        """None: wait for the end."""
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
        """The panel is disconnected, its link answers 404, and the API no longer finds the device."""
        assert poll(running, device).status == 200
        with Panel(device) as panel:
            removed = running.ctl("device", "remove", device["serialNumber"], "--yes")
            assert (removed["id"], removed["name"]) == (device["id"], "Desk")
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
            4, "displayctl: nothing was changed: standard input is not a terminal; use --yes to confirm\n")
        assert poll(running, device).status == 200


class TestAccount:
    def test_list(self, running, email, key, published):
        entry = next(entry for entry in running.ctl("account", "list") if entry["email"] == email)
        assert (entry["devices"], entry["keys"], entry["apps"]) == (1, 1, 1)
        assert (entry["isReviewer"], entry["isAdministrator"]) == (False, False)
        text = running.ctl("account", "list", json_output=False)
        names = text.splitlines()[0].split()
        assert names[:4] == ["email", "name", "isAdministrator", "isReviewer"] and set(names) == set(entry)

    def test_asks_first(self, running, email, device):
        code, text = on_terminal(running, "account", "remove", email, typed=b"no\n")
        assert code == 4 and "nothing was changed" in text
        assert (f"This removes the account {email} with its devices, keys and apps. It has 1 device, 0 keys and 0 "
                "apps.") in text
        assert poll(running, device).status == 200
        code, text = on_terminal(running, "account", "remove", email.upper(), typed=b"yes\n")
        assert code == 0, text
        assert "there is no account" in refused(running, 3, "key", "list", "--account", email)

    def test_unknown(self, running):
        assert refused(running, 3, "account", "remove", "no@example.org", "--yes") == (
            "there is no account no@example.org")
        # Nothing is asked about unknown objects.
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
        """Keys end within a second and panels are disconnected, on every instance."""
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
        for its in devices.values():
            one.ctl("installation", "create", "--device", its["id"], "--app", app["id"])
        here, there = (Panel({"websocketUrl": "ws" + server.url[4:] +
                              server.path_of(devices[email]["websocketUrl"])})
                       for server in postgres_pair)
        # Every worker knows the key.
        for server in postgres_pair:
            for _ in range(20):
                assert server.get("/v1/devices", key=keys[email]).status == 200
        removed = one.ctl("account", "remove", email, "--yes")
        assert removed["email"] == email
        here.wait_for(None)
        there.wait_for(None)
        for server in postgres_pair:
            wait_until(lambda server=server: all(
                server.get("/v1/devices", key=keys[email]).status == 401 for _ in range(20)),
                "a key that is refused")
            wait_until(lambda server=server: poll(server, devices[email]).status == 404, "404")
            assert app["id"] not in server.get("/v1/apps", key=keys[stays]).body.decode()
            assert server.get(f"/v1/apps/{app['id']}/versions", key=keys[stays]).status == 404
            # Other accounts' installations of its apps are removed with it.
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
        """If the database ends one of two deadlocked transactions, the removal is tried again."""
        one, _ = postgres_pair
        email = f"meet{next(numbers)}@example.org"
        one.ctl("account", "create", email)
        one.ctl("device", "create", "--account", email, "--name", "x")
        key = one.ctl("key", "create", "--account", email)["key"]
        app = new_app(one, email, "--visibility", "public")
        publish(one, key, app)
        # The server checks for a deadlock after this time, this connection never.
        run_sql(one, "ALTER DATABASE {} SET deadlock_timeout = '3s'".format(
            urllib.parse.urlsplit(one.database).path[1:]))
        run_sql(one, "INSERT INTO app_version_comment (version_id, position, author, comment) "
                     "SELECT id, 1, 'x', 'x' FROM app_version WHERE app_id = %s", app["id"])
        database = psycopg2.connect(one.database)
        with database.cursor() as cursor, concurrent.futures.ThreadPoolExecutor(1) as pool:
            cursor.execute("SET deadlock_timeout = '1h'")
            cursor.execute("SELECT FROM app_version_comment JOIN app_version ON id = version_id "
                           "WHERE app_id = %s FOR UPDATE OF app_version_comment", (app["id"],))
            removed = pool.submit(one.ctl, "account", "remove", email, "--yes")
            wait_until(lambda: run_sql(one, "SELECT 1 FROM pg_stat_activity WHERE wait_event_type "
                                            "= 'Lock' "
                                            "AND datname = current_database()"),
                       "a removal that waits")
            cursor.execute("SELECT FROM app_version WHERE app_id = %s FOR KEY SHARE", (app["id"],))
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
def postgres_pair(postgres):
    url = postgres.create_database()
    with Server(database=url) as one, Server(database=url) as other:
        yield one, other
