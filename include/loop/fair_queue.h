/* Queue of objects whose owners take turns: each owner has a flow, so that its objects delay
 * another owner by one object only. */
#pragma once

#include "base/list.h"

#include <stdbool.h>

/* Objects of one owner in a queue. Embed it. */
struct fair_flow {
	struct list node; /* in queue->flows, while something waits */
	struct list due;  /* nodes of the objects, in their order */
};

struct fair_queue {
	struct list flows; /* of struct fair_flow; the next one first */
};

void fair_queue_init(struct fair_queue *queue);
void fair_flow_init(struct fair_flow *flow);
/* Call it when nothing waits in the flow. */
void fair_flow_finish(struct fair_flow *flow);

/* Adds a node; does nothing if it waits already. Initialize nodes with list_init(); list_remove()
 * takes one out again. The flow must always be put into the same queue. */
void fair_queue_add(struct fair_queue *queue, struct fair_flow *flow, struct list *node);
/* Takes out the next node; NULL if the queue is empty. */
struct list *fair_queue_take(struct fair_queue *queue);
bool fair_queue_is_empty(struct fair_queue *queue);
