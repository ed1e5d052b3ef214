/* Answers that are given without the database, later, from the loop. */
#pragma once

#include "db/query.h"
#include "loop/loop.h"

struct storage;

struct late {
	struct loop *loop;
	const struct storage *storage; /* for the metrics; NULL: none */
	struct list queries;	       /* of struct db_query */
	struct later later;
};

void late_init(struct late *late, struct loop *loop);
/* Answers a query, which is in no list, later with this outcome. */
void late_answer(struct late *late, struct db_query *query, enum db_outcome outcome);
bool late_is_idle(const struct late *late);
/* Call it while idle. */
void late_finish(struct late *late);
