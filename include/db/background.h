/* The server processes of PostgreSQL that work for long lists, so that the supervisor of a private
 * one can give them a lower priority: a caller who reads lists without a pause keeps one of them
 * busy in each worker, and what others ask takes a fraction of a millisecond. Workers may not do
 * it themselves, as PostgreSQL's processes belong to another user. */
#pragma once

#include "base/region.h"

#include <sys/types.h>

struct background; /* a worker's slot of the region */

extern const struct region background_region;

/* Lowers the priority of the processes that this worker has named since the last call, if they are
 * children of this postmaster. Call it in the supervisor. A process that the system refuses to
 * change now is tried again at the next call. */
void background_lower(struct background *background, pid_t postmaster);
