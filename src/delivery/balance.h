/* Even shares of panels between instances. A panel keeps its WebSocket as long as it can, so an
 * instance that joins would get none: one that has more than its share ends connections, slowly.
 * Their panels connect again within 10 s, through whatever chooses their instance.
 *
 * Each instance tells the others every 5 s how many panels it has, in the hint
 * "load:<instance>:<panels>", which the carrier notes for all of its workers. A connection is ended
 * only if it is old enough, so no panel is moved again sooner. If its panels come back all the
 * same, as through a proxy that chooses by address, an instance gives up for an hour. Panels that
 * poll choose anew at each poll. */
#pragma once

#include "db/hints.h"
#include "loop/loop.h"
#include "panels.h"

enum { BALANCE_PEERS_MAX = 64, BALANCE_WORKERS_MAX = 512 };

struct balance_common;

struct balance {
	struct loop *loop;
	struct db *db;
	struct panels *panels;
	struct region_map *shared;
	unsigned worker;  /* its number among the slots of workers */
	uint64_t stay_ms; /* least age of a connection that is ended; 0: none is */
	struct id self;	  /* the instance */
	struct balance_common *common;
	struct hint_subscription hints;
	struct deadline turn;
	uint64_t owed;	 /* thousandths of a panel that this worker is to end */
	size_t position; /* the bucket of panels->by_id to look at next */
	/* Ends the panel's connections. */
	void (*on_end)(struct panel *panel);
	/* Wall-clock microseconds since when the panel has its newest connection; 0: it has none.
	 */
	int64_t (*since_us)(const struct panel *panel);
};

/* How many connections an instance is to end, in thousandths of one a second: none up to 1.15 times
 * the mean of all instances. others: panels of the other instances, of which there are other_count.
 * stay_ms: for which a connection stays; 0: none is to end. */
uint64_t balance_rate(unsigned own, uint64_t others, unsigned other_count, uint64_t stay_ms);

/* Set loop, db, panels, shared, worker, on_end and since_us before, and zero the rest. */
void balance_init(struct balance *balance);
/* Ends no connection of this worker from now on. */
void balance_drain(struct balance *balance);
void balance_finish(struct balance *balance);
