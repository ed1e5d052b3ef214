/* What is on its way over one connection, and what comes back.
 *
 *   batch: query, query, query, sync      reads that share a sync, one write with its own, or
 *                                         writes that share a commit (db/statement.h)
 *
 * After an error the server skips to the next sync: what was skipped in a batch of reads is sent
 * again, each with its own sync, so that only the culprit fails. The server commits at the sync, so
 * a write is answered only after it: a deferred constraint or a crash may still undo it. Of writes
 * that share a commit either all happen or none: then all are sent again, each with its own. */
#pragma once

#include "db/query.h"

#include <libpq-fe.h>

/* Both sent and not yet answered up to their sync. */
enum { PIPELINE_READ_BATCHES = 2, PIPELINE_WRITES = 32, PIPELINE_SHARED_BATCHES = 2 };

/* Writes that share a commit at most. */
enum { PIPELINE_SHARED_WRITES = 32 };

struct pipeline {
	PGconn *pg; /* NULL while there is no connection */
	const struct statement_entry *statements;
	struct list batches; /* of struct batch, as sent */
	unsigned batch_count;
	struct list again; /* of struct db_query: to be sent alone */
	/* Something that is not the connection's fault but ends its use: it is sent nothing more,
	 * and closed when all is answered. */
	bool worn;
	unsigned answer_count; /* grows with everything that arrives */
	bool useful;	       /* a statement ran to its end */
	char reason[200];      /* why the connection is lost or worn */

	/* The query may go in it. */
	void (*on_answer)(struct pipeline *pipeline, struct db_query *query,
			  const struct db_result *result);
	/* The query was not answered and comes back to its owner, which sends it elsewhere where
	 * it may be repeated, or answers DB_AWAY. */
	void (*on_return)(struct pipeline *pipeline, struct db_query *query, bool may_repeat);
};

/* The callbacks and statements are set by the caller. */
void pipeline_init(struct pipeline *pipeline);

/* Sends the first max of queries as one batch. The queries are the pipeline's then.
 * 0, or -EIO: the connection is lost. */
__attribute__((warn_unused_result)) int pipeline_send(struct pipeline *pipeline,
						      struct list *queries, unsigned max);
/* Sends what is in pipeline->again. */
__attribute__((warn_unused_result)) int pipeline_send_again(struct pipeline *pipeline);

/* A sync; libpq 15 sends it at once, later ones with the next flush. 0 or -EIO. */
__attribute__((warn_unused_result)) int pipeline_sync(PGconn *pg);

/* Takes what has arrived. 0, or -EIO: the connection is lost, see reason. */
__attribute__((warn_unused_result)) int pipeline_receive(struct pipeline *pipeline);

/* After the connection was lost: returns all queries, in the order in which they were sent. */
void pipeline_give_back(struct pipeline *pipeline);
