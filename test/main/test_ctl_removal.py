"""displayctl account remove: accounts that own much, parallel changes, and interruptions."""

import contextlib
import subprocess
import uuid

import psycopg2
import pytest
from ctl_scene import new_app, numbers, publish, refused
from server import DISPLAYCTL, Server, wait_until

DEVICES = 1500
VERSIONS = 120


@pytest.fixture(scope="module")
def server(postgres):
    with Server(database=postgres.create_database()) as one:
        yield one


def sql(server, statement, *values):
    with connected(server) as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else None


@contextlib.contextmanager
def connected(server, autocommit=True):
    database = psycopg2.connect(server.database)
    database.autocommit = autocommit
    try:
        with database.cursor() as cursor:
            yield cursor
    finally:
        database.close()


@pytest.fixture
def owner(server):
    """The address, ID and key of an account with many devices."""
    address = f"many{next(numbers)}@example.org"
    account = server.ctl("account", "create", address)
    server.ctl("device", "create", "--account", address, "--name", "First")
    made = server.ctl("key", "create", "--account", address)
    sql(server, "INSERT INTO device (id, account_id, name, link_key_hash) "
                "SELECT gen_random_uuid(), %s, 'x', decode(repeat('ab', 32), 'hex') "
                f"FROM generate_series(2, {DEVICES})", account["id"])
    return address, account["id"], made["key"]


def count_devices(server, account_id):
    return sql(server, "SELECT count(*) FROM device WHERE account_id = %s", account_id)[0][0]


def begin_removal(server, address):
    return subprocess.Popen(
        [DISPLAYCTL, "--state-dir", server.state_dir, "--database", server.database, "account",
         "remove", address, "--yes"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=server.environment)


@contextlib.contextmanager
def locked_device(server, account_id):
    """A locked device, which the removal reaches last."""
    with connected(server, autocommit=False) as cursor:
        cursor.execute("SELECT id FROM device WHERE account_id = %s LIMIT 1 FOR UPDATE",
                       (account_id,))
        yield cursor.fetchone()[0]


@contextlib.contextmanager
def noted(server, table):
    """A list that at its end has the number of rows of the table that each transaction removed."""
    sizes = []
    sql(server, "CREATE TABLE removed (transaction xid8, n int4)")
    sql(server, "CREATE FUNCTION note_removed() RETURNS trigger LANGUAGE plpgsql AS $$ "
                "BEGIN INSERT INTO removed SELECT pg_current_xact_id(), count(*) FROM gone; "
                "RETURN NULL; END $$")
    sql(server, f"CREATE TRIGGER note AFTER DELETE ON {table} REFERENCING OLD TABLE AS gone "
                "FOR EACH STATEMENT EXECUTE FUNCTION note_removed()")
    try:
        yield sizes
        rows = sql(server, "SELECT sum(n)::int4 FROM removed GROUP BY transaction")
        sizes.extend(row[0] for row in rows)
    finally:
        sql(server, f"DROP TRIGGER note ON {table}")
        sql(server, "DROP FUNCTION note_removed")
        sql(server, "DROP TABLE removed")


def test_what_is_locked_goes_last(server, owner):
    """Keys go first, then all devices but the locked one. The removal ends once that is unlocked."""
    address, account_id, secret = owner
    assert server.get("/v1/devices/" + str(uuid.uuid4()), key=secret).status == 404
    with locked_device(server, account_id):
        removal = begin_removal(server, address)
        wait_until(lambda: count_devices(server, account_id) == 1, "one device left")
        for _ in range(20):
            assert server.get("/v1/account/", key=secret).status == 401
        assert removal.poll() is None
    assert removal.wait() == 0, removal.stderr.read()
    assert refused(server, 3, "account", "remove", address, "--yes")
    assert count_devices(server, account_id) == 0


def test_no_portion_is_large(server, owner):
    """No portion is large, so others never wait for a transaction that removes everything."""
    address, _, _ = owner
    with noted(server, "device") as sizes:
        server.ctl("account", "remove", address, "--yes")
    assert sum(sizes) == DEVICES and max(sizes) <= 100


def test_an_app_of_many_versions_goes_in_portions(server, owner):
    """Versions of a large app go in portions, with all that belongs to them. A locked one goes last, and
    its app after it."""
    address, account_id, _ = owner
    its = new_app(server, address)["id"]
    sql(server, "INSERT INTO app_version (id, app_id, name, script_language, script_content, "
                "checksum, status, reviewed_at) SELECT gen_random_uuid(), %s, i, 'STARLARK', 'x', "
                f"'x', 'APPROVED', now() FROM generate_series(1, {VERSIONS}) AS i", its)
    sql(server, "INSERT INTO app_version_comment (version_id, position, author, comment) "
                "SELECT id, i, 'x', 'x' FROM app_version, generate_series(1, 20) AS i "
                "WHERE app_id = %s", its)
    sql(server, "UPDATE app SET is_submitted = true, status = 'active', deployed_version_id = "
                "(SELECT id FROM app_version WHERE app_id = %s AND name = '7') WHERE id = %s",
        its, its)

    def names():
        return [row[0] for row in sql(server, "SELECT name FROM app_version WHERE app_id = %s", its)]

    with noted(server, "app_version") as sizes, connected(server, autocommit=False) as cursor:
        cursor.execute("SELECT FROM app_version WHERE app_id = %s AND name = '3' FOR UPDATE",
                       (its,))
        removal = begin_removal(server, address)
        wait_until(lambda: names() == ["3"], "one version left")
        assert removal.poll() is None
        cursor.connection.rollback()
        assert removal.wait() == 0, removal.stderr.read()
    assert sum(sizes) == VERSIONS and max(sizes) <= 10
    assert sql(server, "SELECT count(*) FROM app WHERE account_id = %s", account_id) == [(0,)]
    assert sql(server, "SELECT count(*) FROM app_version_comment WHERE author = 'x'") == [(0,)]


def test_versions_stay_unless_their_app_goes(server, owner):
    """Versions stay until their app is removed, and a mark for removal is not taken back."""
    address, account_id, secret = owner
    its = new_app(server, address)
    publish(server, secret, its)

    def refusal(statement):
        with pytest.raises(psycopg2.IntegrityError) as caught:
            sql(server, statement, its["id"])
        return caught.value.diag.constraint_name

    assert refusal("DELETE FROM app_version WHERE app_id = %s") == "app_version_immutable"
    assert refusal("UPDATE app SET is_removed = true WHERE id = %s") == "app_removed"
    sql(server, "UPDATE app SET is_removed = true, status = 'disabled', deployed_version_id = NULL "
                "WHERE id = %s", its["id"])
    assert refusal("UPDATE app SET is_removed = false WHERE id = %s") == "app_removal_final"
    assert refusal("UPDATE app SET status = 'active' WHERE id = %s") == "app_removed"
    assert "no app" in refused(server, 3, "app", "enable", its["slug"])
    server.ctl("account", "remove", address, "--yes")
    assert sql(server, "SELECT count(*) FROM app WHERE account_id = %s", account_id) == [(0,)]


def test_killed_in_the_middle(server, owner):
    """If displayctl is killed, the keys stay refused and the server finishes the removal."""
    address, account_id, secret = owner
    with locked_device(server, account_id):
        removal = begin_removal(server, address)
        wait_until(lambda: count_devices(server, account_id) < DEVICES, "a portion")
        removal.kill()
        removal.wait()
        left = count_devices(server, account_id)
        assert left >= 1
        for _ in range(20):
            assert server.get("/v1/account/", key=secret).status == 401
        entry = next(entry for entry in server.ctl("account", "list") if entry["id"] == account_id)
        assert entry["keys"] == 0 and entry["devices"] >= 1
        assert refused(server, 3, "account", "remove", address, "--yes") == (
            f"the account {address} is being removed already; the server continues by itself")
    wait_until(lambda: not sql(server, "SELECT 1 FROM account WHERE id = %s", account_id), "the end of the account")
    for table in ("device", "api_key", "app"):
        assert sql(server, f"SELECT count(*) FROM {table} WHERE account_id = %s",
                   account_id) == [(0,)]


def test_apps_that_others_have_installed(server, owner):
    """Apps disappear from the devices of others. A locked installation does not delay the rest."""
    address, account_id, secret = owner
    other = f"other{next(numbers)}@example.org"
    server.ctl("account", "create", other)
    devices = [server.ctl("device", "create", "--account", other, "--name", f"D{number}")["id"]
               for number in range(3)]
    its = new_app(server, address, "--visibility", "public")
    publish(server, secret, its)
    for one in devices:
        server.ctl("installation", "create", "--device", one, "--app", its["id"])

    def installed():
        return {str(row[0]) for row in sql(
            server, "SELECT device_id FROM installation WHERE app_id = %s", its["id"])}

    with connected(server, autocommit=False) as cursor:
        cursor.execute("SELECT FROM device WHERE id = %s FOR UPDATE", (devices[1],))
        removal = begin_removal(server, address)
        wait_until(lambda: installed() == {devices[1]}, "one installation left")
        assert removal.poll() is None
    assert removal.wait() == 0, removal.stderr.read()
    assert installed() == set()
    assert sql(server, "SELECT DISTINCT entry_count FROM device WHERE id = ANY (%s::uuid[])",
               devices) == [(0,)]
