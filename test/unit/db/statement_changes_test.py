"""The generator stops the build if a write does not name the rows that it changes and workers cache."""

import pytest
from generate_statements_test import GOOD, refuse, run

WRITE = """-- Changes a thing.
-- params: id uuid, ids uuid[], name text
-- row: account_id uuid
-- effect: write
-- work: bounded
{changes}WITH used AS (SELECT :id, :ids, :name) {text}
"""
RECORDS_KEPT = """#include "domain/device.h"

static const struct record_field device_shown_fields[] = {
    RECORD_ID(struct device, id, .column = "id"),
    RECORD_STR(struct device, name, .body = "name", .column = "name"),
};
const struct record device_shown_record = RECORD(struct device, device_shown_fields);
static const struct record_field secret_fields[] = {
    RECORD_STR(struct device, locale, .body = "locale", .column = "locale"),
};
const struct record secret_record = RECORD(struct device, secret_fields);
"""


def generate_kept(folder, text, changes="", name="thing_change"):
    records = folder / "records"
    records.mkdir(exist_ok=True)
    (records / "device.c").write_text(RECORDS_KEPT, encoding="utf-8")
    (folder / f"{name}.sql").write_text(WRITE.format(text=text, changes=changes), encoding="utf-8")
    return run(folder, "statements", "--records", str(records))


@pytest.mark.parametrize("text, table", [
    ("UPDATE device SET name = :name", "device"),
    ("UPDATE ONLY device AS d SET generation = (SELECT 1), name = :name WHERE id = :id", "device"),
    ("UPDATE device SET (volume, name) = (1, :name)", "device"),
    ("UPDATE device SET generation = CASE WHEN true THEN 1 END, settings_revision = 2 FROM thing", "device"),
    ("DELETE FROM device WHERE id = :id", "device"),
    ("INSERT INTO device (id) VALUES (:id)", "device"),
    ("INSERT INTO thing (id) VALUES (:id) ON CONFLICT (id) DO UPDATE SET a = 1) , b AS "
     "(UPDATE device SET name = :name", "device"),
    ("SELECT 1), x AS (\n\tupdate\n\tinstallation set moved_to = 1 RETURNING *) SELECT 1", "installation"),
    ("INSERT INTO app (id, name) SELECT :id, :name ON CONFLICT (id) DO UPDATE SET slug = 'x', name = :name", "app"),
    ("UPDATE app SET name = :name", "app"),
    ("DELETE FROM account", "account"),
    ("MERGE INTO device USING x ON true WHEN MATCHED THEN UPDATE SET name = :name", "device"),
    ("TRUNCATE device", "device"),
])
def test_a_write_names_the_rows_that_it_changes(tmp_path, text, table):
    done = generate_kept(tmp_path, text)
    assert done.returncode == 1
    assert "thing_change.sql: the header needs a line 'changes:'" in done.stderr and f"'{table}'" in done.stderr
    done = generate_kept(tmp_path, text, "-- changes: id\n")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", [
    "UPDATE device SET generation = device.generation + 1 WHERE name = :name",
    "UPDATE device SET generation = (SELECT max(name) FROM (VALUES (1)) AS x (name)) RETURNING name = 'x'",
    "UPDATE app SET status = 'name'",
    "INSERT INTO app (id, name) VALUES (:id, :name)",
    "INSERT INTO account (id, email) VALUES (:id, :name)",
    "INSERT INTO app (id) VALUES (:id) ON CONFLICT (id) DO UPDATE SET slug = 'x'",
    "UPDATE device_name SET name = :name",
    "SELECT name FROM device FOR UPDATE",
    "UPDATE thing SET name = 'UPDATE device SET name = 1' -- UPDATE device SET name",
])
def test_a_write_that_changes_nothing_that_is_kept(tmp_path, text):
    done = generate_kept(tmp_path, text)
    assert done.returncode == 0, done.stderr


def test_a_change_of_a_record_names_its_rows(tmp_path):
    for record, is_refused in (("device_shown", True), ("secret", False)):
        text = WRITE.replace("name text", f"change {record}").replace(", :name", "").format(
            changes="", text="UPDATE device SET {change}, generation = 1 WHERE id = :id")
        (tmp_path / "records").mkdir(exist_ok=True)
        (tmp_path / "records/device.c").write_text(RECORDS_KEPT, encoding="utf-8")
        (tmp_path / "thing_change.sql").write_text(text, encoding="utf-8")
        done = run(tmp_path, "statements", "--records", str(tmp_path / "records"))
        assert ("needs a line 'changes:'" in done.stderr) == is_refused


@pytest.mark.parametrize("changes, reason", [
    ("nobody", "'nobody' in changes is neither a parameter nor a column"),
    ("name", "'name' in changes is no ID"),
    ("told", "'changes: told', and it sends no hint 'read:<id>'"),
    ("id with hints", "'id with hints' in changes is neither a parameter nor a column"),
])
def test_changes_that_are_none(tmp_path, changes, reason):
    done = generate_kept(tmp_path, "DELETE FROM device", f"-- changes: {changes}\n")
    assert done.returncode == 1 and reason in done.stderr


def test_where_the_ids_of_changed_rows_are(tmp_path):
    done = generate_kept(tmp_path, "DELETE FROM device", "-- changes: ids without hints, account_id\n-- changes: id\n")
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "out/table.c").read_text()
    assert "{.index = 1, .is_column = false, .is_array = true, .is_hinted = false}," in table
    assert "{.index = 0, .is_column = true, .is_array = false, .is_hinted = true}," in table
    assert "{.index = 0, .is_column = false, .is_array = false, .is_hinted = true}," in table
    assert ".change_count = 3" in table


def test_a_column_of_many_ids(tmp_path):
    text = WRITE.format(text="DELETE FROM device", changes="-- changes: owners\n").replace(
        "account_id uuid", "made int8, owners bytea")
    (tmp_path / "thing_change.sql").write_text(text, encoding="utf-8")
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "{.index = 1, .is_column = true, .is_array = false, .is_hinted = true}," in (
        tmp_path / "out/table.c").read_text()


def test_a_change_that_is_told(tmp_path):
    done = generate_kept(tmp_path, "DELETE FROM device RETURNING pg_notify('x', 'read:' || id)",
                         "-- changes: told\n-- rare: the operator does it\n")
    assert done.returncode == 0, done.stderr
    assert "change_count" not in (tmp_path / "out/table.c").read_text()


def test_a_read_changes_nothing(tmp_path):
    refuse(tmp_path, GOOD.replace("-- work", "-- changes: id\n-- work"), "a read changes nothing")


def test_displayctl_tells_by_itself(tmp_path):
    (tmp_path / "ctl").mkdir()
    (tmp_path / "ctl/thing_change.sql").write_text(
        WRITE.format(text="DELETE FROM device", changes="-- changes: id\n"), encoding="utf-8")
    done = run(tmp_path)
    assert done.returncode == 1 and "say 'changes: told'" in done.stderr
