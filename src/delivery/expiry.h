/* Removes entries that have expired from the database, a thousand at a time. Until then statements
 * that list entries leave them out, and workers know their ends (domain/content.h). But their
 * pictures count for the account: a push that finds no room removes them itself
 * (api/account_bytes.h). */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "db/db.h"

struct expiry {
	struct db *db;
	struct arena arena;
	struct db_query query;
	bool is_under_way;
	bool is_draining;
	/* The device has lost entries. */
	void (*on_expired)(void *context, struct id device_id, int64_t generation);
	void *context;
};

/* Removes expired entries until none is left, unless that is still under way or the database is
 * away. Of several workers that do so at once, one goes on: the others find the devices locked. The
 * caller has set db, on_expired and context. */
void expiry_turn(struct expiry *expiry);
/* Begins nothing more. */
void expiry_drain(struct expiry *expiry);
/* No look is under way any more. */
void expiry_finish(struct expiry *expiry);
