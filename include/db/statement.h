/* The prepared statements: one file each in sql/query/, made into a table at build time.
 *
 * sql/query/device_get.sql:
 *
 *   -- A device of an account by its ID.
 *   -- params: device_id uuid, account_id uuid
 *   -- row: id uuid, name text, brightness int2
 *   -- effect: read
 *   -- refuse: device_name_check -> invalid_name
 *   SELECT ...
 *
 * A list that ends with a comma goes on in the next line, and each key may stand more than once.
 * Types: bool, int2, int4, int8, float8, text, bytea, uuid, macaddr, timestamptz, and arrays of
 * uuid, int8, float8, timestamptz, text, bytea. What is refused is a constraint, a unique index or
 * an SQLSTATE.
 *
 * A read of rows by one key may have a second statement, which reads by an array of keys and is run
 * instead where several wait. It has the same row and behind it the place of the row's key in the
 * array, from 1; the rows of one key are together, in their order:
 *
 *   -- params: ids uuid[]
 *   -- row: id uuid, name text, brightness int2, place int8
 *   -- effect: read
 *   -- gathers: device_get
 *   SELECT ..., wanted.place FROM unnest($1) WITH ORDINALITY AS wanted (id, place) ...
 *
 * A write that changes one row, that of its first parameter, and what hangs on that row, may be
 * committed together with others that wait for the same connection: "-- commit: shared". It must
 * lock that row before any other, and must not ask for the transaction's time, which is the same
 * for all. Where one of them fails, none is committed, and all are run one by one.
 *
 * The generator makes `STATEMENT_DEVICE_GET`, and the build stops when text and header disagree
 * ($n beyond the parameters or unused, unknown type, effect missing, write without effect: write).
 * A test prepares all of them against a migrated database and compares types and column names. */
#pragma once

/* Generated: enum statement { STATEMENT_X, ..., STATEMENT_COUNT } and
 * enum refusal { REFUSAL_NONE, REFUSAL_X, ..., REFUSAL_COUNT }, both in alphabetical order. */
#include "db/statement_ids.h"

#include <stdbool.h>

enum statement_effect { EFFECT_READ, EFFECT_WRITE };

struct statement_refusal {
	const char *constraint; /* name of a constraint or a unique index, or an SQLSTATE */
	enum refusal refusal;
};

struct statement_entry {
	const char *name;
	const char *text;
	enum statement_effect effect;
	bool shares_commit;
	unsigned parameter_count;
	const unsigned *parameter_types; /* OIDs */
	unsigned column_count;
	const char *const *column_names;
	const unsigned *column_types; /* OIDs */
	const struct statement_refusal *refusals;
	unsigned refusal_count;
	const struct statement_entry *gathered_by; /* NULL: it is always asked alone */
};

extern const struct statement_entry statements[STATEMENT_COUNT];
