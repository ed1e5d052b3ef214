/* Writes to the same thing, in the order in which they were submitted.
 *
 * A write queue has its writes under way in one batch, or they wait; no later one of them overtakes
 * an earlier one, whatever becomes of that. What its writes have in common is their first
 * parameter: a device's ID. A write without such a key has a write queue to itself. */
#pragma once

#include "base/map.h"
#include "db/query.h"

enum { LINE_KEY_MAX = 32 };

struct write_queue {
	struct map_node node;
	struct list turn;     /* in a queue of write queues; in none while writes are under way */
	struct list queries;  /* of struct db_query: wait */
	struct list returned; /* did not happen, and come before those that wait */
	unsigned count;	      /* of both */
	unsigned under_way;
	bool has_met_lock;
	bool is_blocked; /* see blocked.h */
	bool is_mapped;
	struct id account_id; /* of the first write */
	uint8_t key[LINE_KEY_MAX];
};

/* A zeroed struct write queues is a valid empty one. */
struct write_queues {
	struct map map; /* of those with a key */
};

/* The write queue of a write, made where there is none: then it is in no queue. */
struct write_queue *write_queue_of(struct write_queues *queues, struct db_query *query);
/* No write waits or is under way. */
void write_queue_destroy(struct write_queues *queues, struct write_queue *queue);
void write_queues_finish(struct write_queues *queues);

/* Appends a write to those that wait. */
void write_queue_append(struct write_queue *queue, struct db_query *query);
/* Puts a write that was under way among the returned ones. */
void write_queue_return(struct write_queue *queue, struct db_query *query);
/* Takes the first write that waits; NULL: none does. */
struct db_query *write_queue_take(struct write_queue *queue);
/* The first write that waits, which stays there; NULL: none does. */
struct db_query *write_queue_first(struct write_queue *queue);
struct write_queue *write_queue_at(struct list *turn);
