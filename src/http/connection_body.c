#include "http/connection_body.h"
#include "base/limits.h"
#include "base/require.h"
#include "http/body_pace.h"

/* So much is read before it is looked whether others should get their turn. */
enum { BYTES_IN_A_ROW = 4096, PADDING_OF_A_PIECE = 16, SMALL_PIECE_BYTES = 1024 };

/* Counts padding of the transfer coding like bytes of the body: a body must not be endless, or take
 * endless time, by bytes that nobody keeps. */
static bool count_padding(struct http_connection *connection)
{
	struct http_exchange *exchange = connection->exchange;
	size_t padding = http_parser_padding(exchange->parser) - exchange->body_padding;

	connection->row += (uint32_t)padding / PADDING_OF_A_PIECE;
	exchange->body_padding += padding;
	exchange->body_bytes += padding;
	if (connection->state == CONNECTION_BODY)
		return http_exchange_count_body(exchange, padding,
						connection->connections->settings.bodies_bytes);
	return exchange->body_bytes <= LIMIT_DISCARDED_BODY_BYTES;
}

/* Keeps a piece of a body that the handler wants. */
static bool keep_piece(void *context, struct str piece)
{
	struct http_connection *connection = context;

	connection->row += piece.length < SMALL_PIECE_BYTES;
	connection->exchange->body_bytes += piece.length;
	return http_exchange_add_body(connection->exchange, piece,
				      connection->connections->settings.bodies_bytes);
}

/* Drops a piece of a body that was left unread. */
static bool drop_piece(void *context, struct str piece)
{
	struct http_connection *connection = context;

	connection->row += piece.length < SMALL_PIECE_BYTES;
	connection->exchange->body_bytes += piece.length;
	return connection->exchange->body_bytes <= LIMIT_DISCARDED_BODY_BYTES;
}

void http_connection_fail_body(struct http_connection *connection, int status)
{
	connection->exchange->body_state = EXCHANGE_BODY_BROKEN;
	http_connection_move(connection, CONNECTION_WORKING);
	http_exchange_body_done(connection->exchange, status);
}

/* Moves the deadline after bytes of a body came. Lines of chunks buy no time: there may be five
 * bytes of them for each byte of a body. */
static void move_deadline(struct http_connection *connection, size_t bytes)
{
	struct http_exchange *exchange = connection->exchange;
	uint64_t grace_us = (uint64_t)connection->connections->settings.body_ms * 1000;

	exchange->body_due_us = body_pace_next_us(
	    exchange->body_due_us, loop_now_ms(exchange->loop) * 1000, grace_us, bytes);
	deadline_set_at(exchange->loop, &connection->deadline, exchange->body_due_us / 1000);
}

size_t http_connection_take_body(struct http_connection *connection, struct str data)
{
	struct http_exchange *exchange = connection->exchange;
	bool is_wanted = connection->state == CONNECTION_BODY;
	struct str row = {data.data, data.length < BYTES_IN_A_ROW ? data.length : BYTES_IN_A_ROW};
	size_t used = row.length, before = exchange->body_bytes;
	enum http_body_result result = http_parser_body(
	    exchange->parser, row, is_wanted ? keep_piece : drop_piece, connection, &used);

	if ((result == BODY_MORE || result == BODY_COMPLETE) && !count_padding(connection))
		result = BODY_STOPPED;
	connection->has_more = used < data.length;
	switch (result) {
	case BODY_MORE:
		if (is_wanted)
			move_deadline(connection, exchange->body_bytes - before);
		break;
	case BODY_COMPLETE:
		exchange->body_state = EXCHANGE_BODY_READ;
		if (is_wanted) {
			http_connection_move(connection, CONNECTION_WORKING);
			http_exchange_body_done(exchange, 0);
		} else {
			http_connection_wait(connection);
		}
		break;
	case BODY_MALFORMED:
	case BODY_STOPPED:
		used = data.length;
		if (is_wanted)
			http_connection_fail_body(
			    connection, result == BODY_STOPPED ? exchange->body_stop : 400);
		else
			http_connection_linger(connection);
		break;
	}
	return used;
}

static void start_body(struct http_connection *connection)
{
	static const struct str go_on = {"HTTP/1.1 100 Continue\r\n\r\n", 25};
	struct http_exchange *exchange = connection->exchange;
	bool has_input = connection->has_more || buffer_length(&connection->parked) > 0;

	http_connection_move(connection, CONNECTION_BODY);
	exchange->body_due_us =
	    (loop_now_ms(exchange->loop) + connection->connections->settings.body_ms) * 1000;
	if (exchange->expects_continue && !has_input &&
	    http_transport_send(connection->transport, &go_on, 1, /* copy= */ true) != 0) {
		http_connection_close(connection);
		return;
	}
	exchange->expects_continue = false;
	http_connection_go_on(connection);
}

void http_request_read_body(struct http_request *request, size_t max_bytes,
			    void (*done)(struct http_request *request, int status))
{
	struct http_exchange *exchange = http_exchange_of(request);
	struct http_connection *connection = request->connection;

	require(!exchange->done && !exchange->is_answered);
	exchange->done = done;
	exchange->body_max = max_bytes;
	if (!connection) {
		http_exchange_body_done_later(exchange, 400);
		return;
	}
	switch (exchange->body_state) {
	case EXCHANGE_BODY_NONE:
	case EXCHANGE_BODY_READ:
		http_exchange_body_done_later(exchange, 0);
		break;
	case EXCHANGE_BODY_BROKEN:
		http_exchange_body_done_later(exchange, 400);
		break;
	case EXCHANGE_BODY_UNREAD:
		if (exchange->content_length > max_bytes) {
			http_exchange_body_done_later(exchange, 413);
		} else if (connection->saw_end) {
			exchange->body_state = EXCHANGE_BODY_BROKEN;
			http_exchange_body_done_later(exchange, 400);
		} else {
			start_body(connection);
		}
		break;
	}
}
