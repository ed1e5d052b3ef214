/* What waits for the WebSockets of a worker, all together: where it is too much, the one for which
 * most waits is dropped, and not the one that happens to be sent something.
 *
 * The entries lie in classes by the power of two of their bytes. The largest is the longest waiting
 * one of the highest class: nothing is searched, however many WebSockets there are. */
#pragma once

#include "base/list.h"

#include <stddef.h>
#include <stdint.h>

enum { WEBSOCKET_BACKLOG_CLASSES = 32 };

struct websocket_backlog {
	size_t bytes; /* of all entries */
	struct list classes[WEBSOCKET_BACKLOG_CLASSES];
};

/* Embedded in a WebSocket. */
struct websocket_backlog_entry {
	struct list node;
	uint32_t bytes; /* as last told; in no class where it is 0 */
};

void websocket_backlog_init(struct websocket_backlog *backlog);
void websocket_backlog_entry_init(struct websocket_backlog_entry *entry);

/* So many bytes wait for this one now. With 0 the entry is in no list and may go. */
void websocket_backlog_set(struct websocket_backlog *backlog, struct websocket_backlog_entry *entry,
			   size_t bytes);

/* The entry with most bytes, to a factor of two; NULL where nothing waits. */
struct websocket_backlog_entry *websocket_backlog_largest(struct websocket_backlog *backlog);
