/* Children of a process in which another program takes over: see main/handover.h. */
#pragma once

#include "main/child_log.h"
#include "main/children.h"
#include "main/handover.h"

/* Call it instead of children_start(): the children run already, and missing ones are started when
 * they are due. Returns false if the table has no such child. */
__attribute__((warn_unused_result)) bool
children_adopt(struct children *children, const struct handover *handover, uint64_t now_ms);

void children_hand_over(const struct children *children, struct handover *handover);

/* Returns NULL if each child that is kept runs, nothing is being prepared, and none is new or
 * draining. Else returns what is missing; the text may lie in *text. */
const char *children_wait_for(const struct children *children, struct child_message *text);
