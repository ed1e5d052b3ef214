"""Sweeps go on where they have ended, whatever lies in their way."""

import os
import re

import psycopg2
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

            def sql(name, **values):
                with open(f"{ROOT}/sql/query/{name}.sql", encoding="utf-8") as file:
                    cursor.execute(re.sub(r"(?<![:\w]):([a-z]\w*)", r"%(\1)s", file.read()), values)
                [row] = cursor.fetchall()
                return dict(zip((column.name for column in cursor.description), row))

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
    after, claimed, portions = NONE, [], 0
    while portions == 0 or after != NONE or claimed[-1]:
        row = sql("app_picture_next", after_id=after, row_limit=10, engine="e", languages=["STARLARK"],
                  claim_s=60)
        assert row["version_id"] is None or row["next_id"] == after
        after = row["next_id"]
        claimed.append(row["version_id"])
        portions += 1
    assert len(set(claimed) - {None}) == ABLE and portions == 4 + ABLE
