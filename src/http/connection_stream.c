#include "http/connection_stream.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/connection_answer.h"
#include "http/response_text.h"
#include "http/stream.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK_HEAD_BYTES = 16 + 2 };

struct http_stream {
	struct http_exchange *exchange; /* owned by the stream once the connection is gone */
	const struct http_stream_source *source;
	void *owner;
	struct later later; /* calls the source */
	bool is_stopping;   /* the client is connected, but gets no more */
};

static struct http_connection *connection_of(const struct http_stream *stream)
{
	return stream->exchange->request.connection;
}

static struct http_stream *stream_of(const struct http_connection *connection)
{
	return container_of(connection->exchange->stream_later, struct http_stream, later);
}

static void free_stream(struct http_stream *stream)
{
	loop_later_cancel(&stream->later);
	stream->exchange->stream_later = NULL;
	free(stream);
}

static void call_later(struct http_stream *stream)
{
	loop_later(stream->exchange->loop, &stream->later);
}

/* The client has left: frees the stream and its request. */
static void forget(struct http_stream *stream)
{
	struct http_exchange *exchange = stream->exchange;

	free_stream(stream);
	http_exchange_end(exchange);
	http_exchange_free(exchange);
}

void http_stream_end(struct http_stream *stream)
{
	static const struct str last_chunk = {"0\r\n\r\n", 5};
	struct http_connection *connection = connection_of(stream);
	struct http_exchange *exchange = stream->exchange;

	if (!connection) {
		forget(stream);
		return;
	}
	free_stream(stream);
	http_connection_move(connection, CONNECTION_WRITING);
	if (exchange->is_chunked) {
		exchange->sent_bytes += last_chunk.length;
		if (http_transport_send(connection->transport, &last_chunk, 1, /* copy= */ true) !=
		    0) {
			http_connection_close(connection);
			return;
		}
	}
	http_connection_finish_writing(connection);
}

void http_stream_abort(struct http_stream *stream)
{
	struct http_connection *connection = connection_of(stream);

	if (!connection) {
		forget(stream);
		return;
	}
	free_stream(stream);
	/* Break off the connection: a client of HTTP/1.0 takes a plain end for the end of the
	 * answer. */
	connection->transport->is_broken_off = true;
	http_connection_close(connection);
}

static void on_later(struct later *later)
{
	struct http_stream *stream = container_of(later, struct http_stream, later);
	bool is_over = !connection_of(stream) || stream->is_stopping;

	require_context(stream->exchange->request.request_id.data);
	if (is_over) {
		stream->source->stop(stream, stream->owner);
		http_stream_end(stream);
	} else if (stream->source->proceed) {
		stream->source->proceed(stream, stream->owner); /* may end the stream */
	}
	require_context(NULL);
}

static void stop_later(struct http_stream *stream)
{
	stream->is_stopping = true;
	call_later(stream);
}

/* Watches, after a write, that the client takes it in time. */
static void watch(struct http_stream *stream)
{
	struct http_connection *connection = connection_of(stream);

	http_connection_count_pending(connection);
	if (http_transport_pending(connection->transport) == 0)
		call_later(stream);
	else if (!deadline_is_set(&connection->deadline))
		deadline_set(stream->exchange->loop, &connection->deadline,
			     connection->connections->settings.write_stall_ms / 4 + 1);
}

static void send_parts(struct http_stream *stream, const struct str *parts, unsigned count)
{
	struct http_connection *connection = connection_of(stream);

	for (unsigned i = 0; i < count; i++)
		stream->exchange->sent_bytes += parts[i].length;
	if (http_transport_send(connection->transport, parts, count, /* copy= */ true) != 0)
		http_connection_close(connection);
	else
		watch(stream);
}

static void connection_stream_begin(struct http_stream *stream,
				    const struct http_response *response)
{
	struct http_connection *connection = connection_of(stream);
	struct http_exchange *exchange = stream->exchange;
	struct str rest, head;

	connection->ends = http_connection_must_end(connection, response) || exchange->is_http_1_0;
	exchange->is_streamed = true;
	exchange->is_chunked = !exchange->is_http_1_0 && exchange->request.method != HTTP_HEAD;
	head = response_text(exchange, &connection->connections->date, response, connection->ends,
			     &rest);
	http_connection_move(connection, CONNECTION_STREAMING);
	deadline_clear(exchange->loop, &connection->deadline);
	stream->is_stopping = exchange->request.method == HTTP_HEAD ||
			      (stream->source->is_endless &&
			       (connection->connections->is_retiring || connection->saw_end));
	send_parts(stream, &head, 1);
	if (stream->is_stopping)
		call_later(stream);
}

struct http_stream *http_respond_stream(struct http_request *request,
					const struct http_response *response,
					const struct http_stream_source *source, void *owner)
{
	struct http_exchange *exchange = http_exchange_of(request);
	struct http_stream *stream = memory_zalloc(sizeof(*stream));

	require(response->body.length == 0 && http_status_has_body(response->status));
	http_exchange_answer(exchange, response->status);
	stream->exchange = exchange;
	stream->source = source;
	stream->owner = owner;
	loop_later_init(&stream->later, on_later);
	exchange->stream_later = &stream->later;
	if (source->is_endless)
		http_exchange_count(exchange);
	if (request->connection)
		connection_stream_begin(stream, response);
	else
		call_later(stream);
	return stream;
}

void http_stream_release_request(struct http_stream *stream)
{
	struct http_connection *connection = connection_of(stream);
	struct http_exchange *exchange = stream->exchange;

	/* The parser of the body is freed, too. */
	if (exchange->body_state == EXCHANGE_BODY_UNREAD) {
		exchange->body_state = EXCHANGE_BODY_BROKEN;
		if (connection)
			connection->ends = true;
	}
	stream->exchange = http_exchange_shrink(exchange);
	if (connection)
		connection->exchange = stream->exchange;
}

void http_stream_write(struct http_stream *stream, struct str piece)
{
	struct http_connection *connection = connection_of(stream);
	char head[CHUNK_HEAD_BYTES + 1];
	struct str parts[] = {{head, 0}, piece, STR("\r\n")};
	bool is_chunked = stream->exchange->is_chunked;

	if (!connection || stream->is_stopping || piece.length == 0)
		return;
	if (http_transport_pending(connection->transport) + piece.length >
	    LIMIT_STREAM_PENDING_BYTES) {
		http_connection_close(connection);
		return;
	}
	if (is_chunked)
		parts[0].length = (size_t)snprintf(head, sizeof(head), "%zx\r\n", piece.length);
	send_parts(stream, is_chunked ? parts : parts + 1, is_chunked ? 3 : 1);
}

bool http_stream_is_full(const struct http_stream *stream)
{
	const struct http_connection *connection = connection_of(stream);

	return !connection || stream->is_stopping ||
	       http_transport_pending(connection->transport) >= LIMIT_STREAM_FULL_BYTES;
}

void http_connection_stream_on_flushed(struct http_connection *connection)
{
	call_later(stream_of(connection));
}

bool http_connection_stream_is_endless(const struct http_connection *connection)
{
	return stream_of(connection)->source->is_endless;
}

void http_connection_stream_drain(struct http_connection *connection)
{
	struct http_stream *stream = stream_of(connection);

	if (stream->source->is_endless)
		stop_later(stream);
}
