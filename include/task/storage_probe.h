/* Finds out whether the database has free space: see db/storage.h. */
#pragma once

#include "base/arena.h"
#include "db/query.h"

struct service;

/* Probe, embedded in the service, zeroed. */
struct storage_probe {
	struct db_query query;
	struct arena arena;
	struct db *db;
	uint64_t mark;
	bool is_under_way;
};

/* Whether writes may succeed. False: a write or a probe found no space, and no later probe has
 * succeeded. Then, and if little space is left, a probe is under way or begins with one of the next
 * calls. */
bool storage_probe_says_room(struct service *service);
