/* Names the server processes of PostgreSQL that run list queries, so that the supervisor of a
 * private PostgreSQL can give them a lower priority. Otherwise a caller who reads lists without a
 * pause keeps one of them busy for each worker, and slows down queries that take a fraction of a
 * millisecond. Workers may not do it themselves, since PostgreSQL's processes belong to another
 * user. */
#pragma once

#include "base/region.h"

#include <sys/types.h>

struct background; /* slot of a worker of the region */

extern const struct region background_region;

/* Lowers the priority of the processes that this worker has named since the last call, if they are
 * children of this postmaster. Call it in the supervisor. If the system refuses, the next call
 * tries again. */
void background_lower(struct background *background, pid_t postmaster);
