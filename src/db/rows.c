#include "base/require.h"
#include "db/query.h"
#include "record/record.h"

#include <endian.h>
#include <libpq-fe.h>
#include <string.h>

enum { COLUMNS_MAX = 96, OID_RECORD = 2249 /* PostgreSQL's catalog/pg_type.dat */ };

static uint32_t take_int4(struct record_value *packed)
{
	uint32_t number;

	require(packed->length >= sizeof(number));
	memcpy(&number, packed->data, sizeof(number));
	packed->data += sizeof(number);
	packed->length -= (uint32_t)sizeof(number);
	return be32toh(number);
}

/* Reads the columns of a whole row, as record_send() of PostgreSQL writes it: their count, then of
 * each its type, its length, or -1 if it is NULL, and its value. Returns the count. */
static unsigned unpack(struct record_value packed, struct record_value *ret_columns, unsigned room)
{
	unsigned count = take_int4(&packed);

	require(count <= room);
	for (unsigned i = 0; i < count; i++) {
		uint32_t length;

		take_int4(&packed); /* A domain's type differs from one database to the next. */
		length = take_int4(&packed);
		if (length == UINT32_MAX) {
			ret_columns[i] = (struct record_value){.is_null = true};
			continue;
		}
		require(length <= packed.length);
		ret_columns[i] = (struct record_value){.data = packed.data, .length = length};
		packed.data += length;
		packed.length -= length;
	}
	require(packed.length == 0);
	return count;
}

static unsigned read_columns(const struct db_result *result, unsigned row,
			     struct record_value *ret_columns)
{
	unsigned count = 0;

	for (unsigned column = 0; column < result->column_count; column++) {
		struct record_value value = db_value(result, row, column);

		if (PQftype(result->rows, (int)column) == OID_RECORD) {
			count += unpack(value, ret_columns + count, COLUMNS_MAX - count);
			continue;
		}
		require(count < COLUMNS_MAX);
		ret_columns[count++] = value;
	}
	return count;
}

void db_read_row(const struct db_result *result, unsigned row, const struct record *record,
		 struct arena *arena, void *ret_row)
{
	struct record_value columns[COLUMNS_MAX];
	unsigned count = read_columns(result, row, columns);

	require(record_read_row(record, columns, arena, ret_row) == count);
}

void *db_read_rows(const struct db_result *result, const struct record *record, struct arena *arena)
{
	char *rows = arena_zalloc(arena, record->size * result->row_count);

	for (unsigned row = 0; row < result->row_count; row++)
		db_read_row(result, row, record, arena, rows + row * record->size);
	return rows;
}
