/* Writes: each write queue has at most one batch under way, and write queues take turns.
 *
 *   ready write queues -> write connection -> done, or the write queue is blocked (blocked.h)
 *
 * Writes of a group commit wait at most 20 ms for a locked row: then none of them was committed,
 * and the others run again at once. */
#pragma once

#include "blocked.h"
#include "pool.h"

struct writes {
	struct loop *loop;
	const struct statement_entry *statements;
	struct pool pool;
	struct on_demand on_demand; /* all connections but the first: for crowds of writes */
	struct write_queues queues;
	struct list ready[POOL_MAX]; /* of struct write_queue, for each connection */
	bool shares[POOL_MAX];	     /* each connection's last batch was a group commit */
	unsigned count;		     /* waiting or under way, without the blocked ones */
	unsigned crowded_turns;	     /* since crowd_ms */
	uint64_t crowd_ms;	     /* loop_now_ms() */
	struct blocked blocked;
	struct late *late;
	struct later wake; /* keeps the loop from sleeping before the end of the turn */
};

/* connection: has the members up to gives_single_rows, except the role, the owner and the number.
 * idle_ms: see on_demand_init(). */
void writes_start(struct writes *writes, const struct connection *connection, unsigned count,
		  uint64_t idle_ms, struct late *late);
void writes_add(struct writes *writes, struct db_query *query);
/* Call it at the end of a turn: sends waiting writes. */
void writes_flush(struct writes *writes);
/* Number of unanswered writes. */
unsigned writes_count(const struct writes *writes);
/* Answers all remaining writes DB_UNAVAILABLE, later. */
void writes_close(struct writes *writes);
/* Call it when these were answered. */
void writes_finish(struct writes *writes);
