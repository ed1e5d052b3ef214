/* Answers pushes in the order in which they were stored.
 *
 * Different workers or instances may store two pushes to one device right after each other. The
 * second answer waits for the hint that the first push was answered, at most 300 ms, in case the
 * first worker has died. */
#pragma once

#include "base/id.h"
#include "loop/loop.h"

struct push_order;

/* Push that waits for its turn. The caller embeds it in a struct of its own. */
struct push_turn {
	struct list node;		      /* private */
	struct deadline limit;		      /* private */
	struct push_order *order;	      /* private */
	struct id device_id;		      /* private */
	int64_t after;			      /* private */
	void (*come)(struct push_turn *turn); /* called later, from the loop */
};
