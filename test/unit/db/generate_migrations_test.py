"""Rules of the generator for the work of statements; and of that for the schema and its migrations."""

import os
import subprocess
import sys

import pytest
from generate_statements_test import GOOD, TOOL, accept, refuse

HASH = "0" * 64


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


def run_on_schema(folder, files, schema=(("01_all.sql", "CREATE TABLE a (x int);\n"), ("replaced.txt", f"1 first {HASH}\n"))):
    for name, text in [*((f"schema/{name}", text) for name, text in dict(schema).items()),
                       *((f"migration/{name}.sql", text) for name, text in files.items())]:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "migration").mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, os.path.join(os.path.dirname(TOOL), "generate_migrations.py"), folder / "schema",
         folder / "migration", "--source", folder / "table.c", "--depfile", folder / "d"],
        capture_output=True, text=True, check=False)


@pytest.mark.parametrize("files, reason", [
    ({"2_a": "SELECT 1;"}, "2_a.sql is not named NNNN_name.sql"),
    ({"0001_a": "SELECT 1;"}, "0001_a.sql should have number 0002"),
    ({"0002_a": "SELECT 1;", "0004_b": "SELECT 1;"}, "0004_b.sql should have number 0003"),
    ({"0002_a": "SELECT 1;", "0002_b": "SELECT 1;"}, "0002_b.sql should have number 0003"),
    ({"0002_a": "BEGIN; SELECT 1; COMMIT;"}, "0002_a.sql: 'BEGIN'"),
    ({"0002_a": "SELECT '\u00e9';"}, "0002_a.sql: only ASCII, please"),
])
def test_migrations_refused(tmp_path, files, reason):
    done = run_on_schema(tmp_path, files)
    assert done.returncode == 1 and reason in done.stderr


@pytest.mark.parametrize("schema, reason", [
    ({"replaced.txt": ""}, "replaced.txt has no line"),
    ({"replaced.txt": f"2 first {HASH}\n"}, "is not number 1, a name and a SHA-256"),
    ({"replaced.txt": "1 first 00\n"}, "is not number 1, a name and a SHA-256"),
    ({"replaced.txt": f"1 first {HASH}\n", "01_a.sql": "COMMIT;"}, "01_a.sql: 'COMMIT'"),
])
def test_schemas_refused(tmp_path, schema, reason):
    done = run_on_schema(tmp_path, {}, schema)
    assert done.returncode == 1 and reason in done.stderr


def test_migrations(tmp_path):
    text = "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;\n"
    done = run_on_schema(tmp_path, {"0003_third": text, "0004_fourth": "SELECT 1;\n"},
               {"01_a.sql": "CREATE TABLE a (x int);\n", "02_b.sql": "CREATE TABLE b (x int);\n",
                "replaced.txt": f"# words\n1 first {HASH}\n2 second {HASH}\n"})
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "table.c").read_text()
    first, second = table.index('{1, "first"'), table.index('{2, "second"')
    assert ".text" not in table[first:second] and second < table.index("TABLE a") < table.index("TABLE b")
    assert table.index("TABLE b") < table.index('{3, "third"') < table.index('{4, "fourth"')
    assert "migration_count = 4" in table
