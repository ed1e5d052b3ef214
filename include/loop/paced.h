/* Work on many objects at once, spread over turns of the loop: so much a turn as fits into a budget
 * of time, so that nobody else waits long for it. In the order in which it was asked for. */
#pragma once

#include "loop/loop.h"

struct paced {
	struct loop *loop;
	struct list due; /* nodes of the objects */
	struct later later;
	void (*run)(struct list *node); /* in no list when it runs; may add itself again */
	uint64_t budget_ns;		/* of a turn; at least one object is worked on */
	uint64_t (*now_ns)(void);	/* monotonic; tests have their own */
};

/* loop stays valid. */
void paced_init(struct paced *paced, struct loop *loop, void (*run)(struct list *node));
/* Nothing runs any more; the nodes are left as they are. */
void paced_finish(struct paced *paced);

/* Runs for this node in this or a later turn, never inside this call. Asking twice before it ran is
 * asking once. A node begins with list_init(); list_remove() takes it out again. */
void paced_add(struct paced *paced, struct list *node);
