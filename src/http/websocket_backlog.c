#include "http/websocket_backlog.h"

void websocket_backlog_init(struct websocket_backlog *backlog)
{
	backlog->bytes = 0;
	for (unsigned i = 0; i < WEBSOCKET_BACKLOG_CLASSES; i++)
		list_init(&backlog->classes[i]);
}

void websocket_backlog_entry_init(struct websocket_backlog_entry *entry)
{
	list_init(&entry->node);
	entry->bytes = 0;
}

/* Of a number above 0: which of its bits is the highest. */
static unsigned class_of(uint32_t bytes)
{
	return 31 - (unsigned)__builtin_clz(bytes);
}

void websocket_backlog_set(struct websocket_backlog *backlog, struct websocket_backlog_entry *entry,
			   size_t bytes)
{
	uint32_t old = entry->bytes;

	if (bytes == old)
		return;
	backlog->bytes += bytes - old;
	entry->bytes = (uint32_t)bytes;
	if (bytes == 0)
		list_remove(&entry->node);
	else if (old == 0 || class_of(old) != class_of(entry->bytes)) {
		list_remove(&entry->node);
		list_append(&backlog->classes[class_of(entry->bytes)], &entry->node);
	}
}

struct websocket_backlog_entry *websocket_backlog_largest(struct websocket_backlog *backlog)
{
	for (unsigned i = WEBSOCKET_BACKLOG_CLASSES; i-- > 0;) {
		if (!list_is_empty(&backlog->classes[i]))
			return container_of(backlog->classes[i].next,
					    struct websocket_backlog_entry, node);
	}
	return NULL;
}
