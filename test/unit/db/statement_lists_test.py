"""One file makes the statements of a list (tools/statement_lists.py)."""

import subprocess
import sys

import pytest
from generate_statements_test import TOOL, refuse, run

THINGS = """-- Lists the things of an account, oldest first.
-- params: account_id uuid, ids uuid[], wanted text
-- row: id uuid, made_at timestamptz
-- effect: read
-- work: bounded
-- search: grows with things
-- list: thing.made_at, thing.id
SELECT id, made_at
FROM thing
WHERE account_id = :account_id AND {after}
	{part: AND (cardinality(:ids) = 0 OR id = ANY (:ids))}
	{search: AND position(:wanted IN name) > 0}
{order}
"""
LIST = """-- thing_list
-- Lists the things of an account, oldest first.
-- params: account_id uuid
-- row: id uuid, made_at timestamptz
-- effect: read
-- work: bounded
SELECT id, made_at
FROM thing
WHERE account_id = :account_id
ORDER BY thing.made_at, thing.id
LIMIT 101
"""
PART = """-- thing_part
-- Lists the things of an account, oldest first.
-- params: account_id uuid, ids uuid[], after_made_at timestamptz, after_id uuid, row_limit int8
-- row: id uuid, made_at timestamptz
-- effect: read
-- work: bounded
SELECT id, made_at
FROM thing
WHERE account_id = :account_id AND (thing.made_at, thing.id) > (:after_made_at, :after_id)
	AND (cardinality(:ids) = 0 OR id = ANY (:ids))
ORDER BY thing.made_at, thing.id
LIMIT :row_limit
"""
SEARCH = PART.replace("thing_part", "thing_search").replace("work: bounded", "work: grows with things").replace(
    "ids uuid[],", "ids uuid[], wanted text,").replace("\nORDER", "\n\tAND position(:wanted IN name) > 0\nORDER")
CALL = """static inline void statement_thing_list(struct db_query *query, const struct thing_list_parameters *parameters, \
const struct list_range *range)
{
	int64_t limit = range->limit ? range->limit : LIMIT_LIST_SHORT + 1;

	if (parameters->wanted.length) {
		db_query_begin(query, (enum statement)STATEMENT_THING_SEARCH, &thing_list_row_record, NULL);
		db_add_id(&query->parameters, parameters->account_id);
		db_add_id_array(&query->parameters, parameters->ids.list, parameters->ids.count);
		db_add_text(&query->parameters, parameters->wanted);
		db_add_timestamp(&query->parameters, range->after.number);
		db_add_id(&query->parameters, range->after.id);
		db_add_int8(&query->parameters, limit);
		return;
	}
	if (range->limit || parameters->ids.count) {
		db_query_begin(query, (enum statement)STATEMENT_THING_PART, &thing_list_row_record, NULL);
		db_add_id(&query->parameters, parameters->account_id);
		db_add_id_array(&query->parameters, parameters->ids.list, parameters->ids.count);
		db_add_timestamp(&query->parameters, range->after.number);
		db_add_id(&query->parameters, range->after.id);
		db_add_int8(&query->parameters, limit);
		return;
	}
	db_query_begin(query, (enum statement)STATEMENT_THING_LIST, &thing_list_row_record, NULL);
	db_add_id(&query->parameters, parameters->account_id);
}
"""


def make(folder, text):
    """Returns the header with the calls, the table and the texts."""
    (folder / "thing_list.sql").write_text(text)
    done = run(folder, "statements", "--lists", str(folder / "out/lists.sql"))
    assert done.returncode == 0, done.stderr
    return [(folder / "out" / name).read_text() for name in ("calls.h", "table.c", "lists.sql")]


def test_texts_of_the_three(tmp_path):
    _, table, lists = make(tmp_path, THINGS)
    assert lists == f"{LIST}\n{PART}\n{SEARCH}"
    assert table.count(".grows = true") == 1


def test_the_range_chooses_the_statement(tmp_path):
    calls, table, _ = make(tmp_path, THINGS)
    assert CALL in calls
    assert "struct thing_list_parameters {\n\tstruct id account_id;\n\tstruct db_ids ids;\n\tstruct str wanted;\n};" in calls
    assert 'thing_list_order = {\n\t.columns = {"made_at", "id"},\n};' in table


@pytest.mark.parametrize("order, condition, start", [
    ("thing.rank", "thing.rank > :after_rank", "INT64_MIN"), ("thing.rank desc", "thing.rank < :before_rank", "INT64_MAX"),
])
def test_order_by_a_number(tmp_path, order, condition, start):
    _, table, lists = make(tmp_path, THINGS.replace("thing.made_at, thing.id\n", order + "\n").replace(
        "made_at timestamptz", "rank int8"))
    assert condition in lists and f".start = {{.number = {start}}}" in table
    assert ("ORDER BY thing.rank DESC" in lists) == ("desc" in order)


def test_order_by_a_name(tmp_path):
    _, table, lists = make(tmp_path, THINGS.replace("thing.made_at, thing.id\n", 'name COLLATE "C", id\n').replace(
        "made_at timestamptz", "name text"))
    assert '(name COLLATE "C", id) > (:after_name, :after_id)' in lists and '.columns = {"name", "id"}' in table


def test_condition_alone(tmp_path):
    _, _, lists = make(tmp_path, THINGS.replace("account_id = :account_id AND ", "").replace("account_id uuid, ", ""))
    assert "WHERE true\nORDER BY" in lists and "WHERE (thing.made_at, thing.id) >" in lists


def test_what_follows_from_the_text(tmp_path):
    _, _, lists = make(tmp_path, THINGS)
    (tmp_path / "short").mkdir()
    _, _, short = make(tmp_path / "short", THINGS.replace("-- effect: read\n-- work: bounded\n", ""))
    assert short == lists.replace("-- effect: read\n", "").replace("-- work: bounded\n", "")


def test_growing_list_has_no_beginning_of_its_own(tmp_path):
    calls, _, lists = make(tmp_path, THINGS.replace("work: bounded", "work: grows with things"))
    assert lists == f"{PART}\n{SEARCH}".replace("thing_part", "thing_list").replace("bounded", "grows with things")
    assert "STATEMENT_THING_PART" not in calls and "if (range->limit" not in calls


def test_print(tmp_path):
    (tmp_path / "thing_list.sql").write_text(THINGS)
    done = subprocess.run([sys.executable, TOOL, "print", str(tmp_path / "thing_list.sql")], capture_output=True, text=True,
                          check=True)
    assert done.stdout.count("SELECT id, made_at") == 3 and "LIMIT $5" in done.stdout


@pytest.mark.parametrize("old, new, reason", [
    ("{after}", "true", "the text of a list needs {after} and {order}"),
    ("{order}", "", "the text of a list needs {after} and {order}"),
    ("thing.made_at, thing.id\n", "thing.name\n", "'name' in list is not a column of the row"),
    ("thing.made_at, thing.id\n", "lower(name)\n", "'lower(name)' in list is not a column"),
    ("thing.made_at, thing.id\n", "made_at, made_at\n", "a list position has one number"),
    ("thing.made_at, thing.id\n", "made_at desc, id\n", "a list position has one number"),
    ("-- list: thing.made_at, thing.id\n", "", "'search:' is for a list"),
    ("effect: read", "effect: write", "a list is a read"),
    ("-- effect: read\n-- work: bounded\n-- search: grows with things\n-- list: thing.made_at, thing.id\nSELECT",
     "-- search: grows with things\n-- list: thing.made_at, thing.id\nDELETE", "a list is a read"),
    ("-- work", "-- commit: shared\n-- work", "a list has params, row"),
    ("position(:wanted IN name) > 0", "true", "parameter 'wanted' is not used"),
    ("{search: AND position(:wanted IN name) > 0}", "AND :wanted <> ''", "only {search: } may use the text"),
])
def test_list_that_contradicts_itself(tmp_path, old, new, reason):
    assert old in THINGS
    refuse(tmp_path, THINGS.replace(old, new), reason, "thing_list")


def test_name_of_a_list(tmp_path):
    refuse(tmp_path, THINGS, "a list is a read, and its name ends with _list", "things")
