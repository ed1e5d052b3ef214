/* Looks up the addresses of a name on a worker thread: libpq itself would stop the whole loop while
 * a name server does not answer. */
#pragma once

#include "host_turns.h"
#include "loop/loop.h"

struct resolution;

/* done is called later, with the addresses or with NULL and a reason, unless resolve_free() was
 * called before. Free with resolve_free(), even inside done. */
struct resolution *resolve_start(struct loop *loop, const struct hosts *hosts, const char *name,
				 void (*done)(void *context, const struct host_addresses *addresses,
					      const char *error),
				 void *context);

/* May be called while the resolution is under way; NULL is allowed. */
void resolve_free(struct resolution *resolution);
