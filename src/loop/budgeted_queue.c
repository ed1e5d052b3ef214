#include "loop/budgeted_queue.h"

/* Enough for some sixty writes; a turn costs some additional microseconds. */
enum { BUDGET_NS = 500 * 1000 };

static void on_later(struct later *later)
{
	struct budgeted_queue *queue = container_of(later, struct budgeted_queue, later);
	uint64_t end_ns = queue->now_ns() + queue->budget_ns;
	struct list *node;

	while ((node = fair_queue_take(&queue->due))) {
		queue->run(node);
		if (queue->now_ns() >= end_ns)
			break;
	}
	if (!fair_queue_is_empty(&queue->due))
		loop_later(queue->loop, &queue->later);
}

void budgeted_queue_init(struct budgeted_queue *queue, struct loop *loop,
			 void (*run)(struct list *node))
{
	*queue = (struct budgeted_queue){
	    .loop = loop, .run = run, .budget_ns = BUDGET_NS, .now_ns = uv_hrtime};
	fair_queue_init(&queue->due);
	loop_later_init(&queue->later, on_later);
}

void budgeted_queue_finish(struct budgeted_queue *queue)
{
	loop_later_cancel(&queue->later);
}

void budgeted_queue_add(struct budgeted_queue *queue, struct fair_flow *flow, struct list *node)
{
	fair_queue_add(&queue->due, flow, node);
	loop_later(queue->loop, &queue->later);
}
