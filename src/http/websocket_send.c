#include "base/limits.h"
#include "base/require.h"
#include "http/websocket_private.h"

/* Longer parts of batched messages are not copied. */
enum { BATCHED_SMALL_BYTES_MAX = 125 };

/* Batch of messages of one WebSocket; a process has at most one. Small parts are copied, others are
 * referenced. */
static struct {
	struct websocket *websocket; /* NULL: no batch */
	struct str parts[HTTP_TRANSPORT_PARTS_MAX];
	unsigned count;
	size_t small_bytes;
	char small[512];
} batch;

/* Answers to the peer's frames, sent in one write. One WebSocket is read at a time, and all its
 * answers are sent before the next one is read. */
static struct {
	const struct websocket *websocket; /* NULL: none waits */
	size_t size;
	/* An answer is shorter than its frame, and all frames but the first and the last lie within
	 * WEBSOCKET_BYTES_IN_A_ROW. */
	char bytes[WEBSOCKET_BYTES_IN_A_ROW + 2 * (2 + WIRE_CONTROL_MAX)];
} answers;

void websocket_set_deadline(struct websocket *websocket)
{
	const struct http_server_settings *limits = &websocket->connections->settings;
	uint64_t at = websocket->heard_ms + limits->silence_ms;
	uint64_t stall = loop_now_ms(websocket->connections->loop) + limits->write_stall_ms / 4 + 1;

	if (websocket->is_ending)
		return;
	if (websocket->ping_ms < at)
		at = websocket->ping_ms;
	if (http_transport_pending(websocket->socket) && stall < at)
		at = stall;
	deadline_set_at(websocket->connections->loop, &websocket->deadline, at);
}

static void set_pending(struct websocket *websocket, size_t bytes)
{
	if (bytes != websocket->unsent.bytes)
		http_unsent_set(&websocket->connections->unsent,
				http_transport_share(websocket->socket), &websocket->unsent, bytes);
}

void websocket_drop(struct websocket *websocket)
{
	deadline_clear(websocket->connections->loop, &websocket->deadline);
	set_pending(websocket, 0);
	http_transport_close(websocket->socket);
}

static struct websocket *websocket_of(const struct http_unsent_entry *entry)
{
	return container_of(entry, struct websocket, unsent);
}

static size_t pending_of(const struct http_unsent_entry *entry)
{
	return http_transport_pending(websocket_of(entry)->socket);
}

static void drop_largest(struct http_unsent_entry *entry)
{
	websocket_drop(websocket_of(entry));
}

const struct http_unsent_owner websocket_unsent_owner = {.pending = pending_of,
							 .drop = drop_largest};

void websocket_count_pending(struct websocket *websocket)
{
	set_pending(websocket, http_transport_pending(websocket->socket));
}

static bool send_parts(struct websocket *websocket, const struct str *parts, unsigned count)
{
	size_t size = 0;

	for (unsigned i = 0; i < count; i++)
		size += parts[i].length;
	if (websocket_pending_bytes(websocket) + size > LIMIT_WEBSOCKET_PENDING_BYTES ||
	    http_transport_send(websocket->socket, parts, count, /* copy= */ true) != 0) {
		websocket_drop(websocket);
		return false;
	}
	if (http_transport_pending(websocket->socket) == 0)
		return true;
	websocket_count_pending(websocket);
	websocket_set_deadline(websocket);
	return true;
}

void websocket_add_answer(struct websocket *websocket, enum wire_opcode opcode, struct str payload)
{
	char *bytes = answers.bytes + answers.size;
	size_t header_size = wire_websocket_header(opcode, payload.length, NULL, (uint8_t *)bytes);

	require(!answers.websocket || answers.websocket == websocket);
	require(answers.size + header_size + payload.length <= sizeof(answers.bytes));
	answers.websocket = websocket;
	memcpy(bytes + header_size, payload.data, payload.length);
	answers.size += header_size + payload.length;
}

void websocket_send_answers(struct websocket *websocket)
{
	struct str bytes = {answers.bytes, answers.size};

	if (answers.websocket != websocket)
		return;
	answers.websocket = NULL;
	answers.size = 0;
	if (!websocket->socket->is_closing)
		send_parts(websocket, &bytes, 1);
}

bool websocket_send_raw(struct websocket *websocket, const struct str *parts, unsigned count)
{
	websocket_send_answers(websocket);
	return !websocket->socket->is_closing && send_parts(websocket, parts, count);
}

static void send_batch(void)
{
	struct websocket *websocket = batch.websocket;

	if (batch.count && !websocket->socket->is_closing && !websocket->is_ending)
		websocket_send_raw(websocket, batch.parts, batch.count);
	batch.count = 0;
	batch.small_bytes = 0;
}

static void batch_copy(struct str part)
{
	char *copy;
	struct str *last;

	if (batch.count == HTTP_TRANSPORT_PARTS_MAX ||
	    batch.small_bytes + part.length > sizeof(batch.small))
		send_batch();
	copy = batch.small + batch.small_bytes;
	memcpy(copy, part.data, part.length);
	batch.small_bytes += part.length;
	last = batch.count ? &batch.parts[batch.count - 1] : NULL;
	if (last && last->data + last->length == copy)
		last->length += part.length;
	else
		batch.parts[batch.count++] = (struct str){copy, part.length};
}

static void batch_payload(struct str payload)
{
	if (payload.length == 0)
		return;
	if (payload.length <= BATCHED_SMALL_BYTES_MAX) {
		batch_copy(payload);
		return;
	}
	if (batch.count == HTTP_TRANSPORT_PARTS_MAX)
		send_batch();
	batch.parts[batch.count++] = payload;
}

static void send_message(struct websocket *websocket, enum wire_opcode opcode, struct str payload)
{
	uint8_t header[WIRE_WEBSOCKET_HEADER_MAX];
	size_t header_size = wire_websocket_header(opcode, payload.length, NULL, header);
	const struct str parts[] = {{(const char *)header, header_size}, payload};

	if (websocket->socket->is_closing || websocket->is_ending)
		return;
	if (batch.websocket != websocket) {
		websocket_send_raw(websocket, parts, payload.length ? 2 : 1);
		return;
	}
	batch_copy(parts[0]);
	batch_payload(payload);
}

void websocket_send_text(struct websocket *websocket, struct str text)
{
	send_message(websocket, WIRE_TEXT, text);
}

void websocket_send_binary(struct websocket *websocket, struct str data)
{
	send_message(websocket, WIRE_BINARY, data);
}

void websocket_batch_begin(struct websocket *websocket)
{
	require(!batch.websocket);
	batch.websocket = websocket;
}

void websocket_batch_send(struct websocket *websocket)
{
	require(batch.websocket == websocket);
	send_batch();
	batch.websocket = NULL;
}

size_t websocket_pending_bytes(const struct websocket *websocket)
{
	return http_transport_pending(websocket->socket);
}
