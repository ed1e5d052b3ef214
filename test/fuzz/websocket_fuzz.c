/* The WebSocket reader at both ends of a connection: any bytes give the same messages, however
 * they are cut. The first byte of an input decides the cuts. */
#include <wire/websocket.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Hash of all results (FNV-1a). */
struct outcome {
	uint64_t hash;
};

static void add(struct outcome *outcome, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		outcome->hash = (outcome->hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3;
}

/* Each piece has its own memory, which is freed before the next one arrives. */
static bool read_piece(struct wire_websocket_reader *reader, const uint8_t *data, size_t size,
		       struct outcome *outcome)
{
	uint8_t *copy = malloc(size);
	struct wire_input input = {copy, size};
	struct wire_websocket_message message;
	enum wire_websocket_event event;

	memcpy(copy, data, size);
	do {
		event = wire_websocket_read(reader, &input, &message);
		if (event == WIRE_MORE)
			break;
		add(outcome, &event, sizeof(event));
		add(outcome, &message.opcode, sizeof(message.opcode));
		add(outcome, &message.is_fragmented, sizeof(message.is_fragmented));
		add(outcome, &message.close_code, sizeof(message.close_code));
		add(outcome, message.data, message.size);
	} while (event != WIRE_FAULT && !(event == WIRE_MESSAGE && message.opcode == WIRE_CLOSE));
	free(copy);
	return event == WIRE_MORE;
}

static uint64_t read_all(bool is_masked, const uint8_t *data, size_t size, size_t step)
{
	const struct wire_websocket_rules rules = {is_masked, 100, 300};
	struct wire_websocket_reader reader = {.rules = &rules};
	struct outcome outcome = {0xcbf29ce484222325};

	for (size_t at = 0; at < size; at += step) {
		size_t piece = size - at < step ? size - at : step;

		if (!read_piece(&reader, data + at, piece, &outcome))
			break;
	}
	wire_websocket_finish(&reader);
	return outcome.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	for (int is_masked = 0; is_masked < 2; is_masked++) {
		uint64_t whole = read_all(is_masked, data + 1, size - 1, size);

		if (read_all(is_masked, data + 1, size - 1, 1 + data[0] % 64) != whole ||
		    read_all(is_masked, data + 1, size - 1, 1) != whole)
			abort();
	}
	return 0;
}
