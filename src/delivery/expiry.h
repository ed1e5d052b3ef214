/* Removes entries that have expired from the database, a thousand at a time. Until then statements
 * that list entries omit them, and workers know their ends (domain/content.h). But their pictures
 * still count for the account: a push that finds no room removes them itself (api/account_bytes.h).
 */
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
	/* Called when a device has lost entries. */
	void (*on_expired)(void *context, struct id device_id, int64_t generation);
	void *context;
};

/* Removes expired entries until none is left, unless that is still under way or the database is
 * unavailable. If several workers do so at once, one continues: the others find the devices locked.
 * Set db, on_expired and context before. */
void expiry_turn(struct expiry *expiry);
/* Begins nothing more. */
void expiry_drain(struct expiry *expiry);
/* Call it when no statement is under way. */
void expiry_finish(struct expiry *expiry);
