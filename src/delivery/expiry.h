/* Removes entries that have expired from the database. Until then every statement leaves them out,
 * and workers know their ends (domain/content.h), so it does not matter when this happens. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "db/db.h"

struct expiry {
	struct db *db;
	struct arena arena;
	struct db_query query;
	bool is_under_way;
	/* The device has lost entries. */
	void (*on_expired)(void *context, struct id device_id, int64_t generation);
	void *context;
};

/* Looks for expired entries, unless the last look is still under way or the database is away. The
 * caller has set db, on_expired and context. */
void expiry_turn(struct expiry *expiry);
/* No look is under way any more. */
void expiry_finish(struct expiry *expiry);
