#include "loop/fair_queue.h"
#include "base/memory.h"
#include "base/require.h"

void fair_queue_init(struct fair_queue *queue)
{
	list_init(&queue->flows);
}

void fair_flow_init(struct fair_flow *flow)
{
	list_init(&flow->node);
	list_init(&flow->due);
}

void fair_flow_finish(struct fair_flow *flow)
{
	require(list_is_empty(&flow->due));
	list_remove(&flow->node);
}

void fair_queue_add(struct fair_queue *queue, struct fair_flow *flow, struct list *node)
{
	if (list_is_linked(node))
		return;
	list_append(&flow->due, node);
	if (!list_is_linked(&flow->node))
		list_append(&queue->flows, &flow->node);
}

/* Returns the first flow with nodes. list_remove() of nodes may have left empty flows, which are
 * removed.
 */
static struct fair_flow *first_flow(struct fair_queue *queue)
{
	list_for_each (node, &queue->flows) {
		struct fair_flow *flow = container_of(node, struct fair_flow, node);

		if (!list_is_empty(&flow->due))
			return flow;
		list_remove(node);
	}
	return NULL;
}

struct list *fair_queue_take(struct fair_queue *queue)
{
	struct fair_flow *flow = first_flow(queue);
	struct list *taken;

	if (!flow)
		return NULL;
	taken = list_take_first(&flow->due);
	list_remove(&flow->node);
	if (!list_is_empty(&flow->due))
		list_append(&queue->flows, &flow->node);
	return taken;
}

bool fair_queue_is_empty(struct fair_queue *queue)
{
	return first_flow(queue) == NULL;
}
