"""Migrations of rights and names: their effect on existing rows of each kind."""

import contextlib
import tempfile

import backups
import psycopg2
import pytest
from server import run_ctl

RIGHTS_END, NUMBERS_OF_ACCOUNTS, OPERATOR_REMOVES = 22, 23, 41


@contextlib.contextmanager
def migrated(postgres, schema, *rows):
    """A cursor on a database that had these rows when it was migrated from this schema to the newest."""
    url = postgres.create_empty()
    backups.make_old(url, schema)
    backups.fill(url, schema)
    with contextlib.closing(backups.connect(url)) as connection, connection.cursor() as cursor:
        for row in rows:
            cursor.execute(row)
        with tempfile.TemporaryDirectory() as state_dir:
            run_ctl("--database", url, "--state-dir", state_dir, "migrate")
        yield cursor


def test_links_of_unknown_makers_end_but_first_ones_do_not(postgres):
    link = ("INSERT INTO account_link (id, kind, secret_hash, account_id, expires_at) "
            "VALUES (gen_random_uuid(), '{0}', sha256('{0}'), {1}, now() + interval '1 day')")
    with migrated(postgres, RIGHTS_END - 1, link.format("first", "NULL"),
                  link.format("password", f"'{backups.OTHER}'")) as cursor:
        cursor.execute("SELECT kind, maker_id, is_operators, link_holds(kind, expires_at, is_operators, maker_id) FROM account_link")
        assert cursor.fetchall() == [("first", None, True, True)]


def test_apps_with_settings_in_the_clear_are_looked_at(postgres):
    with migrated(postgres, RIGHTS_END - 1) as cursor:
        cursor.execute("SELECT app_id, claim, due_at = '-infinity' FROM app_to_seal")
        assert cursor.fetchall() == [(backups.APP, None, True)]


def test_addresses_that_panels_have_told_count_as_registered(postgres):
    """Addresses that panels reported count as registered, because the old rows do not distinguish them."""
    insert = ("INSERT INTO device (id, account_id, name, {0}, link_key_hash) "
              "VALUES (gen_random_uuid(), '{1}', 'Twin', '{2}', sha256('{1}'))")
    with migrated(postgres, NUMBERS_OF_ACCOUNTS - 1) as cursor:
        cursor.execute("SELECT mac::text, told_mac, serial FROM device WHERE mac IS NOT NULL")
        assert cursor.fetchall() == [("02:00:00:00:00:01", None, "S-1")]
        for column, number in (("mac", "02:00:00:00:00:01"), ("serial", "S-1")):
            cursor.execute(insert.format(column, backups.OTHER, number))
            with pytest.raises(psycopg2.errors.UniqueViolation, match=f"device_{column}_unique"):
                cursor.execute(insert.format(column, backups.OWNER, number))


def test_accounts_that_their_owners_are_removing_leave_apps(postgres):
    closed = f"UPDATE account SET closed_at = now() WHERE id = '{backups.OTHER}'"
    with migrated(postgres, OPERATOR_REMOVES - 1, closed) as cursor:
        cursor.execute("SELECT DISTINCT goes_with_apps FROM account")
        assert cursor.fetchall() == [(False,)]
