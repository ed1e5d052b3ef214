/* Intrusive doubly linked list with a head. A node that is in no list points to itself. */
#pragma once

#include "base/memory.h"

#include <stdbool.h>

struct list {
	struct list *next;
	struct list *previous;
};

static inline void list_init(struct list *node)
{
	node->next = node->previous = node;
}

static inline bool list_is_empty(const struct list *head)
{
	return head->next == head;
}

/* Whether the node is in a list. */
static inline bool list_is_linked(const struct list *node)
{
	return node->next != node;
}

static inline void list_append(struct list *head, struct list *node)
{
	node->previous = head->previous;
	node->next = head;
	head->previous->next = node;
	head->previous = node;
}

/* Takes the node out of its list, if it is in one. */
static inline void list_remove(struct list *node)
{
	node->next->previous = node->previous;
	node->previous->next = node->next;
	list_init(node);
}

/* Takes the first node off; NULL if the list is empty. */
static inline struct list *list_take_first(struct list *head)
{
	struct list *node = head->next;

	if (node == head)
		return NULL;
	list_remove(node);
	return node;
}

/* Moves all nodes of from to the end of to. */
static inline void list_move_all(struct list *to, struct list *from)
{
	if (list_is_empty(from))
		return;
	from->next->previous = to->previous;
	to->previous->next = from->next;
	from->previous->next = to;
	to->previous = from->previous;
	list_init(from);
}

/* Walks a list; the body may remove the current node. */
#define list_for_each(node, head)                                                                  \
	for (struct list *node = (head)->next, *node##_next = node->next; node != (head);          \
	     node = node##_next, node##_next = node->next)
