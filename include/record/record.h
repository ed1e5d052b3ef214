/* Records: one table describes a struct, and is used in five ways.
 *
 *   JSON body --record_read_json()--> struct --record_write_json()--> JSON answer
 *   database row --record_read_row()--^  |
 *   JSON answer --record_read_answer()---+--db_add_changes()--> parameters of a statement
 *
 * A table is an array of fields, made with the RECORD_* macros; the compiler checks each member's
 * type. Members are: int64_t (INT*, TIMESTAMP in microseconds, CLOCK in minutes after midnight),
 * bool (BOOL), struct str (STR, BYTES, JSON), struct id (ID), const struct json_value * (ANY), and
 * another record's struct (ROW).
 *
 * Statements name the record of their row, and tools/record_tables.py makes their lists of columns
 * from the table. So the kind of a field determines the type of its column. */
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
	RECORD_KIND_INT,  /* not in rows */
	RECORD_KIND_INT2, /* in rows int2 */
	RECORD_KIND_INT4,
	RECORD_KIND_INT8,
	RECORD_KIND_STR,
	RECORD_KIND_ID,
	RECORD_KIND_BYTES,     /* rows only */
	RECORD_KIND_TIMESTAMP, /* rows and answers */
	RECORD_KIND_JSON,      /* rows and answers: text that is JSON already */
	RECORD_KIND_CLOCK,     /* "HH:mm"; int2 in rows */
	RECORD_KIND_ANY,       /* bodies only: the JSON value itself, for the record's check */
	RECORD_KIND_OPEN,      /* answers: the members up to CLOSE form an object of this name */
	RECORD_KIND_CLOSE,
	RECORD_KIND_ROW, /* rows: the columns of another record; answers: see is_shown */
};

struct record_field {
	const char *name;	  /* in answers; NULL: not in answers */
	const char *body;	  /* in bodies; NULL: not in bodies */
	const char *column;	  /* in rows; NULL: not in rows */
	const struct record *row; /* ROW: the record of the member */
	size_t offset;		  /* offset of the member; OPEN: of the bool that means "is null" */
	enum record_kind kind;
	bool required;	  /* required in bodies */
	bool is_alias;	  /* in bodies: a second name, absent from the API document's schema */
	bool is_shown;	  /* ROW: its members are among those of the answer */
	bool nullable;	  /* rows: NULL becomes zero; answers: null stands for an ID, STR, JSON, INT
			     or TIMESTAMP of zero, and for an OPEN whose bool is true */
	bool is_optional; /* answers: left out instead of null */
	const char *none; /* nullable, in answers: this text instead of null */
	bool is_private;  /* only in bodies and answers of records with has_private */
	bool is_past;	  /* TIMESTAMP: if a row's value lies in the future, because a clock was
			     wrong, it is read as the present */
	int64_t minimum;  /* INT: value; STR: code points */
	int64_t maximum;  /* INT: value; STR: code points; 0 with minimum 0: no limits */
	/* STR in bodies: returns NULL, or the fault of the value ("must ..."). */
	const char *(*check)(struct str value);
};

struct record {
	const struct record_field *fields;
	unsigned field_count; /* at most 64 */
	size_t size;	      /* of the struct, bytes */
	bool has_private;     /* several records may share one table, and differ in this */
	bool takes_whole; /* bodies: the only field, an ANY, is the body itself, whatever it is */
	bool empty_is_absent; /* bodies: null and {} mean that a member was left out */
	/* Bodies: checks conditions on several fields. Also called if fields had faults: bit i of
	 * seen is set if field i was there; a field with a fault is zero. May be NULL. */
	void (*check)(void *body, uint64_t seen, struct faults *faults);
};

#define RECORD_MEMBER(type, structure, member)                                                     \
	(offsetof(structure, member) + 0 * sizeof(_Generic(((structure *)0)->member, type          \
							   : (char)0)))
#define RECORD_FIELD(of_kind, type, structure, member, ...)                                        \
	{                                                                                          \
		.kind = RECORD_KIND_##of_kind, .offset = RECORD_MEMBER(type, structure, member),   \
		__VA_ARGS__                                                                        \
	}
#define RECORD_BOOL(structure, member, ...) RECORD_FIELD(BOOL, bool, structure, member, __VA_ARGS__)
#define RECORD_INT(structure, member, ...)                                                         \
	RECORD_FIELD(INT, int64_t, structure, member, __VA_ARGS__)
#define RECORD_INT2(structure, member, ...)                                                        \
	RECORD_FIELD(INT2, int64_t, structure, member, __VA_ARGS__)
#define RECORD_INT4(structure, member, ...)                                                        \
	RECORD_FIELD(INT4, int64_t, structure, member, __VA_ARGS__)
#define RECORD_INT8(structure, member, ...)                                                        \
	RECORD_FIELD(INT8, int64_t, structure, member, __VA_ARGS__)
#define RECORD_STR(structure, member, ...)                                                         \
	RECORD_FIELD(STR, struct str, structure, member, __VA_ARGS__)
#define RECORD_ID(structure, member, ...)                                                          \
	RECORD_FIELD(ID, struct id, structure, member, __VA_ARGS__)
#define RECORD_BYTES(structure, member, ...)                                                       \
	RECORD_FIELD(BYTES, struct str, structure, member, __VA_ARGS__)
#define RECORD_JSON(structure, member, ...)                                                        \
	RECORD_FIELD(JSON, struct str, structure, member, __VA_ARGS__)
#define RECORD_TIMESTAMP(structure, member, ...)                                                   \
	RECORD_FIELD(TIMESTAMP, int64_t, structure, member, __VA_ARGS__)
#define RECORD_CLOCK(structure, member, ...)                                                       \
	RECORD_FIELD(CLOCK, int64_t, structure, member, __VA_ARGS__)
#define RECORD_ANY(structure, member, ...)                                                         \
	RECORD_FIELD(ANY, const struct json_value *, structure, member, __VA_ARGS__)
#define RECORD_OPEN(...)                                                                           \
	{                                                                                          \
		.kind = RECORD_KIND_OPEN, __VA_ARGS__                                              \
	}
#define RECORD_CLOSE()                                                                             \
	{                                                                                          \
		.kind = RECORD_KIND_CLOSE                                                          \
	}
#define RECORD_ROW(structure, member, record, ...)                                                 \
	{                                                                                          \
		.kind = RECORD_KIND_ROW, .offset = offsetof(structure, member), .row = (record),   \
		__VA_ARGS__                                                                        \
	}

#define RECORD(structure, table, ...)                                                              \
	{                                                                                          \
		.fields = (table), .field_count = (unsigned)array_length(table),                   \
		.size = sizeof(structure), __VA_ARGS__                                             \
	}

/* Reads a JSON object's members into the fields that have a "body". Adds a fault for each member
 * that is missing or unknown or has a wrong type, range or length. Texts stay in the document.
 * ret_body: a zeroed struct. *ret_present: bit i is set if field i was there without a fault. Check
 * faults->count afterwards. */
void record_read_json(const struct record *record, const struct json_value *object, void *ret_body,
		      uint64_t *ret_present, struct faults *faults);

/* Returns the bits of another record of the same struct for the same members: for a body that is
 * read by one record, and a statement that takes the other record's bits. */
uint64_t record_present_as(const struct record *record, uint64_t present,
			   const struct record *other);

/* Reads a row. Its columns are those of the record's fields, in their order. Texts and bytes are
 * copied into the arena, followed by a NUL. Returns the number of columns read. */
unsigned record_read_row(const struct record *record, const struct record_value *columns,
			 struct arena *arena, void *ret_row);

/* Number of columns that record_read_row() reads. */
unsigned record_column_count(const struct record *record);

/* Finds the field of a column, and the offset of its member in the struct. Returns NULL if there is
 * none. */
const struct record_field *record_column(const struct record *record, const char *name,
					 size_t *ret_offset);

/* Appends a JSON object. */
void record_write_json(const struct record *record, const void *row, struct buffer *buffer);

/* Reads an object that record_write_json() of another program wrote, with this record: members that
 * the record does not name are ignored. Texts are copied into the arena, followed by a NUL. Returns
 * false if a member is missing or has another type. */
__attribute__((warn_unused_result)) bool record_read_answer(const struct record *record,
							    const struct json_value *object,
							    struct arena *arena, void *ret_row);

/* Bytes of the texts that record_write_json() writes, without escapes. */
size_t record_text_bytes(const struct record *record, const void *row);

/* Reads "HH:mm" (24 hours) as minutes after midnight. Returns false for anything else. */
bool clock_parse(struct str text, int64_t *ret_minutes);
