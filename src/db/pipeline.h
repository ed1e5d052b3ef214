/* Queries that are under way on one connection, and their answers.
 *
 *   batch: query, query, query, sync      reads that share a sync, one write with its own, or
 *                                         writes that share a commit (db/statement.h)
 *
 * After an error the server skips queries up to the next sync. Skipped reads are sent again, each
 * with its own sync, so that only the faulty query fails. The server commits at the sync, so a
 * write is answered only after it: until then a deferred constraint or a crash may undo the write.
 * A group commit commits all of its writes or none. If none, each is sent again with its own sync,
 * or returned to its owner if the reason was a locked row.
 *
 * A statement that the connection has not used yet is prepared by a batch of its own before the
 * first batch that needs it (sender.h). */
#pragma once

#include "db/query.h"
#include "db/storage.h"
#include "hook_notice.h"
#include "sender.h"

#include <libpq-fe.h>

/* Maximum of batches whose sync was not yet answered: of reads, of single writes. */
enum { PIPELINE_READ_BATCHES = 2, PIPELINE_WRITES = 32 };

/* Maximum of writes in a group commit. */
enum { PIPELINE_SHARED_WRITES = 32 };

struct change_listener;
struct doubt;

struct pipeline {
	PGconn *pg; /* NULL while there is no connection */
	const struct statement_entry *statements;
	struct sender sender;
	struct list batches; /* of struct batch, as sent */
	unsigned batch_count;
	struct list again;	/* of struct db_query: to be sent alone */
	struct list conflicted; /* of struct db_query: failed because of another transaction, and
				   pause */
	const struct change_listener *changes; /* gets changed rows before the write is answered */
	struct hook_notice hook_notice;	       /* gets messages of writes */
	struct doubt *doubt;	 /* writes that were given back and may have run; or NULL */
	struct storage *storage; /* gets failures for lack of space before the write is answered; or
				    NULL */
	/* The connection works, but cannot run its statements any more: it sends nothing more, and
	 * is closed when all queries are answered. */
	bool draining;
	uint64_t received_us;  /* when results were last read; monotonic */
	unsigned answer_count; /* grows with every result that arrives */
	bool useful;	       /* a statement has succeeded */
	bool is_read_only;     /* the server refused the last write: it was set to be read-only */
	bool paused;	       /* results stay with libpq and the server */
	char reason[200];      /* why the connection is lost or draining */

	/* Called for a row of a query whose rows come one by one; row: valid inside the call. */
	void (*on_row)(struct pipeline *pipeline, struct db_query *query,
		       const struct db_result *row);
	/* Gets the result of a query, and may free the query. */
	void (*on_answer)(struct pipeline *pipeline, struct db_query *query,
			  const struct db_result *result);
	/* Called if a row was locked for longer than the connection waits: no query of the batch
	 * was committed, and each returns to its owner, in the order in which they were sent.
	 * is_culprit: this query has met the lock; the others only shared its commit. NULL: such
	 * queries are answered DB_UNAVAILABLE. */
	void (*on_locked)(struct pipeline *pipeline, struct db_query *query, bool is_culprit);
	/* Returns an unanswered query to its owner, which sends it again if it may be repeated, or
	 * else answers DB_UNAVAILABLE. */
	void (*on_return)(struct pipeline *pipeline, struct db_query *query, bool may_repeat);
};

/* Set the callbacks and statements before. */
void pipeline_init(struct pipeline *pipeline);

/* Takes at most max queries from the front of the list and sends them as one batch. Returns 0, or
 * -EIO: the connection is lost. */
__attribute__((warn_unused_result)) int pipeline_send(struct pipeline *pipeline,
						      struct list *queries, unsigned max);
/* Ends the pause of conflicted queries: moves them to pipeline->again. */
void pipeline_wake_conflicted(struct pipeline *pipeline);
/* Sends the queries of pipeline->again. */
__attribute__((warn_unused_result)) int pipeline_send_again(struct pipeline *pipeline);

/* Reads the results that have arrived. Returns 0, or -EIO: the connection is lost, see reason. */
__attribute__((warn_unused_result)) int pipeline_receive(struct pipeline *pipeline);

/* Number of queries in the batches under way. */
unsigned pipeline_sent(const struct pipeline *pipeline);

/* Call it after the connection was lost: returns all queries to their owner, in the order in which
 * they were sent. Take pipeline->doubt afterwards. */
void pipeline_give_back(struct pipeline *pipeline);
