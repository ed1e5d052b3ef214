#include "main/children_adopt.h"

#include <stdio.h>
#include <string.h>

static bool adopt_one(struct children *children, const struct handover_child *from, uint64_t now_ms)
{
	for (unsigned i = 0; i < children->count; i++) {
		struct child *child = &children->all[i];

		if (child->index != from->index || strcmp(child->kind->name, from->name) != 0)
			continue;
		/* In another shared memory, the heartbeat is no longer visible. */
		child_note_start(child, from->pid,
				 child->kind->heartbeat
				     ? child->kind->heartbeat(children->instance, child->index)
				     : 0,
				 now_ms);
		child->role = (enum child_role)from->role;
		child->retire_at_ms = now_ms + child->kind->retire_ms;
		return true;
	}
	return false;
}

static unsigned count_roles(const struct children *children, const struct child_kind *kind,
			    enum child_role role)
{
	unsigned count = 0;

	for (unsigned i = 0; i < children->count; i++)
		count += children->all[i].kind == kind && children->all[i].role == role;
	return count;
}

/* Starts children that had ended before the handover, in free places. */
static void make_up_for_missing(struct children *children)
{
	for (unsigned i = 0; i < children->count; i++) {
		struct child *child = &children->all[i];

		if (child->kind->is_renewed && child->role == CHILD_UNUSED &&
		    count_roles(children, child->kind, CHILD_CURRENT) <
			child->kind->count(children->instance))
			child->role = CHILD_CURRENT;
	}
}

bool children_adopt(struct children *children, const struct handover *handover, uint64_t now_ms)
{
	children->phase = CHILDREN_RUN;
	children->has_been_ready = true;
	children->next_kind = children->kind_count;
	for (unsigned i = 0; i < children->count; i++)
		if (children->all[i].kind->is_renewed)
			children->all[i].role = CHILD_UNUSED;
	for (unsigned i = 0; i < handover->child_count; i++)
		if (!adopt_one(children, &handover->children[i], now_ms))
			return false;
	make_up_for_missing(children);
	return true;
}

void children_hand_over(const struct children *children, struct handover *handover)
{
	handover->child_count = 0;
	for (unsigned i = 0; i < children->count; i++) {
		const struct child *child = &children->all[i];
		struct handover_child *to = &handover->children[handover->child_count];

		if (!child->pid || handover->child_count == HANDOVER_CHILDREN_MAX)
			continue;
		*to = (struct handover_child){
		    .index = child->index, .pid = child->pid, .role = (int)child->role};
		snprintf(to->name, sizeof(to->name), "%s", child->kind->name);
		handover->child_count++;
	}
}

const char *children_wait_for(const struct children *children, struct child_message *text)
{
	if (children->phase != CHILDREN_RUN || children->renewal != RENEWAL_NONE)
		return "processes are being replaced";
	for (unsigned i = 0; i < children->count; i++) {
		const struct child *child = &children->all[i];

		if (child->role == CHILD_DRAINING)
			return child_message(text, child, "is finishing requests");
		if (child->kind->is_kept && child->role == CHILD_CURRENT && !child->pid &&
		    !child->is_given_up)
			return child_message(text, child, "is not running");
		if (!child->kind->is_kept && child->pid)
			return child_message(text, child, "is still running");
	}
	return NULL;
}
