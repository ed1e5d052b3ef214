/* Data after the handshake: how it passes, in which portions, and what ends a connection. */
#include "base/memory.h"
#include "tls_scene.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Internal function of mbedTLS: sends the bytes in the buffer for outgoing messages. */
int mbedtls_ssl_write_record(mbedtls_ssl_context *ssl, int force_flush);

enum { LARGE_BYTES = 3 * 1024 * 1024, MANY = 5 * TLS_RECORDS_A_TURN + 3 };

static struct tls_client client;
static char *large;

static int open_connection(void **state, mbedtls_ssl_protocol_version version)
{
	tls_scene_open(state);
	tls_client_open(&client, version, NULL);
	assert_int_equal(tls_client_shake_hands(&client), 0);
	large = memory_alloc(LARGE_BYTES);
	for (size_t i = 0; i < LARGE_BYTES; i++)
		large[i] = (char)(i * 31 >> 8);
	return 0;
}

static int open_tls12(void **state)
{
	return open_connection(state, MBEDTLS_SSL_VERSION_TLS1_2);
}

static int open_tls13(void **state)
{
	return open_connection(state, MBEDTLS_SSL_VERSION_TLS1_3);
}

static int close_connection(void **state)
{
	tls_client_close(&client);
	free(large);
	return tls_scene_close(state);
}

/* Records that the client encrypts and the test sends itself. */
static struct {
	int client_fd;
	int pair[2];
	char bytes[64 * 1024];
} batch;

static void begin_batch(void)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, batch.pair), 0);
	batch.client_fd = client.fd;
	client.fd = batch.pair[0];
}

static struct str end_batch(void)
{
	size_t length = 0;
	ssize_t size;

	client.fd = batch.client_fd;
	close(batch.pair[0]);
	while ((size = recv(batch.pair[1], batch.bytes + length, sizeof(batch.bytes) - length, 0)) >
	       0)
		length += (size_t)size;
	close(batch.pair[1]);
	assert_in_range(length, 1, sizeof(batch.bytes) - 1);
	return (struct str){batch.bytes, length};
}

/* Adds records of one byte each. */
static void add_records(size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(
		    mbedtls_ssl_write(&client.ssl, (const unsigned char *)large + i, 1), 1);
}

static struct str take_record(const char *text)
{
	begin_batch();
	assert_int_equal(mbedtls_ssl_write(&client.ssl, (const unsigned char *)text, strlen(text)),
			 strlen(text));
	return end_batch();
}

static void send_all(struct str data)
{
	assert_int_equal(send(client.fd, data.data, data.length, MSG_NOSIGNAL),
			 (ssize_t)data.length);
}

static void raw(struct str data)
{
	send_all(data);
	for (unsigned i = 0; i < 3; i++)
		tls_scene_turn();
}

static void much_comes_whole(void **state)
{
	(void)state;
	tls_client_send(&client, large, LARGE_BYTES);
	tls_scene_await(LARGE_BYTES);
	assert_int_equal(buffer_length(&tls_scene.came), LARGE_BYTES);
	assert_memory_equal(buffer_view(&tls_scene.came).data, large, LARGE_BYTES);
}

static void much_goes_whole(void **state)
{
	const struct str parts[] = {
	    {large, 10}, {large + 10, 100000}, {large + 100010, LARGE_BYTES - 100010}};
	char *got = memory_alloc(LARGE_BYTES);

	(void)state;
	for (unsigned copy = 0; copy < 2; copy++) {
		struct http_transport *transport = tls_scene.transport;

		tls_scene.flushes = 0;
		assert_int_equal(http_transport_send(transport, parts, 3, copy), 0);
		assert_true(http_transport_pending(transport) > 0);
		assert_int_equal(tls_client_read(&client, got, LARGE_BYTES), LARGE_BYTES);
		assert_memory_equal(got, large, LARGE_BYTES);
		while (http_transport_pending(transport) > 0 || tls_scene.flushes == 0)
			tls_scene_turn();
		assert_int_equal(tls_scene.flushes, 1);
	}
	free(got);
}

/* Part of a record may be the beginning of a request, so the connection is not idle. */
static void a_part_of_a_record_is_input(void **state)
{
	struct http_transport *transport = tls_scene.transport;
	struct str record;

	(void)state;
	record = take_record("a request");
	assert_false(http_transport_has_input(transport));
	for (size_t at = 0; at < record.length; at++) {
		assert_int_equal(buffer_length(&tls_scene.came), 0);
		assert_true(at == 0 || http_transport_has_input(transport));
		raw((struct str){record.data + at, 1});
	}
	assert_true(str_equal(buffer_view(&tls_scene.came), STR("a request")));
	assert_false(http_transport_has_input(transport));
}

static void what_comes_while_nothing_is_read_waits(void **state)
{
	struct http_transport *transport = tls_scene.transport;

	(void)state;
	http_transport_set_reading(transport, false);
	tls_client_send(&client, "first", 5);
	tls_client_send(&client, "second", 6);
	for (unsigned i = 0; i < 10; i++)
		tls_scene_turn();
	assert_int_equal(buffer_length(&tls_scene.came), 0);
	assert_true(http_transport_has_input(transport));
	http_transport_set_reading(transport, true);
	assert_int_equal(buffer_length(&tls_scene.came), 0); /* later, from the loop */
	tls_scene_await(11);
	assert_true(str_equal(buffer_view(&tls_scene.came), STR("firstsecond")));
}

/* ---- what a turn brings ---- */

static void send_records(size_t count)
{
	begin_batch();
	add_records(count);
	send_all(end_batch());
}

static void assert_came(size_t count)
{
	assert_int_equal(buffer_length(&tls_scene.came), count);
	assert_memory_equal(buffer_view(&tls_scene.came).data, large, count);
}

/* The budgets of the layers above, and the sizes of their writes, depend on the calls. */
static void records_of_one_read_come_in_one_call(void **state)
{
	(void)state;
	send_records(TLS_RECORDS_A_TURN);
	tls_scene_turn();
	assert_came(TLS_RECORDS_A_TURN);
	assert_int_equal(tls_scene.calls, 1);
	assert_false(tls_scene.has_more);
}

static void many_records_take_many_turns(void **state)
{
	size_t count = 0;

	(void)state;
	send_records(MANY);
	for (unsigned turn = 1; count < MANY; turn++) {
		count = count + TLS_RECORDS_A_TURN < MANY ? count + TLS_RECORDS_A_TURN : MANY;
		tls_scene_turn();
		assert_came(count);
		assert_int_equal(tls_scene.calls, turn);
		/* Otherwise a draining server would close in between. */
		assert_int_equal(tls_scene.has_more, count < MANY);
	}
	send_records(1); /* continues to read */
	tls_scene_turn();
	assert_int_equal(buffer_length(&tls_scene.came), MANY + 1);
}

/* mbedTLS skips them by itself. */
static void records_without_data_count(void **state)
{
	(void)state;
	begin_batch();
	for (unsigned i = 0; i < 2 * TLS_RECORDS_A_TURN; i++)
		assert_int_equal(
		    mbedtls_ssl_send_alert_message(&client.ssl, MBEDTLS_SSL_ALERT_LEVEL_WARNING,
						   MBEDTLS_SSL_ALERT_MSG_USER_CANCELED),
		    0);
	add_records(1);
	send_all(end_batch());
	for (unsigned i = 0; i < 2; i++) {
		tls_scene_turn();
		assert_came(0);
	}
	tls_scene_turn();
	assert_came(1);
}

static void a_pause_holds_the_rest_back(void **state)
{
	(void)state;
	send_records(MANY);
	tls_scene_turn();
	http_transport_set_reading(tls_scene.transport, false);
	for (unsigned i = 0; i < 10; i++)
		tls_scene_turn();
	assert_came(TLS_RECORDS_A_TURN);
	assert_true(http_transport_has_input(tls_scene.transport));
	tls_scene.stops_reading = true; /* and again with each call */
	http_transport_set_reading(tls_scene.transport, true);
	for (unsigned i = 0; i < 10; i++)
		tls_scene_turn();
	assert_came((size_t)2 * TLS_RECORDS_A_TURN);
	tls_scene.stops_reading = false;
	http_transport_set_reading(tls_scene.transport, true);
	tls_scene_await(MANY);
	assert_came(MANY);
}

static void what_comes_before_the_end_is_not_lost(void **state)
{
	(void)state;
	send_records(MANY);
	assert_int_equal(shutdown(client.fd, SHUT_WR), 0);
	while (tls_scene.ends == 0)
		tls_scene_turn();
	assert_came(MANY);
	assert_int_equal(tls_scene.end_error, 0);
}

static void an_end_waits_for_reading(void **state)
{
	struct http_transport *transport = tls_scene.transport;

	(void)state;
	begin_batch();
	add_records(2);
	assert_int_equal(mbedtls_ssl_close_notify(&client.ssl), 0);
	tls_scene.stops_reading = true;
	raw(end_batch());
	assert_came(2);
	assert_int_equal(tls_scene.ends, 0);
	http_transport_set_reading(transport, true);
	assert_int_equal(tls_scene.ends, 0); /* later, from the loop */
	tls_scene_turn();
	assert_int_equal(tls_scene.ends, 1);
	assert_int_equal(tls_scene.end_error, 0);
	assert_int_equal(tls_scene.calls, 1);
}

static void an_end_follows_the_data_before_it(void **state)
{
	(void)state;
	begin_batch();
	add_records(2);
	assert_int_equal(mbedtls_ssl_close_notify(&client.ssl), 0);
	send_all(end_batch());
	tls_scene_turn();
	assert_came(2);
	assert_int_equal(tls_scene.ends, 1);
}

static void nothing_comes_once_it_is_closed(void **state)
{
	(void)state;
	tls_scene.closes = true;
	send_records(MANY);
	while (tls_scene.transport)
		tls_scene_turn();
	assert_came(TLS_RECORDS_A_TURN);
	assert_int_equal(tls_scene.calls, 1);
	assert_int_equal(tls_scene.ends, 0);
}

/* ---- what ends it ---- */

static void a_damaged_record_ends_it(void **state)
{
	struct str record;

	(void)state;
	record = take_record("a request");
	batch.bytes[record.length - 1] ^= 1;
	raw(record);
	assert_int_equal(buffer_length(&tls_scene.came), 0);
	assert_int_equal(tls_scene.ends, 1);
	assert_int_equal(tls_scene.end_error, -EPROTO);
}

static void both_sides_say_that_they_end(void **state)
{
	unsigned char none;
	int result;

	(void)state;
	assert_int_equal(mbedtls_ssl_close_notify(&client.ssl), 0);
	while (tls_scene.ends == 0)
		tls_scene_turn();
	assert_int_equal(tls_scene.end_error, 0);
	http_transport_shutdown(tls_scene.transport);
	do {
		result = mbedtls_ssl_read(&client.ssl, &none, 1);
		tls_scene_turn();
	} while (result == MBEDTLS_ERR_SSL_WANT_READ ||
		 result == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET);
	assert_int_equal(result, MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY);
}

/* A record has room for thousands of empty hellos, and mbedTLS answers each of them. */
static void renegotiations_are_not_answered_for_ever(void **state)
{
	mbedtls_ssl_context *ssl = &client.ssl;
	size_t size = MBEDTLS_SSL_OUT_CONTENT_LEN / 4 * 4, answered = 0;
	char alerts[4096];
	ssize_t got;

	(void)state;
	for (size_t i = 0; i < size; i += 4)
		memcpy(ssl->MBEDTLS_PRIVATE(out_msg) + i, "\1\0\0", 4);
	ssl->MBEDTLS_PRIVATE(out_msgtype) = MBEDTLS_SSL_MSG_HANDSHAKE;
	ssl->MBEDTLS_PRIVATE(out_msglen) = size;
	assert_int_equal(mbedtls_ssl_write_record(ssl, 1), 0);
	for (unsigned i = 0; i < 10; i++)
		tls_scene_turn();
	assert_int_equal(tls_scene.ends, 1);
	assert_int_equal(tls_scene.end_error, -EPROTO);
	while ((got = recv(client.fd, alerts, sizeof(alerts), MSG_DONTWAIT)) > 0)
		answered += (size_t)got;
	assert_in_range(answered, 1, 256);
}

#define OVER(name, version) cmocka_unit_test_setup_teardown(name, open_##version, close_connection)
#define OVER_BOTH(name) OVER(name, tls12), OVER(name, tls13)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    OVER_BOTH(much_comes_whole),
	    OVER_BOTH(much_goes_whole),
	    OVER_BOTH(a_part_of_a_record_is_input),
	    OVER_BOTH(what_comes_while_nothing_is_read_waits),
	    OVER_BOTH(records_of_one_read_come_in_one_call),
	    OVER_BOTH(many_records_take_many_turns),
	    OVER_BOTH(records_without_data_count),
	    OVER_BOTH(a_pause_holds_the_rest_back),
	    OVER_BOTH(what_comes_before_the_end_is_not_lost),
	    OVER_BOTH(an_end_waits_for_reading),
	    OVER_BOTH(an_end_follows_the_data_before_it),
	    OVER_BOTH(nothing_comes_once_it_is_closed),
	    OVER_BOTH(a_damaged_record_ends_it),
	    OVER_BOTH(both_sides_say_that_they_end),
	    OVER(renegotiations_are_not_answered_for_ever, tls12),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
