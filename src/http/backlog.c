#include "http/backlog.h"
#include "base/log.h"

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
		struct http_backlog_entry *largest = http_backlog_largest(backlog);
		const struct http_backlog_owner *owner = backlog->owners[largest->kind];
		size_t pending = owner->pending(largest);

		/* It may have taken some of it meanwhile. */
		if (pending < largest->bytes) {
			http_backlog_set(backlog, largest, pending);
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
}

void http_backlog_finish(struct http_backlog *backlog)
{
	loop_later_cancel(&backlog->shed);
}

void http_backlog_entry_init(struct http_backlog_entry *entry, enum http_backlog_kind kind)
{
	list_init(&entry->node);
	entry->bytes = 0;
	entry->kind = (uint8_t)kind;
}

/* Of a number above 0: which of its bits is the highest. */
static unsigned class_of(uint32_t bytes)
{
	return 31 - (unsigned)__builtin_clz(bytes);
}

void http_backlog_set(struct http_backlog *backlog, struct http_backlog_entry *entry, size_t bytes)
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
	if (http_backlog_is_over(backlog))
		loop_later(backlog->loop, &backlog->shed);
}

struct http_backlog_entry *http_backlog_largest(struct http_backlog *backlog)
{
	for (unsigned i = HTTP_BACKLOG_CLASSES; i-- > 0;) {
		if (!list_is_empty(&backlog->classes[i]))
			return container_of(backlog->classes[i].next, struct http_backlog_entry,
					    node);
	}
	return NULL;
}
