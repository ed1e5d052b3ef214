/* Reads: those of a turn share a batch, and few batches are under way. */
#pragma once

#include "late.h"
#include "pool.h"

struct reads {
	struct loop *loop;
	struct pool pool;
	struct list waiting;  /* of struct db_query */
	struct list returned; /* from a lost connection; sent before the others */
	unsigned count;	      /* waiting or under way */
	struct late *late;
	struct later wake; /* keeps the loop from sleeping before the end of the turn */
};

/* connection: has the members up to gives_single_rows, except the role, the owner and the number.
 */
void reads_start(struct reads *reads, const struct connection *connection, unsigned count,
		 struct late *late);
void reads_add(struct reads *reads, struct db_query *query);
/* Call it at the end of a turn: sends waiting reads. */
void reads_flush(struct reads *reads);
/* Answers all remaining reads DB_UNAVAILABLE, later. */
void reads_close(struct reads *reads);
/* Call it when these were answered. */
void reads_finish(struct reads *reads);
