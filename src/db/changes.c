#include "changes.h"

#include <string.h>

/* array_send() in src/backend/utils/adt/arrayfuncs.c of PostgreSQL's source: the head, of one
 * dimension, and before each element its length. */
enum { ARRAY_HEAD_BYTES = 20, LENGTH_BYTES = 4 };

static void notify(const struct change_listener *listener, const struct statement_change *change,
		   const char *bytes)
{
	struct id id;

	memcpy(id.bytes, bytes, ID_BYTES);
	listener->on_change(listener->context, id, change->is_hinted);
}

static void notify_of_parameter(const struct change_listener *listener,
				const struct statement_change *change,
				const struct db_parameters *parameters)
{
	const char *value = parameters->values[change->index];
	size_t length = (size_t)parameters->lengths[change->index];

	if (!value)
		return;
	if (!change->is_array) {
		notify(listener, change, value);
		return;
	}
	for (size_t at = ARRAY_HEAD_BYTES + LENGTH_BYTES; at + ID_BYTES <= length;
	     at += LENGTH_BYTES + ID_BYTES)
		notify(listener, change, value + at);
}

static void notify_of_column(const struct change_listener *listener,
			     const struct statement_change *change, const PGresult *result)
{
	int column = (int)change->index;

	for (int row = 0; row < PQntuples(result); row++) {
		const char *ids = PQgetvalue(result, row, column);

		for (int at = 0; at + ID_BYTES <= PQgetlength(result, row, column); at += ID_BYTES)
			notify(listener, change, ids + at);
	}
}

void changes_notify(const struct change_listener *listener, const struct statement_entry *statement,
		    const struct db_query *query, const PGresult *result)
{
	for (unsigned i = 0; i < statement->change_count && listener && listener->on_change; i++) {
		const struct statement_change *change = &statement->changes[i];

		if (!change->is_column)
			notify_of_parameter(listener, change, &query->parameters);
		else if (result)
			notify_of_column(listener, change, result);
		else if (listener->on_all)
			listener->on_all(listener->context);
	}
}
