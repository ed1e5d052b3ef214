/* Keeps the last errors of an instance for its status: lines of its log at level error, as written,
 * secrets masked. They lie in shared memory, so those of a dead worker remain. A line that is
 * written while it is read is left out. */
#pragma once

#include "base/region.h"

#include <text/str.h>

extern const struct region error_region;

enum { ERRORS_KEPT = 32, ERROR_LINE_BYTES = 512 };

/* Keeps errors of this process, and of its children, in this memory from now on. */
void errors_attach(struct region_map *shared);
/* Call it before the memory is unmapped: errors are then only in the log. */
void errors_detach(void);

/* Calls each() with the errors, oldest first. line: valid inside the call, without its line feed,
 * cut if it was longer. */
void errors_read(struct region_map *shared, void (*each)(void *context, struct str line),
		 void *context);
