#include "loop/budgeted_queue.h"

/* Some sixty writes; a turn costs some microseconds on top. */
enum { BUDGET_NS = 500 * 1000 };

static void on_later(struct later *later)
{
	struct budgeted_queue *queue = container_of(later, struct budgeted_queue, later);
	uint64_t end_ns = queue->now_ns() + queue->budget_ns;
	struct list due;
	struct list *node;

	/* Nodes that are added meanwhile wait for another turn. */
	list_init(&due);
	list_move_all(&due, &queue->due);
	while ((node = list_take_first(&due))) {
		queue->run(node);
		if (queue->now_ns() >= end_ns)
			break;
	}
	list_move_all(&due, &queue->due);
	list_move_all(&queue->due, &due);
	if (!list_is_empty(&queue->due))
		loop_later(queue->loop, &queue->later);
}

void budgeted_queue_init(struct budgeted_queue *queue, struct loop *loop,
			 void (*run)(struct list *node))
{
	*queue = (struct budgeted_queue){
	    .loop = loop, .run = run, .budget_ns = BUDGET_NS, .now_ns = uv_hrtime};
	list_init(&queue->due);
	loop_later_init(&queue->later, on_later);
}

void budgeted_queue_finish(struct budgeted_queue *queue)
{
	loop_later_cancel(&queue->later);
}

void budgeted_queue_add(struct budgeted_queue *queue, struct list *node)
{
	if (list_is_linked(node))
		return;
	list_append(&queue->due, node);
	loop_later(queue->loop, &queue->later);
}
