/* Streams, and the layers below, over a transport played by the test: it behaves as every kind of
 * transport must. */
#include "../cmocka_test.h"
#include "base/buffer.h"
#include "http/connection.h"
#include "http/exchange.h"
#include "http/listener.h"
#include "http/stream.h"
#include "http/transport.h"

#include <errno.h>
#include <stdlib.h>

enum { CHUNKS = 8192 };

struct played {
	struct http_transport transport;
	struct later closed_later;
	struct buffer sent;    /* accepted bytes */
	struct buffer waiting; /* bytes not accepted yet */
	size_t room;	       /* room for further bytes */
	bool is_stalled;
};

static struct test {
	struct loop loop;
	struct http_transport_host host;
	struct http_connections connections;
	struct http_listener_settings listener;
	struct http_stream_source source;
	struct played *played;
	struct http_request *request;
	struct http_stream *stream;
	unsigned proceeds;
	unsigned stops;
	bool was_closed;
} test;

static struct played *played_of(const struct http_transport *transport)
{
	return container_of(transport, struct played, transport);
}

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

static void take(struct played *played)
{
	struct str waiting = buffer_view(&played->waiting);
	size_t size = waiting.length < played->room ? waiting.length : played->room;

	buffer_append(&played->sent, waiting.data, size);
	buffer_consume(&played->waiting, size);
	played->room -= size;
}

static int play_send(struct http_transport *transport, const struct str *parts, unsigned count,
		     bool copy)
{
	struct played *played = played_of(transport);

	(void)copy;
	if (transport->is_closing)
		return -ECONNRESET;
	for (unsigned i = 0; i < count; i++)
		buffer_append_str(&played->waiting, parts[i]);
	take(played);
	return 0;
}

static size_t play_pending(const struct http_transport *transport)
{
	return buffer_length(&played_of(transport)->waiting);
}

static bool play_is_stalled(struct http_transport *transport, uint64_t limit_ms)
{
	(void)limit_ms;
	return played_of(transport)->is_stalled;
}

static void play_shutdown(struct http_transport *transport)
{
	assert_int_equal(play_pending(transport), 0);
}

static bool play_has_input(const struct http_transport *transport)
{
	(void)transport;
	return false;
}

static void on_closed_later(struct later *later)
{
	struct played *played = container_of(later, struct played, closed_later);

	played->transport.events->on_closed(&played->transport);
	test.was_closed = true;
}

static void play_close(struct http_transport *transport)
{
	if (!transport->is_closing)
		loop_later(&test.loop, &played_of(transport)->closed_later);
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

static void on_request(struct http_request *request, void *context)
{
	assert_ptr_equal(context, &test);
	assert_int_equal(request->listener->role, HTTP_ROLE_ADMIN);
	test.request = request;
}

static void on_gone(struct http_connections *connections)
{
	(void)connections;
}

static void on_proceed(struct http_stream *stream, void *owner)
{
	assert_ptr_equal(owner, &test);
	assert_ptr_equal(stream, test.stream);
	test.proceeds++;
}

static void on_stop(struct http_stream *stream, void *owner)
{
	assert_ptr_equal(owner, &test);
	assert_ptr_equal(stream, test.stream);
	test.stops++;
}

/* Runs a few turns of the loop. */
static void turn(void)
{
	for (int i = 0; i < 5; i++)
		uv_run(&test.loop.uv, UV_RUN_NOWAIT);
}

static void receive(const char *text)
{
	char *copy = strdup(text);

	test.played->transport.events->on_data(&test.played->transport, str_from(copy));
	free(copy);
}

static int setup(void **state)
{
	struct played *played = memory_zalloc(sizeof(*played));

	(void)state;
	test = (struct test){
	    .host = {.loop = &test.loop},
	    .connections = {.loop = &test.loop, .on_gone = on_gone},
	    .listener = {.role = HTTP_ROLE_ADMIN,
			 .on_request = on_request,
			 .context = &test,
			 .transport = &kind},
	    .source = {.proceed = on_proceed, .stop = on_stop},
	    .played = played,
	};
	test.connections.settings.idle_ms = test.connections.settings.head_ms =
	    test.connections.settings.write_stall_ms = test.connections.settings.linger_ms =
		test.connections.settings.body_ms = 60000;
	test.connections.settings.bodies_bytes = 1024 * 1024;
	list_init(&test.connections.all);
	list_init(&test.connections.upgrades);
	assert_int_equal(loop_init(&test.loop), 0);
	http_unsent_init(&test.connections.unsent, &test.loop, SIZE_MAX);
	played->transport.kind = &kind;
	played->transport.host = &test.host;
	played->room = SIZE_MAX;
	loop_later_init(&played->closed_later, on_closed_later);
	http_connection_create(&test.connections, &test.listener, &played->transport);
	assert_true(played->transport.is_reading);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	list_for_each (node, &test.connections.all)
		http_connection_close(container_of(node, struct http_connection, node));
	turn();
	assert_true(test.was_closed);
	assert_int_equal(test.connections.count, 0);
	loop_finish(&test.loop);
	buffer_finish(&test.played->sent);
	buffer_finish(&test.played->waiting);
	free(test.played);
	return 0;
}

static void open_stream(const char *head)
{
	const struct http_response response = {.status = 200, .content_type = STR("a/b")};

	receive(head);
	assert_non_null(test.request);
	test.stream = http_respond_stream(test.request, &response, &test.source, &test);
}

/* Returns the text sent after the last head. */
static const char *body(void)
{
	const char *end, *head;

	buffer_append_char(&test.played->sent, '\0');
	head = buffer_view(&test.played->sent).data;
	test.played->sent.end--;
	end = strstr(head, "\r\n\r\n");
	assert_non_null(end);
	return end + 4;
}

#define GET "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

#define SCENE(name) TEST_IN(name, setup, teardown)

SCENE(chunks)
{
	open_stream(GET);
	assert_int_equal(test.proceeds, 0); /* never inside the call */
	turn();
	assert_int_equal(test.proceeds, 1);
	turn();
	assert_int_equal(test.proceeds, 1); /* nothing was written since */
	http_stream_write(test.stream, STR("hello"));
	http_stream_write(test.stream, STR(""));
	http_stream_write(test.stream, STR("0123456789abcdef!"));
	assert_int_equal(test.proceeds, 1);
	turn();
	assert_int_equal(test.proceeds, 2);
	assert_string_equal(body(), "5\r\nhello\r\n11\r\n0123456789abcdef!\r\n");
	http_stream_end(test.stream);
	assert_string_equal(body(), "5\r\nhello\r\n11\r\n0123456789abcdef!\r\n0\r\n\r\n");
	turn();
	assert_int_equal(test.proceeds, 2);
	assert_int_equal(test.stops, 0);
	test.request = NULL;
	receive(GET); /* the connection continues */
	assert_non_null(test.request);
	http_respond(test.request, &(struct http_response){.status = 204});
}

SCENE(pressure)
{
	char piece[1000] = {0};

	open_stream(GET);
	turn();
	test.played->room = 10;
	assert_false(http_stream_is_full(test.stream));
	for (int i = 0; i < 64; i++)
		http_stream_write(test.stream, (struct str){piece, sizeof(piece)});
	assert_false(http_stream_is_full(test.stream));
	for (int i = 0; i < 2; i++)
		http_stream_write(test.stream, (struct str){piece, sizeof(piece)});
	assert_true(http_stream_is_full(test.stream));
	turn();
	assert_int_equal(test.proceeds, 1);
	test.played->room = SIZE_MAX;
	take(test.played);
	test.played->transport.events->on_flushed(&test.played->transport);
	assert_int_equal(test.proceeds, 1);
	turn();
	assert_int_equal(test.proceeds, 2);
	assert_false(http_stream_is_full(test.stream));
	http_stream_end(test.stream);
}

SCENE(client_leaves)
{
	open_stream(GET);
	turn();
	test.played->transport.events->on_end(&test.played->transport, -ECONNRESET);
	assert_int_equal(test.stops, 0);
	assert_true(http_stream_is_full(
	    test.stream)); /* a source that writes until the stream is full ends */
	http_stream_write(test.stream, STR("for nobody"));
	turn();
	assert_int_equal(test.stops, 1);
	assert_string_equal(body(), "");
}

/* The source ends the stream after the client has left, before the call that would report it. */
SCENE(ended_before_stop)
{
	open_stream(GET);
	turn();
	test.played->transport.events->on_end(&test.played->transport, -ECONNRESET);
	http_stream_end(test.stream);
	turn();
	assert_int_equal(test.stops, 0);
}

static void on_body(struct http_request *request, int status)
{
	assert_int_equal(status, 0);
	assert_int_equal(request->body.length, CHUNKS);
	http_respond(request, &(struct http_response){.status = 204});
	test.request = NULL;
}

/* Receives a body of chunks of a byte. Returns in how many parts the loop has processed it. */
static size_t parts_of_chunks(const char *chunk, unsigned chunks_of_read)
{
	struct buffer text = {0};
	size_t parts = 1, before = 0;

	receive("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
	assert_non_null(test.request);
	http_request_read_body(test.request, 1024 * 1024, on_body);
	turn();
	for (unsigned i = 1; i <= CHUNKS + 1; i++) {
		buffer_append_str(&text, i <= CHUNKS ? str_from(chunk) : STR("0\r\n\r\n"));
		if (i <= CHUNKS && i % chunks_of_read)
			continue;
		test.played->transport.events->on_data(&test.played->transport, buffer_view(&text));
		buffer_finish(&text);
	}
	uv_ref((uv_handle_t *)&test.loop.timer); /* for the pauses, as a server's sockets do */
	while (test.request) {
		parts += http_exchange_of(test.request)->body_bytes > before;
		before = http_exchange_of(test.request)->body_bytes;
		uv_run(&test.loop.uv, UV_RUN_ONCE);
	}
	uv_unref((uv_handle_t *)&test.loop.timer);
	return parts;
}

/* A client must not keep the loop busy by a body that costs much for each byte. */
SCENE(small_chunks_take_turns)
{
	assert_in_range(parts_of_chunks("1\r\na\r\n", UINT_MAX), CHUNKS / 1024, CHUNKS / 256);
	assert_in_range(parts_of_chunks("0000000001\r\na\r\n", UINT_MAX), CHUNKS / 512,
			CHUNKS / 128);
	assert_in_range(parts_of_chunks("1\r\na\r\n", 10), CHUNKS / 1024, CHUNKS / 128);
}

SCENE(half_close)
{
	open_stream(GET);
	turn();
	test.played->transport.events->on_end(&test.played->transport, 0);
	http_stream_write(test.stream, STR("a"));
	http_stream_end(test.stream);
	assert_string_equal(body(), "1\r\na\r\n0\r\n\r\n");
	turn();
	assert_int_equal(test.stops, 0);
	assert_true(test.was_closed);
}

SCENE(half_close_of_an_endless_one)
{
	test.source.is_endless = true;
	open_stream(GET);
	turn();
	test.played->transport.events->on_end(&test.played->transport, 0);
	turn();
	assert_int_equal(test.stops, 1);
	assert_true(test.was_closed);
}

SCENE(drain)
{
	test.source.is_endless = true;
	open_stream(GET);
	turn();
	test.connections.is_draining = true;
	http_connection_drain(
	    container_of(test.connections.all.next, struct http_connection, node));
	assert_int_equal(test.stops, 0);
	http_stream_write(test.stream, STR("too late"));
	turn();
	assert_int_equal(test.stops, 1);
	assert_string_equal(body(), "0\r\n\r\n");
	assert_true(test.was_closed);
}

SCENE(head)
{
	open_stream("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
	http_stream_write(test.stream, STR("nothing"));
	assert_int_equal(test.stops, 0);
	turn();
	assert_int_equal(test.stops, 1);
	assert_int_equal(test.proceeds, 0);
	assert_string_equal(body(), "");
	assert_false(test.was_closed);
}

SCENE(without_chunks)
{
	open_stream("GET / HTTP/1.0\r\n\r\n");
	http_stream_write(test.stream, STR("as it "));
	http_stream_write(test.stream, STR("is"));
	http_stream_end(test.stream);
	turn();
	assert_string_equal(body(), "as it is");
	assert_true(test.was_closed);
}

/* A released request keeps little memory, and its stream works as before. */
SCENE(released)
{
	struct http_connection *connection;

	open_stream(GET);
	http_stream_release_request(test.stream);
	test.request = NULL;
	turn();
	assert_int_equal(test.proceeds, 1);
	http_stream_write(test.stream, STR("x"));
	assert_string_equal(body(), "1\r\nx\r\n");
	connection = container_of(test.connections.all.next, struct http_connection, node);
	assert_true(connection->exchange->request.arena.used_bytes < 1024);
	assert_true(str_equal(connection->exchange->request.path, STR("/")));
	http_stream_end(test.stream);
	receive(GET);
	assert_non_null(test.request);
	http_respond(test.request, &(struct http_response){.status = 204});
}

SCENE(broken_off)
{
	open_stream(GET);
	http_stream_write(test.stream, STR("x"));
	http_stream_abort(test.stream);
	turn();
	assert_string_equal(body(), "1\r\nx\r\n");
	assert_int_equal(test.stops, 0);
	assert_true(test.was_closed);
}

static struct http_unsent_entry other;

static size_t pending_of_other(const struct http_unsent_entry *entry)
{
	return entry->bytes;
}

static void drop_other(struct http_unsent_entry *entry)
{
	assert_null(test.request);
	http_unsent_set(&test.connections.unsent, NULL, entry, 0);
}

/* Otherwise one turn could answer a thousand requests on top. */
SCENE(while_too_much_waits_requests_wait)
{
	static const struct http_unsent_owner owner = {.pending = pending_of_other,
						       .drop = drop_other};

	http_unsent_finish(&test.connections.unsent);
	http_unsent_init(&test.connections.unsent, &test.loop, 1000);
	test.connections.unsent.owners[HTTP_UNSENT_WEBSOCKET] = &owner;
	http_unsent_entry_init(&other, HTTP_UNSENT_WEBSOCKET);
	http_unsent_set(&test.connections.unsent, NULL, &other, 1001);
	receive(GET);
	assert_null(test.request);
	turn();
	assert_int_equal(other.bytes, 0);
	assert_non_null(test.request);
	http_respond(test.request, &(struct http_response){.status = 204});
}

int main(void)
{
	return run_all_tests(NULL, NULL);
}
