/* Removes renders of render keys that no installation has any more, some at a time; makes
 * installations drop their previous render keys once the new ones have a picture; and forgets hosts
 * that apps have not asked for a month. */
#pragma once

#include "base/limits.h"
#include "db/db.h"

struct leftovers {
	struct loop *loop;
	struct db *db;
	struct deadline next;
	struct arena arena;
	struct db_query query;
	struct id after_app; /* app whose hosts were checked last; all zero: none in this round */
	/* Installation that was checked last; all zero: none in this round. */
	struct id after_device;
	char after_entry[4 * LIMIT_INSTALLATION_ID];
	size_t after_entry_length;
	bool has_settled; /* some of the last portion were settled, and there may be more */
	bool is_left;	  /* there may be more render keys */
	bool is_draining;
};

/* Set loop and db before. */
void leftovers_start(struct leftovers *leftovers);
void leftovers_drain(struct leftovers *leftovers);
