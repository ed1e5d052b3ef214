/* Removes what is staged of imports that have ended, or that nobody went on with, in portions. Each
 * worker looks once a minute. */
#pragma once

#include "db/db.h"

struct import_upkeep;

struct import_upkeep *import_upkeep_create(struct loop *loop, struct db *db);
/* No query is under way any more. */
void import_upkeep_destroy(struct import_upkeep *upkeep);

/* An import has ended. */
void import_upkeep_look(struct import_upkeep *upkeep);

/* Asks for nothing from now on. */
void import_upkeep_drain(struct import_upkeep *upkeep);
