#include "http/connection.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/server_private.h"

#include <stdlib.h>

/* Requests that one connection may have answered in a row before others get their turn. */
enum { REQUESTS_IN_A_ROW = 64 };

#define BIT(state) (1u << CONNECTION_##state)
/* The states that may follow each. CLOSING may follow all but itself and UPGRADED. */
static const unsigned next_states[] = {
    [CONNECTION_IDLE] = BIT(HEAD),
    [CONNECTION_HEAD] = BIT(WORKING) | BIT(WRITING),
    [CONNECTION_WORKING] = BIT(BODY) | BIT(WRITING) | BIT(UPGRADED),
    [CONNECTION_BODY] = BIT(WORKING) | BIT(WRITING),
    [CONNECTION_WRITING] = BIT(IDLE) | BIT(DISCARDING) | BIT(LINGERING),
    [CONNECTION_DISCARDING] = BIT(IDLE) | BIT(LINGERING),
    [CONNECTION_LINGERING] = 0,
    [CONNECTION_CLOSING] = 0,
    [CONNECTION_UPGRADED] = 0,
};
#undef BIT

/* Every change of state goes through here; each state has its deadline. */
void connection_move(struct http_connection *connection, enum http_connection_state state)
{
	const struct http_server_settings *limits = &connection->server->settings;
	struct loop *loop = connection->server->loop;
	enum http_connection_state old = connection->state;

	require(next_states[old] & (1u << state) ||
		(state == CONNECTION_CLOSING && old < CONNECTION_CLOSING));
	connection->state = (uint8_t)state;
	switch (state) {
	case CONNECTION_IDLE:
		deadline_set(loop, &connection->deadline, limits->idle_ms);
		break;
	case CONNECTION_BODY:
	case CONNECTION_DISCARDING:
		deadline_set(loop, &connection->deadline, limits->body_ms);
		break;
	case CONNECTION_LINGERING:
		deadline_set(loop, &connection->deadline, limits->linger_ms);
		break;
	case CONNECTION_CLOSING:
	case CONNECTION_UPGRADED:
		deadline_clear(loop, &connection->deadline);
		loop_later_cancel(&connection->later);
		break;
	case CONNECTION_HEAD:	 /* set where the head did not come in one piece */
	case CONNECTION_WORKING: /* the handler's time; a deadline left over does nothing */
	case CONNECTION_WRITING: /* set where the answer has to wait */
		break;
	}
}

static void free_connection(struct http_connection *connection)
{
	struct http_server *server = connection->server;

	if (connection->exchange)
		http_exchange_free(connection->exchange);
	buffer_finish(&connection->parked);
	list_remove(&connection->node);
	free(connection);
	http_server_on_connection_gone(server);
}

void http_connection_close(struct http_connection *connection)
{
	struct http_exchange *exchange = connection->exchange;

	if (connection->state >= CONNECTION_CLOSING)
		return;
	if (exchange && connection->state == CONNECTION_HEAD) {
		http_exchange_free(exchange);
		connection->exchange = NULL;
	} else if (exchange && !exchange->is_answered) {
		http_exchange_abandon(exchange);
		connection->exchange = NULL;
	} else if (exchange) {
		http_exchange_log(exchange); /* it stays until nothing is written from it */
	}
	connection_move(connection, CONNECTION_CLOSING);
	http_socket_close(connection->socket);
}

void http_connection_drain(struct http_connection *connection)
{
	bool is_idle =
	    connection->state == CONNECTION_IDLE ||
	    (connection->state == CONNECTION_HEAD && connection->exchange->scan.length == 0);

	if (is_idle && buffer_length(&connection->parked) == 0 &&
	    !http_socket_has_input(connection->socket))
		http_connection_close(connection);
}

static void begin_request(struct http_connection *connection)
{
	struct http_server *server = connection->server;

	connection->exchange =
	    http_exchange_create(connection, server->loop, server->settings.access_log);
	connection_move(connection, CONNECTION_HEAD);
}

static void call_handler(struct http_connection *connection)
{
	const struct http_listener_settings *listener = connection->listener;
	struct http_request *request = &connection->exchange->request;

	request->listener = listener;
	require_context(request->request_id.data);
	listener->on_request(request, listener->context);
	require_context(NULL);
}

static size_t take_head(struct http_connection *connection, struct str data)
{
	struct http_exchange *exchange = connection->exchange;
	struct http_rejection rejection;
	size_t start;
	size_t used;

	rejection = head_scan(&exchange->scan, data, &start, &used);
	http_exchange_add_head(exchange, (struct str){data.data + start, used - start});
	connection->has_more = used < data.length;
	if (!rejection.status && exchange->scan.is_complete)
		rejection = http_exchange_parse_head(exchange);
	if (rejection.status) {
		connection_refuse(connection, rejection);
		return used;
	}
	if (!exchange->scan.is_complete)
		return used;
	exchange->request.remote_address = arena_copy(
	    &exchange->request.arena, (struct str){connection->remote, connection->remote_length});
	http_exchange_set_id(exchange, connection->server);
	connection_move(connection, CONNECTION_WORKING);
	call_handler(connection);
	return used;
}

/* A piece of a body that is wanted. */
static bool keep_piece(void *context, struct str piece)
{
	struct http_exchange *exchange = context;

	exchange->body_bytes += piece.length;
	return http_exchange_add_body(exchange, piece);
}

/* A piece of a body that was left unread. */
static bool drop_piece(void *context, struct str piece)
{
	struct http_exchange *exchange = context;

	exchange->body_bytes += piece.length;
	return exchange->body_bytes <= LIMIT_DISCARDED_BODY_BYTES;
}

/* The body will not come whole; the handler answers, and the connection ends. */
static void fail_body(struct http_connection *connection, int status)
{
	connection->exchange->body_state = EXCHANGE_BODY_BROKEN;
	connection_move(connection, CONNECTION_WORKING);
	http_exchange_body_done(connection->exchange, status);
}

static size_t take_body(struct http_connection *connection, struct str data)
{
	struct http_exchange *exchange = connection->exchange;
	bool is_wanted = connection->state == CONNECTION_BODY;
	size_t used = data.length;
	enum http_body_result result = http_parser_body(
	    exchange->parser, data, is_wanted ? keep_piece : drop_piece, exchange, &used);

	connection->has_more = used < data.length;
	switch (result) {
	case BODY_MORE:
		break;
	case BODY_COMPLETE:
		exchange->body_state = EXCHANGE_BODY_READ;
		if (is_wanted) {
			connection_move(connection, CONNECTION_WORKING);
			http_exchange_body_done(exchange, 0);
		} else {
			connection->exchange = NULL;
			http_exchange_free(exchange);
			connection_move(connection, CONNECTION_IDLE);
		}
		break;
	case BODY_MALFORMED:
	case BODY_STOPPED:
		used = data.length;
		if (is_wanted)
			fail_body(connection, result == BODY_STOPPED ? exchange->body_stop : 400);
		else
			connection_linger(connection);
		break;
	}
	return used;
}

static size_t take_lingering(struct http_connection *connection, struct str data)
{
	connection->lingered_bytes += (uint32_t)data.length;
	if (connection->lingered_bytes > LIMIT_LINGER_BYTES)
		http_connection_close(connection);
	return data.length;
}

/* Uses what it may of the client's bytes; returns how many. */
static size_t take(struct http_connection *connection, struct str data)
{
	unsigned requests = 0;
	size_t used = 0;

	connection->is_taking = true;
	while (used < data.length) {
		struct str rest = str_from_offset(data, used);

		if (connection->state == CONNECTION_IDLE) {
			if (++requests > REQUESTS_IN_A_ROW)
				break;
			begin_request(connection);
		}
		if (connection->state == CONNECTION_HEAD)
			used += take_head(connection, rest);
		else if (connection->state == CONNECTION_BODY ||
			 connection->state == CONNECTION_DISCARDING)
			used += take_body(connection, rest);
		else if (connection->state == CONNECTION_LINGERING)
			used += take_lingering(connection, rest);
		else
			break;
	}
	connection->is_taking = false;
	connection->has_more = false;
	return used;
}

/* The socket is a WebSocket's; what came behind the request is its first input. */
static void finish_upgrade(struct http_connection *connection, struct str rest)
{
	struct http_socket *socket = connection->socket;

	if (rest.length)
		socket->events->on_data(socket, rest);
	free_connection(connection);
}

static void on_data(struct http_socket *socket, struct str data)
{
	struct http_connection *connection = socket->owner;
	size_t used = 0;

	/* Else a read that was on its way when reading was stopped. */
	if (buffer_length(&connection->parked) == 0)
		used = take(connection, data);
	if (connection->state == CONNECTION_UPGRADED) {
		finish_upgrade(connection, str_from_offset(data, used));
		return;
	}
	if (connection->state != CONNECTION_CLOSING)
		buffer_append_str(&connection->parked, str_from_offset(data, used));
	connection_go_on(connection);
}

static void on_later(struct later *later)
{
	struct http_connection *connection = container_of(later, struct http_connection, later);
	size_t used = take(connection, buffer_view(&connection->parked));

	buffer_consume(&connection->parked, used);
	if (connection->state == CONNECTION_UPGRADED)
		finish_upgrade(connection, buffer_view(&connection->parked));
	else
		connection_go_on(connection);
}

/* After anything that may have made bytes usable or wanted. */
void connection_go_on(struct http_connection *connection)
{
	struct http_exchange *exchange = connection->exchange;
	bool is_parked = buffer_length(&connection->parked) > 0;

	if (connection->is_taking || connection->state >= CONNECTION_CLOSING)
		return;
	if (connection->state == CONNECTION_HEAD && !exchange->is_timed) {
		exchange->is_timed = true;
		deadline_set(exchange->loop, &connection->deadline,
			     connection->server->settings.head_ms);
	}
	if (!is_parked)
		buffer_finish(&connection->parked);
	else if (connection->state != CONNECTION_WORKING && connection->state != CONNECTION_WRITING)
		loop_later(connection->server->loop, &connection->later);
	http_socket_set_reading(connection->socket, !is_parked);
}

static void on_end(struct http_socket *socket, int error)
{
	struct http_connection *connection = socket->owner;

	connection->saw_end = true;
	if (error) {
		http_connection_close(connection);
		return;
	}
	switch ((enum http_connection_state)connection->state) {
	case CONNECTION_WORKING: /* it may well be waiting for its answer */
		break;
	case CONNECTION_WRITING:
		connection->ends = true;
		break;
	case CONNECTION_BODY:
		fail_body(connection, 400);
		break;
	default:
		http_connection_close(connection);
		break;
	}
}

static void on_deadline(struct deadline *deadline)
{
	struct http_connection *connection =
	    container_of(deadline, struct http_connection, deadline);
	const struct http_server_settings *limits = &connection->server->settings;

	switch ((enum http_connection_state)connection->state) {
	case CONNECTION_HEAD:
		if (connection->exchange->scan.length)
			connection_refuse(connection, HTTP_REJECT(408, "the head came too slowly"));
		else
			http_connection_close(connection);
		break;
	case CONNECTION_BODY:
		fail_body(connection, 408);
		break;
	case CONNECTION_WORKING:
		break;
	case CONNECTION_WRITING:
		if (http_socket_is_stalled(connection->socket, limits->write_stall_ms))
			http_connection_close(connection);
		else
			deadline_set(connection->server->loop, deadline,
				     limits->write_stall_ms / 4 + 1);
		break;
	case CONNECTION_DISCARDING:
		connection_linger(connection);
		break;
	default:
		http_connection_close(connection);
		break;
	}
}

static void on_flushed(struct http_socket *socket)
{
	struct http_connection *connection = socket->owner;

	/* In other states it was a "100 Continue". */
	if (connection->state == CONNECTION_WRITING)
		connection_on_written(connection);
}

static void on_closed(struct http_socket *socket)
{
	free_connection(socket->owner);
}

static const struct http_socket_events socket_events = {
    .on_data = on_data,
    .on_end = on_end,
    .on_flushed = on_flushed,
    .on_closed = on_closed,
};

void http_connection_create(struct http_server *server,
			    const struct http_listener_settings *listener,
			    struct http_socket *socket)
{
	struct http_connection *connection = memory_zalloc(sizeof(*connection));

	connection->server = server;
	connection->socket = socket;
	socket->owner = connection;
	socket->events = &socket_events;
	connection->remote_length = (uint8_t)http_socket_address(socket, connection->remote);
	list_append(&server->connections, &connection->node);
	server->connection_count++;
	loop_later_init(&connection->later, on_later);
	deadline_init(&connection->deadline, on_deadline);
	deadline_set(server->loop, &connection->deadline, server->settings.idle_ms);
	http_socket_set_reading(socket, true);
}

struct http_socket *http_connection_upgrade(struct http_connection *connection,
					    struct buffer *ret_parked)
{
	struct http_socket *socket = connection->socket;
	struct http_exchange *exchange = connection->exchange;

	connection->exchange = NULL;
	http_exchange_free(exchange);
	connection_move(connection, CONNECTION_UPGRADED);
	*ret_parked = (struct buffer){0};
	if (connection->is_taking)
		return socket; /* finish_upgrade() hands over what is left */
	*ret_parked = connection->parked;
	connection->parked = (struct buffer){0};
	free_connection(connection);
	return socket;
}
