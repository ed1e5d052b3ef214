/* Makes renders of other engine versions due after a change of the program: when a worker has
 * started, some at a time, and again when workers of the previous program have ended. */
#pragma once

#include "db/db.h"
#include "delivery/delivery.h"

struct outdated {
	struct loop *loop;
	struct db *db;
	struct delivery *delivery;
	struct deadline next;
	struct arena arena;
	struct db_query query;
	bool was_last; /* nothing was left; look once more */
	bool is_draining;
};

/* Set loop, db and delivery before. */
void outdated_start(struct outdated *outdated);
void outdated_drain(struct outdated *outdated);
