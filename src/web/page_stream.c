#include "page_stream.h"

enum {
	TELL_MS = 300,
	/* Two topics of each device that a stream may name, and some more. */
	TOPICS_BYTES_MAX = 32 * 1024,
};

void page_stream_write(struct page_stream *page, const char *event, struct str data)
{
	event_stream_write(&page->stream, event, data);
}

static void write_topics(struct page_stream *page)
{
	struct str rest = buffer_view(&page->topics);
	struct buffer text = {0};
	struct str topic;

	if (page->has_too_many)
		page_stream_write(page, "back", STR("{}"));
	page->has_too_many = false;
	while (str_next(&rest, '\n', &topic)) {
		if (topic.length)
			buffer_printf(&text, "event: changed\ndata: {\"topic\":\"%.*s\"}\n\n",
				      STR_ARG(topic));
	}
	page->told_ms = loop_now_ms(page->stream.loop);
	buffer_finish(&page->topics);
	http_stream_write(page->stream.http, buffer_view(&text));
	buffer_finish(&text);
}

static void on_tell(struct deadline *deadline)
{
	struct page_stream *page = container_of(deadline, struct page_stream, tell);

	if (!event_stream_is_full(&page->stream)) /* else proceed() will be called */
		write_topics(page);
}

static bool waits(const struct page_stream *page, struct str topic)
{
	struct str rest = buffer_view(&page->topics);
	struct str other;

	while (rest.length && str_next(&rest, '\n', &other)) {
		if (str_equal(topic, other))
			return true;
	}
	return false;
}

void page_stream_tell(struct page_stream *page, struct str topic)
{
	uint64_t at_ms = page->told_ms + TELL_MS;

	if (waits(page, topic))
		return;
	if (buffer_length(&page->topics) + topic.length + 1 > TOPICS_BYTES_MAX) {
		page->has_too_many = true;
	} else {
		buffer_append_str(&page->topics, topic);
		buffer_append_char(&page->topics, '\n');
	}
	if (!deadline_is_set(&page->tell))
		deadline_set_at(page->stream.loop, &page->tell, at_ms);
}

void page_stream_proceed(struct page_stream *page)
{
	if (buffer_length(&page->topics) && !deadline_is_set(&page->tell))
		write_topics(page);
}

void page_stream_init(struct page_stream *page, struct loop *loop)
{
	list_init(&page->to_check);
	event_stream_init(&page->stream, loop);
	deadline_init(&page->tell, on_tell);
}

void page_stream_finish(struct page_stream *page)
{
	event_stream_finish(&page->stream);
	deadline_clear(page->stream.loop, &page->tell);
	buffer_finish(&page->topics);
}
