"""What becomes of older rows, where a migration changes what may be or what is counted."""

import backups
from backups import OTHER, OWNER
from server import run_ctl


def migrated(postgres, tmp_path, schema, *statements):
    """A function that runs SQL on a database that had rows of all kinds at this migration, and these."""
    url = postgres.create_empty()
    backups.make_old(url, schema)
    backups.fill(url, schema)

    def sql(text, *parameters):
        with backups.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(text, parameters)
            return cursor.fetchall() if cursor.description else None

    for statement in statements:
        sql(statement)
    run_ctl("--state-dir", str(tmp_path), "--database", url, "migrate")
    return sql


def test_the_audit_log_gets_shares(postgres, tmp_path):
    """All entries stay, in their order; above a share they go with the next one of their action."""
    sql = migrated(
        postgres, tmp_path, 23,
        "INSERT INTO audit_entry (account_id, actor, action, target) "
        f"SELECT '{OTHER}', 'bob@example.org', 'key.create', n::text FROM generate_series(1, 1500) AS n",
        f"INSERT INTO audit_entry (account_id, actor, action) VALUES ('{OTHER}', 'b', 'session.start')")
    of_other = "FROM audit_entry WHERE account_id = %s AND action = 'key.create'"
    assert sql(f"SELECT count(*), min(number), max(number), bool_and(number = target::int) {of_other}",
               OTHER) == [(1500, 1, 1500, True)]
    assert sql("SELECT times, last_at = created_at, number FROM audit_entry WHERE account_id IS NULL") == [
        (1, True, 1)]
    for _ in range(6):
        sql("INSERT INTO audit_entry (account_id, actor, action, target) "
            "VALUES (%s, 'bob@example.org', 'key.create', 'new')", OTHER)
    assert sql(f"SELECT count(*), min(number), max(number) {of_other}", OTHER) == [(1000, 507, 1506)]
    assert sql("SELECT action FROM audit_entry WHERE account_id = %s AND action <> 'key.create'", OTHER) == [
        ("session.start",)]
    assert sql("SELECT action, number FROM audit_entry WHERE account_id = %s", OWNER) == [("key.created", 1)]
