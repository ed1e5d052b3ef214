/* A queue of objects in which the owners take turns: each has a flow of its own, so that what one
 * of them has queued delays another by one object only. */
#pragma once

#include "base/list.h"

#include <stdbool.h>

/* An owner's place in one queue. Embed it. */
struct fair_flow {
	struct list node; /* in queue->flows, while something waits */
	struct list due;  /* nodes of the objects, in their order */
};

struct fair_queue {
	struct list flows; /* of struct fair_flow; the next one first */
};

void fair_queue_init(struct fair_queue *queue);
void fair_flow_init(struct fair_flow *flow);
/* Nothing waits in it any more. */
void fair_flow_finish(struct fair_flow *flow);

/* Does nothing for a node that waits already. A node begins with list_init(); list_remove() takes
 * it out again. The flow must always be put into the same queue. */
void fair_queue_add(struct fair_queue *queue, struct fair_flow *flow, struct list *node);
/* The next one, which is in no list then; NULL when empty. */
struct list *fair_queue_take(struct fair_queue *queue);
bool fair_queue_is_empty(struct fair_queue *queue);
