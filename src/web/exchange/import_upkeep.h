/* Removes staged lines of imports that have ended, or were not continued, in portions. Each worker
 * checks once a minute. */
#pragma once

#include "db/db.h"

struct import_upkeep;

struct import_upkeep *import_upkeep_create(struct loop *loop, struct db *db);
/* Call it when no query is under way. */
void import_upkeep_destroy(struct import_upkeep *upkeep);

/* Call it when an import has ended. */
void import_upkeep_look(struct import_upkeep *upkeep);

/* Begins nothing from now on. */
void import_upkeep_drain(struct import_upkeep *upkeep);
