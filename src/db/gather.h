/* Reads of one statement that wait together, asked as one execution over an array of their keys.
 *
 *   device_by_id(a), device_by_id(b), device_by_id(c)  ->  devices_by_id({a, b, c})
 *
 * Where a statement's header has a "gathers:", see db/statement.h. A gather stands in a batch like
 * a query. When its execution fails, its members are asked one by one, so that only the culprit
 * fails. */
#pragma once

#include "base/buffer.h"
#include "db/query.h"

#include <libpq-fe.h>

enum { GATHER_MAX = 256 };

struct gather {
	struct db_query query; /* gathers is true; without parameters of its own */
	struct list members;   /* of struct db_query */
	unsigned member_count;
};

struct gather *gather_of(struct db_query *query);

/* Puts a gather in the place of those queries that can share one. */
void gather_queries(struct list *queries, const struct statement_entry *table);

/* The array of the members' keys in binary format, appended to an empty buffer. */
void gather_keys(const struct gather *gather, const struct statement_entry *table,
		 struct buffer *array);

/* Which rows are whose: in ret_results, member_count of them, for the members in their order. False
 * where the rows do not have the form that was promised. */
bool gather_share(const struct gather *gather, const PGresult *rows,
		  struct db_result ret_results[static GATHER_MAX]);

/* Takes the next member out; NULL, and the gather is freed, where none is left. */
struct db_query *gather_take(struct gather *gather);
