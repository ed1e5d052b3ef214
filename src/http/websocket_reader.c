#include "base/limits.h"
#include "http/websocket_private.h"

const struct wire_websocket_rules websocket_rules = {
    .is_masked = true,
    .text_max = LIMIT_PANEL_TEXT_BYTES,
    .binary_max = LIMIT_PANEL_TEXT_BYTES,
};

enum { MINUTE_MS = 60 * 1000 };

/* Frames of all kinds count: a panel sends a few for each picture, and a peer that sends far more
 * is broken, or not a panel. */
static bool sends_too_much(struct websocket *websocket)
{
	uint32_t minute = (uint32_t)(loop_now_ms(websocket->connections->loop) / MINUTE_MS);

	if (websocket->minute != minute) {
		websocket->minute = minute;
		websocket->frames = 0;
	}
	return ++websocket->frames > LIMIT_WEBSOCKET_FRAMES_PER_MINUTE;
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
		websocket_add_answer(websocket, WIRE_PONG, data); /* a PONG repeats the payload */
		break;
	case WIRE_CLOSE:
		websocket_add_answer(websocket, WIRE_CLOSE, data); /* a CLOSE repeats the payload */
		return WEBSOCKET_READ_CLOSED;
	default:
		break;
	}
	return WEBSOCKET_READ_ON;
}

/* Takes a frame, or the complete message that ends with it. */
static enum websocket_read take_frame(struct websocket *websocket, enum wire_websocket_event event,
				      const struct wire_websocket_message *message)
{
	if (sends_too_much(websocket))
		return WEBSOCKET_READ_BROKEN;
	if (websocket->events->on_alive)
		websocket->events->on_alive(websocket);
	if (event == WIRE_FRAME || websocket->socket->is_closing)
		return WEBSOCKET_READ_ON;
	return take_message(websocket, message);
}

enum websocket_read websocket_reader_feed(struct websocket *websocket, struct str *data)
{
	/* The bytes may be changed: they are the socket's read buffer, or a copy of it. */
	struct wire_input input = {(uint8_t *)data->data, data->length};
	struct wire_websocket_message message;
	enum websocket_read result = WEBSOCKET_READ_ON;

	for (unsigned i = 0; i < WEBSOCKET_FRAMES_IN_A_ROW &&
			     data->length - input.size < WEBSOCKET_BYTES_IN_A_ROW &&
			     result == WEBSOCKET_READ_ON && !websocket->socket->is_closing;
	     i++) {
		enum wire_websocket_event event =
		    wire_websocket_read(&websocket->reader, &input, &message);

		if (event == WIRE_MORE)
			break;
		if (event == WIRE_FRAME || event == WIRE_MESSAGE)
			result = take_frame(websocket, event, &message);
		else /* no CLOSE: panels would stay away for minutes */
			result = WEBSOCKET_READ_BROKEN;
	}
	websocket_send_answers(websocket);
	*data = str_from_offset(*data, data->length - input.size);
	return result;
}
