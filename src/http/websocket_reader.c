#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "base/utf8.h"
#include "http/websocket_private.h"

#include <stdlib.h>
#include <wslay/wslay.h>

enum {
	FIN = 0x80,
	MASKED = 0x80,
	SHORT_HEADER = 2 + 4, /* with the mask */
	SHORT_PAYLOAD_MAX = 125,
};

struct websocket_reader {
	wslay_event_context_ptr context; /* 9 KB */
	struct str input;		 /* not yet taken by wslay */
	uint64_t open_bytes;		 /* given to wslay behind the last whole frame */
	uint64_t frame_bytes;		 /* of the frame in progress, header included */
	bool is_data;			 /* the frame in progress is no control frame */
	bool is_final;			 /* the frame in progress has FIN */
	bool in_message;		 /* between the fragments of a message */
};

static ssize_t on_recv(wslay_event_context_ptr context, uint8_t *data, size_t size, int flags,
		       void *user_data)
{
	struct websocket_reader *reader = ((struct websocket *)user_data)->reader;
	size_t taken = reader->input.length < size ? reader->input.length : size;

	(void)flags;
	if (taken == 0) {
		wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
		return -1;
	}
	memcpy(data, reader->input.data, taken);
	reader->input = str_from_offset(reader->input, taken);
	reader->open_bytes += taken;
	return (ssize_t)taken;
}

static ssize_t on_send(wslay_event_context_ptr context, const uint8_t *data, size_t size, int flags,
		       void *user_data)
{
	struct str part = {(const char *)data, size};

	(void)flags;
	if (websocket_send_raw(user_data, &part, 1))
		return (ssize_t)size;
	wslay_event_set_error(context, WSLAY_ERR_CALLBACK_FAILURE);
	return -1;
}

static void on_frame_start(wslay_event_context_ptr context,
			   const struct wslay_event_on_frame_recv_start_arg *frame, void *user_data)
{
	struct websocket_reader *reader = ((struct websocket *)user_data)->reader;
	uint64_t length_bytes = frame->payload_length < 126	  ? 0
				: frame->payload_length <= 0xffff ? 2
								  : 8;

	(void)context;
	reader->frame_bytes = 2 + length_bytes + 4 + frame->payload_length; /* 4 for the mask */
	reader->is_data = frame->opcode < WSLAY_CONNECTION_CLOSE;
	reader->is_final = frame->fin;
}

static void on_frame_end(wslay_event_context_ptr context, void *user_data)
{
	struct websocket *websocket = user_data;
	struct websocket_reader *reader = websocket->reader;

	(void)context;
	reader->open_bytes -= reader->frame_bytes;
	if (reader->is_data)
		reader->in_message = !reader->is_final;
	if (websocket->events->on_alive && !websocket->socket->is_closing)
		websocket->events->on_alive(websocket);
}

static void on_message(wslay_event_context_ptr context,
		       const struct wslay_event_on_msg_recv_arg *message, void *user_data)
{
	struct websocket *websocket = user_data;
	struct str data = {(const char *)message->msg, message->msg_length};

	if (websocket->socket->is_closing)
		return; /* dropped by what came before */
	if (message->opcode == WSLAY_TEXT_FRAME)
		websocket->events->on_text(websocket, data);
	else if (message->opcode == WSLAY_BINARY_FRAME)
		websocket->events->on_binary(websocket, data);
	if (websocket->socket->is_closing)
		wslay_event_shutdown_read(context);
}

static struct websocket_reader *create_reader(struct websocket *websocket)
{
	static const struct wslay_event_callbacks callbacks = {
	    .recv_callback = on_recv,
	    .send_callback = on_send,
	    .on_frame_recv_start_callback = on_frame_start,
	    .on_frame_recv_end_callback = on_frame_end,
	    .on_msg_recv_callback = on_message,
	};
	struct websocket_reader *reader = memory_zalloc(sizeof(*reader));

	if (wslay_event_context_server_init(&reader->context, &callbacks, websocket) != 0)
		require_memory_failed(sizeof(*reader)); /* its only error */
	wslay_event_config_set_max_recv_msg_length(reader->context, LIMIT_PANEL_TEXT_BYTES);
	return reader;
}

void websocket_reader_free(struct websocket *websocket)
{
	struct websocket_reader *reader = websocket->reader;

	if (!reader)
		return;
	websocket->reader = NULL;
	wslay_event_context_free(reader->context);
	free(reader);
}

static bool is_taken_here(uint8_t first, struct str payload)
{
	switch (first) {
	case FIN | WEBSOCKET_TEXT:
		return utf8_is_valid(payload);
	case FIN | WEBSOCKET_BINARY:
	case FIN | WEBSOCKET_PING:
	case FIN | WEBSOCKET_PONG:
		return true;
	default:
		return false;
	}
}

static void take_payload(struct websocket *websocket, uint8_t first, struct str payload)
{
	uint8_t header[WEBSOCKET_HEADER_BYTES_MAX];
	struct str pong[] = {{(const char *)header, 0}, payload};

	if (websocket->events->on_alive)
		websocket->events->on_alive(websocket);
	if (first == (FIN | WEBSOCKET_TEXT)) {
		websocket->events->on_text(websocket, payload);
	} else if (first == (FIN | WEBSOCKET_BINARY)) {
		websocket->events->on_binary(websocket, payload);
	} else if (first == (FIN | WEBSOCKET_PING)) {
		pong[0].length = websocket_frame_header(WEBSOCKET_PONG, payload.length, header);
		websocket_send_raw(websocket, pong, payload.length ? 2 : 1);
	}
}

/* Nearly all that panels send are short frames that come whole: these are read here, and cost a
 * fraction of what wslay takes for them. Returns the bytes of the first one; 0: wslay's. */
static size_t take_short_frame(struct websocket *websocket, struct str data)
{
	const uint8_t *bytes = (const uint8_t *)data.data;
	char payload[SHORT_PAYLOAD_MAX];
	size_t length;

	if (data.length < SHORT_HEADER || !(bytes[1] & MASKED))
		return 0;
	length = bytes[1] & ~MASKED;
	if (length > SHORT_PAYLOAD_MAX || data.length < SHORT_HEADER + length)
		return 0;
	for (size_t i = 0; i < length; i++)
		payload[i] = (char)(bytes[SHORT_HEADER + i] ^ bytes[2 + i % 4]);
	if (!is_taken_here(bytes[0], (struct str){payload, length}))
		return 0;
	take_payload(websocket, bytes[0], (struct str){payload, length});
	return SHORT_HEADER + length;
}

enum websocket_read websocket_reader_feed(struct websocket *websocket, struct str data)
{
	struct websocket_reader *reader = websocket->reader;
	bool is_read_on;
	size_t taken;

	while (!reader && (taken = take_short_frame(websocket, data))) {
		data = str_from_offset(data, taken);
		if (data.length == 0 || websocket->socket->is_closing)
			return WEBSOCKET_READ_ON;
	}
	if (!reader)
		reader = websocket->reader = create_reader(websocket);
	reader->input = data;
	if (wslay_event_recv(reader->context) != 0)
		return WEBSOCKET_READ_BROKEN;
	is_read_on = wslay_event_get_read_enabled(reader->context);
	/* After a fault wslay has a CLOSE in its queue. It is not sent: device-link.md. */
	if (!is_read_on && !wslay_event_get_close_received(reader->context))
		return WEBSOCKET_READ_BROKEN;
	if (wslay_event_want_write(reader->context) && wslay_event_send(reader->context) != 0)
		return WEBSOCKET_READ_BROKEN;
	if (!is_read_on)
		return WEBSOCKET_READ_CLOSED;
	if (reader->open_bytes == 0 && !reader->in_message)
		websocket_reader_free(websocket);
	return WEBSOCKET_READ_ON;
}
