/* The frames of RFC 6455, for both ends of a connection: pure, bytes in, messages out.
 *
 *   input --> wire_websocket_read() --> WIRE_MESSAGE     text, binary, ping, pong or close
 *                                   --> WIRE_FRAME       a fragment; its message goes on
 *                                   --> WIRE_TOO_LARGE   the rest of that message is skipped
 *                                   --> WIRE_FAULT       the peer broke the protocol
 *                                   --> WIRE_MORE        all of the input was used
 *
 * A frame that lies whole in the input is unmasked there and handed out where it lies. Memory is
 * held only while a frame or a message is incomplete: an idle connection costs two pointers.
 * No extension is known, so every reserved bit is a fault. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_opcode {
	WIRE_CONTINUATION = 0,
	WIRE_TEXT = 1,
	WIRE_BINARY = 2,
	WIRE_CLOSE = 8,
	WIRE_PING = 9,
	WIRE_PONG = 10,
};

enum {
	WIRE_WEBSOCKET_HEADER_MAX = 14,
	WIRE_CONTROL_MAX = 125, /* bytes of a ping, a pong or a close (section 5.5) */
	WIRE_WEBSOCKET_ACCEPT_LENGTH = 28,
	/* Codes of close frames (section 7.4.1). */
	WIRE_CLOSE_PROTOCOL = 1002,
	WIRE_CLOSE_INVALID_TEXT = 1007,
	WIRE_CLOSE_TOO_LARGE = 1009,
};

/* Limits of one end of a connection. */
struct wire_websocket_rules {
	bool is_masked;	 /* a server's input is masked, a client's is not (section 5.1) */
	size_t text_max; /* bytes of a message */
	size_t binary_max;
};

/* Reader of one connection. Initialize it as {.rules = ...}; the rules must stay valid. */
struct wire_websocket_reader {
	const struct wire_websocket_rules *rules;
	struct wire_websocket_partial *partial; /* owned; NULL between messages */
};

/* Unused bytes of the peer. They are changed in place. */
struct wire_input {
	uint8_t *data;
	size_t size;
};

struct wire_websocket_message {
	enum wire_opcode opcode;
	bool is_fragmented;  /* the message came in more than one frame */
	uint16_t close_code; /* of WIRE_CLOSE, 0 if it has none; of WIRE_FAULT: what fits it */
	const uint8_t *data; /* of a close: the code and the reason; may be NULL if size is 0 */
	size_t size;
};

enum wire_websocket_event {
	WIRE_MORE,
	WIRE_FRAME,
	WIRE_MESSAGE,
	WIRE_TOO_LARGE,
	WIRE_FAULT,
};

/* Takes the next event off the input. Call it until it returns WIRE_MORE, but not again after
 * WIRE_FAULT or a close. ret_message->data is valid until the next call, and only while the input
 * is. Text is valid UTF-8. The caller has to answer pings. */
enum wire_websocket_event wire_websocket_read(struct wire_websocket_reader *reader,
					      struct wire_input *input,
					      struct wire_websocket_message *ret_message);

/* Frees the memory of an incomplete message. */
void wire_websocket_finish(struct wire_websocket_reader *reader);

/* Writes the header of an unfragmented frame (section 5.2) and returns its length. mask: 4 random
 * bytes for a client, which must mask the payload with them; NULL for a server. */
size_t wire_websocket_header(enum wire_opcode opcode, uint64_t length, const uint8_t *mask,
			     uint8_t ret_header[static WIRE_WEBSOCKET_HEADER_MAX]);

/* Masks or unmasks a payload, or a piece of it that begins at this offset. */
void wire_websocket_mask(uint8_t *data, size_t size, const uint8_t mask[static 4], uint64_t offset);

/* Writes the Sec-WebSocket-Accept for a Sec-WebSocket-Key of key_length bytes (section 4.2.2), and
 * a NUL. */
void wire_websocket_accept(const char *key, size_t key_length,
			   char ret_text[static WIRE_WEBSOCKET_ACCEPT_LENGTH + 1]);
