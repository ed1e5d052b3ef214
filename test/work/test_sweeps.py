"""Sweeps continue where they stopped, whatever blocks them; and entries that are about to expire."""

import os
import re
import uuid

import psycopg2
import psycopg2.extras
import pytest

from postgres import shared

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
NONE = "00000000-0000-0000-0000-000000000000"
STUCK, ABLE = 30, 5

ROWS = f"""
SET session_replication_role = replica;
CREATE FUNCTION key(kind int, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
	SELECT (lpad(to_hex(kind), 8, '0') || lpad(to_hex(n), 24, '0'))::uuid
$$;
CREATE FUNCTION hash(n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT sha256(convert_to(n::text, 'UTF8'))
$$;
INSERT INTO account (id, email, name) VALUES (key(1, 1), 'a@example.org', 'A');
INSERT INTO device (id, account_id, name, link_key_hash)
SELECT key(2, n), key(1, 1), 'D', hash(n) FROM generate_series(1, {STUCK + ABLE}) AS n;
INSERT INTO app (id, account_id, slug, name, status, deployed_version_id)
SELECT key(3, n), key(1, 1), 'app-' || n, 'A', 'active', key(4, n) FROM generate_series(1, {STUCK + ABLE}) AS n;
INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, reviewed_at)
SELECT key(4, n), key(3, n), '1', CASE WHEN n <= {STUCK} THEN 'TYPESCRIPT' ELSE 'STARLARK' END, 'x', 'x',
	'APPROVED', now()
FROM generate_series(1, {STUCK + ABLE}) AS n;
INSERT INTO installation (device_id, id, app_id, position, place, last_place)
SELECT key(2, n), 'e', key(3, n), 1, hash(n), hash(0) FROM generate_series(1, {STUCK + ABLE}) AS n;
INSERT INTO render (place, version_id, picture, picture_generation)
SELECT hash(n), key(4, n), 'x', 1 FROM generate_series({STUCK + 1}, {STUCK + ABLE}) AS n;
RESET session_replication_role;
"""


@pytest.fixture(name="sql")
def of_database():
    with shared() as cluster:
        connection = psycopg2.connect(cluster.create_database())
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(ROWS)

            def rows(name, **values):
                with open(f"{ROOT}/sql/query/{name}.sql", encoding="utf-8") as file:
                    cursor.execute(re.sub(r"(?<![:\w]):([a-z]\w*)", r"%(\1)s", file.read()), values)
                return [dict(zip((column.name for column in cursor.description), row)) for row in cursor.fetchall()]

            def sql(name, **values):
                [row] = rows(name, **values)
                return row

            sql.rows, sql.cursor = rows, cursor
            yield sql
        connection.close()


def test_settling_passes_what_cannot_be_settled(sql):
    row, settled, portions = {"next_device": NONE, "next_id": ""}, 0, 0
    while portions == 0 or row["next_id"]:
        row = sql("render_settle", after_device=row["next_device"], after_id=row["next_id"], row_limit=10)
        settled += row["settled"]
        portions += 1
    assert (settled, portions) == (ABLE, 4)
    assert row["next_device"] == NONE
    assert sql("render_settle", after_device=NONE, after_id="", row_limit=100)["settled"] == 0


def test_pictures_are_made_behind_those_that_nobody_can_make(sql):
    after, leased, portions = NONE, [], 0
    while portions == 0 or after != NONE or leased[-1]:
        row = sql("app_picture_next", after_id=after, row_limit=10, engine="e", languages=["STARLARK"],
                  lease_s=60)
        assert row["version_id"] is None or row["next_id"] == after
        after = row["next_id"]
        leased.append(row["version_id"])
        portions += 1
    assert len(set(leased) - {None}) == ABLE and portions == 4 + ABLE


def add_expired(sql, devices, entries):
    """The first entry of each device expired before the first of the next device."""
    sql.cursor.execute("DELETE FROM device")
    sql.cursor.execute(
        "SET session_replication_role = replica;"
        "INSERT INTO device (id, account_id, name, link_key_hash, entry_count)"
        " SELECT key(2, n), key(1, 1), 'D', hash(n), %(entries)s + 1 FROM generate_series(1, %(devices)s) AS n;"
        "INSERT INTO installation (device_id, id, position, picture, picture_hash, picture_generation, expires_at)"
        " SELECT key(2, d), 'e' || n, n, 'x', 'y', 1,"
        "  CASE WHEN n > 0 THEN now() - interval '1 h' + (d + 1000 * n) * interval '1 ms' END"
        " FROM generate_series(1, %(devices)s) AS d, generate_series(0, %(entries)s) AS n;"
        "RESET session_replication_role", {"devices": devices, "entries": entries})


def left(sql):
    sql.cursor.execute("SELECT count(*) FROM installation WHERE expires_at IS NOT NULL")
    return sql.cursor.fetchone()[0]


@pytest.mark.parametrize("devices, entries, portions", [
    (1, 1, [1]), (100, 2, [100]), (230, 1, [100, 100, 30]), (120, 30, [34, 34, 34, 18]), (25, 99, [11, 11, 3]),
    (1100, 1, 11 * [100])])
def test_expired_entries_go_by_device(sql, devices, entries, portions):
    """Expired entries go by whole devices, the earliest expired first, until none is left."""
    add_expired(sql, devices, entries)
    told, number = [], 0
    while not told or told[-1][0]["is_full"]:
        told.append(sql.rows("devices_expire"))
        ids = {row["id"] for row in told[-1]}
        assert ids == {f"{2:08x}-0000-0000-0000-{number + n + 1:012x}" for n in range(len(ids))}
        number += len(ids)
        assert left(sql) == (devices - number) * entries
        assert len({row["is_full"] for row in told[-1]}) == 1
    assert [len(rows) for rows in told] == portions and left(sql) == 0
    assert sql.rows("devices_expire") == []
    sql.cursor.execute("SELECT min(entry_count), max(entry_count), min(generation), max(generation) FROM device")
    assert sql.cursor.fetchone()[:2] == (1, 1)


def test_a_locked_device_comes_later(sql):
    add_expired(sql, 3, 2)
    locker = psycopg2.connect(sql.cursor.connection.dsn)
    with locker.cursor() as cursor:
        cursor.execute("SELECT FROM device WHERE id = key(2, 1) FOR NO KEY UPDATE")
        assert len(sql.rows("devices_expire")) == 2 and left(sql) == 2
        assert sql.rows("devices_expire") == []
    locker.rollback()  # close() does not wait until PostgreSQL has released the lock
    locker.close()
    assert len(sql.rows("devices_expire")) == 1 and left(sql) == 0


def test_an_account_loses_its_expired_entries(sql):
    add_expired(sql, 3, 5)
    account = f"{1:08x}-0000-0000-0000-{1:012x}"
    assert sql.rows("account_expire", account_id=NONE) == []
    for number in range(3):
        assert len(sql.rows("account_expire", account_id=account)) == 1 and left(sql) == 10 - 5 * number
    assert sql.rows("account_expire", account_id=account) == []


def test_an_entry_that_expires_while_it_is_read_does_not_stay(sql):
    """0 would mean that the entry stays. The clock advances by a second at each reading."""
    psycopg2.extras.register_uuid(conn_or_curs=sql.cursor)
    add_expired(sql, 1, 1)
    device = uuid.UUID(f"{2:08x}-0000-0000-0000-{1:012x}")
    sql.cursor.execute(
        "DELETE FROM installation WHERE expires_at IS NULL; CREATE SEQUENCE tick;"
        "CREATE OR REPLACE FUNCTION present_time() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$"
        " SELECT timestamptz '2026-01-01' + nextval('tick') * interval '1 s' $$")
    found = []
    for seconds in range(8):
        sql.cursor.execute("SELECT setval('tick', 1)")
        sql.cursor.execute("UPDATE installation SET expires_at = timestamptz '2026-01-01' + %s * interval '1 s'",
                           [1 + seconds])
        found += [row["expires_in_ms"] for row in sql.rows(
            "panel_installations", device_ids=[device], known_generations=[0], day_count=15)]
    assert found and min(found) == 1
