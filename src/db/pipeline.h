/* The queries that are on their way over one connection, and their answers.
 *
 *   batch: query, query, query, sync      reads that share a sync, one write with its own, or
 *                                         writes that share a commit (db/statement.h)
 *
 * After an error the server skips queries up to the next sync. Reads that were skipped are sent
 * again, each with its own sync, so that only the query at fault fails. The server commits at the
 * sync, so a write is answered only after it: until then a deferred constraint or a crash may undo
 * the write. Writes that share a commit all happen or none does: then each is sent again, with its
 * own sync, or comes back to its owner where a locked row was the reason.
 *
 * A statement that the connection has not used yet is prepared by a batch of its own before the
 * first batch that needs it (sender.h). */
#pragma once

#include "db/query.h"
#include "db/storage.h"
#include "sender.h"

#include <libpq-fe.h>

/* The most batches that are sent and not yet answered up to their sync: of reads, of single writes,
 * of shared writes. */
enum { PIPELINE_READ_BATCHES = 2, PIPELINE_WRITES = 32, PIPELINE_SHARED_BATCHES = 2 };

/* The most writes that share a commit. */
enum { PIPELINE_SHARED_WRITES = 32 };

struct change_listener;

struct pipeline {
	PGconn *pg; /* NULL while there is no connection */
	const struct statement_entry *statements;
	struct sender sender;
	struct list batches; /* of struct batch, as sent */
	unsigned batch_count;
	struct list again;	/* of struct db_query: to be sent alone */
	struct list conflicted; /* of struct db_query: lost against another transaction, and rest */
	const struct change_listener *changes; /* is told of changed rows before that is answered */
	struct storage *storage; /* is told of want of room before that is answered; or NULL */
	/* The connection works, but cannot run its statements any more: nothing more is sent, and
	 * it is closed when all queries are answered. */
	bool worn;
	uint64_t received_us;  /* when results were last read; monotonic */
	unsigned answer_count; /* grows with every result that arrives */
	bool useful;	       /* a statement has succeeded */
	bool paused;	       /* results stay with libpq and the server */
	char reason[200];      /* why the connection is lost or worn */

	/* A row of a query whose rows come one by one; row: valid inside the call. */
	void (*on_row)(struct pipeline *pipeline, struct db_query *query,
		       const struct db_result *row);
	/* Gets the result of a query, and may free the query. */
	void (*on_answer)(struct pipeline *pipeline, struct db_query *query,
			  const struct db_result *result);
	/* A row was locked for longer than the connection waits: no query of the batch has
	 * happened, and each comes back to its owner, in the order in which they were sent.
	 * is_culprit: it has met the lock; the others only shared its commit. NULL: it is answered
	 * DB_UNAVAILABLE. */
	void (*on_locked)(struct pipeline *pipeline, struct db_query *query, bool is_culprit);
	/* The query was not answered and comes back to its owner, which sends it again where it may
	 * be repeated, or else answers DB_UNAVAILABLE. */
	void (*on_return)(struct pipeline *pipeline, struct db_query *query, bool may_repeat);
};

/* The caller sets the callbacks and statements. */
void pipeline_init(struct pipeline *pipeline);

/* Takes at most max queries off the front of the list and sends them as one batch. 0, or -EIO: the
 * connection is lost. */
__attribute__((warn_unused_result)) int pipeline_send(struct pipeline *pipeline,
						      struct list *queries, unsigned max);
/* The conflicted queries have rested: moves them to pipeline->again. */
void pipeline_wake_conflicted(struct pipeline *pipeline);
/* Sends the queries of pipeline->again. */
__attribute__((warn_unused_result)) int pipeline_send_again(struct pipeline *pipeline);

/* Reads the results that have arrived. 0, or -EIO: the connection is lost, see reason. */
__attribute__((warn_unused_result)) int pipeline_receive(struct pipeline *pipeline);

/* Queries of the batches that are under way. */
unsigned pipeline_sent(const struct pipeline *pipeline);

/* After the connection was lost: returns all queries, in the order in which they were sent. */
void pipeline_give_back(struct pipeline *pipeline);
