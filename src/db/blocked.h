/* Writes that wait for locked rows.
 *
 *   a write has met a lock -> its write queue waits here
 *     -> its first write runs alone, on a retry connection, for a moment at a time
 *          done:     the write queue goes back to the other writes
 *          for 5 s:  the write is answered DB_BLOCKED
 *
 * The accounts take turns, and so do the write queues of an account, which has one attempt under
 * way at a time. An account that has several write queues here has all of its writes here: each of
 * them could hold up a group commit. */
#pragma once

#include "connection.h"
#include "late.h"
#include "on_demand.h"
#include "write_queue.h"

enum { RETRY_CONNECTIONS = 2 };

struct retry {
	struct connection connection;
	struct write_queue *queue; /* write queue whose first write is under way; or NULL */
};

struct blocked {
	struct loop *loop;
	struct retry retries[RETRY_CONNECTIONS];
	struct on_demand on_demand; /* their connections */
	struct list waiting;	    /* of struct write_queue, by turn */
	unsigned count;		    /* writes that wait or are under way */
	struct deadline overdue;    /* set while write queues wait */
	struct write_queues *queues;
	struct late *late;
	struct later wake; /* keeps the loop from sleeping before the end of the turn */
	/* Called when a write queue is no longer blocked, and writes wait in it. */
	void (*on_free)(struct blocked *blocked, struct write_queue *queue);
};

/* Set write_queues, late and on_free before. connection: has the members up to gives_single_rows,
 * except the role, the owner and the number. idle_ms: see on_demand_init(). */
void blocked_start(struct blocked *blocked, const struct connection *connection, uint64_t idle_ms);

/* Whether all writes of this account must wait here. */
bool blocked_wants(const struct blocked *blocked, struct id account_id);
/* Takes a write queue with its writes. It must have none under way and be in no queue. */
void blocked_add_queue(struct blocked *blocked, struct write_queue *queue);
/* Adds a write to a blocked write queue. If too many wait, answers it DB_BLOCKED, later. */
void blocked_add(struct blocked *blocked, struct write_queue *queue, struct db_query *query);

/* Call it at the end of a turn: gives free connections to waiting write queues. */
void blocked_flush(struct blocked *blocked);
unsigned blocked_count_up(const struct blocked *blocked);

/* Answers all remaining writes DB_UNAVAILABLE, later. */
void blocked_close(struct blocked *blocked);
/* Call it when these were answered. */
void blocked_finish(struct blocked *blocked);
