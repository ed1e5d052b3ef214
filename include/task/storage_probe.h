/* Finds out whether the database has room: see db/storage.h. */
#pragma once

#include "base/arena.h"
#include "db/query.h"

struct service;

/* Embedded in the service, which sets nothing. */
struct storage_probe {
	struct db_query query;
	struct arena arena;
	struct db *db;
	uint64_t mark;
	bool is_under_way;
};

/* False: a write or a probe found no room, and no later probe has succeeded. Then, and where little
 * room is left, a probe is under way or begins with one of the next calls. */
bool storage_probe_says_room(struct service *service);
