"""displayctl: every command, its output, its errors and exit codes, and races."""

import concurrent.futures
import contextlib
import itertools
import os
import re
import subprocess

import psycopg2
import pytest
from conftest import kill, kill_database
from private_socket import BUSY, Between, serve_between
from server import DISPLAYCTL, CtlError, run_ctl, wait_until

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
NOWHERE = "0190163d-8694-739b-aea5-966c26f8ad91"
numbers = itertools.count()


@pytest.fixture
def email(running):
    address = f"person{next(numbers)}@example.org"
    running.ctl("account", "create", address)
    return address


def refused(server, code, *arguments):
    """The reason that displayctl gives with this exit code."""
    with pytest.raises(CtlError) as caught:
        server.ctl(*arguments)
    assert caught.value.code == code, caught.value.text
    assert caught.value.text.startswith("displayctl: ")
    return caught.value.text.removeprefix("displayctl: ").rstrip("\n")


def query(server, sql, *values):
    socket = os.path.join(server.state_dir, "postgres/socket")
    database = psycopg2.connect(host=socket, user="displayd", dbname="displayd")
    with database, database.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else None


class OneIsReady(Between):
    """The worker of one connection is ready; those of others are not."""

    def setup(self):
        super().setup()
        self.is_ready = next(self.server.connections) == self.server.ready

    def choose(self, body):
        self.server.methods.append(self.command)
        answer = self.pass_on(body) if self.is_ready else BUSY
        return None if body and self.server.loses_writes else answer


@contextlib.contextmanager
def workers_before(running, folder, loses_writes=False, ready=0):
    """Yields the methods of the requests so far. ready: the connection whose worker is ready, from 0."""
    with serve_between(running, folder, OneIsReady, methods=[], connections=itertools.count(),
                       loses_writes=loses_writes, ready=ready) as server:
        yield server.methods


class TestAccount:
    def test_create(self, running):
        account = running.ctl("account", "create", "Ann@Example.org", "--name", "Änn & Co")
        assert account == running.ctl("account", "show", account["email"])
        assert ID.fullmatch(account["id"])
        assert account["email"] == "Ann@Example.org"
        assert account["name"] == "Änn & Co"
        assert TIMESTAMP.fullmatch(account["createdAt"])

    def test_nothing_of_the_address_is_the_default_name(self, running):
        account = running.ctl("account", "create", "secretive@example.org")
        assert account["name"] == "Anonymous"
        assert "must not be the e-mail address" in refused(
            running, 2, "account", "create", "b@example.org", "--name", "B@example.org")

    def test_taken(self, running, email):
        text = refused(running, 4, "account", "create", email.upper())
        assert text == f"there is an account {email.upper()} already"

    @pytest.mark.parametrize("address", [
        "", "a", "@b", "a@", "a@b@c", "a b@c", "a@b c", "a@b\n", "a\u00a0@b", "a@.b", "a@b.",
        "a..b@c", ".a@b", "a.@b", "a@-b", "<a@b>", "a,b@c", "a@b;c@d", "x" * 65 + "@b",
        "a@" + "b" * 253,
    ])
    def test_invalid_address(self, running, address):
        assert refused(running, 2, "account", "create", address).startswith("EMAIL ")

    @pytest.mark.parametrize("address", [
        "a@b", "a.b+c@d-e.example", "o'neil@example.org", "jörg@exämple.org", "x" * 64 + "@b",
    ])
    def test_valid_address(self, running, address):
        assert running.ctl("account", "create", address)["email"] == address

    @pytest.mark.parametrize("name", ["", " ", "\u2003", "a\tb", "\x7f", "x" * 101])
    def test_invalid_name(self, running, name):
        assert "--name must" in refused(running, 2, "account", "create", "c@example.org", "--name",
                                        name)

    def test_bytes_that_are_no_utf_8(self, running):
        for place in ([b"a\xff@b"], [b"a@b", b"--name", b"\xff"]):
            done = subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "account",
                                   "create", *place], stderr=subprocess.PIPE, check=False)
            assert done.returncode == 2
            assert b"must be UTF-8" in done.stderr


class TestDevice:
    def test_create(self, running, email):
        device = running.ctl("device", "create", "--account", email, "--name", "Desk", "--serial",
                             f"S-{next(numbers)}", "--mac", "08-00-2B-01-02-03")
        assert list(device) == ["id", "name", "serialNumber", "macAddress", "key", "pollUrl", "websocketUrl",
                                "createdAt"]
        assert ID.fullmatch(device["id"])
        assert device["macAddress"] == "08:00:2b:01:02:03"
        link = f"/d/{device['id']}/"
        assert device["pollUrl"] == f"{running.url}{link}next?key={device['key']}"
        assert device["websocketUrl"] == (running.url.replace("http", "ws") +
                                          f"{link}ws?key={device['key']}")
        assert len(device["key"]) <= 64
        assert TIMESTAMP.fullmatch(device["createdAt"])
        text = refused(running, 4, "device", "create", "--account", email, "--name", "x", "--mac",
                       "08002b010203")
        assert text == "there is a device with this MAC address already"
        text = refused(running, 4, "device", "create", "--account", email, "--name", "x",
                       "--serial", device["serialNumber"])
        assert text == f"there is a device with the serial number {device['serialNumber']} already"

    def test_without_serial_and_mac(self, running, email):
        device = running.ctl("device", "create", "--account", email.upper(), "--name", "Desk")
        assert device["serialNumber"] is None and device["macAddress"] is None

    def test_only_the_hash_of_the_key_is_stored(self, running, email):
        device = running.ctl("device", "create", "--account", email, "--name", "Desk")
        assert query(running, "SELECT encode(link_key_hash, 'hex') = "
                              "encode(sha256(%s::bytea), 'hex') FROM device WHERE id = %s",
                     device["key"], device["id"]) == [(True,)]
        assert query(running, "SELECT count(*) FROM device WHERE device::text LIKE %s",
                     f"%{device['key']}%") == [(0,)]
        assert device["key"] not in running.log()

    def test_unknown_account(self, running):
        text = refused(running, 3, "device", "create", "--account", "no@example.org", "--name", "x")
        assert text == "there is no account no@example.org"

    @pytest.mark.parametrize("arguments, reason", [
        (["--name", ""], "--name must have 1 to 25 characters"),
        (["--name", "x" * 26], "--name must have 1 to 25 characters"),
        (["--name", "  "], "--name must have a character that is not white space"),
        (["--name", "a\nb"], "--name must not contain control characters"),
        (["--name", "x", "--mac", "08:00:2b:01:02"], "--mac must be a MAC address such as "),
        (["--name", "x", "--mac", "08:00-2b:01:02:03"], "--mac must be a MAC address such as "),
        (["--name", "x", "--serial", ""], "--serial must have 1 to 32 letters"),
        (["--name", "x", "--serial", "a/b"], "--serial must have 1 to 32 letters"),
        (["--name", "x", "--serial", "08002b010203"], "--serial must have 1 to 32 letters"),
        (["--name", "x", "--serial", NOWHERE], "--serial must have 1 to 32 letters"),
    ])
    def test_invalid(self, running, email, arguments, reason):
        text = refused(running, 2, "device", "create", "--account", email, *arguments)
        assert text.startswith(reason)

    def test_25_code_points_are_a_name(self, running, email):
        name = "ä" * 24 + "😀"
        assert running.ctl("device", "create", "--account", email, "--name", name)["name"] == name

    def test_urls_have_at_most_128_characters(self, running, email):
        base = "https://" + "x" * 47
        device = running.ctl("--public-url", base, "device", "create", "--account", email, "--name",
                             "x")
        assert len(device["pollUrl"]) == 128
        assert device["websocketUrl"].startswith("wss://xxx")
        assert len(device["websocketUrl"]) <= 128
        text = refused(running, 4, "--public-url", base + "x", "device", "create", "--account",
                       email, "--name", "x")
        assert text == "device URL has 129 characters, maximum 128; use a --public-url of 55 or less"
        assert len(running.ctl("key", "list", "--account", email)) == 0


class TestKey:
    @pytest.fixture
    def owner(self, running, email):
        running.ctl("device", "create", "--account", email, "--name", "Desk")
        return email

    def test_create(self, running, owner):
        key = running.ctl("key", "create", "--account", owner, "--name", "mine")
        assert key["name"] == "mine" and key["scope"] == "all" and key["endsAt"] is None
        assert re.fullmatch("ddk_[0-9A-Za-z]{36}", key["key"])
        assert query(running, "SELECT encode(secret_hash, 'hex') = "
                              "encode(sha256(%s::bytea), 'hex') FROM api_key WHERE id = %s",
                     key["key"], key["id"]) == [(True,)]
        assert key["key"] not in running.log()

    def test_an_account_without_device_can_have_none(self, running, email):
        text = refused(running, 4, "key", "create", "--account", email)
        assert text.startswith(f"{email} owns no device yet")
        assert running.ctl("key", "list", "--account", email) == []

    def test_unknown_account(self, running):
        for command in ("create", "list"):
            text = refused(running, 3, "key", command, "--account", "no@example.org")
            assert text == "there is no account no@example.org"

    def test_list(self, running, owner):
        keys = [running.ctl("key", "create", "--account", owner, "--name", name)
                for name in ("first", "second")]
        revoked = running.ctl("key", "revoke", keys[0]["id"], "--yes")
        [own] = running.ctl("key", "list", "--account", owner)
        assert own["name"] == "second" and "revokedAt" not in own
        listed = [key for key in running.ctl("key", "list") if key["account"] == owner]
        assert [key["name"] for key in listed] == ["first", "second"]
        assert listed[0]["revokedAt"] == revoked["revokedAt"]
        assert TIMESTAMP.fullmatch(revoked["revokedAt"])
        assert listed[1]["revokedAt"] is None

    def test_revoke(self, running, owner):
        key = running.ctl("key", "create", "--account", owner)
        assert running.get("/v1/account/", key=key["key"]).status == 200
        revoked = running.ctl("key", "revoke", key["id"], "--yes")
        assert revoked == running.ctl("key", "show", key["id"]) and revoked["account"] == owner
        # The hint is already sent to every worker.
        wait_until(lambda: all(running.get("/v1/account/", key=key["key"]).status == 401
                               for _ in range(10)), "a key that is refused")
        # A repeat changes nothing. The use of the key is written later.
        repeated = running.ctl("key", "revoke", key["id"].upper(), "--yes")
        assert repeated | {"lastUsedAt": None} == revoked | {"lastUsedAt": None}

    def test_revoke_sends_its_hint_in_the_same_transaction(self, running, owner):
        key = running.ctl("key", "create", "--account", owner)
        socket = os.path.join(running.state_dir, "postgres/socket")
        listener = psycopg2.connect(host=socket, user="displayd", dbname="displayd")
        listener.autocommit = True
        listener.cursor().execute("LISTEN displayd_hint")
        running.ctl("key", "revoke", key["id"], "--yes")
        # The hint is sent before displayctl ends.
        listener.cursor().execute("SELECT 1")
        digest = query(running, "SELECT encode(secret_hash, 'hex') FROM api_key WHERE id = %s",
                       key["id"])[0][0]
        assert f"key:{digest}" in [notify.payload for notify in listener.notifies]
        listener.close()

    def test_revoke_unknown(self, running):
        assert refused(running, 3, "key", "revoke", NOWHERE) == f"there is no key {NOWHERE}"

    def test_many_at_once(self, running, owner):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            keys = list(pool.map(lambda _: running.ctl("key", "create", "--account", owner),
                                 range(8)))
        assert len({key["key"] for key in keys}) == 8
        assert len(running.ctl("key", "list", "--account", owner)) == 8

    def test_one_account_of_many_asked_for_at_once(self, running):
        def create(_):
            try:
                running.ctl("account", "create", "race@example.org")
                return 0
            except CtlError as error:
                return error.code

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            codes = list(pool.map(create, range(6)))
        assert sorted(codes) == [0, 4, 4, 4, 4, 4]

    def test_the_last_device_goes_meanwhile(self, running, owner):
        """A key waits until the removal of the last device is committed; then it is refused."""
        socket = os.path.join(running.state_dir, "postgres/socket")
        database = psycopg2.connect(host=socket, user="displayd", dbname="displayd")
        with database.cursor() as cursor:
            cursor.execute("DELETE FROM device WHERE account_id = "
                           "(SELECT id FROM account WHERE email = %s)", (owner,))
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                future = pool.submit(refused, running, 4, "key", "create", "--account", owner)
                wait_until(lambda: query(running, "SELECT 1 FROM pg_stat_activity WHERE "
                                                  "wait_event_type = 'Lock'"), "a waiting key")
                database.commit()
                assert "owns no device yet" in future.result()
        database.close()
        assert running.ctl("key", "list", "--account", owner) == []

    def test_the_removal_of_the_last_device_is_taken_back(self, running, owner):
        socket = os.path.join(running.state_dir, "postgres/socket")
        database = psycopg2.connect(host=socket, user="displayd", dbname="displayd")
        with database.cursor() as cursor:
            cursor.execute("DELETE FROM device WHERE account_id = "
                           "(SELECT id FROM account WHERE email = %s)", (owner,))
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                future = pool.submit(running.ctl, "key", "create", "--account", owner)
                wait_until(lambda: query(running, "SELECT 1 FROM pg_stat_activity WHERE "
                                                  "wait_event_type = 'Lock'"), "a waiting key")
                database.rollback()
                assert future.result()["key"]
        database.close()


class TestOutput:
    def test_for_a_person(self, running, email):
        device = running.ctl("device", "create", "--account", email, "--name", "Desk",
                             json_output=False)
        lines = dict(line.split(None, 1) for line in device.splitlines())
        assert lines["name"] == "Desk" and lines["serialNumber"] == "-"
        running.ctl("key", "create", "--account", email, "--name", "Köy", json_output=False)
        table = running.ctl("key", "list", "--account", email, json_output=False).splitlines()
        assert table[0].split()[:4] == ["name", "firstCharacters", "scope", "lastUsedAt"]
        assert table[1].startswith("Köy ") and table[1].index("ddk_") == table[0].index("firstCharacters")

    def test_json_may_stand_anywhere(self, running, email):
        place = ["--state-dir", running.state_dir]
        for order in ([*place, "key", "list", "--account", email],
                      ["key", "list", *place, f"--account={email}"]):
            assert run_ctl(*order) == []

    def test_a_full_disk_is_noticed(self, running, email):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "key", "list",
                                   "--account", email], stdout=full, stderr=subprocess.PIPE,
                                  check=False)
        assert done.returncode == 1
        assert b"cannot write to stdout" in done.stderr

    @pytest.mark.parametrize("arguments", [
        [], ["nothing"], ["key"], ["key", "make"], ["--nothing"], ["webhook", "list"],
        ["key", "list", "--account"], ["key", "list", "--account", "a@b", "stray"],
        ["key", "list", "--account", "a@b", "--account", "a@b"], ["account", "create"],
        ["account", "create", "a@b", "c@d"], ["account", "create", "--name", "x"],
        ["key", "revoke", "--name", "x"], ["migrate", "now"], ["--state-dir"],
        ["--database", "mysql://x", "migrate"], ["--public-url", "x", "migrate"],
    ])
    def test_wrong_usage(self, arguments):
        with pytest.raises(CtlError) as caught:
            run_ctl(*arguments)
        assert caught.value.code == 2
        assert caught.value.text.startswith("displayctl: ")

    def test_panel_is_there(self):
        assert "--url" in run_ctl("panel", "--help", json_output=False)


class TestDatabase:
    @pytest.mark.parametrize("command", [
        ("account", "list"), ("account", "show", "a@b"), ("app", "list"), ("app", "show", "clock"),
        ("account", "create", "a@b"), ("account", "limit", "a@b", "default"), ("account", "link"),
        ("account", "previews", "a@b", "local"), ("account", "remove", "a@b", "--yes"),
        ("account", "rename", "a@b", "Ada"), ("app", "disable", "clock"), ("app", "enable", "clock"),
        ("app", "remove", "clock", "--yes"),
        ("app", "review", "clock", "1", "approve"), ("push", "Desk", "/dev/null"),
        ("version", "approve", "clock", "1"),
        ("device", "list"), ("device", "show", "Desk"), ("key", "list", "--account", "a@b"),
        ("key", "show", "Weather"), ("version", "list", "clock"), ("version", "show", "clock", "1"),
        ("app", "create", "--account", "a@b", "--name", "x", "--slug", "x"),
        ("device", "create", "--account", "a@b", "--name", "x"), ("device", "disable", "Desk"),
        ("device", "rekey", "Desk", "--yes"), ("device", "remove", "Desk", "--yes"),
        ("device", "update", "Desk", "--brightness", "1"),
        ("installation", "create", "--device", "Desk", "--app", "clock"),
        ("installation", "list", "--device", "Desk"),
        ("installation", "show", "x", "--device", "Desk"),
        ("installation", "update", "x", "--device", "Desk", "--pinned", "on"),
        ("key", "create", "--account", "a@b"), ("key", "revoke", "Weather", "--yes")],
        ids=" ".join)
    def test_no_server_runs(self, folder, command):
        """displayctl fails without a server, even if a database is named: only the server reads that."""
        for more in ((), ("--database", "host=/nowhere")):
            with pytest.raises(CtlError) as caught:
                run_ctl("--state-dir", folder, *more, *command)
            assert caught.value.code == 5
            assert caught.value.text == (
                f"displayctl: no displayd is running on {folder}: start it first\n")

    def test_no_state_directory(self):
        with pytest.raises(CtlError) as caught:
            run_ctl("--state-dir", "/nowhere", "key", "list", "--account", "a@b")
        assert caught.value.code == 5
        assert "/nowhere" in caught.value.text

    def test_no_database_server(self):
        with pytest.raises(CtlError) as caught:
            run_ctl("database", "show", env={"DISPLAYD_DATABASE": "host=/nowhere password=hunter2"})
        assert caught.value.code == 5
        assert "the database cannot be reached" in caught.value.text
        assert "hunter2" not in caught.value.text

    def test_waits_for_a_server_that_starts(self, launch):
        server = launch(is_new=True).launch()
        server.wait_for_log("creating the database")
        wait_until(lambda: os.path.exists(server.state_dir + "/postgres/socket"), "the folder")
        assert server.ctl("account", "create", "a@example.org")["id"]

    def test_waits_for_a_database_that_was_killed(self, launch):
        server = launch().start()
        kill_database(server)
        assert server.ctl("account", "create", "a@example.org")["id"]

    def test_a_write_goes_to_the_worker_that_is_ready(self, running, tmp_path):
        """While a database comes back, some workers have it already."""
        with workers_before(running, tmp_path) as methods:
            assert run_ctl("--state-dir", str(tmp_path), "account", "create", "ready@example.org")["id"]
            assert methods == ["GET", "POST"]

    def test_a_write_looks_for_a_worker_that_is_ready(self, running, tmp_path):
        """A worker may stay without a database while others have it."""
        with workers_before(running, tmp_path, ready=3) as methods:
            assert run_ctl("--state-dir", str(tmp_path), "account", "create", "looks@example.org")["id"]
            assert methods == ["GET"] * 4 + ["POST"]

    def test_a_write_whose_answer_is_lost_is_not_repeated(self, running, tmp_path):
        with workers_before(running, tmp_path, loses_writes=True) as methods:
            with pytest.raises(CtlError) as caught:
                run_ctl("--state-dir", str(tmp_path), "account", "create", "lost@example.org")
            assert caught.value.code == 5
            assert caught.value.text.endswith("; the change may have been made\n")
            assert methods == ["GET", "POST"]

    def test_reading_waits_likewise(self, launch):
        server = launch(is_new=True).launch()
        server.wait_for_log("creating the database")
        assert server.ctl("account", "list") == []
        server.workers()
        kill(server.postmaster())
        assert server.ctl("account", "list") == []

    def test_a_database_without_tables(self, running):
        query_database = psycopg2.connect(
            host=os.path.join(running.state_dir, "postgres/socket"), user="displayd",
            dbname="displayd")
        query_database.autocommit = True
        query_database.cursor().execute("CREATE DATABASE bare")
        query_database.close()
        url = f"host={running.state_dir}/postgres/socket user=displayd dbname=bare"
        with pytest.raises(CtlError) as caught:
            run_ctl("--database", url, "backup", "-")
        assert caught.value.code == 5
        assert "run displayctl migrate" in caught.value.text
        assert run_ctl("--database", url, "migrate")["applied"] >= 1
        assert run_ctl("--database", url, "migrate") == {"applied": 0}

    def test_migrate_beside_a_server(self, running):
        assert running.ctl("migrate") == {"applied": 0}

    def test_migrate_alone(self, launch):
        server = launch(is_new=True)
        assert server.ctl("migrate")["applied"] >= 1
        assert server.ctl("migrate") == {"applied": 0}
        server.start()
        assert "database migrated" not in server.log()

    def test_migrate_a_state_directory_that_is_not_there(self, folder):
        """A mistyped path makes no database."""
        mistyped = os.path.join(folder, "mistyped")
        with pytest.raises(CtlError, match=f"there is no state directory {mistyped}") as caught:
            run_ctl("--state-dir", mistyped, "migrate")
        assert caught.value.code == 5 and not os.path.exists(mistyped)

    def test_migrate_a_database_of_another_program(self, launch, postgres):
        """Neither displayctl nor displayd makes tables beside those of another program; extensions are none."""
        url = postgres.create_empty()
        with psycopg2.connect(url) as database, database.cursor() as cursor:
            cursor.execute("CREATE EXTENSION pg_stat_statements; CREATE TABLE recipe (id int)")
        with pytest.raises(CtlError, match="is used by another program: it has the table recipe") as caught:
            run_ctl("--database", url, "migrate")
        assert caught.value.code == 4
        server = launch(database=url)
        with pytest.raises(RuntimeError, match="is used by another program"):
            server.start()
        with psycopg2.connect(url) as database, database.cursor() as cursor:
            cursor.execute("SELECT to_regclass('schema_migration'), to_regclass('device')")
            assert cursor.fetchone() == (None, None)
            cursor.execute("DROP TABLE recipe")
        assert run_ctl("--database", url, "migrate")["applied"] >= 1

    def test_migrate_a_newer_database(self, launch):
        server = launch().start()
        query(server, "INSERT INTO schema_migration (number, name, sha256) "
                      "SELECT max(number) + 1, 'later', '' FROM schema_migration")
        assert "newer" in refused(server, 4, "migrate")
