"""The generator stops the build if a statement or a function sends a NOTIFY in a transaction that waits for the disk,
and nobody has said that it is rare."""

import pytest
from generate_migrations_test import HASH, run_on_schema
from generate_statements_test import run

WRITE = """-- Changes a thing.
-- params: id uuid
-- row: done text
-- effect: write
-- work: bounded
{rare}{text}
"""
TOLD = "SELECT {call}('displayd_hint', 'thing:' || :id) AS done"
FUNCTION = "CREATE {replace}FUNCTION tell{name}() RETURNS void LANGUAGE sql AS $${body}$$;\n"
NOTIFIES = "SELECT pg_notify('displayd_hint', 'thing:1')"
COMMENT = "COMMENT ON FUNCTION tell() IS 'rare: a thing is removed';\n"


def generate(folder, text, rare=""):
    (folder / "thing_change.sql").write_text(WRITE.format(text=text, rare=rare),
                                             encoding="utf-8")
    return run(folder)


def migrate(folder, first, *texts):
    return run_on_schema(folder, {f"{number:04}_step": text for number, text in enumerate(texts, start=2)},
                         {"01_all.sql": first, "replaced.txt": f"1 first {HASH}\n"})


@pytest.mark.parametrize("call", ["pg_notify", "PG_NOTIFY ", "pg_catalog.pg_notify"])
def test_a_statement_that_waits(tmp_path, call):
    done = generate(tmp_path, TOLD.format(call=call))
    assert done.returncode == 1 and "thing_change.sql: a NOTIFY in a transaction that waits" in done.stderr


@pytest.mark.parametrize("rare", ["-- rare:\n", "-- rare: one\n-- rare: two\n"])
def test_one_reason(tmp_path, rare):
    assert generate(tmp_path, TOLD.format(call="pg_notify"), rare).returncode == 1


def test_a_rare_statement(tmp_path):
    assert generate(tmp_path, TOLD.format(call="pg_notify"), "-- rare: a thing is removed\n").returncode == 0


def test_a_commit_that_does_not_wait(tmp_path):
    text = "SELECT set_config('synchronous_commit', 'off', true), " + TOLD.format(call="pg_notify")[7:]
    assert generate(tmp_path, text).returncode == 0
    assert "there is none" in generate(tmp_path, text, "-- rare: a thing is removed\n").stderr


def test_a_reason_for_nothing(tmp_path):
    done = generate(tmp_path, "SELECT :id AS done -- pg_notify('x', 'y')", "-- rare: a thing is removed\n")
    assert "'rare:' is for a NOTIFY" in done.stderr


@pytest.mark.parametrize("texts", [
    [FUNCTION.format(replace="", name="", body=NOTIFIES)],
    [FUNCTION.format(replace="", name="", body="\nNOTIFY displayd_hint, 'thing:1';\n")],
    [FUNCTION.format(replace="", name="", body=NOTIFIES), COMMENT.replace("rare: ", "")],
    [FUNCTION.format(replace="", name="", body=NOTIFIES), COMMENT.replace("tell", "tell_all")],
    # The new one is not what was called rare.
    [FUNCTION.format(replace="", name="", body=NOTIFIES), COMMENT,
     FUNCTION.format(replace="OR REPLACE ", name="", body=NOTIFIES)],
])
def test_a_function_that_waits(tmp_path, texts):
    done = migrate(tmp_path, *texts)
    assert done.returncode == 1 and "function 'tell' sends a NOTIFY" in done.stderr


@pytest.mark.parametrize("texts", [
    [FUNCTION.format(replace="", name="", body="SELECT 1 -- pg_notify('x', 'y')\n")],
    [FUNCTION.format(replace="", name="", body="SELECT set_config('synchronous_commit', 'off', true); " + NOTIFIES)],
    [FUNCTION.format(replace="", name="", body=NOTIFIES), COMMENT],
    [FUNCTION.format(replace="", name="", body=NOTIFIES), "DROP FUNCTION tell();"],
    [FUNCTION.format(replace="", name="", body=NOTIFIES),
     FUNCTION.format(replace="OR REPLACE ", name="", body="SELECT 1")],
])
def test_other_functions(tmp_path, texts):
    done = migrate(tmp_path, *texts)
    assert done.returncode == 0, done.stderr
