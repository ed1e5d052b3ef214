/* Makes due what other engines have made, after the program has become another: once, when a worker
 * has started, some at a time, and once more when those of the program before have gone. */
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
	bool was_last; /* nothing was left; it is looked once more */
	bool is_draining;
};

/* The caller has set loop, db and delivery. */
void outdated_start(struct outdated *outdated);
void outdated_drain(struct outdated *outdated);
