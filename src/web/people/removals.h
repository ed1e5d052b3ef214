/* Removes closed accounts, and apps that the operator has removed, in portions
 * (db/account_removal.h).
 *
 * Each worker looks for one now and then, and at once if it has closed one itself. So a removal
 * goes on wherever the worker or the instance that began it has died. Two workers that remove the
 * same account take different rows. */
#pragma once

#include "db/db.h"

struct removals;

struct removals *removals_create(struct loop *loop, struct db *db);
/* No query is under way any more. */
void removals_destroy(struct removals *removals);

/* An account was closed, or an app removed. */
void removals_look(struct removals *removals);

/* Asks for nothing from now on. */
void removals_drain(struct removals *removals);
