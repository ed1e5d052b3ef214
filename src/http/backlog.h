/* Limits the unsent output of one worker: HTTP answers and WebSocket messages.
 *
 * Above bytes_max, connections are closed later in the same loop turn until the total fits: first
 * the largest connection of the largest address. So one address with many slow readers does not get
 * other clients closed.
 *
 * Addresses, and the entries of each, are kept in lists by powers of two: finding the largest, to a
 * factor of two, takes constant time. Not thread-safe. */
#pragma once

#include "base/list.h"
#include "loop/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP_BACKLOG_CLASSES = 32, HTTP_BACKLOG_SHARE_CLASSES = 16 };

struct http_backlog_entry;

/* Type of the object that embeds the entry. */
enum http_backlog_kind { HTTP_BACKLOG_ANSWER, HTTP_BACKLOG_WEBSOCKET, HTTP_BACKLOG_KINDS };

struct http_backlog_owner {
	/* Bytes of memory that the entry's unsent output takes now. */
	size_t (*pending)(const struct http_backlog_entry *entry);
	/* Closes the connection, and with that sets the entry to 0. */
	void (*drop)(struct http_backlog_entry *entry);
};

/* The entries of one address. */
struct http_backlog_share {
	struct list node;
	size_t bytes;	      /* in no class where it is 0 */
	struct list *classes; /* HTTP_BACKLOG_SHARE_CLASSES; NULL where it is 0, as it mostly is */
};

struct http_backlog {
	size_t bytes; /* of all entries */
	size_t bytes_max;
	struct loop *loop;
	struct later shed; /* while bytes are more than bytes_max */
	uint64_t logged_s; /* loop time of the last log line on one that was dropped */
	const struct http_backlog_owner *owners[HTTP_BACKLOG_KINDS];
	struct list classes[HTTP_BACKLOG_CLASSES]; /* of shares */
	struct http_backlog_share nobodys;	   /* of those without an address */
};

struct http_backlog_entry {
	struct list node;
	uint32_t bytes; /* as last told; in no class where it is 0 */
	uint8_t kind;	/* enum http_backlog_kind */
};

/* The caller sets the owners of the kinds that it has. */
void http_backlog_init(struct http_backlog *backlog, struct loop *loop, size_t bytes_max);
/* Forgets all unsent output; nothing is dropped any more. */
void http_backlog_finish(struct http_backlog *backlog);
void http_backlog_entry_init(struct http_backlog_entry *entry, enum http_backlog_kind kind);
void http_backlog_share_init(struct http_backlog_share *share);

/* Sets an entry's bytes of unsent output. share: of its address, the same until bytes is 0 again;
 * NULL: it has none. If the total is too large, some entries are dropped later in this turn, and
 * never during the call. With 0 the entry is in no list and may go, and so may a share without
 * entries. */
void http_backlog_set(struct http_backlog *backlog, struct http_backlog_share *share,
		      struct http_backlog_entry *entry, size_t bytes);

/* Whether too much waits for all. It does not any more in the next turn. */
static inline bool http_backlog_is_over(const struct http_backlog *backlog)
{
	return backlog->bytes > backlog->bytes_max;
}

/* The share with most bytes, to a factor of two; NULL where nothing waits. */
struct http_backlog_share *http_backlog_largest(struct http_backlog *backlog);
/* The entry with most bytes, to a factor of two, from 4 KiB on, of a share that has one. */
struct http_backlog_entry *http_backlog_largest_of(struct http_backlog_share *share);
