/* Queries that are sent with one sync. */
#pragma once

#include "db/query.h"

struct batch {
	struct list node;
	struct list queries; /* of struct db_query, not yet answered */
	struct list skipped; /* of struct db_query: skipped by the server, after an error */
	struct list written; /* of struct db_query: answered, but not yet committed */
	unsigned count;	     /* number of all queries */
	uint64_t sent_us;    /* monotonic */
	/* A write has failed, so none is committed. Or the statement could not be prepared: then
	 * the next batch with queries, which needs it, does nothing. */
	bool has_failed;
	/* Prepared by this batch, which has no queries; NULL in all other batches. */
	const struct statement_entry *prepares;
	bool is_parsed; /* it was parsed; its description follows */
};

/* Takes at most max queries from the front of the list. Free the batch with free(). */
struct batch *batch_create(struct list *queries, unsigned max);

/* Sorts writes of a group commit, so that every worker locks rows in the order of their keys, and
 * no two batches wait for each other. Writes of one key keep their order. */
void batch_sort(struct batch *batch);
