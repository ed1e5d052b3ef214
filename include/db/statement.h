/* The prepared statements: one file each in sql/query/, made into tables and functions at build
 * time.
 *
 * sql/query/device_update.sql:
 *
 *   -- Changes settings of a device; absent settings stay as they are.
 *   -- params: id uuid, account_id uuid, change device
 *   -- row: device
 *   -- refuse: 22023 -> unknown_timezone
 *   UPDATE device SET {change}, generation = generation + 1
 *   WHERE id = :id AND account_id = :account_id
 *   RETURNING {device}
 *
 * A line that ends with a comma continues in the next line. A key may occur more than once. Types:
 * bool, int2, int4, int8, float8, text, bytea, uuid, macaddr, timestamptz, and arrays of uuid,
 * int8, float8, timestamptz, text, bytea. A "?" after a type means that the value may be NULL.
 * "refuse:" names a constraint, a unique index or an SQLSTATE, and the constraint error that the
 * caller gets for it. Two characters are a class of SQLSTATEs, for those of the class that the
 * header does not name.
 *
 * A statement whose text changes or locks rows is a write, any other a read. One that changes rows
 * by a function says so: "-- effect: write".
 *
 * The work of a statement is bounded: it reads no more rows than it returns or changes, or than a
 * limit per device, app or account allows. Else "work:" declares what it grows with, such as "grows
 * with apps": it reads rows of others, or rows of which one account can make many. Such a read of
 * workers runs on a connection of its own, where the accounts take turns (db/query.h). A write of
 * workers must be bounded; the statements of an account's removal, which pause for as long as they
 * ran, may grow. The test statements_work runs each bounded statement beside 100,000 rows of each
 * kind and counts the rows that it reads.
 *
 * "row:" names a record (include/record/record.h), or lists columns, or both. In the text,
 * "{device}" is the list of the record's columns, and "d.{device}" the same of a table d. If the
 * row is not a single record, a struct and a record are generated: struct key_find_row,
 * key_find_row_record.
 *
 * "(device)" in "row:" is a record that comes as one column: "SELECT ROW({device}) AS device". The
 * server describes each column in each answer, and libpq reads that: of some 60 settings this was a
 * sixth of a request's work. Types within it are compared where the record stands as columns, so
 * the build demands another such row.
 *
 * Parameters have names: ":id". A parameter whose type is a record stands for all its fields that a
 * body may change: "{change}" is "name = coalesce($3, name), ...".
 *
 * The generator makes from this file, in db/statements.h:
 *
 *   statement_device_update(query, &(struct device_update_parameters){
 *       .id = id, .account_id = account_id, .change = &body, .change_present = bits}, &device);
 *
 * so that parameters are bound by their names, and the compiler checks their types and the row's.
 *
 * "-- alone: brightness" makes a second statement, device_update_brightness, which sets this column
 * of the record and no other: "brightness = $5". statement_device_update() takes it for a change of
 * that column alone. This pays for columns that change often: for each execution PostgreSQL
 * prepares all columns that a statement sets, with their limits and triggers, changed or not.
 *
 * A read by one key may have a second statement, which reads by an array of keys and runs instead
 * if several such reads wait (batched read). Its row is the same, followed by the index of the
 * row's key in the array, from 1. The rows of one key follow each other, in their order:
 *
 *   -- params: ids uuid[]
 *   -- row: device, key_number int8
 *   -- batches: device_by_id
 *   SELECT ..., wanted.key_number FROM unnest(:ids) WITH ORDINALITY AS wanted (id, key_number) ...
 *
 * A write that changes only the row of its first parameter and dependent rows may share a commit
 * with others that wait for the same connection (group commit): "-- commit: shared". It must lock
 * that row before any other; the writes of a commit are sent in the order of their first
 * parameters, so that two commits never wait for each other. If one of these writes fails, none is
 * committed, and each runs again by itself.
 *
 * "-- list: created_at, id" makes the statements of a list of one file: its beginning, a part after
 * a list position, and a search (tools/statement_lists.py). Their texts lie in the build folder,
 * src/db/lists.sql; the function takes a struct list_range instead of a row:
 *
 *   statement_own_app_list(query, &(struct own_app_list_parameters){.account_id = id}, range);
 *
 * "-- connection: own" is for rare statements of the operator that may take minutes: they run one
 * at a time on a connection of their own, so nothing waits for them.
 *
 * "changes:" names the changed rows that workers cache for answers, by parameters or columns that
 * are IDs: "-- changes: device_id". The build fails if the statement changes columns that these
 * answers show and there is no such line; tools/statement_changes.py has its forms. Changes by
 * triggers and functions are not detected. db_on_change() hands the IDs on.
 *
 * "-- rare: WHY" allows a NOTIFY in the statement: the build fails without it, since such a commit
 * holds a lock of the whole cluster until it is on the disk (tools/statement_notify.py, hint.h).
 *
 * Statements read the time by present_time() only (sql/schema/01_values.sql): tests
 * shift it, and the transaction's time would be the same for all writes of a group commit.
 *
 * Only displayctl uses the statements in sql/query/ctl/: workers do not prepare them.
 *
 * The build fails if text and header disagree (a parameter unknown or unused, an unknown type or
 * record). A test prepares all of them against
 * a migrated database and compares types and column names. */
#pragma once

/* Generated: enum statement { STATEMENT_X, ..., STATEMENT_COUNT } and
 * enum constraint_error { CONSTRAINT_NONE, CONSTRAINT_X, ..., CONSTRAINT_COUNT }, both in
 * alphabetical order. */
#include "db/statement_ids.h"

#include <stdbool.h>

enum statement_effect { EFFECT_READ, EFFECT_WRITE };

/* Source of the IDs of changed rows, see "changes:": a parameter, or a column of the rows.
 */
struct statement_change {
	unsigned index;
	bool is_column;
	bool is_array;
	bool is_hinted; /* other instances get a hint */
};

struct statement_constraint {
	const char *constraint; /* name of a constraint or a unique index, or an SQLSTATE */
	enum constraint_error constraint_error;
};

struct statement_entry {
	const char *name;
	const char *text;
	enum statement_effect effect;
	bool shares_commit;
	bool is_apart;	 /* it has a connection of its own */
	bool is_for_ctl; /* workers do not prepare it */
	bool grows;	 /* its work grows with rows of others */
	unsigned parameter_count;
	const unsigned *parameter_types; /* OIDs */
	unsigned column_count;
	const char *const *column_names;
	const unsigned *column_types; /* OIDs */
	const struct statement_constraint *constraints;
	unsigned constraint_count;
	const struct statement_change *changes;
	unsigned change_count;
	const struct statement_entry *batched_by; /* NULL: it is never batched */
};

extern const struct statement_entry statements[STATEMENT_COUNT];
