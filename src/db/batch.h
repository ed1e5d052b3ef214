/* Queries that are sent with one sync. */
#pragma once

#include "db/query.h"

struct batch {
	struct list node;
	struct list queries; /* of struct db_query: not yet answered */
	struct list skipped; /* of struct db_query: skipped by the server, after an error */
	struct list written; /* of struct db_query: answered, but not yet committed */
	unsigned count;	     /* of all queries */
	uint64_t sent_us;    /* monotonic */
	/* A write has failed: none of them is committed. Or the statement could not be prepared:
	 * the next batch with queries needs it, and does nothing. */
	bool has_failed;
	/* Prepared by this batch, which has no queries; NULL in all other batches. */
	const struct statement_entry *prepares;
	bool is_parsed; /* and its description follows */
};

/* Takes at most max queries off the front of the list. free() it. */
struct batch *batch_create(struct list *queries, unsigned max);

/* Writes that share a commit lock their rows in the order of their keys, in every worker, so that
 * no two batches wait for each other. Writes of one key keep their order. */
void batch_sort(struct batch *batch);
