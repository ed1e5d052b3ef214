/* Records: one table describes a struct, and serves it three ways.
 *
 *   JSON body --record_read_json()--> struct --record_write_json()--> JSON answer
 *   database row --record_read_row()--^
 *
 * A table is an array of fields, made with the RECORD_* macros; the compiler checks each member's
 * type. Members are: int64_t (INT, TIMESTAMP in microseconds, CLOCK in minutes after midnight),
 * bool (BOOL), struct str (STR, BYTES, JSON), struct id (ID), and const struct json_value * (ANY).
 */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/id.h"
#include "base/memory.h"
#include "record/fault.h"
#include "record/json.h"
#include "record/value.h"

#include <stdint.h>

enum record_kind {
	RECORD_KIND_BOOL,
	RECORD_KIND_INT,
	RECORD_KIND_STR,
	RECORD_KIND_ID,
	RECORD_KIND_BYTES,     /* rows only */
	RECORD_KIND_TIMESTAMP, /* rows and answers */
	RECORD_KIND_JSON,      /* rows and answers: text that is JSON already */
	RECORD_KIND_CLOCK,     /* "HH:mm"; int2 in rows */
	RECORD_KIND_ANY,       /* bodies only: the JSON value itself, for a check of its own */
	RECORD_KIND_OPEN,      /* answers: the members up to CLOSE form an object of this name */
	RECORD_KIND_CLOSE,
};

struct record_field {
	const char *name;   /* in JSON; NULL: not in JSON */
	const char *column; /* in rows; NULL: not in rows */
	size_t offset;	    /* of the member; for OPEN of a bool member that says "is null" */
	enum record_kind kind;
	bool required;	 /* in bodies */
	bool nullable;	 /* rows: NULL leaves zero; answers: an ID, STR or TIMESTAMP of zero, or
			    an OPEN whose bool is true, is null */
	int64_t minimum; /* INT: value; STR: code points */
	int64_t maximum; /* likewise; 0 with minimum 0: no limits */
	/* STR in bodies: NULL, or what is wrong with the value ("must ..."). */
	const char *(*check)(struct str value);
};

struct record {
	const struct record_field *fields;
	unsigned field_count; /* at most 64 */
	/* Bodies: what no single field can say. Called also when fields had faults: bit i of seen
	 * says that field i was there; one that had a fault is zero. May be NULL. */
	void (*check)(void *body, uint64_t seen, struct faults *faults);
};

#define RECORD_MEMBER(type, structure, member)                                                     \
	(offsetof(structure, member) + 0 * sizeof(_Generic(((structure *)0)->member, type          \
							   : (char)0)))
#define RECORD_BOOL(structure, member, ...)                                                        \
	{                                                                                          \
		.kind = RECORD_KIND_BOOL, .offset = RECORD_MEMBER(bool, structure, member),        \
		__VA_ARGS__                                                                        \
	}
#define RECORD_INT(structure, member, ...)                                                         \
	{                                                                                          \
		.kind = RECORD_KIND_INT, .offset = RECORD_MEMBER(int64_t, structure, member),      \
		__VA_ARGS__                                                                        \
	}
#define RECORD_STR(structure, member, ...)                                                         \
	{                                                                                          \
		.kind = RECORD_KIND_STR, .offset = RECORD_MEMBER(struct str, structure, member),   \
		__VA_ARGS__                                                                        \
	}
#define RECORD_ID(structure, member, ...)                                                          \
	{                                                                                          \
		.kind = RECORD_KIND_ID, .offset = RECORD_MEMBER(struct id, structure, member),     \
		__VA_ARGS__                                                                        \
	}
#define RECORD_BYTES(structure, member, ...)                                                       \
	{                                                                                          \
		.kind = RECORD_KIND_BYTES, .offset = RECORD_MEMBER(struct str, structure, member), \
		__VA_ARGS__                                                                        \
	}
#define RECORD_JSON(structure, member, ...)                                                        \
	{                                                                                          \
		.kind = RECORD_KIND_JSON, .offset = RECORD_MEMBER(struct str, structure, member),  \
		__VA_ARGS__                                                                        \
	}
#define RECORD_TIMESTAMP(structure, member, ...)                                                   \
	{                                                                                          \
		.kind = RECORD_KIND_TIMESTAMP,                                                     \
		.offset = RECORD_MEMBER(int64_t, structure, member), __VA_ARGS__                   \
	}
#define RECORD_CLOCK(structure, member, ...)                                                       \
	{                                                                                          \
		.kind = RECORD_KIND_CLOCK, .offset = RECORD_MEMBER(int64_t, structure, member),    \
		__VA_ARGS__                                                                        \
	}
#define RECORD_ANY(structure, member, ...)                                                         \
	{                                                                                          \
		.kind = RECORD_KIND_ANY,                                                           \
		.offset = RECORD_MEMBER(const struct json_value *, structure, member), __VA_ARGS__ \
	}
#define RECORD_OPEN(...)                                                                           \
	{                                                                                          \
		.kind = RECORD_KIND_OPEN, __VA_ARGS__                                              \
	}
#define RECORD_CLOSE()                                                                             \
	{                                                                                          \
		.kind = RECORD_KIND_CLOSE                                                          \
	}

#define RECORD(table, ...)                                                                         \
	{                                                                                          \
		.fields = (table), .field_count = (unsigned)array_length(table), __VA_ARGS__       \
	}

/* Reads a JSON object: required and unknown members, types, ranges, lengths; every fault is named.
 * Text stays in the document. ret_body: a zeroed struct; *ret_present: bit i says that field i was
 * there and well. Look at faults afterwards. */
void record_read_json(const struct record *record, const struct json_value *object, void *ret_body,
		      uint64_t *ret_present, struct faults *faults);

/* Reads a row whose columns are those of the fields that have one, in their order. Text and bytes
 * are copied into the arena, NUL-terminated behind their length. */
void record_read_row(const struct record *record, const struct record_value *columns,
		     struct arena *arena, void *ret_row);

/* Columns that record_read_row() expects. */
unsigned record_column_count(const struct record *record);

/* Appends a JSON object. */
void record_write_json(const struct record *record, const void *row, struct buffer *buffer);

/* "HH:mm", 24 hours, to minutes after midnight; false for anything else. */
bool clock_parse(struct str text, int64_t *ret_minutes);
