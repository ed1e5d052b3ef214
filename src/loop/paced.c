#include "loop/paced.h"

/* Some sixty writes; a turn costs some microseconds on top. */
enum { BUDGET_NS = 500 * 1000 };

static void on_later(struct later *later)
{
	struct paced *paced = container_of(later, struct paced, later);
	uint64_t end_ns = paced->now_ns() + paced->budget_ns;
	struct list due;
	struct list *node;

	/* What is added meanwhile waits for another turn. */
	list_init(&due);
	list_move_all(&due, &paced->due);
	while ((node = list_take_first(&due))) {
		paced->run(node);
		if (paced->now_ns() >= end_ns)
			break;
	}
	list_move_all(&due, &paced->due);
	list_move_all(&paced->due, &due);
	if (!list_is_empty(&paced->due))
		loop_later(paced->loop, &paced->later);
}

void paced_init(struct paced *paced, struct loop *loop, void (*run)(struct list *node))
{
	*paced =
	    (struct paced){.loop = loop, .run = run, .budget_ns = BUDGET_NS, .now_ns = uv_hrtime};
	list_init(&paced->due);
	loop_later_init(&paced->later, on_later);
}

void paced_finish(struct paced *paced)
{
	loop_later_cancel(&paced->later);
}

void paced_add(struct paced *paced, struct list *node)
{
	if (list_is_linked(node))
		return;
	list_append(&paced->due, node);
	loop_later(paced->loop, &paced->later);
}
