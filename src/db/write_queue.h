/* Writes to the same key, in the order in which they were submitted.
 *
 * The writes of a queue are under way in one batch, or wait; a later write never overtakes an
 * earlier one, even if that fails. The key of a write is its first parameter: a device's ID. A
 * write without a key has a write queue of its own. */
#pragma once

#include "base/map.h"
#include "db/query.h"

enum { LINE_KEY_MAX = 32 };

struct write_queue {
	struct map_node node;
	struct list turn;     /* in a queue of write queues; in none while writes are under way */
	struct list queries;  /* of struct db_query: waiting */
	struct list returned; /* not committed; sent before the waiting ones */
	unsigned count;	      /* number of waiting and returned writes */
	unsigned under_way;
	bool has_met_lock;
	bool is_blocked; /* see blocked.h */
	bool is_mapped;
	struct id account_id; /* account of the first write */
	uint8_t key[LINE_KEY_MAX];
};

/* A zeroed struct write_queues is valid and empty. */
struct write_queues {
	struct map map; /* write queues with a key */
};

/* Returns the write queue of a write. Makes it if there is none: then it is in no queue. */
struct write_queue *write_queue_of(struct write_queues *queues, struct db_query *query);
/* Frees a write queue in which no write waits or is under way. */
void write_queue_destroy(struct write_queues *queues, struct write_queue *queue);
void write_queues_finish(struct write_queues *queues);

/* Whether a write must not be sent any more. */
static inline bool write_is_stale(const struct db_query *query, uint64_t now_ms)
{
	return query->stale_ms && now_ms >= query->stale_ms;
}

/* Appends a waiting write. */
void write_queue_append(struct write_queue *queue, struct db_query *query);
/* Puts a write that was under way among the returned ones. */
void write_queue_return(struct write_queue *queue, struct db_query *query);
/* Takes the first waiting write; NULL: none. */
struct db_query *write_queue_take(struct write_queue *queue);
/* Returns the first waiting write, without taking it; NULL: none. */
struct db_query *write_queue_first(struct write_queue *queue);
struct write_queue *write_queue_at(struct list *turn);
