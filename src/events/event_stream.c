#include "events/event_stream.h"
#include "base/buffer.h"

static void write_event(struct event_stream *stream, const char *event, struct str id,
			struct str data)
{
	struct buffer text = {0};

	if (id.length)
		buffer_printf(&text, "id: %.*s\n", STR_ARG(id));
	buffer_printf(&text, "event: %s\ndata: %.*s\n\n", event, STR_ARG(data));
	http_stream_write(stream->http, buffer_view(&text));
	buffer_finish(&text);
}

void event_stream_write_retry(struct event_stream *stream, unsigned retry_ms)
{
	struct buffer text = {0};

	buffer_printf(&text, "retry: %u\n\n", retry_ms);
	http_stream_write(stream->http, buffer_view(&text));
	buffer_finish(&text);
}

void event_stream_write(struct event_stream *stream, const char *event, struct str data)
{
	write_event(stream, event, (struct str){0}, data);
}

void event_stream_write_kept(struct event_stream *stream, const char *event, struct str id,
			     struct str data)
{
	write_event(stream, event, id, data);
}

/* Only a write detects a client that vanished, and only received data shows the client that the
 * server is alive. The ping is an event, since browsers do not pass comments to their pages.
 */
static void on_ping(struct deadline *deadline)
{
	struct event_stream *stream = container_of(deadline, struct event_stream, ping);

	deadline_set(stream->loop, deadline, EVENT_PING_MS);
	event_stream_write(stream, "ping", STR("{}"));
}

void event_stream_init(struct event_stream *stream, struct loop *loop)
{
	stream->loop = loop;
	deadline_init(&stream->ping, on_ping);
	deadline_set(loop, &stream->ping, EVENT_PING_MS);
}

void event_stream_finish(struct event_stream *stream)
{
	deadline_clear(stream->loop, &stream->ping);
}
