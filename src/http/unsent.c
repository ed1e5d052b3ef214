#include "http/unsent.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>

/* At most one line a second. */
static void log_drop(struct http_unsent *unsent, size_t bytes)
{
	uint64_t now_s = loop_now_ms(unsent->loop) / 1000;

	if (now_s != unsent->logged_s)
		log_warn("http", "closed slow client: unsent output over limit",
			 LOG_INT("bytes", (int64_t)bytes));
	unsent->logged_s = now_s;
}

static void on_shed(struct later *later)
{
	struct http_unsent *unsent = container_of(later, struct http_unsent, shed);

	while (http_unsent_is_over(unsent)) {
		struct http_unsent_share *share = http_unsent_largest(unsent);
		struct http_unsent_entry *largest = share ? http_unsent_largest_of(share) : NULL;
		const struct http_unsent_owner *owner;
		size_t pending;

		require(largest); /* all bytes are somebody's */
		owner = unsent->owners[largest->kind];
		pending = owner->pending(largest);
		/* The client may have taken some of the output meanwhile. */
		if (pending < largest->bytes) {
			http_unsent_set(unsent, share, largest, pending);
		} else {
			log_drop(unsent, pending);
			owner->drop(largest);
		}
	}
}

void http_unsent_init(struct http_unsent *unsent, struct loop *loop, size_t bytes_max)
{
	*unsent = (struct http_unsent){.loop = loop, .bytes_max = bytes_max};
	loop_later_init(&unsent->shed, on_shed);
	for (unsigned i = 0; i < HTTP_UNSENT_CLASSES; i++)
		list_init(&unsent->classes[i]);
	http_unsent_share_init(&unsent->nobodys);
}

void http_unsent_entry_init(struct http_unsent_entry *entry, enum http_unsent_kind kind)
{
	list_init(&entry->node);
	entry->bytes = 0;
	entry->kind = (uint8_t)kind;
}

void http_unsent_share_init(struct http_unsent_share *share)
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

	return bit < HTTP_UNSENT_CLASSES ? bit : HTTP_UNSENT_CLASSES - 1;
}

/* The lowest is below 4 KiB, the highest from 64 MiB on. */
static unsigned class_of_entry(size_t bytes)
{
	enum { LOWEST_BIT = 11 };
	unsigned bit = highest_bit(bytes);

	if (bit <= LOWEST_BIT)
		return 0;
	bit -= LOWEST_BIT;
	return bit < HTTP_UNSENT_SHARE_CLASSES ? bit : HTTP_UNSENT_SHARE_CLASSES - 1;
}

static struct list *make_classes(void)
{
	struct list *classes = memory_alloc(HTTP_UNSENT_SHARE_CLASSES * sizeof(*classes));

	for (unsigned i = 0; i < HTTP_UNSENT_SHARE_CLASSES; i++)
		list_init(&classes[i]);
	return classes;
}

/* Puts it at the end of a class. */
static void sort_in(struct list *class, struct list *node)
{
	list_remove(node);
	list_append(class, node);
}

static void set_share(struct http_unsent *unsent, struct http_unsent_share *share, size_t bytes)
{
	size_t old = share->bytes;

	share->bytes = bytes;
	if (bytes == 0) {
		list_remove(&share->node);
		free(share->classes);
		share->classes = NULL;
	} else if (old == 0 || class_of_share(old) != class_of_share(bytes)) {
		sort_in(&unsent->classes[class_of_share(bytes)], &share->node);
	}
}

void http_unsent_set(struct http_unsent *unsent, struct http_unsent_share *share,
		     struct http_unsent_entry *entry, size_t bytes)
{
	uint32_t old = entry->bytes;

	if (bytes == old)
		return;
	if (!share)
		share = &unsent->nobodys;
	if (!share->classes)
		share->classes = make_classes();
	unsent->bytes += bytes - old;
	entry->bytes = (uint32_t)bytes;
	if (bytes == 0)
		list_remove(&entry->node);
	else if (old == 0 || class_of_entry(old) != class_of_entry(bytes))
		sort_in(&share->classes[class_of_entry(bytes)], &entry->node);
	set_share(unsent, share, share->bytes + bytes - old);
	if (http_unsent_is_over(unsent))
		loop_later(unsent->loop, &unsent->shed);
}

static struct list *first_of_highest(struct list *classes, unsigned count)
{
	while (count-- > 0) {
		if (!list_is_empty(&classes[count]))
			return classes[count].next;
	}
	return NULL;
}

struct http_unsent_share *http_unsent_largest(struct http_unsent *unsent)
{
	struct list *node = first_of_highest(unsent->classes, HTTP_UNSENT_CLASSES);

	return node ? container_of(node, struct http_unsent_share, node) : NULL;
}

struct http_unsent_entry *http_unsent_largest_of(struct http_unsent_share *share)
{
	struct list *node = first_of_highest(share->classes, HTTP_UNSENT_SHARE_CLASSES);

	return node ? container_of(node, struct http_unsent_entry, node) : NULL;
}

void http_unsent_finish(struct http_unsent *unsent)
{
	struct http_unsent_share *share;

	loop_later_cancel(&unsent->shed);
	while ((share = http_unsent_largest(unsent)))
		set_share(unsent, share, 0);
}
