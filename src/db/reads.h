/* Reads: those of a turn share a batch, and few batches are under way. */
#pragma once

#include "late.h"
#include "pool.h"

struct reads {
	struct loop *loop;
	struct pool pool;
	struct list waiting;  /* of struct db_query */
	struct list returned; /* from a lost connection: sent before the others */
	unsigned count;	      /* waiting or under way */
	struct late *late;
	struct later wake; /* keeps the loop from sleeping before the end of the turn */
};

/* connection: has the members up to effect, but for the role, the owner and the number. */
void reads_start(struct reads *reads, const struct connection *connection, unsigned count,
		 struct late *late);
void reads_add(struct reads *reads, struct db_query *query);
/* At the end of a turn: sends what waits. */
void reads_flush(struct reads *reads);
/* All that is left is answered DB_UNAVAILABLE, late. */
void reads_close(struct reads *reads);
/* After that. */
void reads_finish(struct reads *reads);
