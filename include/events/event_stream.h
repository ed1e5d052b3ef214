/* Writer of server-sent events (text/event-stream), with a ping every 15 s. */
#pragma once

#include "http/stream.h"
#include "loop/loop.h"

#include <text/str.h>

enum { EVENT_PING_MS = 15 * 1000 };

/* Stream of events. Embed it in the owner of the http stream. */
struct event_stream {
	struct loop *loop;
	struct http_stream *http; /* set by task_hand_over() */
	struct deadline ping;
};

void event_stream_init(struct event_stream *stream, struct loop *loop);
/* Clears the ping. The http stream ends on its own, or by http_stream_end(). */
void event_stream_finish(struct event_stream *stream);

/* Writes how long a client waits before it reconnects. Write it first. */
void event_stream_write_retry(struct event_stream *stream, unsigned retry_ms);
/* Writes an event; data: a JSON object. */
void event_stream_write(struct event_stream *stream, const char *event, struct str data);
/* Writes an event with a line "id:", which the client sends back as Last-Event-ID. */
void event_stream_write_kept(struct event_stream *stream, const char *event, struct str id,
			     struct str data);
/* Whether to write no more until proceed() is called. */
static inline bool event_stream_is_full(const struct event_stream *stream)
{
	return http_stream_is_full(stream->http);
}
