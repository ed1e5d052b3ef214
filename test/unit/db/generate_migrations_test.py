"""Rules of the generator for the work of statements, and migrations."""

import pytest
from generate_statements_test import GOOD, accept, refuse, run


def test_work_that_grows(tmp_path):
    growing = GOOD.replace("work: bounded", "work: grows with the account's things")
    _, table = accept(tmp_path, GOOD)
    assert ".grows" not in table
    _, table = accept(tmp_path, growing)
    assert ".grows = true," in table
    write = growing.replace("effect: read", "effect: write")
    accept(tmp_path, write, name="account_removal_things")
    (tmp_path / "ctl").mkdir()
    (tmp_path / "ctl/things_all.sql").write_text(write)
    accept(tmp_path, GOOD)
    refuse(tmp_path / "ctl", write, "a write of workers must be bounded")


@pytest.mark.parametrize("files, reason", [
    ({"1_a": "SELECT 1;"}, "1_a.sql is not named NNNN_name.sql"),
    ({"0002_a": "SELECT 1;"}, "0002_a.sql should have number 0001"),
    ({"0001_a": "SELECT 1;", "0003_b": "SELECT 1;"}, "0003_b.sql should have number 0002"),
    ({"0001_a": "SELECT 1;", "0001_b": "SELECT 1;"}, "0001_b.sql should have number 0002"),
    ({"0001_a": "BEGIN; SELECT 1; COMMIT;"}, "0001_a.sql: 'BEGIN'"),
    ({"0001_a": "SELECT '\u00e9';"}, "0001_a.sql: only ASCII, please"),
])
def test_migrations_refused(tmp_path, files, reason):
    for name, text in files.items():
        (tmp_path / f"{name}.sql").write_text(text, encoding="utf-8")
    done = run(tmp_path, "migrations")
    assert done.returncode == 1 and reason in done.stderr


def test_migrations(tmp_path):
    text = "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;\n"
    (tmp_path / "0001_first.sql").write_text(text)
    (tmp_path / "0002_second.sql").write_text("SELECT 1;\n")
    assert run(tmp_path, "migrations").returncode == 0
    table = (tmp_path / "out/table.c").read_text()
    assert '{1, "first",' in table and '{2, "second",' in table
    assert "migration_count = 2" in table
