/* The end of children: how it is told, and the order in which they stop (main/children.h). */
#pragma once

#include "main/children.h"

#define for_each_child(one, children)                                                              \
	for (struct child *one = (children)->all, *one##_end = one + (children)->count;            \
	     one != one##_end; one++)

/* Counts and logs the end of one that was to go on. */
void children_log_unexpected_end(const struct child *child, int status);
/* why: "hangs: killed" */
void children_kill(const struct children *children, const struct child *child, const char *why);

/* Asks those of the lowest order to stop; the phase is CHILDREN_STOP, or CHILDREN_END if none runs.
 */
void children_begin_stop(struct children *children, uint64_t now_ms);
/* Functions of this phase. The second returns when to call it again. */
void children_note_end_at_stop(struct children *children, const struct child *child, int status,
			       uint64_t now_ms);
uint64_t children_keep_stopping(struct children *children, uint64_t now_ms);
