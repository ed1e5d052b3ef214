#include "base/memory.h"
#include "base/require.h"
#include "http/stream.h"
#include "http_test_server.h"

#include <stdlib.h>

/* GET /stream?pieces=N&bytes=N: each piece has the length bytes or, without it, one byte more
 * than the previous one. flood=1 writes all at once, abort=1 aborts instead of ending. */
struct source {
	unsigned piece;
	unsigned pieces;
	size_t bytes;
	bool is_flooding;
	bool is_aborting;
};

static void end_stream(struct http_stream *stream, struct source *source)
{
	counts.streams--;
	if (source->is_aborting)
		http_stream_abort(stream);
	else
		http_stream_end(stream);
}

static void proceed_with_pieces(struct http_stream *stream, void *owner)
{
	struct source *source = owner;

	do {
		if (source->piece == source->pieces) {
			end_stream(stream, source);
			return;
		}
		source->piece++;
		counts.pieces++;
		http_stream_write(stream,
				  (struct str){big, source->bytes ? source->bytes : source->piece});
	} while (source->is_flooding || (source->piece % 2 && !http_stream_is_full(stream)));
}

static void on_stopped(struct http_stream *stream, void *owner)
{
	struct source *source = owner;

	(void)stream;
	require(source->piece <= source->pieces); /* its memory is still there */
	counts.streams--;
	counts.streams_stopped++;
}

void handle_stream(struct http_request *request)
{
	static const struct http_stream_source pieces = {.proceed = proceed_with_pieces,
							 .stop = on_stopped};
	struct http_response response = {.status = 200, .content_type = STR("text/plain")};
	struct source *source = arena_zalloc(&request->arena, sizeof(*source));

	source->pieces = (unsigned)query_number(request, STR("pieces"));
	source->bytes = query_number(request, STR("bytes"));
	source->is_flooding = query_number(request, STR("flood"));
	source->is_aborting = query_number(request, STR("abort"));
	counts.streams++;
	http_respond_stream(request, &response, &pieces, source);
}

/* GET /events stays open; GET /publish?text=... sends to all of these. */
struct subscriber {
	struct list node;
	struct http_stream *stream;
};

static struct list subscribers = {&subscribers, &subscribers};

static void on_unsubscribed(struct http_stream *stream, void *owner)
{
	struct subscriber *subscriber = owner;

	require(subscriber->stream == stream);
	list_remove(&subscriber->node);
	free(subscriber);
	counts.streams--;
	counts.streams_stopped++;
}

void handle_events(struct http_request *request)
{
	static const struct http_stream_source events = {.stop = on_unsubscribed,
							 .is_endless = true};
	struct http_response response = {.status = 200, .content_type = STR("text/event-stream")};
	struct subscriber *subscriber = memory_zalloc(sizeof(*subscriber));
	bool is_kept = query_number(request, STR("keep"));

	request->log_account = STR("ada");
	list_append(&subscribers, &subscriber->node);
	counts.streams++;
	subscriber->stream = http_respond_stream(request, &response, &events, subscriber);
	if (!is_kept)
		http_stream_release_request(subscriber->stream);
}

void handle_publish(struct http_request *request)
{
	struct str text = http_request_query(request, STR("text"));

	list_for_each (node, &subscribers)
		http_stream_write(container_of(node, struct subscriber, node)->stream, text);
	respond_text(request, 200, STR("published\n"));
}
