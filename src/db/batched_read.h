/* Gathers: reads of one statement that wait in the same turn run as one execution over an array of
 * their keys.
 *
 *   device_by_id(a), device_by_id(b), device_by_id(c)  ->  devices_by_id({a, b, c})
 *
 * The header of the second statement says so ("batches:", see db/statement.h). A batched read
 * stands in a batch in place of its members. When its execution fails, each member is sent by
 * itself, so that only the one at fault fails. */
#pragma once

#include "base/buffer.h"
#include "db/query.h"

#include <libpq-fe.h>

enum { BATCHED_READ_MAX = 256 };

struct batched_read {
	struct db_query query; /* is_batched is true; without parameters of its own */
	struct list members;   /* of struct db_query */
	unsigned member_count;
};

struct batched_read *batched_read_of(struct db_query *query);

/* Puts a batched read in the place of those queries that can share one. */
void batch_reads(struct list *queries, const struct statement_entry *table);

/* The array of the members' keys in binary format, appended to an empty buffer. */
void batched_read_keys(const struct batched_read *batched, const struct statement_entry *table,
		       struct buffer *array);

/* Divides the rows among the members: fills member_count of ret_results, in the order of the
 * members. False: the rows are not in the order that the statement promises. */
bool batched_read_share(const struct batched_read *batched, const PGresult *rows,
			struct db_result ret_results[static BATCHED_READ_MAX]);

/* Takes the next member out. Where none is left, frees the batched read and returns NULL. */
struct db_query *batched_read_take(struct batched_read *batched);
