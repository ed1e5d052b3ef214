/* The last errors of an instance, for whoever asks how it is: lines of its log at level error, as
 * they were written, secrets masked. They lie in shared memory: a worker that has died has left its
 * own. A line that is written while it is read is left out. */
#pragma once

#include "base/region.h"

#include <text/str.h>

extern const struct region error_region;

enum { ERRORS_KEPT = 32, ERROR_LINE_BYTES = 512 };

/* Keeps the errors of this process, and of its children, in this memory from now on. */
void errors_attach(struct region_map *shared);
/* Before the memory goes: errors are in the log alone. */
void errors_detach(void);

/* Calls each() with them, the oldest first. line: valid inside the call, without its line feed, cut
 * where it was longer. */
void errors_read(struct region_map *shared, void (*each)(void *context, struct str line),
		 void *context);
