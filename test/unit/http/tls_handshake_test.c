/* Handshakes: their results, and which thread computes them. */
#include "base/limits.h"
#include "http/tls_handshake.h"
#include "http/tls_hello.h"
#include "tls_lane.h"
#include "tls_scene.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

static const mbedtls_ssl_protocol_version versions[] = {MBEDTLS_SSL_VERSION_TLS1_2,
							MBEDTLS_SSL_VERSION_TLS1_3};

static struct tls_client client;

static void both_versions(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		tls_client_open(&client, versions[i], NULL);
		assert_int_equal(tls_client_shake_hands(&client), 0);
		assert_int_equal(mbedtls_ssl_get_version_number(&client.ssl), versions[i]);
		tls_client_answers(&client);
		tls_client_close(&client);
		assert_int_equal(tls_scene_count(METRIC_TLS_FULL, i), 1);
		assert_int_equal(tls_scene_count(METRIC_TLS_RESUMED, i), 0);
	}
}

/* Makes another handshake of the client, with the session of the previous one. */
static void resume(mbedtls_ssl_protocol_version version)
{
	mbedtls_ssl_session session;

	tls_client_open(&client, version, NULL);
	assert_int_equal(tls_client_shake_hands(&client), 0);
	tls_client_save(&client, &session);
	tls_client_close(&client);
	tls_client_open(&client, version, &session);
	mbedtls_ssl_session_free(&session);
}

static void both_versions_resume(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		resume(versions[i]);
		assert_int_equal(tls_client_shake_hands(&client), 0);
		tls_client_answers(&client);
		tls_client_close(&client);
		assert_int_equal(tls_scene_count(METRIC_TLS_FULL, i), 1);
		assert_int_equal(tls_scene_count(METRIC_TLS_RESUMED, i), 1);
	}
}

static void another_key_of_tickets_is_a_full_handshake(void **state)
{
	int64_t at_s = 1000000;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		mbedtls_ssl_session session;

		tls_client_open(&client, versions[i], NULL);
		assert_int_equal(tls_client_shake_hands(&client), 0);
		tls_client_save(&client, &session);
		tls_client_close(&client);
		for (unsigned times = 0; times < TLS_TICKET_KEYS; times++) {
			at_s += HTTP_TLS_TICKET_KEY_S;
			(void)http_tls_rotate_tickets(tls_scene.shared, at_s);
		}
		tls_client_open(&client, versions[i], &session);
		mbedtls_ssl_session_free(&session);
		assert_int_equal(tls_client_shake_hands(&client), 0);
		tls_client_answers(&client);
		tls_client_close(&client);
		assert_int_equal(tls_scene_count(METRIC_TLS_FULL, i), 2);
		assert_int_equal(tls_scene_count(METRIC_TLS_RESUMED, i), 0);
	}
	assert_int_equal(metric_cells[METRIC_TLS_TICKET_KEYS][0], 1 + 2 * TLS_TICKET_KEYS);
}

/* A ticket of TLS 1.3 also opens in TLS 1.2, to a session without a secret: an eavesdropper could
 * read that connection. */
static void a_ticket_of_tls13_is_none_of_tls12(void **state)
{
	mbedtls_ssl_session session, other;

	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_3, NULL);
	assert_int_equal(tls_client_shake_hands(&client), 0);
	tls_client_save(&client, &other);
	tls_client_close(&client);
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	assert_int_equal(tls_client_shake_hands(&client), 0);
	tls_client_save(&client, &session);
	tls_client_close(&client);
	free(session.MBEDTLS_PRIVATE(ticket));
	session.MBEDTLS_PRIVATE(ticket) = other.MBEDTLS_PRIVATE(ticket);
	session.MBEDTLS_PRIVATE(ticket_len) = other.MBEDTLS_PRIVATE(ticket_len);
	other.MBEDTLS_PRIVATE(ticket) = NULL;
	memset(session.MBEDTLS_PRIVATE(master), 0, sizeof(session.MBEDTLS_PRIVATE(master)));
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, &session);
	mbedtls_ssl_session_free(&session);
	mbedtls_ssl_session_free(&other);
	/* The client sees a complete handshake. */
	assert_int_equal(tls_client_shake_hands(&client), 0);
	assert_int_equal(tls_scene.ends, 1);
	assert_int_equal(tls_scene.end_error, -EPROTO);
	tls_client_close(&client);
}

static void a_resumed_one_of_tls12_needs_no_thread(void **state)
{
	int result = MBEDTLS_ERR_SSL_WANT_READ;

	(void)state;
	resume(MBEDTLS_SSL_VERSION_TLS1_2);
	tls_lane_hold();
	for (unsigned i = 0; i < 10 && result == MBEDTLS_ERR_SSL_WANT_READ; i++)
		result = tls_client_step(&client);
	if (result == 0)
		tls_client_answers(&client);
	tls_lane_release();
	assert_int_equal(result, 0);
	tls_client_close(&client);
}

static void raw(const char *data, size_t size)
{
	assert_int_equal(send(client.fd, data, size, MSG_NOSIGNAL), (ssize_t)size);
	tls_scene_turn();
}

static void a_client_that_leaves_is_counted(void **state)
{
	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	tls_client_send_hello(&client);
	shutdown(client.fd, SHUT_RDWR);
	tls_scene_await_end();
	assert_int_equal(tls_scene_failures(METRIC_TLS_LEFT), 1);
	tls_client_close(&client);
}

/* Load balancers check this way whether a port is open. */
static void a_client_that_sends_nothing_is_not_counted(void **state)
{
	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	shutdown(client.fd, SHUT_RDWR);
	tls_scene_await_end();
	for (unsigned reason = METRIC_TLS_REFUSED; reason <= METRIC_TLS_LEFT; reason++)
		assert_int_equal(tls_scene_failures(reason), 0);
	tls_client_close(&client);
}

static void a_client_that_leaves_in_its_first_record_is_counted(void **state)
{
	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	raw("\x16", 1);
	shutdown(client.fd, SHUT_RDWR);
	tls_scene_await_end();
	assert_int_equal(tls_scene_failures(METRIC_TLS_LEFT), 1);
	tls_client_close(&client);
}

/* Sends one byte a record, of an incomplete hello: it uses neither memory of mbedTLS nor a turn,
 * until it is longer than a record may be. */
static void what_is_awaited_is_not_computed(void **state)
{
	unsigned count = 0;

	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	raw("\x16\x03\x01\0\x06\x01\0\x3f\xff\x03\x03", 11);
	while (tls_scene.ends == 0 && count <= TLS_RECORD_BYTES_MAX / 6) {
		raw("\x16\x03\x01\0\x01x", 6);
		assert_false(tls_scene_has_computed());
		count++;
	}
	assert_int_equal(tls_scene.ends, 1);
	assert_in_range(count, TLS_RECORD_BYTES_MAX / 6 - 2, TLS_RECORD_BYTES_MAX / 6 + 1);
	assert_int_equal(tls_scene.end_error, -EPROTO);
	assert_int_equal(tls_scene_failures(METRIC_TLS_WRONG), 1);
	tls_client_close(&client);
}

/* The client sends warnings one after another. */
static void turns_are_limited(void **state)
{
	unsigned count = 0;

	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	while (tls_scene.ends == 0 && count <= LIMIT_HANDSHAKE_TURNS) {
		raw("\x15\x03\x01\0\x02\x01\x70", 7);
		count++;
	}
	assert_int_equal(count, LIMIT_HANDSHAKE_TURNS);
	assert_int_equal(tls_scene.end_error, -EPROTO);
	assert_int_equal(tls_scene_failures(METRIC_TLS_WRONG), 1);
	tls_client_close(&client);
}

static void what_is_no_handshake_ends_it(void **state)
{
	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	raw("GET / HTTP/1.1\r\n\r\n", 18);
	tls_scene_await_end();
	assert_int_equal(tls_scene.end_error, -EPROTO);
	tls_client_close(&client);
}

#define WITH_LANES(name)                                                                           \
	cmocka_unit_test_setup_teardown(name, tls_scene_open_with_lanes, tls_lane_close)
#define WITHOUT(name) cmocka_unit_test_setup_teardown(name, tls_scene_open, tls_scene_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITHOUT(both_versions),
	    WITHOUT(both_versions_resume),
	    WITHOUT(turns_are_limited),
	    WITHOUT(what_is_awaited_is_not_computed),
	    WITHOUT(what_is_no_handshake_ends_it),
	    WITHOUT(a_client_that_sends_nothing_is_not_counted),
	    WITHOUT(a_client_that_leaves_in_its_first_record_is_counted),
	    WITH_LANES(both_versions),
	    WITH_LANES(both_versions_resume),
	    WITH_LANES(another_key_of_tickets_is_a_full_handshake),
	    WITH_LANES(a_ticket_of_tls13_is_none_of_tls12),
	    WITH_LANES(a_resumed_one_of_tls12_needs_no_thread),
	    WITH_LANES(a_client_that_leaves_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
