/* The heartbeat of a worker: a number in its slot of the shared memory, which its loop raises
 * twice a second. A loop that stands still (a fault, SIGSTOP, a debugger) does not raise it, and
 * the supervisor starts another worker in its place. A busy loop raises it between two turns. */
#pragma once

#include "base/region.h"
#include "loop/loop.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

extern const struct region heartbeat_region;

struct heartbeat_slot;

struct heartbeat {
	struct loop *loop;
	struct heartbeat_slot *slot;
	struct deadline next;
};

/* Called in the worker: beats from now on while the loop runs. */
void heartbeat_start(struct heartbeat *heartbeat, struct loop *loop, struct region_map *shared,
		     unsigned worker);

/* Called in the worker: it accepts connections from now on. */
void heartbeat_note_serving(struct heartbeat *heartbeat);

/* Set once all workers serve. For as long as the mapping. */
const _Atomic bool *heartbeat_instance_is_ready(struct region_map *shared);

/* Functions of the supervisor: note that all workers serve; read a worker's heartbeat. */
void heartbeat_note_instance_ready(struct region_map *shared);
uint32_t heartbeat_read(struct region_map *shared, unsigned worker);
/* Whether the process that serves in this slot, or did so last, is this one. */
bool heartbeat_is_serving(struct region_map *shared, unsigned worker, pid_t pid);
