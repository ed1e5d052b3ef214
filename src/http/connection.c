#include "http/connection.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/client_address.h"
#include "http/connection_answer.h"
#include "http/connection_body.h"
#include "http/connection_stream.h"
#include "http/listener.h"

/* Requests of one connection that are answered in a row before others get their turn: a tenth of a
 * millisecond if answered from memory. */
enum { REQUESTS_IN_A_ROW = 8 };

void http_connection_retire(struct http_connection *connection)
{
	if (connection->state == CONNECTION_STREAMING)
		http_connection_stream_drain(connection);
}

void http_connection_drain(struct http_connection *connection)
{
	http_connection_retire(connection);
	if (connection->state == CONNECTION_DISCARDING) /* its answer is written */
		http_connection_linger(connection);
	else
		http_connection_go_on(connection);
}

static void find_remote(struct http_connection *connection)
{
	const struct http_proxies *proxies = connection->connections->settings.proxies;
	size_t length = http_transport_address(connection->transport, connection->remote);

	connection->remote_length = (uint8_t)length;
	connection->is_proxy =
	    proxies && proxies->count > 0 &&
	    http_proxies_have_peer(proxies, (struct str){connection->remote, length});
}

static void begin_request(struct http_connection *connection)
{
	const struct http_connections *connections = connection->connections;
	const struct http_server_settings *settings = &connections->settings;
	bool is_logged = connection->listener->role == HTTP_ROLE_PUBLIC
			     ? settings->access_log
			     : settings->admin_access_log;

	if (connection->remote_length == 0)
		find_remote(connection);
	connection->exchange = http_exchange_create(connection, connections->loop, is_logged);
	http_connection_move(connection, CONNECTION_HEAD);
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

static void set_remote_address(const struct http_connection *connection,
			       struct http_request *request)
{
	const struct str peer = {connection->remote, connection->remote_length};

	request->remote_address = peer;
	if (connection->is_proxy)
		request->remote_address =
		    http_client_address(connection->connections->settings.proxies, peer, request);
	/* The request may outlive the connection. */
	if (request->remote_address.data == peer.data)
		request->remote_address = arena_copy(&request->arena, peer);
}

static size_t take_head(struct http_connection *connection, struct str data)
{
	struct http_exchange *exchange = connection->exchange;
	struct http_protocol_error error;
	size_t start;
	size_t used;

	error = head_scan(&exchange->scan, data, &start, &used);
	http_exchange_add_head(exchange, (struct str){data.data + start, used - start});
	connection->has_more = used < data.length;
	if (!error.kind && exchange->scan.is_complete)
		error = http_exchange_parse_head(exchange);
	if (error.kind) {
		http_connection_reject(connection, error);
		return used;
	}
	if (!exchange->scan.is_complete)
		return used;
	set_remote_address(connection, &exchange->request);
	http_exchange_set_id(exchange, &connection->connections->ids);
	http_connection_move(connection, CONNECTION_WORKING);
	call_handler(connection);
	return used;
}

static size_t take_lingering(struct http_connection *connection, struct str data)
{
	connection->lingered_bytes += (uint32_t)data.length;
	if (connection->lingered_bytes > LIMIT_LINGER_BYTES)
		http_connection_close(connection);
	return data.length;
}

/* Begins to count pieces anew if the last row began long enough ago. */
static void begin_row(struct http_connection *connection)
{
	uint32_t now_ms = (uint32_t)loop_now_ms(connection->connections->loop);

	if (now_ms - connection->row_ms < CONNECTION_ROW_MS)
		return;
	connection->row = 0;
	connection->row_ms = now_ms;
}

static bool is_in_body(const struct http_connection *connection)
{
	return connection->state == CONNECTION_BODY || connection->state == CONNECTION_DISCARDING;
}

/* Processes the client's bytes as far as the state allows; returns how many. */
static size_t take(struct http_connection *connection, struct str data)
{
	unsigned requests = 0;
	size_t used = 0;

	connection->is_taking = true;
	begin_row(connection);
	while (used < data.length &&
	       (!is_in_body(connection) || connection->row < CONNECTION_PIECES_IN_A_ROW)) {
		struct str rest = str_from_offset(data, used);

		if (connection->state == CONNECTION_IDLE) {
			/* Too much unsent output: cut off some clients before adding another
			 * answer. */
			if (++requests > REQUESTS_IN_A_ROW ||
			    http_unsent_is_over(&connection->connections->unsent))
				break;
			begin_request(connection);
		}
		if (connection->state == CONNECTION_HEAD)
			used += take_head(connection, rest);
		else if (is_in_body(connection))
			used += http_connection_take_body(connection, rest);
		else if (connection->state == CONNECTION_LINGERING)
			used += take_lingering(connection, rest);
		else
			break;
	}
	connection->is_taking = false;
	connection->has_more = false;
	return used;
}

/* Ends the connection after a WebSocket took the transport; the bytes after the request are its
 * first input. */
static void finish_upgrade(struct http_connection *connection, struct str rest)
{
	struct http_transport *transport = connection->transport;

	if (rest.length)
		transport->events->on_data(transport, rest);
	http_connection_free(connection);
}

static void on_data(struct http_transport *transport, struct str data)
{
	struct http_connection *connection = transport->owner;
	size_t used = 0;

	/* If bytes are parked, reading was stopped, and this read was already under way. */
	if (buffer_length(&connection->parked) == 0)
		used = take(connection, data);
	if (connection->state == CONNECTION_UPGRADED) {
		finish_upgrade(connection, str_from_offset(data, used));
		return;
	}
	if (connection->state != CONNECTION_CLOSING)
		buffer_append_str(&connection->parked, str_from_offset(data, used));
	http_connection_go_on(connection);
}

static void on_later(struct later *later)
{
	struct http_connection *connection = container_of(later, struct http_connection, later);
	size_t used = take(connection, buffer_view(&connection->parked));

	buffer_consume(&connection->parked, used);
	if (connection->state == CONNECTION_UPGRADED)
		finish_upgrade(connection, buffer_view(&connection->parked));
	else
		http_connection_go_on(connection);
}

static void on_end(struct http_transport *transport, int error)
{
	struct http_connection *connection = transport->owner;

	connection->saw_end = true;
	if (error) {
		http_connection_close(connection);
		return;
	}
	switch ((enum http_connection_state)connection->state) {
	case CONNECTION_WORKING: /* the client may still wait for its answer */
		break;
	case CONNECTION_STREAMING:
		if (http_connection_stream_is_endless(connection))
			http_connection_close(connection);
		connection->ends = true;
		break;
	case CONNECTION_WRITING:
		connection->ends = true;
		break;
	case CONNECTION_BODY:
		http_connection_fail_body(connection, 400);
		break;
	default:
		http_connection_close(connection);
		break;
	}
}

static void connection_on_deadline(struct deadline *deadline)
{
	struct http_connection *connection =
	    container_of(deadline, struct http_connection, deadline);
	const struct http_server_settings *limits = &connection->connections->settings;

	switch ((enum http_connection_state)connection->state) {
	case CONNECTION_HEAD:
		if (connection->exchange->scan.length)
			http_connection_reject(
			    connection,
			    HTTP_PROTOCOL_ERROR(PROBLEM_HEAD_TOO_SLOW, "the head came too slowly"));
		else
			http_connection_close(connection);
		break;
	case CONNECTION_BODY:
		http_connection_fail_body(connection, 408);
		break;
	case CONNECTION_WORKING:
		break;
	case CONNECTION_STREAMING:
	case CONNECTION_WRITING:
		if (http_transport_is_stalled(connection->transport, limits->write_stall_ms)) {
			http_connection_close(connection);
		} else if (http_transport_pending(connection->transport)) {
			http_connection_count_pending(connection);
			deadline_set(connection->connections->loop, deadline,
				     limits->write_stall_ms / 4 + 1);
		}
		break;
	case CONNECTION_DISCARDING:
		http_connection_linger(connection);
		break;
	default:
		http_connection_close(connection);
		break;
	}
}

static void on_flushed(struct http_transport *transport)
{
	struct http_connection *connection = transport->owner;

	http_connection_count_pending(connection);
	/* Nothing to do in other states: a "100 Continue" was written. */
	if (connection->state == CONNECTION_WRITING)
		http_connection_on_written(connection);
	else if (connection->state == CONNECTION_STREAMING)
		http_connection_stream_on_flushed(connection);
}

static void on_closed(struct http_transport *transport)
{
	http_connection_free(transport->owner);
}

static const struct http_transport_events transport_events = {
    .on_data = on_data,
    .on_end = on_end,
    .on_flushed = on_flushed,
    .on_closed = on_closed,
};

void http_connection_create(struct http_connections *connections,
			    const struct http_listener_settings *listener,
			    struct http_transport *transport)
{
	struct http_connection *connection = memory_zalloc(sizeof(*connection));

	connection->connections = connections;
	connection->transport = transport;
	connection->listener = listener;
	transport->owner = connection;
	transport->events = &transport_events;
	find_remote(connection);
	list_append(&connections->all, &connection->node);
	connections->count++;
	loop_later_init(&connection->later, on_later);
	http_unsent_entry_init(&connection->unsent, HTTP_UNSENT_ANSWER);
	deadline_init(&connection->deadline, connection_on_deadline);
	deadline_set(connections->loop, &connection->deadline, connections->settings.idle_ms);
	http_transport_set_reading(transport, true);
}
