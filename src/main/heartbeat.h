/* The heartbeat of a worker: a number in its slot of the shared memory, which its loop raises
 * twice a second. A loop that stands still (a fault, SIGSTOP, a debugger) does not raise it, and
 * the supervisor starts another worker in its place. A busy loop raises it between two turns. */
#pragma once

#include "base/region.h"
#include "loop/loop.h"

#include <stdatomic.h>

extern const struct region heartbeat_region;

struct heartbeat {
	struct loop *loop;
	_Atomic uint32_t *slot;
	struct deadline next;
};

/* In the worker: beats from now on for as long as the loop runs. */
void heartbeat_start(struct heartbeat *heartbeat, struct loop *loop, struct region_map *shared,
		     unsigned worker);

/* In the supervisor. */
uint32_t heartbeat_read(struct region_map *shared, unsigned worker);
