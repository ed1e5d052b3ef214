/* Writes: each write queue has one batch under way at most, and write queues take turns.
 *
 *   write queues that are ready -> write connection -> done, or the write queue goes to the blocked
 * ones
 *
 * Writes that share a commit wait 20 ms at most for a locked row: then none of them has happened,
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
	struct list ready[POOL_MAX]; /* of struct write_line: for each connection */
	unsigned count;		     /* waiting or under way, without the blocked ones */
	unsigned crowded_turns;	     /* since crowd_ms */
	uint64_t crowd_ms;	     /* loop_now_ms() */
	struct blocked blocked;
	struct late *late;
	struct later wake; /* keeps the loop from sleeping before the end of the turn */
};

/* connection: has the members up to effect, but for the role, the owner and the number. idle_ms:
 * see on_demand_init(). */
void writes_start(struct writes *writes, const struct connection *connection, unsigned count,
		  uint64_t idle_ms, struct late *late);
void writes_add(struct writes *writes, struct db_query *query);
/* At the end of a turn: sends what waits. */
void writes_flush(struct writes *writes);
/* All writes that were not answered. */
unsigned writes_count(const struct writes *writes);
/* All that is left is answered DB_UNAVAILABLE, late. */
void writes_close(struct writes *writes);
/* After that. */
void writes_finish(struct writes *writes);
