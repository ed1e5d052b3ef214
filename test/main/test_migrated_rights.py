"""Migrations of rights and names: what becomes of the rows that were there, of each kind."""

import contextlib
import tempfile

import backups
from server import run_ctl

RIGHTS_END = 28


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
        cursor.execute("SELECT kind, maker_id, is_operators, link_holds(account_link) FROM account_link")
        assert cursor.fetchall() == [("first", None, True, True)]
