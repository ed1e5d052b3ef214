#include "http/websocket.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/connection_state.h"
#include "http/websocket_private.h"

#include <stdlib.h>
#include <text/base64.h>

/* Bytes that could not be processed at once: they came before the handshake's answer, or exceed one
 * turn. Nothing is read meanwhile. */
struct websocket_parked {
	struct later later;
	struct websocket *websocket;
	struct buffer bytes;
};

static bool list_has_token(struct str list, struct str token)
{
	struct str piece;

	while (str_next(&list, ',', &piece)) {
		if (str_equal_ignore_case(str_trim(piece), token))
			return true;
	}
	return false;
}

bool websocket_is_handshake(const struct http_request *request)
{
	struct str key = {0};
	struct str version = {0};
	unsigned keys = 0;
	unsigned versions = 0;
	bool upgrades = false;
	bool connects = false;
	uint8_t nonce[24];
	size_t nonce_size;

	for (unsigned i = 0; i < request->field_count; i++) {
		struct str name = request->fields[i].name;
		struct str value = request->fields[i].value;

		if (str_equal_ignore_case(name, STR("upgrade"))) {
			upgrades |= list_has_token(value, STR("websocket"));
		} else if (str_equal_ignore_case(name, STR("connection"))) {
			connects |= list_has_token(value, STR("upgrade"));
		} else if (str_equal_ignore_case(name, STR("sec-websocket-key"))) {
			keys++;
			key = value;
		} else if (str_equal_ignore_case(name, STR("sec-websocket-version"))) {
			versions++;
			version = value;
		}
	}
	/* Check the length, since the decoder skips white space, which is invalid here. */
	return request->method == HTTP_GET && !http_exchange_of(request)->is_http_1_0 &&
	       !request->has_body && upgrades && connects && keys == 1 && versions == 1 &&
	       str_equal(version, STR("13")) && key.length == 24 &&
	       base64_significant(key) == key.length &&
	       base64_decode(key, nonce, &nonce_size) == 0 && nonce_size == 16;
}

static void websocket_on_deadline(struct deadline *deadline)
{
	struct websocket *websocket = container_of(deadline, struct websocket, deadline);
	const struct http_server_settings *limits = &websocket->connections->settings;
	uint64_t now = loop_now_ms(websocket->connections->loop);
	uint8_t ping[WIRE_WEBSOCKET_HEADER_MAX];
	struct str part = {(const char *)ping, wire_websocket_header(WIRE_PING, 0, NULL, ping)};

	if (websocket->is_ending || now >= websocket->heard_ms + limits->silence_ms ||
	    http_transport_is_stalled(websocket->socket, limits->write_stall_ms)) {
		websocket_drop(websocket);
		return;
	}
	if (now >= websocket->ping_ms) {
		websocket->ping_ms = now + limits->ping_ms;
		/* A peer that does not read gets no further pings. */
		if (http_transport_pending(websocket->socket) == 0 &&
		    !websocket_send_raw(websocket, &part, 1))
			return;
	}
	websocket_count_pending(websocket);
	websocket_set_deadline(websocket);
}

/* The peer sent CLOSE, and we answered it. We end TCP first, without a reset that would lose our
 * frame (RFC 6455 section 7.1.1). */
static void end_gracefully(struct websocket *websocket)
{
	websocket->is_ending = true;
	wire_websocket_finish(&websocket->reader);
	if (http_transport_pending(websocket->socket) == 0)
		http_transport_shutdown(websocket->socket);
	deadline_set(websocket->connections->loop, &websocket->deadline,
		     websocket->connections->settings.linger_ms);
}

static void on_turn(struct later *later);

static void park(struct websocket *websocket, struct str data)
{
	struct websocket_parked *parked = memory_zalloc(sizeof(*parked));

	parked->websocket = websocket;
	buffer_append_str(&parked->bytes, data);
	websocket->parked = parked;
	loop_later_init(&parked->later, on_turn);
	loop_later(websocket->connections->loop, &parked->later);
	http_transport_set_reading(websocket->socket, false);
}

/* Takes as much as fits into one turn. Returns the rest, which must wait for the next one. */
static struct str websocket_take(struct websocket *websocket, struct str data)
{
	const struct http_transport *socket = websocket->socket;

	if (socket->is_closing || websocket->is_ending)
		return (struct str){0};
	websocket->heard_ms = loop_now_ms(websocket->connections->loop);
	switch (websocket_reader_feed(websocket, &data)) {
	case WEBSOCKET_READ_ON:
		if (!socket->is_closing)
			return data;
		break;
	case WEBSOCKET_READ_CLOSED:
		if (!socket->is_closing)
			end_gracefully(websocket);
		break;
	case WEBSOCKET_READ_BROKEN:
		websocket_drop(websocket);
		break;
	}
	return (struct str){0};
}

static void on_data(struct http_transport *socket, struct str data)
{
	struct websocket *websocket = socket->owner;
	struct str rest = websocket_take(websocket, data);

	if (rest.length)
		park(websocket, rest);
}

static void on_end(struct http_transport *socket, int error)
{
	(void)error;
	websocket_drop(socket->owner);
}

static void on_flushed(struct http_transport *socket)
{
	struct websocket *websocket = socket->owner;

	websocket_count_pending(websocket);
	if (websocket->is_ending)
		http_transport_shutdown(socket);
	else if (websocket->events->on_drained)
		websocket->events->on_drained(websocket);
}

static void free_parked(struct websocket *websocket)
{
	struct websocket_parked *parked = websocket->parked;

	if (!parked)
		return;
	websocket->parked = NULL;
	loop_later_cancel(&parked->later);
	buffer_finish(&parked->bytes);
	free(parked);
}

static void on_turn(struct later *later)
{
	struct websocket_parked *parked = container_of(later, struct websocket_parked, later);
	struct websocket *websocket = parked->websocket;
	struct str rest = websocket_take(websocket, buffer_view(&parked->bytes));

	if (rest.length) {
		buffer_consume(&parked->bytes, buffer_length(&parked->bytes) - rest.length);
		loop_later(websocket->connections->loop, &parked->later);
		return;
	}
	free_parked(websocket);
	http_transport_set_reading(websocket->socket, true);
}

static void on_closed(struct http_transport *socket)
{
	struct websocket *websocket = socket->owner;

	list_remove(&websocket->upgrade.node);
	free_parked(websocket);
	wire_websocket_finish(&websocket->reader);
	websocket->events->on_closed(websocket);
	free(websocket);
}

static const struct http_transport_events transport_events = {
    .on_data = on_data,
    .on_end = on_end,
    .on_flushed = on_flushed,
    .on_closed = on_closed,
};

static void on_server_closes(struct http_upgrade *upgrade)
{
	websocket_drop(container_of(upgrade, struct websocket, upgrade));
}

static struct str handshake_answer(struct http_request *request, struct http_date *date)
{
	char accept[WIRE_WEBSOCKET_ACCEPT_LENGTH + 1];
	struct str key = http_request_field(request, STR("sec-websocket-key"));

	wire_websocket_accept(key.data, key.length, accept);
	return arena_printf(&request->arena,
			    "HTTP/1.1 101 Switching Protocols\r\n"
			    "Date: %s\r\n"
			    "Upgrade: websocket\r\n"
			    "Connection: Upgrade\r\n"
			    "Sec-WebSocket-Accept: %s\r\n"
			    "X-Request-Id: %s\r\n"
			    "\r\n",
			    http_date_now(date).data, accept, request->request_id.data);
}

struct websocket *websocket_accept(struct http_request *request,
				   const struct websocket_events *events, void *owner)
{
	struct http_connection *connection = request->connection;
	struct http_exchange *exchange = http_exchange_of(request);
	struct websocket *websocket;
	struct http_connections *connections;
	struct buffer parked;
	struct str answer;

	require(!exchange->is_answered);
	exchange->status = 101;
	if (!connection || connection->saw_end) {
		exchange->is_answered = true;
		http_exchange_end(exchange);
		if (connection)
			http_connection_close(connection);
		else
			http_exchange_free(exchange);
		return NULL;
	}
	connections = connection->connections;
	answer = handshake_answer(request, &connections->date);
	exchange->sent_bytes = answer.length;
	http_exchange_end(exchange);
	if (http_transport_send(connection->transport, &answer, 1, /* copy= */ true) != 0) {
		exchange->is_answered = true;
		http_connection_close(connection);
		return NULL;
	}
	websocket = memory_zalloc(sizeof(*websocket));
	websocket->socket = http_connection_upgrade(connection, &parked);
	websocket->socket->owner = websocket;
	websocket->socket->events = &transport_events;
	websocket->events = events;
	websocket->reader.rules = &websocket_rules;
	websocket->owner = owner;
	websocket->connections = connections;
	websocket->upgrade.drop = on_server_closes;
	list_append(&connections->upgrades, &websocket->upgrade.node);
	http_unsent_entry_init(&websocket->unsent, HTTP_UNSENT_WEBSOCKET);
	deadline_init(&websocket->deadline, websocket_on_deadline);
	websocket->heard_ms = loop_now_ms(connections->loop);
	websocket->ping_ms = websocket->heard_ms + connections->settings.ping_ms;
	websocket_set_deadline(websocket);
	if (buffer_length(&parked))
		park(websocket, buffer_view(&parked));
	else
		http_transport_set_reading(websocket->socket, true);
	buffer_finish(&parked);
	return websocket;
}

void *websocket_owner(const struct websocket *websocket)
{
	return websocket->owner;
}
