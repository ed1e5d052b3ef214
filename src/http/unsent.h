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

enum { HTTP_UNSENT_CLASSES = 32, HTTP_UNSENT_SHARE_CLASSES = 16 };

struct http_unsent_entry;

/* Type of the object that embeds the entry. */
enum http_unsent_kind { HTTP_UNSENT_ANSWER, HTTP_UNSENT_WEBSOCKET, HTTP_UNSENT_KINDS };

struct http_unsent_owner {
	/* Bytes of memory that the entry's unsent output takes now. */
	size_t (*pending)(const struct http_unsent_entry *entry);
	/* Closes the connection, and with that sets the entry to 0. */
	void (*drop)(struct http_unsent_entry *entry);
};

/* Entries of one address. */
struct http_unsent_share {
	struct list node;
	size_t bytes;	      /* 0: in no class */
	struct list *classes; /* HTTP_UNSENT_SHARE_CLASSES lists; NULL if bytes is 0, as it mostly
				 is */
};

struct http_unsent {
	size_t bytes; /* of all entries */
	size_t bytes_max;
	struct loop *loop;
	struct later shed; /* set while bytes exceeds bytes_max */
	uint64_t logged_s; /* loop time of the last log line about a drop */
	const struct http_unsent_owner *owners[HTTP_UNSENT_KINDS];
	struct list classes[HTTP_UNSENT_CLASSES]; /* of shares */
	struct http_unsent_share nobodys;	  /* share of entries without an address */
};

struct http_unsent_entry {
	struct list node;
	uint32_t bytes; /* as last set; 0: in no class */
	uint8_t kind;	/* enum http_unsent_kind */
};

/* Initializes it. Set the owners of the kinds in use. */
void http_unsent_init(struct http_unsent *unsent, struct loop *loop, size_t bytes_max);
/* Forgets all unsent output; drops nothing any more. */
void http_unsent_finish(struct http_unsent *unsent);
void http_unsent_entry_init(struct http_unsent_entry *entry, enum http_unsent_kind kind);
void http_unsent_share_init(struct http_unsent_share *share);

/* Sets an entry's bytes of unsent output. share: of its address, the same until bytes is 0 again;
 * NULL: it has none. If the total is too large, some entries are dropped later in this turn, and
 * never during the call. With 0 the entry is in no list and may be freed, as may a share without
 * entries. */
void http_unsent_set(struct http_unsent *unsent, struct http_unsent_share *share,
		     struct http_unsent_entry *entry, size_t bytes);

/* Whether the total is too large. It will not be in the next turn. */
static inline bool http_unsent_is_over(const struct http_unsent *unsent)
{
	return unsent->bytes > unsent->bytes_max;
}

/* The share with most bytes, to a factor of two; NULL if nothing waits. */
struct http_unsent_share *http_unsent_largest(struct http_unsent *unsent);
/* The entry with most bytes, to a factor of two, from 4 KiB on, of a share that has one. */
struct http_unsent_entry *http_unsent_largest_of(struct http_unsent_share *share);
