/* Removes closed accounts, and apps that the operator has removed, in portions
 * (db/account_removal.h).
 *
 * Each worker regularly looks for one, and at once if it has closed one itself. So a removal
 * continues even if the worker or the instance that began it has died. Two workers that remove the
 * same account take different rows. */
#pragma once

#include "db/db.h"

struct removals;

struct removals *removals_create(struct loop *loop, struct db *db);
/* Call it when no query is under way. */
void removals_destroy(struct removals *removals);

/* Call it when an account was closed, or an app removed. */
void removals_look(struct removals *removals);

/* Begins nothing from now on. */
void removals_drain(struct removals *removals);
