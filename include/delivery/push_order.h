/* Pushes are answered in the order in which they were stored.
 *
 * Two pushes to one device may be stored by different workers or instances, one right after the
 * other. The second one's answer waits until the first one's was given, which a hint tells; for at
 * most 300 ms, in case the first one's worker has died. */
#pragma once

#include "loop/loop.h"

struct push_order;

/* Waits for its turn; embed it in what waits. */
struct push_turn {
	struct list node;		      /* private */
	struct deadline limit;		      /* private */
	struct push_order *order;	      /* private */
	int64_t after;			      /* private */
	void (*come)(struct push_turn *turn); /* later, from the loop */
};
