#include "db/query.h"
#include "record/record.h"

#include <string.h>

void db_query_alone(struct db_query *query, const struct db_alone *alone, unsigned count,
		    const struct record *record, uint64_t present)
{
	const struct record_field *field;

	if (__builtin_popcountll(present) != 1)
		return;
	field = &record->fields[__builtin_ctzll(present)];
	for (unsigned i = 0; field->column && i < count; i++) {
		if (strcmp(alone[i].column, field->column) == 0)
			query->statement = alone[i].statement;
	}
}
