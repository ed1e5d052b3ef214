/* Event loop of a worker process, and everything shared on it: deadlines, "later", worker lanes.
 * All functions are called on the loop's thread unless they say otherwise. */
#pragma once

#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/* Callback in this or the next turn of the loop, never inside the call that requests it. Embed it
 * in an object; cancel it before the object is freed. */
struct later {
	struct list node;
	void (*run)(struct later *later);
};

/* Callback at a point in time. All deadlines share one uv timer. Embed it in an object; clear it
 * before the object is freed. Moving a deadline to a later time is cheap. */
struct deadline {
	uint64_t at_ms;	   /* loop time; valid while set */
	uint32_t filed_ms; /* time by which the heap sorts it, see deadline.c */
	uint32_t position; /* index in the heap, from 1; 0: not set */
	void (*run)(struct deadline *deadline); /* the deadline is no longer set when it runs */
};

struct loop {
	uv_loop_t uv;
	uv_timer_t timer;	/* for the first deadline */
	uv_prepare_t prepare;	/* ends the turn */
	uv_check_t check;	/* runs what is due later, once a turn */
	uv_idle_t idle;		/* keeps the loop from sleeping while something is due later */
	struct list due_later;	/* of struct later */
	struct list turn_ends;	/* of struct turn_end */
	struct deadline **heap; /* from 1 */
	uint32_t heap_count;
	uint32_t heap_capacity;
	uint32_t turn;	     /* counts the turns, from 1 */
	uint64_t turn_ms;    /* when the loop last woke up */
	uint64_t longest_ms; /* longest turn since loop_take_longest_turn_ms() */
	bool deadlines_run;  /* inside the timer's callback */
	struct lanes *lanes; /* see loop/lanes.h; NULL if not started */
};

/* Called at the end of every turn, just before the loop waits for events: a place to send
 * everything that a turn has queued at once. Embed it; it stays registered until removed. run() may
 * remove any turn_end; those that it adds run from the next turn on. */
struct turn_end {
	struct list node;
	void (*run)(struct turn_end *turn_end);
};

/* Returns 0 or a negative errno. */
__attribute__((warn_unused_result)) int loop_init(struct loop *loop);

/* Runs until loop_stop() or until nothing is left. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* Closes the handles of loop_init() and runs the loop until every handle on it is closed. All other
 * handles must be closed or closing. */
void loop_finish(struct loop *loop);

/* Milliseconds, monotonic, as of the start of this turn. */
uint64_t loop_now_ms(const struct loop *loop);

/* Length of the longest turn since the last call. */
uint64_t loop_take_longest_turn_ms(struct loop *loop);

/* run must be set. Does nothing for a later that waits already. */
void loop_later(struct loop *loop, struct later *later);
void loop_later_init(struct later *later, void (*run)(struct later *later));
/* Does nothing if the later does not wait. */
void loop_later_cancel(struct later *later);

void deadline_init(struct deadline *deadline, void (*run)(struct deadline *deadline));
/* Sets or moves a deadline, in milliseconds from now. With 0 it still runs later; if another
 * deadline's run() sets it, in another turn. */
void deadline_set(struct loop *loop, struct deadline *deadline, uint64_t in_ms);
/* Sets or moves a deadline to a time of loop_now_ms(). */
void deadline_set_at(struct loop *loop, struct deadline *deadline, uint64_t at_ms);
/* Does nothing if the deadline is not set. */
void deadline_clear(struct loop *loop, struct deadline *deadline);
bool deadline_is_set(const struct deadline *deadline);

void turn_end_add(struct loop *loop, struct turn_end *turn_end);
void turn_end_remove(struct turn_end *turn_end);
