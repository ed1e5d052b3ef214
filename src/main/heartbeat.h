/* Heartbeat of a worker: a number in its slot of the shared memory, which its loop increases twice
 * a second. A stopped loop (a fault, SIGSTOP, a debugger) does not increase it, and the supervisor
 * replaces the worker. A busy loop increases it between two turns. */
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

/* Starts the heartbeat. Call it in the worker. */
void heartbeat_start(struct heartbeat *heartbeat, struct loop *loop, struct region_map *shared,
		     unsigned worker);

/* Notes that the worker accepts connections from now on. Call it in the worker. */
void heartbeat_note_serving(struct heartbeat *heartbeat);

/* Returns the flag that is set once all workers serve, valid as long as the mapping. */
const _Atomic bool *heartbeat_instance_is_ready(struct region_map *shared);

/* Functions of the supervisor: note that all workers serve; read a worker's heartbeat. */
void heartbeat_note_instance_ready(struct region_map *shared);
uint32_t heartbeat_read(struct region_map *shared, unsigned worker);
/* Whether this is the process that serves in the slot, or did so last. */
bool heartbeat_is_serving(struct region_map *shared, unsigned worker, pid_t pid);
