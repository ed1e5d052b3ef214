"""Records that come as one column: the generator stops the build if a header is wrong."""

import pytest
from generate_statements_test import run_with_record

PACKED = """-- Things with a number.
-- row: number int8, (thing)
-- effect: read
-- work: bounded
SELECT number, ROW(t.{thing}) AS thing FROM thing AS t
"""


def test_record_in_one_column(tmp_path):
    (tmp_path / "thing_all.sql").write_text(PACKED.replace("(thing)", "thing").replace("ROW(t.{thing}) AS thing", "t.{thing}"))
    done = run_with_record(tmp_path, PACKED)
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "out/table.c").read_text()
    assert "SELECT number, ROW(t.id, t.name, t.brightness, t.volume) AS thing" in table
    assert "20 /* number int8 */,\n\t2249 /* thing record */,\n}" in table


@pytest.mark.parametrize("row, reason", [
    ("(thing)", "no other row is 'thing' without parentheses"),
    ("(thing) int8", "'(thing) int8' in row is not a name and a type"),
    ("(thong)", "'thong' in row is neither a record nor a name and a type"),
    ("(thing), thing", "'thing' stands twice in row"),
    ("(thing", "'(thing' in row is not a name and a type"),
])
def test_record_in_one_column_that_does_not_fit(tmp_path, row, reason):
    done = run_with_record(tmp_path, PACKED.replace("(thing)", row))
    assert done.returncode == 1 and reason in done.stderr, done.stderr


def test_record_in_one_column_of_a_change(tmp_path):
    """Rows that a parameter changes are found in columns of their own only."""
    done = run_with_record(tmp_path, PACKED.replace("-- effect: read", "-- params: (thing)\n-- effect: read"))
    assert done.returncode == 1 and "in params is not a name and a type" in done.stderr, done.stderr
