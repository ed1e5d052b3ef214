"""The key with which secret settings of apps are encrypted."""

import os
import re
import stat

import psycopg2
import pytest
from ctl_scene import database_of
from sealed import crypt, key_of
from server import ROOT, CtlError, wait_until

KEY = "0f" * 32


def key_file(server):
    return os.path.join(server.state_dir, "secret-key")


def forget_key(server):
    """Removes the key of the copied state directory."""
    if os.path.exists(key_file(server)):
        os.unlink(key_file(server))


def test_made_once_for_its_owner_alone(launch):
    server = launch()
    path = key_file(server)
    forget_key(server)
    server.start()
    with open(path, encoding="ascii") as file:
        key = file.read()
    assert re.fullmatch(r"[0-9a-f]{64}\n", key)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert key.strip() not in server.log()
    assert server.stop() == 0
    server.start()
    with open(path, encoding="ascii") as file:
        assert file.read() == key
    assert not os.path.exists(path + ".new")


def test_named_file(launch, folder):
    path = os.path.join(folder, "key")
    with open(path, "w", encoding="ascii") as file:
        file.write(KEY)
    os.chmod(path, 0o640)
    server = launch("--secret-key-file", path)
    forget_key(server)
    server.start()
    assert server.get("/livez").status == 200
    assert not os.path.exists(key_file(server))
    assert KEY not in server.log()


@pytest.mark.parametrize("text, mode, why", [
    (KEY, 0o644, "every user can read it"), (KEY[:-1], 0o600, "must have 64 hexadecimal digits"),
    (KEY + "0", 0o600, "must have 64 hexadecimal digits"), ("", 0o600, "must have 64 hexadecimal"),
    (KEY + "\n\n", 0o600, "must have 64 hexadecimal digits"),
    ("x" + KEY[1:], 0o600, "must have 64 hexadecimal digits"), (None, 0, "No such file")])
def test_wrong_file(launch, folder, text, mode, why):
    path = os.path.join(folder, "key")
    if text is not None:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)
    server = launch("--secret-key-file", path)
    assert server.launch().wait() == 2
    assert why in server.log()
    assert not text or len(text) < 60 or text.strip() not in server.log()


def test_damaged_key_of_the_state_directory(launch):
    """displayd does not replace a damaged key: a new one would lose all secrets."""
    server = launch().start()
    assert server.stop() == 0
    with open(key_file(server), "w", encoding="ascii") as file:
        file.write("short")
    assert server.launch().wait() == 4
    with open(key_file(server), encoding="ascii") as file:
        assert file.read() == "short"


# ---- the key and the database ----

SECRET = b'{"password":"hunter2"}'


def run_sql(server, sql, *parameters):
    with database_of(server) as connection, connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall() if cursor.description else []


# Columns that are encrypted with the key, and what a lost key makes unreadable: statements that store one such secret
# of the device (device), with an entry of an app (entry).
ENCRYPTED = {
    "installation.secret_settings": "UPDATE installation SET secret_settings = {secret}",
    "webhook.secret": "INSERT INTO webhook (id, account_id, url, events, secret) SELECT '{device}', account_id, "
                      "'https://webhook.invalid/', 1, {secret} FROM device",
    "mqtt_connection.password": "INSERT INTO mqtt_connection (account_id, url, password) SELECT account_id, "
                                "'mqtt://broker.invalid', {secret} FROM device",
    "device.order_key": "UPDATE device SET order_key = {secret}",
}
LABELS = {"webhook.secret": "webhook", "mqtt_connection.password": "mqtt password", "device.order_key": "/second-key"}
# Encrypted with the same key, but soon gone: within the hour, and within a day.
PASSING = {"account_import_line.secret_settings", "webhook.previous_secret"}
# Columns of bytes that are not encrypted, by the second half of the name: pictures, hashes, and keys of their own.
PLAIN = {"picture", "previous_picture", "still", "source", "source_hash", "settings_hash", "secret_hash", "place", "last_place",
         "alias_key_hash", "link_key_hash", "second_key_hash", "public_key", "challenge", "challenge_key",
         "secret_key_fingerprint", "content"}


def store_secret(server, column="installation.secret_settings"):
    """Stores a secret of this column, encrypted with the server's key."""
    key = key_of(server)
    server.ctl("account", "create", "ada@example.org")
    server.ctl("account", "create", "author@example.org")
    server.ctl("app", "import", os.path.join(ROOT, "share/apps/clock"), "--account", "author@example.org")
    device = server.ctl("device", "create", "--account", "ada@example.org", "--name", "Desk")["id"]
    made = server.ctl("installation", "create", "--device", device, "--app", "clock")["id"]
    [[account]] = run_sql(server, "SELECT account_id::text FROM device")
    owner = account if column == "mqtt_connection.password" else device
    secret = crypt(key, owner, LABELS.get(column, made), text=SECRET)
    run_sql(server, ENCRYPTED[column].format(device=device, secret=f"'\\x{secret.hex()}'"))


def fingerprint(server):
    [[found]] = run_sql(server, "SELECT secret_key_fingerprint FROM site")
    return found and bytes(found)


def refused(server, code=4):
    """The last log line of a start that ends with this code."""
    assert server.launch().wait() == code, server.log()
    [line] = [line for line in server.log().splitlines() if "cannot start" in line]
    return line


def read_key(server):
    with open(key_file(server), encoding="ascii") as file:
        return file.read()


def write_key(server, text):
    with open(key_file(server), "w", encoding="ascii", opener=lambda *name: os.open(*name, 0o600)) as file:
        file.write(text)


def test_without_secrets_any_key_fits(launch):
    server = launch().start()
    first = fingerprint(server)
    assert len(first) == 32
    server.stop()
    forget_key(server)
    server.start()
    assert len(fingerprint(server)) == 32 and fingerprint(server) != first


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("column", ENCRYPTED)
def test_a_lost_or_foreign_key_is_refused(launch, column, is_known):
    """A wrong key is rejected before and after the database stores the fingerprint of the right one."""
    server = launch().start()
    store_secret(server, column)
    if not is_known:  # a database of an earlier program
        run_sql(server, "UPDATE site SET secret_key_fingerprint = NULL")
    server.stop()
    right = read_key(server)
    forget_key(server)
    for _ in range(2):
        line = refused(server)
        assert "secret-key is missing" in line and "rekey" in line and "displayctl restore" in line
        assert not os.path.exists(key_file(server))
    write_key(server, KEY)
    line = refused(server)
    assert "secret-key is not that one" in line and "rekey" in line
    assert read_key(server) == KEY
    write_key(server, right)
    server.start()
    known = fingerprint(server)
    assert len(known) == 32 and known != key_of(server) and right.strip() not in server.log()


def test_each_column_of_bytes_is_known(launch):
    """A new column of bytes is either named as plain, or as encrypted, and then tested here."""
    server = launch().start()
    found = {f"{table}.{column}" for table, column in run_sql(
        server, "SELECT table_name, column_name FROM information_schema.columns "
                "WHERE data_type = 'bytea' AND table_schema = current_schema()")}
    assert {name for name in found if name.split(".")[1] not in PLAIN} == set(ENCRYPTED) | PASSING


def test_a_foreign_named_file_is_refused(launch, folder):
    server = launch().start()
    store_secret(server)
    server.stop()
    path = os.path.join(folder, "key")
    with open(path, "w", encoding="ascii", opener=lambda *name: os.open(*name, 0o600)) as file:
        file.write(KEY)
    server.command += ["--secret-key-file", path]
    assert f"the key in {path} did not encrypt" in refused(server, code=2)


def test_a_lost_key_can_be_given_up(launch):
    server = launch().start()
    store_secret(server)
    server.restart()
    with pytest.raises(CtlError) as caught:
        server.ctl("database", "rekey", "--yes")
    assert caught.value.code == 5 and "in use by another server" in caught.value.text
    assert caught.value.text.rstrip().endswith("; stop it, run this again, then start it")
    server.stop()
    known = fingerprint_of_stopped(server)
    forget_key(server)
    with pytest.raises(CtlError) as caught:
        server.ctl("database", "rekey")
    assert caught.value.code == 4 and not os.path.exists(key_file(server))
    assert server.ctl("database", "rekey", "--yes")["file"] == key_file(server)
    server.start()
    assert fingerprint(server) not in (None, known)
    assert run_sql(server, "SELECT count(*) FROM installation WHERE secret_settings IS NOT NULL") == [(1,)]


def fingerprint_of_stopped(server):
    server.start()
    try:
        return fingerprint(server)
    finally:
        server.stop()


def test_instances_with_two_keys_are_never_side_by_side(launch, postgres):
    """Instances with two keys never run side by side, even if no secret setting shows which key is right."""
    url = postgres.create_database()
    one, other = launch(database=url), launch(database=url)
    write_key(one, "0e" * 32)
    one.start()
    line = refused(other)
    assert "another displayd on this database has a different key" in line
    assert "--secret-key-file" in line
    with pytest.raises(CtlError) as caught:
        other.ctl("database", "rekey", "--yes")
    assert caught.value.code == 4 and "another displayd" in caught.value.text
    assert "stop all that use it, run \"displayctl database rekey\" again" in caught.value.text
    assert "--secret-key-file" not in caught.value.text
    assert one.stop() == 0
    other.start()
    assert "another displayd" in refused(one)


def test_a_worker_is_not_admitted_beside_another_key(launch, postgres):
    """No worker is admitted beside workers with another key, even if its instance was let in just before
    those started."""
    url = postgres.create_database()
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        server = launch(database=url).start()
        cursor.execute("SELECT secret_key_admits(%s)", (bytes(32),))
        assert cursor.fetchone() == (False,)
        server.stop()
        cursor.execute("UPDATE site SET secret_key_fingerprint = NULL")
        connection.commit()

        def is_admitted():
            """Whether the other key is, now that PostgreSQL has ended the connections of the stopped server."""
            connection.rollback()  # which ends the snapshot of activities, too
            cursor.execute("SELECT secret_key_admits(%s)", (bytes(32),))
            return cursor.fetchone() == (True,)

        wait_until(is_admitted, "the end of the workers")
        connection.commit()
        assert "another displayd" in refused(server)


def test_a_worker_says_why_it_stores_nothing(launch, postgres):
    """/readyz names the reason if the database got another key while the server ran."""
    url = postgres.create_database()
    server = launch(database=url).start()
    server.is_patient = False
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("UPDATE site SET secret_key_fingerprint = %s", (bytes(32),))
        connection.commit()
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
                       "current_database() AND application_name = 'displayd'")
    wait_until(lambda: b"a different secret-key" in server.get("/readyz").body, "the reason")


def test_an_import_is_encrypted_with_the_key_of_the_server(launch, folder):
    """An import is encrypted with the key of the server, whichever key displayctl gets."""
    server = launch().start()
    store_secret(server)
    server.restart()
    phrase, path, other = (os.path.join(folder, name) for name in ("phrase", "ada", "other"))
    for name, text in ((phrase, "correct horse battery"), (other, KEY)):
        with open(name, "w", encoding="ascii", opener=lambda *name: os.open(*name, 0o600)) as file:
            file.write(text)
    server.ctl("export", "--account", "ada@example.org", path, "--pass-phrase-file", phrase)
    server.ctl("account", "remove", "ada@example.org", "--yes")
    server.environment["DISPLAYD_SECRET_KEY_FILE"] = other
    server.ctl("import", path, "--email", "bea@example.org", "--pass-phrase-file", phrase)
    [[device, entry, sealed]] = run_sql(server, "SELECT device_id::text, id, secret_settings FROM installation")
    assert crypt(key_of(server), device, entry, sealed=sealed) == SECRET
