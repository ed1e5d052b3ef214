#include "link.h"

#include "memory.h"

#include <mbedtls/base64.h>
#include <strings.h>
#include <sys/random.h>

/* Timings of the device link, as in the firmware. */
enum {
	CONNECT_MS = 10 * 1000,
	RETRY_MS = 10 * 1000,
	RETRY_NOT_FOUND_MS = 6 * 1000,
	RETRY_CLOSE_FRAME_MS = 5 * 60 * 1000,
	POLL_MS = 20 * 1000, /* for a whole request and answer */
	POLL_RETRY_MS = 1000,
	POLL_RETRY_LONG_MS = 6 * 1000, /* after 400, 404 and a body that is too large */
	FIRMWARE_ANSWER_MAX = 1024,    /* the firmware's buffer for the answer to the handshake */
	REASON_MAX = 768,
};

static const struct wire_websocket_rules rules = {
    .text_max = 8 * 1024, /* the firmware's buffer */
    .binary_max = PICTURE_BYTES_MAX,
};

static bool is_polling(const struct link *link)
{
	return !link->config->url.is_websocket;
}

static void drop_connection(struct link *link)
{
	uv_timer_stop(&link->due);
	uv_timer_stop(&link->ping);
	uv_timer_stop(&link->timeout);
	transport_close(link->transport);
	link->transport = NULL;
	wire_websocket_finish(&link->reader);
	link->state = LINK_WAITING;
}

static uint64_t retry_after(const struct link *link, int status)
{
	if (link->config->retry_ms >= 0)
		return (uint64_t)link->config->retry_ms;
	if (is_polling(link))
		return status == 404 || status == 400 || link->body_too_large ? POLL_RETRY_LONG_MS
									      : POLL_RETRY_MS;
	if (status == 404)
		return RETRY_NOT_FOUND_MS;
	return link->close_received ? RETRY_CLOSE_FRAME_MS : RETRY_MS;
}

static void on_due(uv_timer_t *timer);

/* Leaves the connection. status: that of the answer if it is the reason; or 0. */
static void leave(struct link *link, int status, const char *reason)
{
	bool was_open = link->state == LINK_OPEN;
	uint64_t retry_ms = retry_after(link, status);
	char text[REASON_MAX]; /* the reason may lie in the transport */

	snprintf(text, sizeof(text), "%s", reason);
	drop_connection(link);
	uv_timer_start(&link->due, on_due, retry_ms, 0);
	if (is_polling(link))
		EVENT(link->log, "failed", EVENT_NUMBER("status", status),
		      EVENT_TEXT("reason", text), EVENT_NUMBER("retry_ms", retry_ms));
	else
		EVENT(link->log, "closed", EVENT_NUMBER("status", status),
		      EVENT_NUMBER("close_code", link->close_code),
		      EVENT_NUMBER("was_open", was_open), EVENT_TEXT("reason", text),
		      EVENT_NUMBER("retry_ms", retry_ms));
	snprintf(text + strnlen(text, 100), sizeof(text) - 100, "; again in %.1f s",
		 (double)retry_ms / 1000);
	link->events->on_state(link->context, text);
	if (!link->was_accepted && (status == 401 || status == 403 || status == 404))
		link->events->on_refused(link->context, status);
}

static void on_timeout(uv_timer_t *timer)
{
	struct link *link = timer->data;

	if (link->state == LINK_CONNECTING)
		leave(link, 0, "timed out while connecting");
	else if (is_polling(link))
		leave(link, 0, "no complete answer within 20 s");
	else
		leave(link, 0,
		      link->state == LINK_OPEN ? "no pong in time"
					       : "the handshake was not answered");
}

static void send_frame(struct link *link, enum wire_opcode opcode, const void *data, size_t size)
{
	uint8_t *frame = memory_zalloc(WIRE_WEBSOCKET_HEADER_MAX + size);
	uint8_t mask[4];
	size_t header_size;

	if (getentropy(mask, sizeof(mask)) != 0)
		abort();
	header_size = wire_websocket_header(opcode, size, mask, frame);
	if (size > 0)
		memcpy(frame + header_size, data, size);
	wire_websocket_mask(frame + header_size, size, mask, 0);
	transport_write(link->transport, frame, header_size + size);
	free(frame);
}

bool link_send_text(struct link *link, const char *text, size_t size)
{
	if (link->state != LINK_OPEN)
		return false;
	send_frame(link, WIRE_TEXT, text, size);
	return true;
}

static void on_ping(uv_timer_t *timer)
{
	send_frame(timer->data, WIRE_PING, NULL, 0);
}

static void report_violation(struct link *link, const char *detail)
{
	EVENT(link->log, "violation", EVENT_TEXT("detail", detail));
}

static void take_message(struct link *link, const struct wire_websocket_message *message)
{
	struct link_picture picture = {message->data, message->size, -1, -1};

	switch (message->opcode) {
	case WIRE_TEXT:
		/* The firmware reads each frame of a text by itself. */
		if (message->is_fragmented)
			report_violation(link, "a fragmented text message");
		else
			link->events->on_text(link->context, (const char *)message->data,
					      message->size);
		break;
	case WIRE_BINARY:
		EVENT(link->log, "binary", EVENT_NUMBER("size", message->size),
		      EVENT_SHA256("sha256", message->data, message->size));
		link->events->on_picture(link->context, &picture);
		break;
	case WIRE_PING:
		send_frame(link, WIRE_PONG, message->data, message->size);
		break;
	case WIRE_PONG:
		uv_timer_start(&link->timeout, on_timeout, link->config->pong_timeout_ms, 0);
		EVENT(link->log, "pong");
		break;
	default: /* WIRE_CLOSE */
		send_frame(link, WIRE_CLOSE, message->data, message->size);
		link->close_received = true;
		link->close_code = message->close_code;
		leave(link, 0, "the server sent a CLOSE frame");
		break;
	}
}

static void take_frames(struct link *link, uint8_t *data, size_t size)
{
	struct wire_input input = {data, size};
	struct wire_websocket_message message;

	while (link->state == LINK_OPEN) {
		switch (wire_websocket_read(&link->reader, &input, &message)) {
		case WIRE_MORE:
			return;
		case WIRE_FRAME:
			break;
		case WIRE_MESSAGE:
			take_message(link, &message);
			break;
		case WIRE_TOO_LARGE:
			report_violation(link, message.opcode == WIRE_TEXT
						   ? "a text message larger than 8 KiB"
						   : "a picture larger than 460,000 bytes");
			break;
		case WIRE_FAULT:
			leave(link, 0, "the server broke the WebSocket protocol");
			break;
		}
	}
}

static bool is(const char *name, size_t length, const char *wanted)
{
	return length == strlen(wanted) && strncasecmp(name, wanted, length) == 0;
}

static int read_number(const char *text, size_t length)
{
	int number = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || number > 10000)
			return -1;
		number = number * 10 + (text[i] - '0');
	}
	return length > 0 ? number : -1;
}

static bool on_field(void *context, const char *name, size_t name_length, const char *value,
		     size_t value_length)
{
	struct link *link = context;

	if (is(name, name_length, "Sec-WebSocket-Accept"))
		link->is_accepted = value_length == WIRE_WEBSOCKET_ACCEPT_LENGTH &&
				    memcmp(value, link->accept, value_length) == 0;
	else if (is(name, name_length, "Upgrade"))
		link->has_upgrade = is(value, value_length, "websocket");
	else if (is(name, name_length, "Connection"))
		link->has_connection |= wire_list_has(value, value_length, "upgrade");
	else if (is(name, name_length, "Sec-WebSocket-Protocol") ||
		 is(name, name_length, "Sec-WebSocket-Extensions"))
		link->has_extras = true;
	else if (is(name, name_length, "Tronbyt-Brightness"))
		link->picture.brightness = read_number(value, value_length);
	else if (is(name, name_length, "Tronbyt-Dwell-Secs"))
		link->picture.dwell_s = read_number(value, value_length);
	return true;
}

static bool on_body(void *context, const void *data, size_t size)
{
	struct link *link = context;

	link->body_too_large = size > PICTURE_BYTES_MAX - link->picture.size;
	if (link->body_too_large)
		return false;
	memcpy(link->body + link->picture.size, data, size);
	link->picture.size += size;
	return true;
}

static const struct wire_parser_events parser_events = {.on_field = on_field, .on_body = on_body};

/* Returns NULL, or what is wrong with an answer of 101 (RFC 6455 section 4.1). */
static const char *check_upgrade(const struct link *link)
{
	if (!link->has_upgrade || !link->has_connection)
		return "the answer has no Upgrade: websocket with Connection: Upgrade";
	if (!link->is_accepted)
		return "the answer's Sec-WebSocket-Accept is wrong";
	if (link->has_extras)
		return "the answer names a subprotocol or an extension that was not requested";
	if (link->head_size >= FIRMWARE_ANSWER_MAX)
		return "the answer has 1,024 bytes or more, too many for the firmware";
	return NULL;
}

static void on_head(struct link *link)
{
	bool is_good = link->head.status == (is_polling(link) ? 200 : 101);
	const char *fault = is_good && !is_polling(link) ? check_upgrade(link) : NULL;
	char reason[64];

	if (!is_good) {
		snprintf(reason, sizeof(reason), "the server answered %d", link->head.status);
		leave(link, link->head.status, reason);
	} else if (fault) {
		leave(link, 0, fault);
	} else if (is_polling(link)) {
		link->state = LINK_BODY;
	} else {
		link->state = LINK_OPEN;
		link->was_accepted = true;
		uv_timer_start(&link->ping, on_ping, link->config->ping_ms, link->config->ping_ms);
		uv_timer_start(&link->timeout, on_timeout, link->config->pong_timeout_ms, 0);
		EVENT(link->log, "connected", EVENT_NUMBER("answer_bytes", link->head_size));
		link->events->on_state(link->context, "connected");
		link->events->on_open(link->context);
	}
}

/* Takes bytes of the head. Returns how many it has taken. */
static size_t take_head(struct link *link, const uint8_t *data, size_t size)
{
	static const char start[] = "HTTP/1.";
	size_t old = link->head_size;
	size_t taken = size < LINK_HEAD_MAX - old ? size : LINK_HEAD_MAX - old;
	const char *end;

	memcpy(link->head_text + old, data, taken);
	end = memmem(link->head_text, old + taken, "\r\n\r\n", 4);
	link->head_size = end ? (size_t)(end - link->head_text) + 4 : old + taken;
	if (memcmp(link->head_text, start,
		   link->head_size < strlen(start) ? link->head_size : strlen(start)) != 0)
		leave(link, 0, "the answer is not HTTP/1");
	else if (!end && link->head_size == LINK_HEAD_MAX)
		leave(link, 0, "the head is larger than 16 KiB");
	else if (end &&
		 wire_head_read(&link->parser, HTTP_RESPONSE, &parser_events, link, link->head_text,
				link->head_size, &link->head) != WIRE_HEAD_COMPLETE)
		leave(link, 0, "the head of the answer is malformed");
	else if (end)
		on_head(link);
	return end ? link->head_size - old : taken;
}

static void on_answer(struct link *link)
{
	struct link_picture *picture = &link->picture;

	drop_connection(link);
	link->was_accepted = true;
	picture->data = link->body;
	EVENT(link->log, "response", EVENT_NUMBER("size", picture->size),
	      EVENT_SHA256("sha256", picture->data, picture->size),
	      EVENT_NUMBER("brightness", picture->brightness),
	      EVENT_NUMBER("dwell_secs", picture->dwell_s));
	link->events->on_state(link->context, "polling");
	link->events->on_picture(link->context, picture);
}

static void take_body(struct link *link, const uint8_t *data, size_t size)
{
	size_t used;

	switch (wire_body_read(&link->parser, link, data, size, &used)) {
	case WIRE_BODY_MORE:
		break;
	case WIRE_BODY_COMPLETE:
		on_answer(link);
		break;
	case WIRE_BODY_MALFORMED:
		leave(link, 200, "the body of the answer is malformed");
		break;
	case WIRE_BODY_STOPPED:
		leave(link, 200, "the body is larger than 460,000 bytes");
		break;
	}
}

static void on_data(void *context, uint8_t *data, size_t size)
{
	struct link *link = context;
	size_t used = link->state == LINK_ASKED ? take_head(link, data, size) : 0;

	if (link->state == LINK_OPEN)
		take_frames(link, data + used, size - used);
	else if (link->state == LINK_BODY)
		take_body(link, data + used, size - used);
}

static void append_handshake(struct link *link, FILE *request)
{
	uint8_t nonce[16];
	char key[25];
	size_t length;

	if (getentropy(nonce, sizeof(nonce)) != 0 ||
	    mbedtls_base64_encode((uint8_t *)key, sizeof(key), &length, nonce, sizeof(nonce)) != 0)
		abort();
	wire_websocket_accept(key, length, link->accept);
	fprintf(request,
		"Connection: Upgrade\r\n"
		"User-Agent: ESP32 Websocket Client\r\n"
		"Upgrade: websocket\r\n"
		"Sec-WebSocket-Version: 13\r\n"
		"Sec-WebSocket-Key: %s\r\n",
		key);
}

static void on_connected(void *context)
{
	struct link *link = context;
	const struct link_config *config = link->config;
	char *text = NULL;
	size_t size;
	FILE *request = memory_check(open_memstream(&text, &size));

	fprintf(request, "GET %s HTTP/1.1\r\nHost: %s\r\n", config->target, config->url.authority);
	if (is_polling(link))
		fprintf(request,
			"User-Agent: ESP32 HTTP Client/1.0\r\n"
			"X-Firmware-Version: %s\r\n"
			"Content-Length: 0\r\n",
			config->firmware_version);
	else
		append_handshake(link, request);
	if (config->bearer[0])
		fprintf(request, "Authorization: Bearer %s\r\n", config->bearer);
	fputs("\r\n", request);
	fclose(request);
	transport_write(link->transport, memory_check(text), size);
	free(text);
	link->state = LINK_ASKED;
	if (!is_polling(link))
		uv_timer_start(&link->timeout, on_timeout, CONNECT_MS, 0);
}

static void on_closed(void *context, bool is_clean, const char *reason)
{
	struct link *link = context;

	link->transport = NULL;
	if (!is_clean || link->state != LINK_BODY)
		leave(link, 0, reason);
	else if (wire_body_ends(&link->parser))
		on_answer(link);
	else
		leave(link, 0, "the connection was closed before the answer was complete");
}

static const struct transport_events transport_events = {
    .on_connected = on_connected,
    .on_data = on_data,
    .on_closed = on_closed,
};

static void on_due(uv_timer_t *timer)
{
	struct link *link = timer->data;

	link->state = LINK_CONNECTING;
	link->head_size = 0;
	link->is_accepted = link->has_upgrade = link->has_connection = link->has_extras = false;
	link->picture = (struct link_picture){.brightness = -1, .dwell_s = -1};
	link->body_too_large = link->close_received = false;
	link->close_code = 0;
	EVENT(link->log, is_polling(link) ? "request" : "connecting",
	      EVENT_TEXT("url", link->config->shown));
	if (!is_polling(link))
		link->events->on_state(link->context, "connecting");
	uv_timer_start(&link->timeout, on_timeout, is_polling(link) ? POLL_MS : CONNECT_MS, 0);
	link->transport = transport_open(timer->loop, &link->config->url,
					 &link->config->authorities, &transport_events, link);
}

void link_start(struct link *link, uv_loop_t *loop, const struct link_config *config,
		struct events *log, const struct link_events *events, void *context)
{
	uv_timer_t *const timers[] = {&link->due, &link->ping, &link->timeout};

	link->config = config;
	link->log = log;
	link->events = events;
	link->context = context;
	link->reader.rules = &rules;
	for (size_t i = 0; i < sizeof(timers) / sizeof(timers[0]); i++) {
		uv_timer_init(loop, timers[i]);
		timers[i]->data = link;
	}
	uv_timer_start(&link->due, on_due, 0, 0);
}

void link_stop(struct link *link)
{
	drop_connection(link);
	uv_close((uv_handle_t *)&link->due, NULL);
	uv_close((uv_handle_t *)&link->ping, NULL);
	uv_close((uv_handle_t *)&link->timeout, NULL);
}

void link_reconnect(struct link *link)
{
	leave(link, 0, "rebooting");
}

void link_poll(struct link *link)
{
	if (link->state == LINK_WAITING)
		uv_timer_start(&link->due, on_due, 0, 0);
}
