/* The children of a process in which another program takes over: see main/handover.h. */
#pragma once

#include "main/child_log.h"
#include "main/children.h"
#include "main/handover.h"

/* Instead of children_start(): they run already, and those that are missing are started when they
 * are due. False: the table has no such child. */
__attribute__((warn_unused_result)) bool
children_adopt(struct children *children, const struct handover *handover, uint64_t now_ms);

void children_hand_over(const struct children *children, struct handover *handover);

/* NULL: each child that is kept runs, nothing is prepared, and none is fresh or retires. Else what
 * is not so yet; the text may lie in *text. */
const char *children_wait_for(const struct children *children, struct child_message *text);
