/* Spreads work on many objects over turns of the loop: each turn does as much as fits into a time
 * budget, so that other work waits only briefly. The owners of the objects take turns; objects of
 * one owner are processed in the order in which they were added. */
#pragma once

#include "loop/fair_queue.h"
#include "loop/loop.h"

struct budgeted_queue {
	struct loop *loop;
	struct fair_queue due; /* nodes of the objects */
	struct later later;
	/* Works on a node, which is in no list then. It may add the node again, which then comes
	 * after the others. */
	void (*run)(struct list *node);
	uint64_t budget_ns;	  /* time budget of a turn; at least one object is processed */
	uint64_t (*now_ns)(void); /* monotonic clock; tests have their own */
};

/* loop must outlive the queue. */
void budgeted_queue_init(struct budgeted_queue *queue, struct loop *loop,
			 void (*run)(struct list *node));
/* Stops the queue; its nodes are left unchanged. */
void budgeted_queue_finish(struct budgeted_queue *queue);

/* Adds a node: run() gets it in this or a later turn, never inside this call. See fair_queue_add().
 */
void budgeted_queue_add(struct budgeted_queue *queue, struct fair_flow *flow, struct list *node);
