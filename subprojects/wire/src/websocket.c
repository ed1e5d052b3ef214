#include "wire/websocket.h"

#include <mbedtls/base64.h>
#include <mbedtls/sha1.h>
#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>

enum {
	FIN = 0x80,
	RESERVED = 0x70,
	OPCODE = 0x0f,
	MASKED = 0x80,
	LENGTH = 0x7f,
	CONTROL = 0x08, /* set in the opcodes of control frames */
	MASK_BYTES = 4,
	MESSAGE_FIRST_BYTES = 256,
};

struct frame {
	uint8_t opcode;
	bool is_final;
	uint8_t mask[MASK_BYTES];
	uint64_t length;
};

struct wire_websocket_partial {
	/* The current frame. */
	uint8_t header[WIRE_WEBSOCKET_HEADER_MAX];
	uint8_t header_size; /* 0: none is */
	bool in_payload;
	struct frame frame;
	uint64_t taken; /* bytes of its payload so far */
	uint8_t control[WIRE_CONTROL_MAX];
	/* The current message. Control frames may come between its frames. */
	uint8_t opcode; /* 0: none is */
	bool is_fragmented;
	bool is_skipped; /* the message is too large */
	struct utf8_stream utf8;
	uint8_t *data;
	size_t size;
	size_t capacity;
};

static void *no_null(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static struct wire_websocket_partial *partial_of(struct wire_websocket_reader *reader)
{
	if (!reader->partial)
		reader->partial = no_null(calloc(1, sizeof(*reader->partial)));
	return reader->partial;
}

void wire_websocket_finish(struct wire_websocket_reader *reader)
{
	if (!reader->partial)
		return;
	free(reader->partial->data);
	free(reader->partial);
	reader->partial = NULL;
}

static bool is_between_frames(const struct wire_websocket_reader *reader)
{
	return !reader->partial || reader->partial->header_size == 0;
}

static bool is_in_message(const struct wire_websocket_reader *reader)
{
	return reader->partial && reader->partial->opcode;
}

static enum wire_websocket_event fault(struct wire_websocket_message *message, uint16_t code)
{
	message->close_code = code;
	return WIRE_FAULT;
}

/* Whether the first two bytes of a header are invalid. */
static bool is_wrong(const struct wire_websocket_reader *reader, const uint8_t *header)
{
	uint8_t opcode = header[0] & OPCODE;

	if (header[0] & RESERVED || !(header[1] & MASKED) == reader->rules->is_masked)
		return true;
	if (opcode & CONTROL)
		return opcode > WIRE_PONG || !(header[0] & FIN) ||
		       (header[1] & LENGTH) > WIRE_CONTROL_MAX;
	return opcode > WIRE_BINARY || (opcode == WIRE_CONTINUATION) != is_in_message(reader);
}

/* Reads a header, of which size bytes are available. Returns its size; 0: more bytes are needed;
 * -1: it is not allowed here. */
static int read_header(const struct wire_websocket_reader *reader, const uint8_t *header,
		       size_t size, struct frame *ret_frame)
{
	unsigned length_bytes;
	size_t header_size;
	uint64_t length;

	if (size < 2)
		return 0;
	if (is_wrong(reader, header))
		return -1;
	length = header[1] & LENGTH;
	length_bytes = length < 126 ? 0 : length == 126 ? 2 : 8;
	header_size = 2 + length_bytes + (reader->rules->is_masked ? MASK_BYTES : 0);
	if (size < header_size)
		return 0;
	if (length_bytes) {
		length = 0;
		for (unsigned i = 0; i < length_bytes; i++)
			length = length << 8 | header[2 + i];
		/* The shortest form is required, and the highest bit must not be set. */
		if (length < (length_bytes == 2 ? 126 : 65536) || length >> 63)
			return -1;
	}
	*ret_frame = (struct frame){
	    .opcode = header[0] & OPCODE,
	    .is_final = header[0] & FIN,
	    .length = length,
	};
	if (reader->rules->is_masked)
		memcpy(ret_frame->mask, header + header_size - MASK_BYTES, MASK_BYTES);
	return (int)header_size;
}

static bool is_too_large(const struct wire_websocket_reader *reader, const struct frame *frame)
{
	const struct wire_websocket_rules *rules = reader->rules;
	uint8_t opcode = is_in_message(reader) ? reader->partial->opcode : frame->opcode;
	size_t size = is_in_message(reader) ? reader->partial->size : 0;
	size_t max = opcode == WIRE_TEXT ? rules->text_max : rules->binary_max;

	return !(frame->opcode & CONTROL) && frame->length > max - size;
}

static bool is_close_code(uint16_t code)
{
	return (code >= 1000 && code <= 1014 && (code < 1004 || code > 1006)) ||
	       (code >= 3000 && code <= 4999);
}

static enum wire_websocket_event hand_out(uint8_t opcode, const uint8_t *data, size_t size,
					  struct wire_websocket_message *message)
{

	message->opcode = opcode;
	message->data = data;
	message->size = size;
	if (opcode == WIRE_CLOSE && size > 0) {
		if (size < 2 || !is_close_code((uint16_t)(data[0] << 8 | data[1])))
			return fault(message, WIRE_CLOSE_PROTOCOL);
		if (!utf8_is_valid((struct str){(const char *)data + 2, size - 2}))
			return fault(message, WIRE_CLOSE_INVALID_TEXT);
		message->close_code = (uint16_t)(data[0] << 8 | data[1]);
	}
	return WIRE_MESSAGE;
}

static void append(struct wire_websocket_partial *partial, const uint8_t *data, size_t size)
{
	if (size == 0)
		return;
	if (partial->capacity - partial->size < size) {
		size_t capacity = partial->capacity ? partial->capacity * 2 : MESSAGE_FIRST_BYTES;

		while (capacity - partial->size < size)
			capacity *= 2;
		partial->data = no_null(realloc(partial->data, capacity));
		partial->capacity = capacity;
	}
	memcpy(partial->data + partial->size, data, size);
	partial->size += size;
}

/* Handles the end of a frame of a message that is collected in memory. */
static enum wire_websocket_event end_data_frame(struct wire_websocket_partial *partial,
						bool is_final,
						struct wire_websocket_message *message)
{
	if (!is_final) {
		partial->is_fragmented = true;
		return WIRE_FRAME;
	}
	if (partial->utf8.left && !partial->is_skipped)
		return fault(message, WIRE_CLOSE_INVALID_TEXT);
	message->opcode = partial->opcode;
	partial->opcode = 0; /* its memory is freed at the next call */
	if (partial->is_skipped)
		return WIRE_FRAME;
	message->is_fragmented = partial->is_fragmented;
	message->data = partial->data;
	message->size = partial->size;
	return WIRE_MESSAGE;
}

/* Adds an unmasked piece of a message. */
static bool add_data(struct wire_websocket_partial *partial, const uint8_t *data, size_t size)
{
	if (partial->is_skipped)
		return true;
	if (partial->opcode == WIRE_TEXT &&
	    !utf8_add(&partial->utf8, (struct str){(const char *)data, size}))
		return false;
	append(partial, data, size);
	return true;
}

/* Takes a frame that is completely in the input. Returns WIRE_MORE if it is not. */
static enum wire_websocket_event take_whole_frame(struct wire_websocket_reader *reader,
						  struct wire_input *input,
						  struct wire_websocket_message *message)
{
	struct frame frame;
	int header_size = read_header(reader, input->data, input->size, &frame);
	struct wire_websocket_partial *partial;
	uint8_t *payload;
	size_t size;

	if (header_size < 0)
		return fault(message, WIRE_CLOSE_PROTOCOL);
	if (header_size == 0 || frame.length > input->size - (size_t)header_size ||
	    is_too_large(reader, &frame) || (is_in_message(reader) && reader->partial->is_skipped))
		return WIRE_MORE;
	payload = input->data + header_size;
	size = (size_t)frame.length;
	input->data = payload + size;
	input->size -= (size_t)header_size + size;
	if (reader->rules->is_masked)
		wire_websocket_mask(payload, size, frame.mask, 0);
	if (frame.opcode & CONTROL)
		return hand_out(frame.opcode, payload, size, message);
	if (frame.opcode && frame.is_final) {
		if (frame.opcode == WIRE_TEXT &&
		    !utf8_is_valid((struct str){(const char *)payload, size}))
			return fault(message, WIRE_CLOSE_INVALID_TEXT);
		return hand_out(frame.opcode, payload, size, message);
	}
	partial = partial_of(reader);
	if (frame.opcode)
		partial->opcode = frame.opcode;
	if (!add_data(partial, payload, size))
		return fault(message, WIRE_CLOSE_INVALID_TEXT);
	return end_data_frame(partial, frame.is_final, message);
}

/* Takes bytes of a header. Returns WIRE_MORE, also if the header is complete. */
static enum wire_websocket_event take_header(struct wire_websocket_reader *reader,
					     struct wire_input *input,
					     struct wire_websocket_message *message)
{
	struct wire_websocket_partial *partial = partial_of(reader);
	int header_size = 0;

	while (header_size == 0 && input->size > 0) {
		partial->header[partial->header_size++] = *input->data++;
		input->size--;
		header_size =
		    read_header(reader, partial->header, partial->header_size, &partial->frame);
	}
	if (header_size < 0)
		return fault(message, WIRE_CLOSE_PROTOCOL);
	if (header_size == 0)
		return WIRE_MORE;
	partial->in_payload = true;
	partial->taken = 0;
	if (partial->is_skipped || !is_too_large(reader, &partial->frame)) {
		if (!(partial->frame.opcode & CONTROL) && partial->frame.opcode)
			partial->opcode = partial->frame.opcode;
		return WIRE_MORE;
	}
	if (partial->frame.opcode)
		partial->opcode = partial->frame.opcode;
	partial->is_skipped = true;
	message->opcode = partial->opcode;
	message->close_code = WIRE_CLOSE_TOO_LARGE;
	return WIRE_TOO_LARGE;
}

static enum wire_websocket_event take_payload(struct wire_websocket_reader *reader,
					      struct wire_input *input,
					      struct wire_websocket_message *message)
{
	struct wire_websocket_partial *partial = reader->partial;
	struct frame *frame = &partial->frame;
	uint64_t left = frame->length - partial->taken;
	size_t size = left < input->size ? (size_t)left : input->size;
	bool is_control = frame->opcode & CONTROL;

	if (reader->rules->is_masked)
		wire_websocket_mask(input->data, size, frame->mask, partial->taken);
	if (is_control && size > 0)
		memcpy(partial->control + partial->taken, input->data, size);
	else if (!is_control && !add_data(partial, input->data, size))
		return fault(message, WIRE_CLOSE_INVALID_TEXT);
	partial->taken += size;
	input->data += size;
	input->size -= size;
	if (partial->taken < frame->length)
		return WIRE_MORE;
	partial->in_payload = false;
	partial->header_size = 0;
	if (is_control)
		return hand_out(frame->opcode, partial->control, (size_t)frame->length, message);
	return end_data_frame(partial, frame->is_final, message);
}

enum wire_websocket_event wire_websocket_read(struct wire_websocket_reader *reader,
					      struct wire_input *input,
					      struct wire_websocket_message *ret_message)
{
	enum wire_websocket_event event = WIRE_MORE;

	*ret_message = (struct wire_websocket_message){0};
	/* Finish the message that the previous call returned. */
	if (is_between_frames(reader) && !is_in_message(reader))
		wire_websocket_finish(reader);
	if (input->size > 0 && is_between_frames(reader))
		event = take_whole_frame(reader, input, ret_message);
	while (event == WIRE_MORE && input->size > 0 &&
	       !(reader->partial && reader->partial->in_payload))
		event = take_header(reader, input, ret_message);
	if (event == WIRE_MORE && reader->partial && reader->partial->in_payload)
		event = take_payload(reader, input, ret_message);
	return event;
}

size_t wire_websocket_header(enum wire_opcode opcode, uint64_t length, const uint8_t *mask,
			     uint8_t ret_header[static WIRE_WEBSOCKET_HEADER_MAX])
{
	size_t length_bytes = length < 126 ? 0 : length <= 0xffff ? 2 : 8;

	ret_header[0] = (uint8_t)(FIN | opcode);
	ret_header[1] = (uint8_t)(length_bytes == 0 ? length : length_bytes == 2 ? 126 : 127);
	for (size_t i = 0; i < length_bytes; i++)
		ret_header[2 + i] = (uint8_t)(length >> (8 * (length_bytes - 1 - i)));
	if (!mask)
		return 2 + length_bytes;
	ret_header[1] |= MASKED;
	memcpy(ret_header + 2 + length_bytes, mask, MASK_BYTES);
	return 2 + length_bytes + MASK_BYTES;
}

void wire_websocket_mask(uint8_t *data, size_t size, const uint8_t mask[static 4], uint64_t offset)
{
	uint8_t turned[8];
	uint64_t key;
	uint64_t word;
	size_t i = 0;

	for (size_t k = 0; k < sizeof(turned); k++)
		turned[k] = mask[(offset + k) % MASK_BYTES];
	memcpy(&key, turned, sizeof(key));
	for (; size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, data + i, sizeof(word));
		word ^= key;
		memcpy(data + i, &word, sizeof(word));
	}
	for (; i < size; i++)
		data[i] ^= turned[i % MASK_BYTES];
}

void wire_websocket_accept(const char *key, size_t key_length,
			   char ret_text[static WIRE_WEBSOCKET_ACCEPT_LENGTH + 1])
{
	static const char suffix[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	mbedtls_sha1_context sha1;
	uint8_t digest[20];
	size_t length;

	mbedtls_sha1_init(&sha1);
	if (mbedtls_sha1_starts(&sha1) ||
	    mbedtls_sha1_update(&sha1, (const uint8_t *)key, key_length) ||
	    mbedtls_sha1_update(&sha1, (const uint8_t *)suffix, sizeof(suffix) - 1) ||
	    mbedtls_sha1_finish(&sha1, digest) ||
	    mbedtls_base64_encode((uint8_t *)ret_text, WIRE_WEBSOCKET_ACCEPT_LENGTH + 1, &length,
				  digest, sizeof(digest)))
		abort(); /* none of these can fail */
	mbedtls_sha1_free(&sha1);
}
