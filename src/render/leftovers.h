/* Removes what was rendered at places that no installation has any more, some at a time; has
 * installations leave the places before, where the new ones have come to something; and forgets
 * hosts that apps have not asked for a month. */
#pragma once

#include "base/limits.h"
#include "db/db.h"

struct leftovers {
	struct loop *loop;
	struct db *db;
	struct deadline next;
	struct arena arena;
	struct db_query query;
	struct id after_app; /* whose hosts were looked at last; all zero: none's in this round */
	/* The installation that was looked at last, likewise. */
	struct id after_device;
	char after_entry[4 * LIMIT_INSTALLATION_ID];
	size_t after_entry_length;
	bool has_settled; /* some of the last portion, and it was not the last one */
	bool is_left;	  /* there may be more places */
	bool is_draining;
};

/* The caller has set loop and db. */
void leftovers_start(struct leftovers *leftovers);
void leftovers_drain(struct leftovers *leftovers);
