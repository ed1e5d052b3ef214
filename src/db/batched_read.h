/* Batched reads: reads of one statement that wait in the same turn run as one execution over an
 * array of their keys.
 *
 *   device_by_id(a), device_by_id(b), device_by_id(c)  ->  devices_by_id({a, b, c})
 *
 * The header of the second statement declares this ("batches:", see db/statement.h). In a batch,
 * the batched read replaces its members. If its execution fails, each member is sent by itself, so
 * that only the faulty one fails. */
#pragma once

#include "base/buffer.h"
#include "db/query.h"

#include <libpq-fe.h>

enum { BATCHED_READ_MAX = 256 };

struct batched_read {
	struct db_query query; /* is_batched is true; it has no parameters of its own */
	struct list members;   /* of struct db_query */
	unsigned member_count;
};

struct batched_read *batched_read_of(struct db_query *query);

/* Replaces queries that can share a batched read by one. */
void batch_reads(struct list *queries, const struct statement_entry *table);

/* Appends the array of the members' keys in binary format to an empty buffer. */
void batched_read_keys(const struct batched_read *batched, const struct statement_entry *table,
		       struct buffer *array);

/* Divides the rows among the members: fills member_count of ret_results, in the order of the
 * members. Returns false if the rows are not in the order that the statement promises. */
bool batched_read_share(const struct batched_read *batched, const PGresult *rows,
			struct db_result ret_results[static BATCHED_READ_MAX]);

/* Takes out the next member. If none is left, frees the batched read and returns NULL. */
struct db_query *batched_read_take(struct batched_read *batched);
