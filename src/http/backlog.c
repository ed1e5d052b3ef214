#include "http/backlog.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>

/* At most one line a second. */
static void log_drop(struct http_backlog *backlog, size_t bytes)
{
	uint64_t now_s = loop_now_ms(backlog->loop) / 1000;

	if (now_s != backlog->logged_s)
		log_warn("http", "a client was cut off: too much waits for those that do not read",
			 LOG_INT("bytes", (int64_t)bytes));
	backlog->logged_s = now_s;
}

static void on_shed(struct later *later)
{
	struct http_backlog *backlog = container_of(later, struct http_backlog, shed);

	while (http_backlog_is_over(backlog)) {
		struct http_backlog_share *share = http_backlog_largest(backlog);
		struct http_backlog_entry *largest = share ? http_backlog_largest_of(share) : NULL;
		const struct http_backlog_owner *owner;
		size_t pending;

		require(largest); /* all bytes are somebody's */
		owner = backlog->owners[largest->kind];
		pending = owner->pending(largest);
		/* The client may have taken some of the output meanwhile. */
		if (pending < largest->bytes) {
			http_backlog_set(backlog, share, largest, pending);
		} else {
			log_drop(backlog, pending);
			owner->drop(largest);
		}
	}
}

void http_backlog_init(struct http_backlog *backlog, struct loop *loop, size_t bytes_max)
{
	*backlog = (struct http_backlog){.loop = loop, .bytes_max = bytes_max};
	loop_later_init(&backlog->shed, on_shed);
	for (unsigned i = 0; i < HTTP_BACKLOG_CLASSES; i++)
		list_init(&backlog->classes[i]);
	http_backlog_share_init(&backlog->nobodys);
}

void http_backlog_entry_init(struct http_backlog_entry *entry, enum http_backlog_kind kind)
{
	list_init(&entry->node);
	entry->bytes = 0;
	entry->kind = (uint8_t)kind;
}

void http_backlog_share_init(struct http_backlog_share *share)
{
	share->bytes = 0;
	share->classes = NULL;
	list_init(&share->node);
}

/* Index of the highest bit of a number above 0. */
static unsigned highest_bit(size_t bytes)
{
	return 63 - (unsigned)__builtin_clzll(bytes);
}

static unsigned class_of_share(size_t bytes)
{
	unsigned bit = highest_bit(bytes);

	return bit < HTTP_BACKLOG_CLASSES ? bit : HTTP_BACKLOG_CLASSES - 1;
}

/* The lowest is below 4 KiB, the highest from 64 MiB on. */
static unsigned class_of_entry(size_t bytes)
{
	enum { LOWEST_BIT = 11 };
	unsigned bit = highest_bit(bytes);

	if (bit <= LOWEST_BIT)
		return 0;
	bit -= LOWEST_BIT;
	return bit < HTTP_BACKLOG_SHARE_CLASSES ? bit : HTTP_BACKLOG_SHARE_CLASSES - 1;
}

static struct list *make_classes(void)
{
	struct list *classes = memory_alloc(HTTP_BACKLOG_SHARE_CLASSES * sizeof(*classes));

	for (unsigned i = 0; i < HTTP_BACKLOG_SHARE_CLASSES; i++)
		list_init(&classes[i]);
	return classes;
}

/* Puts it at the end of a class. */
static void sort_in(struct list *class, struct list *node)
{
	list_remove(node);
	list_append(class, node);
}

static void set_share(struct http_backlog *backlog, struct http_backlog_share *share, size_t bytes)
{
	size_t old = share->bytes;

	share->bytes = bytes;
	if (bytes == 0) {
		list_remove(&share->node);
		free(share->classes);
		share->classes = NULL;
	} else if (old == 0 || class_of_share(old) != class_of_share(bytes)) {
		sort_in(&backlog->classes[class_of_share(bytes)], &share->node);
	}
}

void http_backlog_set(struct http_backlog *backlog, struct http_backlog_share *share,
		      struct http_backlog_entry *entry, size_t bytes)
{
	uint32_t old = entry->bytes;

	if (bytes == old)
		return;
	if (!share)
		share = &backlog->nobodys;
	if (!share->classes)
		share->classes = make_classes();
	backlog->bytes += bytes - old;
	entry->bytes = (uint32_t)bytes;
	if (bytes == 0)
		list_remove(&entry->node);
	else if (old == 0 || class_of_entry(old) != class_of_entry(bytes))
		sort_in(&share->classes[class_of_entry(bytes)], &entry->node);
	set_share(backlog, share, share->bytes + bytes - old);
	if (http_backlog_is_over(backlog))
		loop_later(backlog->loop, &backlog->shed);
}

static struct list *first_of_highest(struct list *classes, unsigned count)
{
	while (count-- > 0) {
		if (!list_is_empty(&classes[count]))
			return classes[count].next;
	}
	return NULL;
}

struct http_backlog_share *http_backlog_largest(struct http_backlog *backlog)
{
	struct list *node = first_of_highest(backlog->classes, HTTP_BACKLOG_CLASSES);

	return node ? container_of(node, struct http_backlog_share, node) : NULL;
}

struct http_backlog_entry *http_backlog_largest_of(struct http_backlog_share *share)
{
	struct list *node = first_of_highest(share->classes, HTTP_BACKLOG_SHARE_CLASSES);

	return node ? container_of(node, struct http_backlog_entry, node) : NULL;
}

void http_backlog_finish(struct http_backlog *backlog)
{
	struct http_backlog_share *share;

	loop_later_cancel(&backlog->shed);
	while ((share = http_backlog_largest(backlog)))
		set_share(backlog, share, 0);
}
