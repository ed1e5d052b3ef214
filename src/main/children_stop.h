/* End of children: its log lines, and the order in which they stop (main/children.h). */
#pragma once

#include "main/children.h"

#define for_each_child(one, children)                                                              \
	for (struct child *one = (children)->all, *one##_end = one + (children)->count;            \
	     one != one##_end; one++)

/* Counts and logs the unexpected end of a child. */
void children_log_unexpected_end(const struct child *child, int status);
/* Kills a child. why: text of the log line */
void children_kill(const struct children *children, const struct child *child, const char *why);

/* Asks the children of the lowest order to stop; the phase is CHILDREN_STOP, or CHILDREN_END if
 * none runs.
 */
void children_begin_stop(struct children *children, uint64_t now_ms);
/* Functions of this phase. The second one returns when to call it again. */
void children_note_end_at_stop(struct children *children, const struct child *child, int status,
			       uint64_t now_ms);
uint64_t children_keep_stopping(struct children *children, uint64_t now_ms);
