#include "db/parameters.h"
#include "base/require.h"
#include "record/record.h"

#include <limits.h>
#include <string.h>

/* The functions *_send and *_recv in src/backend/utils/adt/ of PostgreSQL's source define its
 * binary formats. All numbers are big-endian. */

/* Timestamps count from 2000-01-01. */
static const int64_t epoch_us = INT64_C(946684800) * 1000 * 1000;

enum { OID_INT8 = 20, OID_TEXT = 25, OID_TIMESTAMPTZ = 1184, OID_UUID = 2950 };

static uint8_t *put_number(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
	return at + size;
}

enum { ROOM_FIRST = 8 };

static void make_room(struct db_parameters *parameters)
{
	unsigned room = parameters->room ? 2 * parameters->room : ROOM_FIRST;
	const char **values =
	    arena_alloc(parameters->arena, room * (sizeof(*values) + sizeof(int)));
	int *lengths = (int *)(values + room);

	if (parameters->count) {
		memcpy(values, parameters->values, parameters->count * sizeof(*values));
		memcpy(lengths, parameters->lengths, parameters->count * sizeof(*lengths));
	}
	parameters->values = values;
	parameters->lengths = lengths;
	parameters->room = room;
}

static void add(struct db_parameters *parameters, const void *value, size_t length)
{
	require(parameters->count < DB_PARAMETERS_MAX && length <= INT_MAX);
	if (parameters->count == parameters->room)
		make_room(parameters);
	parameters->values[parameters->count] = value;
	parameters->lengths[parameters->count] = (int)length;
	parameters->count++;
}

static void add_number(struct db_parameters *parameters, uint64_t value, unsigned size)
{
	uint8_t *memory = arena_alloc(parameters->arena, size);

	put_number(memory, value, size);
	add(parameters, memory, size);
}

void db_parameters_init(struct db_parameters *parameters, struct arena *arena)
{
	*parameters = (struct db_parameters){.arena = arena};
}

void db_add_null(struct db_parameters *parameters)
{
	add(parameters, NULL, 0);
}

void db_add_bool(struct db_parameters *parameters, bool value)
{
	add_number(parameters, value, 1);
}

void db_add_int2(struct db_parameters *parameters, int16_t value)
{
	add_number(parameters, (uint64_t)value, 2);
}

void db_add_int4(struct db_parameters *parameters, int32_t value)
{
	add_number(parameters, (uint64_t)value, 4);
}

void db_add_int8(struct db_parameters *parameters, int64_t value)
{
	add_number(parameters, (uint64_t)value, 8);
}

void db_add_float8(struct db_parameters *parameters, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	add_number(parameters, bits, 8);
}

void db_add_id(struct db_parameters *parameters, struct id id)
{
	uint8_t *memory = arena_alloc(parameters->arena, ID_BYTES);

	memcpy(memory, id.bytes, ID_BYTES);
	add(parameters, memory, ID_BYTES);
}

void db_add_text(struct db_parameters *parameters, struct str text)
{
	/* libpq takes a NULL pointer as SQL NULL. */
	add(parameters, text.length ? text.data : "", text.length);
}

void db_add_bytes(struct db_parameters *parameters, struct str bytes)
{
	db_add_text(parameters, bytes);
}

void db_add_timestamp(struct db_parameters *parameters, int64_t wall_us)
{
	db_add_int8(parameters, wall_us - epoch_us);
}

/* Allocates an array in the arena and writes its head. Returns the address of its first element. */
static uint8_t *begin_array(struct db_parameters *parameters, uint32_t type, unsigned count,
			    size_t elements_bytes)
{
	size_t size = count ? 20 + elements_bytes : 12;
	uint8_t *memory = arena_alloc(parameters->arena, size);
	uint8_t *at = memory;

	at = put_number(at, count ? 1 : 0, 4); /* dimensions */
	at = put_number(at, 0, 4);	       /* holds no NULL */
	at = put_number(at, type, 4);
	if (count) {
		at = put_number(at, count, 4);
		at = put_number(at, 1, 4); /* first index */
	}
	add(parameters, memory, size);
	return at;
}

void db_add_id_array(struct db_parameters *parameters, const struct id *ids, unsigned count)
{
	uint8_t *at = begin_array(parameters, OID_UUID, count, (size_t)count * (4 + ID_BYTES));

	for (unsigned i = 0; i < count; i++) {
		at = put_number(at, ID_BYTES, 4);
		memcpy(at, ids[i].bytes, ID_BYTES);
		at += ID_BYTES;
	}
}

void db_add_int8_array(struct db_parameters *parameters, const int64_t *values, unsigned count)
{
	uint8_t *at = begin_array(parameters, OID_INT8, count, (size_t)count * 12);

	for (unsigned i = 0; i < count; i++) {
		at = put_number(at, 8, 4);
		at = put_number(at, (uint64_t)values[i], 8);
	}
}

void db_add_timestamp_array(struct db_parameters *parameters, const int64_t *wall_us,
			    unsigned count)
{
	uint8_t *at = begin_array(parameters, OID_TIMESTAMPTZ, count, (size_t)count * 12);

	for (unsigned i = 0; i < count; i++) {
		at = put_number(at, 8, 4);
		at = put_number(at, (uint64_t)(wall_us[i] - epoch_us), 8);
	}
}

void db_add_text_array(struct db_parameters *parameters, const struct str *texts, unsigned count)
{
	size_t size = 0;
	uint8_t *at;

	for (unsigned i = 0; i < count; i++)
		size += 4 + texts[i].length;
	at = begin_array(parameters, OID_TEXT, count, size);
	for (unsigned i = 0; i < count; i++) {
		at = put_number(at, texts[i].length, 4);
		if (texts[i].length)
			memcpy(at, texts[i].data, texts[i].length);
		at += texts[i].length;
	}
}

static void add_field(struct db_parameters *parameters, const struct record_field *field,
		      const void *member)
{
	switch (field->kind) {
	case RECORD_KIND_BOOL:
		db_add_bool(parameters, *(const bool *)member);
		break;
	case RECORD_KIND_INT2:
	case RECORD_KIND_CLOCK:
		db_add_int2(parameters, (int16_t) * (const int64_t *)member);
		break;
	case RECORD_KIND_INT4:
		db_add_int4(parameters, (int32_t) * (const int64_t *)member);
		break;
	case RECORD_KIND_INT8:
		db_add_int8(parameters, *(const int64_t *)member);
		break;
	case RECORD_KIND_STR:
		db_add_text(parameters, *(const struct str *)member);
		break;
	case RECORD_KIND_ID:
		db_add_id(parameters, *(const struct id *)member);
		break;
	default:
		require(false); /* other kinds of fields are never both in bodies and in rows */
	}
}

void db_add_changes(struct db_parameters *parameters, const struct record *record, const void *body,
		    uint64_t present)
{
	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];

		if (!field->column || !field->body)
			continue;
		if (present >> i & 1)
			add_field(parameters, field, (const char *)body + field->offset);
		else
			db_add_null(parameters);
	}
}

unsigned db_parameters_hash(const struct db_parameters *parameters)
{
	unsigned hash = 2166136261u; /* FNV-1a */

	for (int i = 0; i < parameters->lengths[0]; i++)
		hash = (hash ^ (unsigned char)parameters->values[0][i]) * 16777619u;
	return hash;
}
