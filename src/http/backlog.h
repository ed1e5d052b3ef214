/* What waits for the clients of a worker, answers and WebSocket messages together: where it is too
 * much, one of them is dropped. It is the one for which most waits of the address for which most
 * waits, and not the one that happens to be sent something: so an address whose many clients do not
 * read, however little waits for each, has nobody else's dropped.
 *
 * The addresses lie in classes by the power of two of their bytes, and so do the entries of an
 * address. The largest is the longest waiting one of the highest class: nothing is searched,
 * however many clients there are. */
#pragma once

#include "base/list.h"
#include "loop/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP_BACKLOG_CLASSES = 32, HTTP_BACKLOG_SHARE_CLASSES = 16 };

struct http_backlog_entry;

/* Whom an entry is embedded in. */
enum http_backlog_kind { HTTP_BACKLOG_ANSWER, HTTP_BACKLOG_WEBSOCKET, HTTP_BACKLOG_KINDS };

struct http_backlog_owner {
	/* How many bytes of memory are taken by what waits now. */
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
/* What still waits is forgotten, and nothing is dropped any more. */
void http_backlog_finish(struct http_backlog *backlog);
void http_backlog_entry_init(struct http_backlog_entry *entry, enum http_backlog_kind kind);
void http_backlog_share_init(struct http_backlog_share *share);

/* So many bytes wait for this one now. share: of its address, the same until it is 0 again; NULL:
 * it has none. Where it is too much for all, some are dropped later in this turn, and never during
 * the call. With 0 the entry is in no list and may go, and so may a share without entries. */
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
