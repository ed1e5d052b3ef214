#include "base/limits.h"
#include "http/websocket_private.h"

const struct wire_websocket_rules websocket_rules = {
    .is_masked = true,
    .text_max = LIMIT_PANEL_TEXT_BYTES,
    .binary_max = LIMIT_PANEL_TEXT_BYTES,
};

/* PONG and CLOSE repeat the payload that they answer. */
static void answer(struct websocket *websocket, enum wire_opcode opcode, struct str payload)
{
	uint8_t header[WIRE_WEBSOCKET_HEADER_MAX];
	const struct str parts[] = {
	    {(const char *)header, wire_websocket_header(opcode, payload.length, NULL, header)},
	    payload,
	};

	websocket_send_raw(websocket, parts, payload.length ? 2 : 1);
}

static enum websocket_read take_message(struct websocket *websocket,
					const struct wire_websocket_message *message)
{
	struct str data = {(const char *)message->data, message->size};

	switch (message->opcode) {
	case WIRE_TEXT:
		websocket->events->on_text(websocket, data);
		break;
	case WIRE_BINARY:
		websocket->events->on_binary(websocket, data);
		break;
	case WIRE_PING:
		answer(websocket, WIRE_PONG, data);
		break;
	case WIRE_CLOSE:
		answer(websocket, WIRE_CLOSE, data);
		return WEBSOCKET_READ_CLOSED;
	default:
		break;
	}
	return WEBSOCKET_READ_ON;
}

enum websocket_read websocket_reader_feed(struct websocket *websocket, struct str data)
{
	/* The socket's read buffer or a copy of it: no other code uses these bytes. */
	struct wire_input input = {(uint8_t *)data.data, data.length};
	struct wire_websocket_message message;
	enum websocket_read result = WEBSOCKET_READ_ON;

	while (result == WEBSOCKET_READ_ON && !websocket->socket->is_closing) {
		switch (wire_websocket_read(&websocket->reader, &input, &message)) {
		case WIRE_MORE:
			return WEBSOCKET_READ_ON;
		case WIRE_TOO_LARGE:
		case WIRE_FAULT: /* the peer gets no CLOSE: device-link.md */
			return WEBSOCKET_READ_BROKEN;
		case WIRE_FRAME:
			if (websocket->events->on_alive)
				websocket->events->on_alive(websocket);
			break;
		case WIRE_MESSAGE:
			if (websocket->events->on_alive)
				websocket->events->on_alive(websocket);
			if (!websocket->socket->is_closing)
				result = take_message(websocket, &message);
			break;
		}
	}
	return result;
}
