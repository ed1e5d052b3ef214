/* Names the server's processes of a worker's connections for writes, in memory that outlives the
 * worker: if it is killed, the next worker in its place ends them (src/db/doubts.h). */
#pragma once

#include "base/region.h"

struct writers; /* slot of a worker of the region */

extern const struct region writer_region;
