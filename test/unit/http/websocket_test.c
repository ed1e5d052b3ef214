/* A WebSocket over a transport that the test plays, and which counts writes. */
#include "../cmocka_test.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "http/connection.h"
#include "http/listener.h"
#include "http/transport.h"
#include "http/websocket_private.h"

#include <stdlib.h>

static struct test {
	struct loop loop;
	struct http_transport_host host;
	struct http_connections connections;
	struct http_listener_settings listener;
	struct http_transport transport;
	struct later closed_later;
	struct websocket *websocket;
	size_t pending; /* output stays unsent if takes_nothing is set */
	bool takes_nothing;
	unsigned writes;
	struct buffer sent;
	unsigned frames;
	unsigned drained;
	bool is_gone;
} test;

static size_t play_address(const struct http_transport *transport, char *ret_text)
{
	(void)transport;
	memcpy(ret_text, "played", sizeof("played"));
	return strlen("played");
}

static void play_set_reading(struct http_transport *transport, bool on)
{
	assert_int_equal(transport->is_reading, on);
}

static int play_send(struct http_transport *transport, const struct str *parts, unsigned count,
		     bool copy)
{
	(void)transport;
	(void)copy;
	test.writes++;
	for (unsigned i = 0; i < count; i++) {
		buffer_append_str(&test.sent, parts[i]);
		if (test.takes_nothing)
			test.pending += parts[i].length;
	}
	return 0;
}

static size_t play_pending(const struct http_transport *transport)
{
	(void)transport;
	return test.pending;
}

static bool play_is_stalled(struct http_transport *transport, uint64_t limit_ms)
{
	(void)transport;
	(void)limit_ms;
	return false;
}

static void play_shutdown(struct http_transport *transport)
{
	(void)transport;
}

static bool play_has_input(const struct http_transport *transport)
{
	(void)transport;
	return false;
}

static void on_closed_later(struct later *later)
{
	(void)later;
	test.transport.events->on_closed(&test.transport);
}

static void play_close(struct http_transport *transport)
{
	if (!transport->is_closing)
		loop_later(&test.loop, &test.closed_later);
	transport->is_closing = true;
}

static struct http_unsent_share *play_share(const struct http_transport *transport)
{
	(void)transport;
	return NULL;
}

static const struct http_transport_kind kind = {
    .address = play_address,
    .set_reading = play_set_reading,
    .send = play_send,
    .pending = play_pending,
    .is_stalled = play_is_stalled,
    .shutdown = play_shutdown,
    .has_input = play_has_input,
    .share = play_share,
    .close = play_close,
};

static void on_message(struct websocket *websocket, struct str data)
{
	websocket_send_text(websocket, data);
}

static void on_alive(struct websocket *websocket)
{
	(void)websocket;
	test.frames++;
}

static void on_drained(struct websocket *websocket)
{
	assert_int_equal(websocket_pending_bytes(websocket), 0);
	test.drained++;
}

static void on_closed(struct websocket *websocket)
{
	assert_ptr_equal(websocket, test.websocket);
	test.is_gone = true;
}

static const struct websocket_events events = {
    .on_text = on_message,
    .on_binary = on_message,
    .on_alive = on_alive,
    .on_drained = on_drained,
    .on_closed = on_closed,
};

static void on_request(struct http_request *request, void *context)
{
	(void)context;
	test.websocket = websocket_accept(request, &events, &test);
}

static void on_gone(struct http_connections *connections)
{
	(void)connections;
}

static void turns(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		uv_run(&test.loop.uv, UV_RUN_NOWAIT);
}

static void receive(struct str data)
{
	assert_true(test.transport.is_reading);
	test.transport.events->on_data(&test.transport, data);
}

/* Receives the same frame this many times, in one read; its mask is 0. */
static void receive_frames(unsigned count, const char *frame, size_t size)
{
	char *data = memory_alloc(count * size);

	for (unsigned i = 0; i < count; i++)
		memcpy(data + i * size, frame, size);
	receive((struct str){data, count * size});
	free(data);
}

static const char ping[] = {(char)0x89, (char)0x81, 0, 0, 0, 0, 'x'};
static const char pong[] = {(char)0x8a, (char)0x80, 0, 0, 0, 0};
static const char text[] = {(char)0x81, (char)0x82, 0, 0, 0, 0, 'h', 'i'};
static const char fragments[] = {0x01, (char)0x80, 0, 0, 0, 0, (char)0x80, (char)0x80, 0, 0, 0, 0};

static int setup(void **state)
{
	static char handshake[] = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
				  "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
				  "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n";

	(void)state;
	test = (struct test){
	    .host = {.loop = &test.loop},
	    .connections = {.loop = &test.loop,
			    .on_gone = on_gone,
			    .settings = {.idle_ms = 60000,
					 .head_ms = 60000,
					 .write_stall_ms = 60000,
					 .linger_ms = 60000,
					 .ping_ms = 60000,
					 .silence_ms = 60000}},
	    .listener = {.on_request = on_request, .transport = &kind},
	    .transport = {.kind = &kind, .host = &test.host},
	};
	list_init(&test.connections.all);
	list_init(&test.connections.upgrades);
	assert_int_equal(loop_init(&test.loop), 0);
	http_unsent_init(&test.connections.unsent, &test.loop, 1000);
	test.connections.unsent.owners[HTTP_UNSENT_WEBSOCKET] = &websocket_unsent_owner;
	loop_later_init(&test.closed_later, on_closed_later);
	http_connection_create(&test.connections, &test.listener, &test.transport);
	receive((struct str){handshake, sizeof(handshake) - 1});
	turns(2);
	assert_non_null(test.websocket);
	assert_int_equal(test.writes, 1);
	test.writes = 0;
	buffer_clear(&test.sent);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (!test.transport.is_closing)
		websocket_drop(test.websocket);
	turns(2);
	assert_true(test.is_gone);
	buffer_finish(&test.sent);
	loop_finish(&test.loop);
	arena_drop_cache();
	return 0;
}

TEST_IN(the_answers_of_one_read_leave_in_one_write, setup, teardown)
{
	receive_frames(200, ping, sizeof(ping));
	assert_int_equal(test.writes, 1);
	assert_int_equal(buffer_length(&test.sent), 200 * 3);
	for (unsigned i = 0; i < 200; i++)
		assert_memory_equal(buffer_view(&test.sent).data + i * 3, "\x8a\x01x", 3);
}

TEST_IN(an_answer_leaves_before_the_message_behind_it, setup, teardown)
{
	char both[sizeof(ping) + sizeof(text)];

	memcpy(both, ping, sizeof(ping));
	memcpy(both + sizeof(ping), text, sizeof(text));
	receive_frames(2, both, sizeof(both));
	assert_int_equal(buffer_length(&test.sent), 2 * (3 + 4));
	assert_memory_equal(buffer_view(&test.sent).data, "\x8a\x01x\x81\x02hi\x8a\x01x\x81\x02hi",
			    14);
}

TEST_IN(frames_that_come_in_a_row_give_way_to_others, setup, teardown)
{
	receive_frames(2000, ping, sizeof(ping));
	assert_in_range(test.frames, 1, 256);
	assert_false(test.transport.is_reading);
	for (unsigned before = test.frames; before < 2000; before = test.frames) {
		turns(1);
		assert_in_range(test.frames, before + 1, before + 256);
	}
	turns(1);
	assert_true(test.transport.is_reading);
	assert_int_equal(buffer_length(&test.sent), 2000 * 3);
}

TEST_IN(long_frames_that_come_in_a_row_give_way_to_others, setup, teardown)
{
	enum { COUNT = 500, PAYLOAD = 125, TURN_BYTES = 8 * 1024 };
	char long_ping[6 + PAYLOAD] = {(char)0x89, (char)(0x80 | PAYLOAD)};
	struct str cut = {long_ping, sizeof(long_ping) - 1};
	char *data = memory_alloc(1 + COUNT * sizeof(long_ping));
	size_t before = 0;

	/* The answer to the message in two pieces is as long as any other. */
	receive(cut);
	data[0] = long_ping[cut.length];
	for (int i = 0; i < COUNT; i++)
		memcpy(data + 1 + i * sizeof(long_ping), long_ping, sizeof(long_ping));
	receive((struct str){data, 1 + COUNT * sizeof(long_ping)});
	free(data);
	assert_false(test.transport.is_reading);
	while (test.frames < COUNT + 1) {
		size_t sent = buffer_length(&test.sent);

		assert_in_range(sent - before, 1, TURN_BYTES + 2 * PAYLOAD);
		before = sent;
		turns(1);
	}
	turns(1);
	assert_true(test.transport.is_reading);
	assert_int_equal(buffer_length(&test.sent), (COUNT + 1) * (2 + PAYLOAD));
}

static void send_up_to_the_limit(const char *frame, size_t size, unsigned frames_each)
{
	unsigned count = LIMIT_WEBSOCKET_FRAMES_PER_MINUTE / frames_each;

	for (unsigned i = 0; i < count; i++) {
		receive_frames(1, frame, size);
		assert_false(test.transport.is_closing);
	}
	receive_frames(1, frame, size);
	assert_true(test.transport.is_closing);
}

TEST_IN(pings_count, setup, teardown)
{
	send_up_to_the_limit(ping, sizeof(ping), 1);
}

TEST_IN(pongs_count, setup, teardown)
{
	send_up_to_the_limit(pong, sizeof(pong), 1);
}

TEST_IN(fragments_count, setup, teardown)
{
	send_up_to_the_limit(fragments, sizeof(fragments), 2);
}

TEST_IN(whole_messages_count, setup, teardown)
{
	send_up_to_the_limit(text, sizeof(text), 1);
}

TEST_IN(a_sender_hears_that_all_was_taken, setup, teardown)
{
	test.takes_nothing = true;
	websocket_send_text(test.websocket, STR("hello"));
	assert_int_equal(websocket_pending_bytes(test.websocket), 7);
	assert_int_equal(test.connections.unsent.bytes, 7);
	turns(2);
	assert_int_equal(test.drained, 0);
	test.pending = 0;
	test.transport.events->on_flushed(&test.transport);
	assert_int_equal(test.drained, 1);
	assert_int_equal(test.connections.unsent.bytes, 0);
}

TEST_IN(too_much_for_all_drops_it, setup, teardown)
{
	char data[600] = {0};

	test.takes_nothing = true;
	websocket_send_binary(test.websocket, (struct str){data, sizeof(data)});
	assert_false(test.transport.is_closing);
	/* Bytes taken meanwhile do not count. */
	test.pending = 100;
	websocket_send_binary(test.websocket, (struct str){data, sizeof(data)});
	turns(1);
	assert_false(test.transport.is_closing);
	websocket_send_binary(test.websocket, (struct str){data, sizeof(data)});
	turns(1);
	assert_true(test.transport.is_closing);
	assert_int_equal(test.connections.unsent.bytes, 0);
}

RUN_TESTS(NULL, NULL)
