/* A thread that waits until a worker shall wake for hints, since a futex is not a handle of the
 * loop. */
#pragma once

#include "hint_share.h"
#include "loop/loop.h"

struct hint_waiter;

/* on_wake is called from the loop when the slot of this worker, by its number from 0, was due. */
struct hint_waiter *hint_waiter_start(struct loop *loop, struct hint_owner *common,
				      struct hint_slot *slot, unsigned worker,
				      void (*on_wake)(void *context), void *context);
/* Calls nothing afterwards. waiter: NULL does nothing. */
void hint_waiter_stop(struct hint_waiter *waiter);
