#include "http/websocket.h"
#include "base/base64.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/connection.h"
#include "http/server_private.h"
#include "http/websocket_private.h"

#include <stdlib.h>

/* Longer parts of what is corked are not copied. */
enum { CORKED_SMALL_MAX = 125 };

struct websocket_early {
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
	return request->method == HTTP_GET && !http_exchange_of(request)->is_http_1_0 &&
	       !request->has_body && upgrades && connects && keys == 1 && versions == 1 &&
	       str_equal(version, STR("13")) && key.length == 24 &&
	       base64_decode(key, nonce, &nonce_size) == 0 && nonce_size == 16;
}

static uint64_t now_ms(const struct websocket *websocket)
{
	return loop_now_ms(websocket->socket->server->loop);
}

/* The next moment at which something may have to be done. */
static void set_deadline(struct websocket *websocket)
{
	const struct http_server_settings *limits = &websocket->socket->server->settings;
	uint64_t at = websocket->heard_ms + limits->silence_ms;
	uint64_t stall = now_ms(websocket) + limits->write_stall_ms / 4 + 1;

	if (websocket->is_ending)
		return;
	if (websocket->ping_ms < at)
		at = websocket->ping_ms;
	if (http_socket_pending(websocket->socket) && stall < at)
		at = stall;
	deadline_set_at(websocket->socket->server->loop, &websocket->deadline, at);
}

static void on_deadline(struct deadline *deadline)
{
	struct websocket *websocket = container_of(deadline, struct websocket, deadline);
	const struct http_server_settings *limits = &websocket->socket->server->settings;
	uint64_t now = now_ms(websocket);
	uint8_t ping[WIRE_WEBSOCKET_HEADER_MAX];
	struct str part = {(const char *)ping, wire_websocket_header(WIRE_PING, 0, NULL, ping)};

	if (websocket->is_ending || now >= websocket->heard_ms + limits->silence_ms ||
	    http_socket_is_stalled(websocket->socket, limits->write_stall_ms)) {
		websocket_drop(websocket);
		return;
	}
	if (now >= websocket->ping_ms) {
		websocket->ping_ms = now + limits->ping_ms;
		/* A peer that does not read gets no pings on top. */
		if (http_socket_pending(websocket->socket) == 0 &&
		    !websocket_send_raw(websocket, &part, 1))
			return;
	}
	set_deadline(websocket);
}

/* The peer has closed and has our answer. It closes TCP after us; a reset would lose that frame. */
static void end_gracefully(struct websocket *websocket)
{
	websocket->is_ending = true;
	wire_websocket_finish(&websocket->reader);
	if (http_socket_pending(websocket->socket) == 0)
		http_socket_shutdown(websocket->socket);
	deadline_set(websocket->socket->server->loop, &websocket->deadline,
		     websocket->socket->server->settings.linger_ms);
}

static void on_data(struct http_socket *socket, struct str data)
{
	struct websocket *websocket = socket->owner;

	if (socket->is_closing || websocket->is_ending)
		return;
	websocket->heard_ms = now_ms(websocket);
	switch (websocket_reader_feed(websocket, data)) {
	case WEBSOCKET_READ_ON:
		break;
	case WEBSOCKET_READ_CLOSED:
		if (!socket->is_closing)
			end_gracefully(websocket);
		break;
	case WEBSOCKET_READ_BROKEN:
		websocket_drop(websocket);
		break;
	}
}

static void on_end(struct http_socket *socket, int error)
{
	(void)error;
	websocket_drop(socket->owner);
}

static void on_flushed(struct http_socket *socket)
{
	struct websocket *websocket = socket->owner;

	if (websocket->is_ending)
		http_socket_shutdown(socket);
}

static void free_early(struct websocket *websocket)
{
	struct websocket_early *early = websocket->early;

	if (!early)
		return;
	websocket->early = NULL;
	loop_later_cancel(&early->later);
	buffer_finish(&early->bytes);
	free(early);
}

static void on_closed(struct http_socket *socket)
{
	struct websocket *websocket = socket->owner;

	list_remove(&websocket->node);
	free_early(websocket);
	wire_websocket_finish(&websocket->reader);
	websocket->events->on_closed(websocket);
	free(websocket);
}

static const struct http_socket_events socket_events = {
    .on_data = on_data,
    .on_end = on_end,
    .on_flushed = on_flushed,
    .on_closed = on_closed,
};

static void on_early(struct later *later)
{
	struct websocket_early *early = container_of(later, struct websocket_early, later);
	struct websocket *websocket = early->websocket;

	websocket->early = NULL;
	http_socket_set_reading(websocket->socket, true);
	on_data(websocket->socket, buffer_view(&early->bytes));
	buffer_finish(&early->bytes);
	free(early);
}

static void keep_early(struct websocket *websocket, struct buffer *bytes)
{
	struct websocket_early *early = memory_zalloc(sizeof(*early));

	early->websocket = websocket;
	early->bytes = *bytes;
	websocket->early = early;
	loop_later_init(&early->later, on_early);
	loop_later(websocket->socket->server->loop, &early->later);
}

static struct str handshake_answer(struct http_request *request, struct http_server *server)
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
			    http_server_date(server).data, accept, request->request_id.data);
}

struct websocket *websocket_accept(struct http_request *request,
				   const struct websocket_events *events, void *owner)
{
	struct http_connection *connection = request->connection;
	struct http_exchange *exchange = http_exchange_of(request);
	struct websocket *websocket;
	struct http_server *server;
	struct buffer parked;
	struct str answer;

	require(!exchange->is_answered);
	exchange->status = 101;
	if (!connection || connection->saw_end) {
		exchange->is_answered = true;
		http_exchange_log(exchange);
		if (connection)
			http_connection_close(connection);
		else
			http_exchange_free(exchange);
		return NULL;
	}
	server = connection->server;
	answer = handshake_answer(request, server);
	exchange->sent_bytes = answer.length;
	http_exchange_log(exchange);
	if (http_socket_send(connection->socket, &answer, 1, /* copy= */ true) != 0) {
		exchange->is_answered = true;
		http_connection_close(connection);
		return NULL;
	}
	websocket = memory_zalloc(sizeof(*websocket));
	websocket->socket = http_connection_upgrade(connection, &parked);
	websocket->socket->owner = websocket;
	websocket->socket->events = &socket_events;
	websocket->events = events;
	websocket->reader.rules = &websocket_rules;
	websocket->owner = owner;
	list_append(&server->websockets, &websocket->node);
	deadline_init(&websocket->deadline, on_deadline);
	websocket->heard_ms = loop_now_ms(server->loop);
	websocket->ping_ms = websocket->heard_ms + server->settings.ping_ms;
	set_deadline(websocket);
	if (buffer_length(&parked))
		keep_early(websocket, &parked);
	else
		http_socket_set_reading(websocket->socket, true);
	return websocket;
}

void *websocket_owner(const struct websocket *websocket)
{
	return websocket->owner;
}

bool websocket_send_raw(struct websocket *websocket, const struct str *parts, unsigned count)
{
	size_t size = 0;

	for (unsigned i = 0; i < count; i++)
		size += parts[i].length;
	if (websocket_pending_bytes(websocket) + size > LIMIT_WEBSOCKET_PENDING_BYTES ||
	    http_socket_send(websocket->socket, parts, count, /* copy= */ true) != 0) {
		websocket_drop(websocket);
		return false;
	}
	if (http_socket_pending(websocket->socket))
		set_deadline(websocket);
	return true;
}

static struct cork_buffer *cork_of(struct websocket *websocket)
{
	return &websocket->socket->server->cork;
}

static void send_corked(struct cork_buffer *cork)
{
	struct websocket *websocket = cork->websocket;

	if (cork->count && !websocket->socket->is_closing && !websocket->is_ending)
		websocket_send_raw(websocket, cork->parts, cork->count);
	cork->count = 0;
	cork->small_bytes = 0;
}

static struct str copy_small(struct cork_buffer *cork, struct str part)
{
	char *copy = cork->small + cork->small_bytes;

	memcpy(copy, part.data, part.length);
	cork->small_bytes += part.length;
	return (struct str){copy, part.length};
}

static void cork_part(struct cork_buffer *cork, struct str part)
{
	bool is_small = part.length <= CORKED_SMALL_MAX;
	struct str *last;

	if (part.length == 0)
		return;
	if (cork->count == HTTP_SOCKET_PARTS_MAX ||
	    (is_small && cork->small_bytes + part.length > sizeof(cork->small)))
		send_corked(cork);
	if (is_small)
		part = copy_small(cork, part);
	last = cork->count ? &cork->parts[cork->count - 1] : NULL;
	if (is_small && last && last->data + last->length == part.data)
		last->length += part.length;
	else
		cork->parts[cork->count++] = part;
}

static void send_message(struct websocket *websocket, enum wire_opcode opcode, struct str payload)
{
	struct cork_buffer *cork = cork_of(websocket);
	uint8_t header[WIRE_WEBSOCKET_HEADER_MAX];
	size_t header_size = wire_websocket_header(opcode, payload.length, NULL, header);
	const struct str parts[] = {{(const char *)header, header_size}, payload};

	if (websocket->socket->is_closing || websocket->is_ending)
		return;
	if (cork->websocket != websocket) {
		websocket_send_raw(websocket, parts, payload.length ? 2 : 1);
		return;
	}
	cork_part(cork, parts[0]);
	cork_part(cork, parts[1]);
}

void websocket_send_text(struct websocket *websocket, struct str text)
{
	send_message(websocket, WIRE_TEXT, text);
}

void websocket_send_binary(struct websocket *websocket, struct str data)
{
	send_message(websocket, WIRE_BINARY, data);
}

void websocket_cork(struct websocket *websocket)
{
	struct cork_buffer *cork = cork_of(websocket);

	require(!cork->websocket);
	cork->websocket = websocket;
}

void websocket_uncork(struct websocket *websocket)
{
	struct cork_buffer *cork = cork_of(websocket);

	require(cork->websocket == websocket);
	send_corked(cork);
	cork->websocket = NULL;
}

size_t websocket_pending_bytes(const struct websocket *websocket)
{
	return http_socket_pending(websocket->socket);
}

void websocket_drop(struct websocket *websocket)
{
	deadline_clear(websocket->socket->server->loop, &websocket->deadline);
	http_socket_close(websocket->socket);
}
