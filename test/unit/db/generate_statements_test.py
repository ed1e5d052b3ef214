"""The generator stops the build if a SQL file contradicts itself."""

import os
import subprocess
import sys

import pytest

TOOL = os.path.join(os.path.dirname(__file__), "../../../tools/generate_statements.py")
GOOD = """-- Finds a thing.
-- params: id uuid, name text
-- row: id uuid
-- effect: read
-- work: bounded
SELECT id FROM thing WHERE id = :id AND name = :name
"""


def run(folder, what="statements", *more):
    out = folder / "out"
    out.mkdir(exist_ok=True)
    command = [sys.executable, TOOL, what, str(folder), "--source", str(out / "table.c"),
               "--depfile", str(out / "d"), *more]
    if what == "statements":
        command += ["--ids", str(out / "ids.h"), "--calls", str(out / "calls.h")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def refuse(folder, text, reason, name="thing_find"):
    (folder / f"{name}.sql").write_text(text, encoding="utf-8")
    done = run(folder)
    assert done.returncode == 1
    assert f"{name}.sql: {reason}" in done.stderr
    assert not (folder / "out/table.c").exists()


def accept(folder, text, name="thing_find"):
    (folder / f"{name}.sql").write_text(text, encoding="utf-8")
    done = run(folder)
    assert done.returncode == 0, done.stderr
    return (folder / "out/ids.h").read_text(), (folder / "out/table.c").read_text()


def test_good(tmp_path):
    header, table = accept(tmp_path, GOOD)
    assert "STATEMENT_THING_FIND,\n\tSTATEMENT_COUNT" in header
    assert "CONSTRAINT_NONE,\n\tCONSTRAINT_COUNT" in header
    assert "EFFECT_READ" in table
    assert "2950 /* id uuid */" in table and "25 /* name text */" in table


def test_empty_folder(tmp_path):
    assert run(tmp_path).returncode == 0


@pytest.mark.parametrize("old, new, reason", [
    (":name", ":nome", "':nome' is none of the parameters"),
    (":name", "$2", "parameters have names: write :name"),
    (":name", "'x'", "parameter 'name' is not used"),
    (":name", "':name'", "parameter 'name' is not used"),
    (":name", "'x' -- :name", "parameter 'name' is not used"),
    (":name", "'x' /* :name */", "parameter 'name' is not used"),
    (":name", "$a$ :name $a$", "parameter 'name' is not used"),
    (":name", "x::name", "parameter 'name' is not used"),
    (":name", ":name AND {thing}", "'{thing}' is no record"),
    ("id uuid, name text", "id uuid?, name text", "'id' may not be absent: only text, bytea"),
    ("name text", "name", "'name' in params is not a name and a type"),
    ("name text", "name varchar", "unknown type 'varchar' in params"),
    ("row: id uuid", "row: id", "'id' in row is neither a record nor a name and a type"),
    ("row: id uuid", "row: Id uuid", "'Id uuid' in row is not a name and a type"),
    ("row: id uuid", "row: id uuid, id text", "'id' stands twice in row"),
    ("name text", "id text", "'id' stands twice in params"),
    ("effect: read", "effect: maybe", "effect is 'maybe', must be read or write"),
    ("-- effect: read\n", "-- effect: read\n-- effect: read\n", "the header has more than one 'effect:'"),
    ("-- params", "-- param", "'param:' is none of params, row, effect, work, refuse"),
    ("-- work: bounded\n", "-- work: bounded\n-- work: bounded\n", "work is bounded, or one 'work: grows with THINGS'"),
    ("work: bounded", "work: little", "work is bounded, or one 'work: grows with THINGS'"),
    ("work: bounded", "work: grows with", "work is bounded, or one 'work: grows with THINGS'"),
    ("-- Finds a thing.\n", "", "the header does not say what the statement does"),
    ("SELECT id FROM thing", "DELETE FROM thing", "'DELETE' in a statement with effect: read"),
    ("name = :name", "name = :name FOR UPDATE", "'UPDATE' in a statement with effect: read"),
    ("name = :name", "name = :name FOR SHARE", "'SHARE' in a statement with effect: read"),
    ("name = :name", "name = :name; SELECT 1", "more than one statement"),
    ("-- effect", "-- refuse: thing_check invalid\n-- effect", "'thing_check invalid' is not"),
    ("-- effect", "-- refuse: Thing -> invalid\n-- effect", "'Thing -> invalid' is not"),
    ("-- effect", "-- refuse: a -> b, a -> c\n-- effect", "'a' is refused twice"),
    ("name text", "name text,", "'params' ends with a comma"),
    ("Finds", "F\u00efnds", "only ASCII, please"),
    ("SELECT id FROM thing WHERE id = :id AND name = :name", "-- no code", "there is no statement"),
])
def test_disagreement(tmp_path, old, new, reason):
    assert old in GOOD
    refuse(tmp_path, GOOD.replace(old, new), reason)


def test_no_statement(tmp_path):
    refuse(tmp_path, "-- Nothing.\n-- effect: read\n-- work: bounded\n", "there is no statement")


def test_too_many_parameters(tmp_path):
    names = ", ".join(f"p{i} int4" for i in range(73))
    used = ", ".join(f":p{i}" for i in range(73))
    refuse(tmp_path, f"-- Much.\n-- params: {names}\n-- effect: read\n-- work: bounded\nSELECT {used}\n",
           "more than 72 parameters")


def test_name(tmp_path):
    refuse(tmp_path, GOOD, "the file's name may hold", name="Thing-find")


def test_write_that_looks_like_a_read_and_back(tmp_path):
    accept(tmp_path, GOOD.replace("effect: read", "effect: write"))
    accept(tmp_path, GOOD.replace("name = :name", "name = :name AND note = 'delete me'"))
    accept(tmp_path, GOOD.replace("name = :name", "name = :name AND updated_at IS NULL"))


@pytest.mark.parametrize("text, effect", [
    ("name = :name", "READ"), ("name = :name AND note = 'delete me'", "READ"), ("name = :name FOR UPDATE", "WRITE"),
    ("name = :name FOR SHARE", "WRITE"), ("id IN (SELECT pg_notify('thing', :name))", "WRITE")])
def test_what_follows_from_the_text(tmp_path, text, effect):
    """Without a line, a statement that changes or locks rows is a write, and its work is bounded."""
    short = GOOD.replace("-- effect: read\n-- work: bounded\n", "").replace("name = :name", text)
    if "pg_notify" in text:
        short = short.replace("-- row", "-- rare: a thing is named\n-- row")
    _, table = accept(tmp_path, short)
    said = GOOD.replace("effect: read", f"effect: {effect.lower()}").replace("name = :name", text)
    if "pg_notify" in text:
        said = said.replace("-- row", "-- rare: a thing is named\n-- row")
    assert accept(tmp_path, said)[1] == table and f"EFFECT_{effect}" in table


def test_a_write_without_a_line_may_not_grow(tmp_path):
    refuse(tmp_path, GOOD.replace("-- effect: read\n-- work: bounded", "-- work: grows with things").replace(
        "name = :name", "name = :name FOR UPDATE"), "a write of workers must be bounded")


def test_lists_over_lines(tmp_path):
    _, table = accept(tmp_path, """-- Finds a thing.
-- params: id uuid,
--         name text
-- row: id uuid
-- row: name text
-- effect: read
-- work: bounded
-- refuse: a_check -> wrong
-- refuse: 22012 -> wrong, b_check -> worse
SELECT id, name FROM thing WHERE id = :id AND name = :name;
""")
    assert ".parameter_count = 2" in table and ".column_count = 2" in table
    assert ".constraint_count = 3" in table
    assert '{"22012", (enum constraint_error)CONSTRAINT_WRONG}' in table
    assert "name = $2;" not in table
    assert "id = $1 AND name = $2" in table


def test_compiles_whatever_the_text(tmp_path):
    _, table = accept(tmp_path, '-- Odd.\n-- row: x text\n-- effect: read\n-- work: bounded\n'
                      'SELECT \'a"b\\c??/\t%\' AS x\n')
    assert r'SELECT \'' not in table
    assert '"SELECT \'a\\"b\\\\c?\\?/\\t%\' AS x"' in table


def test_outputs_stay_when_nothing_changed(tmp_path):
    accept(tmp_path, GOOD)
    before = os.stat(tmp_path / "out/table.c").st_mtime_ns
    accept(tmp_path, GOOD)
    assert os.stat(tmp_path / "out/table.c").st_mtime_ns == before


def test_depfile_names_folder_and_files(tmp_path):
    accept(tmp_path, GOOD)
    depfile = (tmp_path / "out/d").read_text()
    assert str(tmp_path) + " " in depfile
    assert str(tmp_path / "thing_find.sql") in depfile


ONE = """-- A thing by its ID.
-- params: id uuid
-- row: id uuid, name text
-- effect: read
-- work: bounded
SELECT id, name FROM thing WHERE id = :id
"""
MANY = """-- Things by their IDs.
-- params: ids uuid[]
-- row: id uuid, name text, key_number int8
-- effect: read
-- work: bounded
-- batches: thing_get
SELECT thing.id, name, key_number FROM unnest(:ids) WITH ORDINALITY AS w (id, key_number) JOIN thing USING (id)
"""


def test_batched(tmp_path):
    (tmp_path / "thing_get.sql").write_text(ONE)
    _, table = accept(tmp_path, MANY, "things")
    one = table.index("[STATEMENT_THING_GET] = {")
    many = table.index("[STATEMENT_THINGS] = {")
    assert one < table.index(".batched_by = &statements[STATEMENT_THINGS]") < many
    assert table.count(".batched_by") == 1


@pytest.mark.parametrize("old, new, reason", [
    ("batches: thing_get", "batches: thing", "it batches 'thing', which there is not"),
    ("batches: thing_get", "batches: things", "'things' must have one parameter, refuse"),
    ("batches: thing_get", "batches: thing_get\n-- batches: thing_get", "one 'batches:' is enough"),
    ("uuid[]", "uuid", "its parameter must be an array of that of 'thing_get'"),
    ("uuid[]", "text[]", "its parameter must be an array of that of 'thing_get'"),
    (", key_number int8", "", "its row must be that of 'thing_get' and 'key_number int8'"),
    ("key_number int8", "key_number int4", "its row must be that of 'thing_get' and 'key_number int8'"),
    ("id uuid, name text", "name text, id uuid", "its row must be that of 'thing_get'"),
    ("effect: read", "effect: write", "only reads are batched"),
    ("work: bounded", "work: grows with things", "a batched read must be bounded"),
])
def test_batched_read_that_does_not_fit(tmp_path, old, new, reason):
    (tmp_path / "thing_get.sql").write_text(ONE)
    refuse(tmp_path, MANY.replace(old, new), reason, "things")


@pytest.mark.parametrize("old, new", [
    ("id uuid\n", "id uuid, name text\n"),
    ("effect: read", "effect: read\n-- refuse: 22012 -> zero"),
])
def test_statement_that_cannot_be_batched(tmp_path, old, new):
    text = ONE.replace(old, new, 1).replace("id = :id", "id = :id AND name = :name" if "text" in new
                                            else "id = :id")
    (tmp_path / "thing_get.sql").write_text(text)
    refuse(tmp_path, MANY, "'thing_get' must have one parameter, refuse nothing", "things")


def test_batched_twice(tmp_path):
    (tmp_path / "thing_get.sql").write_text(ONE)
    (tmp_path / "things.sql").write_text(MANY)
    refuse(tmp_path, MANY, "'thing_get' is batched twice", "things_too")


WRITE = GOOD.replace("SELECT id FROM thing", "DELETE FROM thing").replace(
    "effect: read", "effect: write\n-- commit: shared").replace(":name", ":name RETURNING id")


def test_group_commit(tmp_path):
    _, table = accept(tmp_path, WRITE)
    assert table.count(".shares_commit = true") == 1
    _, table = accept(tmp_path, WRITE.replace("-- commit: shared\n", ""))
    assert ".shares_commit" not in table


@pytest.mark.parametrize("old, new, reason", [
    ("commit: shared", "commit: alone", "'commit:' may be shared, and nothing else"),
    ("commit: shared", "commit: shared\n-- commit: shared", "'commit:' may be shared"),
])
def test_commit_that_is_none(tmp_path, old, new, reason):
    refuse(tmp_path, WRITE.replace(old, new), reason)


def test_read_that_commits(tmp_path):
    refuse(tmp_path, GOOD.replace("effect: read", "effect: read\n-- commit: shared"),
           "a read has nothing to commit")


def test_group_commit_without_a_row(tmp_path):
    text = "-- Adds.\n-- effect: write\n-- work: bounded\n-- commit: shared\nINSERT INTO thing DEFAULT VALUES\n"
    refuse(tmp_path, text, "the first parameter says which row it changes")


def test_group_commit_of_a_setting(tmp_path):
    setting = "set_config('synchronous_commit', 'off', true)"
    text = WRITE.replace("RETURNING id", f"RETURNING {setting}")
    refuse(tmp_path, text, "a setting would hold for the others that share the commit")


# ---- records: the C table is where columns are defined ----

THING_C = """#include "domain/thing.h"

static const struct record_field thing_fields[] = {
    RECORD_ID(struct thing, id, .name = "id", .column = "id"),
    /* RECORD_STR(struct thing, gone, .column = "gone"), */
    RECORD_STR(struct thing, name, .name = "name", .body = "name", .column = "name", .minimum = 1,
	       .maximum = 25, .check = name_check),
    RECORD_OPEN(.name = "light"),
    RECORD_INT2(struct thing, brightness, .name = "brightness", .body = "brightness",
		.column = "brightness", .maximum = (100)),
    RECORD_CLOSE(),
    RECORD_INT2(struct thing, volume, .body = "volume", .column = "volume"),
    RECORD_STR(struct thing, shown, .name = "shown"),
};
const struct record thing_record = RECORD(struct thing, thing_fields, .check = thing_check);
"""
UPDATE = """-- Changes a thing.
-- params: id uuid, change thing
-- row: thing
-- effect: write
-- work: bounded
UPDATE thing SET {change}, generation = generation + 1 WHERE id = :id RETURNING {thing}
"""


def run_with_record(folder, text, table=THING_C):
    (folder / "records").mkdir(exist_ok=True)
    (folder / "include/domain").mkdir(parents=True, exist_ok=True)
    (folder / "include/domain/thing.h").touch()
    (folder / "records/thing.c").write_text(table)
    (folder / "thing_update.sql").write_text(text)
    return run(folder, "statements", "--records", str(folder / "records"),
               "--include", str(folder / "include"))


def test_record_gives_columns_and_changes(tmp_path):
    done = run_with_record(tmp_path, UPDATE)
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "out/table.c").read_text()
    assert ("SET name = coalesce($2, name),\\n" in table
            and "brightness = coalesce($3, brightness),\\n" in table
            and "volume = coalesce($4, volume), generation" in table)
    assert "RETURNING id, name, brightness, volume" in table
    assert "21 /* change.brightness int2 */" in table and "21 /* volume int2 */" in table
    calls = (tmp_path / "out/calls.h").read_text()
    assert "extern const struct record thing_record;" in calls
    assert "const struct thing *change;" in calls
    assert "struct thing *ret_row" in calls
    assert str(tmp_path / "records/thing.c") in (tmp_path / "out/d").read_text()


SHORT_C = """#include "domain/thing.h"

#define THING_SHORT_FIELDS          \\
    RECORD_ID(struct thing, id, .name = "id", .column = "id"), \\
	RECORD_STR(struct thing, name, .name = "name", .column = "name")

static const struct record_field thing_short_fields[] = {THING_SHORT_FIELDS};
const struct record thing_short_record = RECORD(struct thing, thing_short_fields);
static const struct record_field thing_fields[] = {
    THING_SHORT_FIELDS,
    RECORD_INT2(struct thing, volume, .column = "volume"),
};
const struct record thing_record = RECORD(struct thing, thing_fields);
"""


@pytest.mark.parametrize("record,columns", [("thing_short", "id, name"), ("thing", "id, name, volume")])
def test_tables_that_share_fields(tmp_path, record, columns):
    text = f"-- A thing.\n-- row: {record}\n-- effect: read\n-- work: bounded\nSELECT {{{record}}} FROM thing\n"
    done = run_with_record(tmp_path, text, SHORT_C)
    assert done.returncode == 0, done.stderr
    assert f"SELECT {columns} FROM thing" in (tmp_path / "out/table.c").read_text()


def test_columns_that_change_alone(tmp_path):
    done = run_with_record(
        tmp_path, UPDATE.replace("effect: write", "effect: write\n-- alone: brightness, volume"))
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "out/table.c").read_text()
    assert "SET brightness = $3, generation" in table and "SET volume = $4, generation" in table
    assert "SET name = coalesce($2, name),\\n" in table
    # Statements with the same parameters and rows share one function.
    assert table.count(".parameter_count = 4") == table.count(".column_count = 4") == 3
    calls = (tmp_path / "out/calls.h").read_text()
    assert '{"brightness", (enum statement)STATEMENT_THING_UPDATE_BRIGHTNESS}' in calls
    assert "parameters->change_present);" in calls
    assert calls.count("static inline void statement_thing_update") == 1


@pytest.mark.parametrize("columns, reason", [
    ("colour", "'colour' in alone is none of the columns of the change"),
    ("id", "'id' in alone is none of the columns of the change"),
    ("volume, volume", "'volume' in alone is none of the columns of the change, or stands twice"),
])
def test_columns_that_cannot_change_alone(tmp_path, columns, reason):
    done = run_with_record(
        tmp_path, UPDATE.replace("effect: write", f"effect: write\n-- alone: {columns}"))
    assert done.returncode == 1
    assert f"thing_update.sql: {reason}" in done.stderr


def test_alone_without_a_record(tmp_path):
    refuse(tmp_path, WRITE.replace("effect: write", "effect: write\n-- alone: name"),
           "'alone:' needs one parameter that is a record")


def test_record_of_a_table_and_more_columns(tmp_path):
    done = run_with_record(tmp_path, """-- Things with a number.
-- row: number int8, thing, note text?
-- effect: read
-- work: bounded
SELECT number, t.{thing}, note FROM thing AS t
""")
    assert done.returncode == 0, done.stderr
    assert "SELECT number, t.id, t.name, t.brightness, t.volume, note" in (
        tmp_path / "out/table.c").read_text()
    assert "RECORD_ROW(struct thing_update_row, thing, &thing_record)" in (
        tmp_path / "out/table.c").read_text()
    calls = (tmp_path / "out/calls.h").read_text()
    assert '#include "domain/thing.h"' in calls
    assert "\tint64_t number;\n\tstruct thing thing;\n\tstruct str note;\n" in calls


@pytest.mark.parametrize("old, new, reason", [
    ("change thing", "change thong", "unknown type 'thong' in params"),
    ("row: thing", "row: thong", "'thong' in row is neither a record nor"),
    ("row: thing", "row: thing, name text", "'name' stands twice in row"),
    ("{change}, ", "", "parameter 'change.name' is not used"),
    ("{change}", "brightness = :brightness", "':brightness' is none of the parameters"),
    (":id", ":change", "':change' is none of the parameters"),
    ("{thing}", "{thong}", "'{thong}' is no record"),
])
def test_statement_that_does_not_fit_the_record(tmp_path, old, new, reason):
    assert old in UPDATE
    done = run_with_record(tmp_path, UPDATE.replace(old, new))
    assert done.returncode == 1
    assert f"thing_update.sql: {reason}" in done.stderr


@pytest.mark.parametrize("old, new, reason", [
    ('RECORD_INT2(struct thing, volume', 'RECORD_INT(struct thing, volume',
     "column 'volume' is a RECORD_INT: say what a row has"),
    ('RECORD_INT2(struct thing, volume', 'RECORD_INT3(struct thing, volume',
     "RECORD_INT3 is no kind of field"),
    ('RECORD_CLOSE(),', 'COMMON_FIELDS,', "'COMMON_FIELDS,' is not RECORD_KIND(...)"),
    ("thing_fields, .check", "other_fields, .check", "there is no table other_fields[]"),
])
def test_record_that_cannot_be_read(tmp_path, old, new, reason):
    assert old in THING_C
    done = run_with_record(tmp_path, UPDATE, THING_C.replace(old, new))
    assert done.returncode == 1
    assert reason in done.stderr


def test_two_records_of_a_name(tmp_path):
    (tmp_path / "records").mkdir()
    (tmp_path / "records/another.c").write_text(THING_C)
    done = run_with_record(tmp_path, UPDATE)
    assert done.returncode == 1
    assert "there are two records named thing" in done.stderr


# ---- calls: what the compiler refuses ----

CALL = """#include "calls.h"
#include "ids.h"
struct thing { struct id id; struct str name; int64_t brightness; int64_t volume; };
struct other { int x; };
void call(struct db_query *query, struct id id, struct str name, struct thing *row, struct other *other);
void call(struct db_query *query, struct id id, struct str name, struct thing *row, struct other *other)
{
	(void)name;
	(void)other;
	statement_thing_update(query, &(struct thing_update_parameters){.id = id, .change = row}, row);
}
"""


def compile_call(folder, text):
    """Compiles the call against the real headers, with a table of one statement."""
    done = run_with_record(folder, UPDATE)
    assert done.returncode == 0, done.stderr
    root = os.path.join(os.path.dirname(__file__), "../../..")
    (folder / "out/db").mkdir(exist_ok=True)
    (folder / "out/db/statement_ids.h").write_text('#include "../ids.h"\n')
    (folder / "out/call.c").write_text(text)
    return subprocess.run(
        ["cc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
         "-Wno-missing-field-initializers", f"-I{folder}/out", f"-I{root}/include", f"-I{root}/subprojects/text/include",
         str(folder / "out/call.c")], capture_output=True, text=True, check=False)


def test_call_compiles(tmp_path):
    done = compile_call(tmp_path, CALL)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("old, new, reason", [
    (".id = id", ".id = name", "initializing"),
    (".id = id", ".di = id", "has no member named"),
    (".change = row", ".change = other", "incompatible"),
    ("}, row);", "}, other);", "incompatible"),
])
def test_call_that_does_not_compile(tmp_path, old, new, reason):
    assert old in CALL
    done = compile_call(tmp_path, CALL.replace(old, new))
    assert done.returncode != 0
    assert reason in done.stderr


def test_statements_of_displayctl(tmp_path):
    (tmp_path / "ctl").mkdir()
    (tmp_path / "ctl/thing_add.sql").write_text(GOOD)
    _, table = accept(tmp_path, GOOD)
    assert table.count(".is_for_ctl = true") == 1
    assert str(tmp_path / "ctl/thing_add.sql") in (tmp_path / "out/d").read_text()


def test_statement_that_stands_twice(tmp_path):
    (tmp_path / "ctl").mkdir()
    (tmp_path / "ctl/thing_find.sql").write_text(GOOD)
    refuse(tmp_path, GOOD, "there are two of this name")
