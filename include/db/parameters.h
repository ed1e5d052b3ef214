/* Parameters of a statement in PostgreSQL's binary format.
 *
 * The functions of db/statements.h add them by name: callers fill a struct in any order.
 */
#pragma once

#include "base/arena.h"
#include "base/id.h"

#include <stdint.h>

struct record;

/* Arrays of IDs; the caller owns the list. */
struct db_ids {
	const struct id *list;
	unsigned count;
};
struct db_numbers { /* int8[], and timestamptz[] in microseconds since 1970 */
	const int64_t *list;
	unsigned count;
};
struct db_texts {
	const struct str *list;
	unsigned count;
};

/* Maximum of a statement: all fields of a record, and some more. */
enum { DB_PARAMETERS_MAX = 72 };

/* Values are copied into the arena, except text and bytea, whose bytes must stay valid until the
 * query is done. */
struct db_parameters {
	struct arena *arena;
	unsigned count;
	unsigned room;	     /* of both arrays, which lie in the arena */
	const char **values; /* NULL: SQL NULL */
	int *lengths;
};

/* Begins anew: the arrays of earlier parameters may be gone with the arena's contents. */
void db_parameters_init(struct db_parameters *parameters, struct arena *arena);
void db_add_null(struct db_parameters *parameters);
void db_add_bool(struct db_parameters *parameters, bool value);
void db_add_int2(struct db_parameters *parameters, int16_t value);
void db_add_int4(struct db_parameters *parameters, int32_t value);
void db_add_int8(struct db_parameters *parameters, int64_t value);
void db_add_id(struct db_parameters *parameters, struct id id);
void db_add_text(struct db_parameters *parameters, struct str text);
void db_add_bytes(struct db_parameters *parameters, struct str bytes); /* bytea, macaddr */
/* Microseconds since 1970. */
void db_add_timestamp(struct db_parameters *parameters, int64_t wall_us);
void db_add_float8(struct db_parameters *parameters, double value);
void db_add_id_array(struct db_parameters *parameters, const struct id *ids, unsigned count);
void db_add_int8_array(struct db_parameters *parameters, const int64_t *values, unsigned count);
void db_add_timestamp_array(struct db_parameters *parameters, const int64_t *wall_us,
			    unsigned count);
/* The texts are copied. */
void db_add_text_array(struct db_parameters *parameters, const struct str *texts, unsigned count);

/* Adds one parameter for each field of the record that is both in rows and in bodies, in the
 * record's order: the field's value in *body where bit i of present is set for field i, else NULL.
 */
void db_add_changes(struct db_parameters *parameters, const struct record *record, const void *body,
		    uint64_t present);

/* Hash of the first parameter, which must not be NULL. */
unsigned db_parameters_hash(const struct db_parameters *parameters);
