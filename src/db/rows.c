#include "base/require.h"
#include "db/query.h"
#include "record/record.h"

enum { COLUMNS_MAX = 64 };

void db_read_row(const struct db_result *result, unsigned row, const struct record *record,
		 struct arena *arena, void *ret_row)
{
	struct record_value columns[COLUMNS_MAX];

	require(result->column_count <= COLUMNS_MAX);
	for (unsigned column = 0; column < result->column_count; column++)
		columns[column] = db_value(result, row, column);
	require(record_read_row(record, columns, arena, ret_row) == result->column_count);
}

void *db_read_rows(const struct db_result *result, const struct record *record, struct arena *arena)
{
	char *rows = arena_zalloc(arena, record->size * result->row_count);

	for (unsigned row = 0; row < result->row_count; row++)
		db_read_row(result, row, record, arena, rows + row * record->size);
	return rows;
}
