/* Handshakes that wait for a thread: refused ones, and clients that left meanwhile. */
#include "base/limits.h"
#include "http/tls_handshake.h"
#include "loop/lanes.h"
#include "tls_lane.h"
#include "tls_scene.h"

#include <errno.h>
#include <sys/socket.h>

static const mbedtls_ssl_protocol_version versions[] = {MBEDTLS_SSL_VERSION_TLS1_2,
							MBEDTLS_SSL_VERSION_TLS1_3};

static struct tls_client client;

#define WITH_LANES(name) TEST_IN(name, tls_scene_open_with_lanes, tls_lane_close)

/* Its signature has already been computed. */
WITH_LANES(what_has_begun_is_done_however_many_wait)
{
	for (unsigned i = 0; i < 2; i++) {
		tls_client_open(&client, versions[i], NULL);
		tls_client_send_hello(&client);
		tls_lane_hold();
		tls_lane_fill(LIMIT_HANDSHAKE_JOBS + 1);
		while (tls_client_step(&client) == MBEDTLS_ERR_SSL_WANT_READ &&
		       lanes_load(&tls_scene.loop, LANE_HANDSHAKE) <= LIMIT_HANDSHAKE_JOBS + 1 &&
		       tls_scene.ends == 0)
			;
		tls_lane_release();
		assert_int_equal(tls_client_shake_hands(&client), 0);
		tls_client_answers(&client);
		tls_client_close(&client);
	}
	assert_int_equal(tls_scene_failures(METRIC_TLS_REFUSED), 0);
}

/* The client's hello waits in the lane, whose thread is held. */
static void open_and_wait(mbedtls_ssl_protocol_version version)
{
	tls_client_open(&client, version, NULL);
	tls_lane_hold();
	while (lanes_load(&tls_scene.loop, LANE_HANDSHAKE) < 2)
		(void)tls_client_step(&client);
}

/* A handshake that has not begun has waited longest, so it makes room. */
WITH_LANES(what_has_not_begun_makes_room_where_too_many_wait)
{
	open_and_wait(MBEDTLS_SSL_VERSION_TLS1_3);
	tls_lane_fill(LIMIT_HANDSHAKE_JOBS + 1);
	tls_lane_add();
	tls_scene_await_end();
	assert_int_equal(tls_scene.end_error, -EDQUOT);
	assert_int_equal(tls_scene_failures(METRIC_TLS_REFUSED), 1);
	assert_int_equal(lanes_load(&tls_scene.loop, LANE_HANDSHAKE), LIMIT_HANDSHAKE_JOBS + 1);
	assert_false(tls_scene_has_computed());
	tls_lane_release();
	tls_client_close(&client);
}

WITH_LANES(the_last_one_gets_a_place_where_too_many_wait)
{
	tls_lane_hold();
	tls_lane_fill(LIMIT_HANDSHAKE_JOBS + 1);
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_3, NULL);
	for (unsigned i = 0; i < 10; i++)
		(void)tls_client_step(&client);
	tls_lane_release();
	assert_int_equal(tls_client_shake_hands(&client), 0);
	tls_client_answers(&client);
	tls_client_close(&client);
}

/* Its job leaves the lane at once. */
WITH_LANES(who_leaves_while_it_waits_holds_no_place)
{
	open_and_wait(MBEDTLS_SSL_VERSION_TLS1_3);
	shutdown(client.fd, SHUT_RDWR);
	tls_scene_await_end();
	assert_int_equal(lanes_load(&tls_scene.loop, LANE_HANDSHAKE), 1);
	assert_int_equal(tls_scene_failures(METRIC_TLS_LEFT), 1);
	assert_false(tls_scene_has_computed());
	tls_lane_release();
	assert_false(tls_scene_has_computed());
	tls_client_close(&client);
}

WITH_LANES(closing_takes_the_waiting_job_along)
{
	open_and_wait(MBEDTLS_SSL_VERSION_TLS1_3);
	http_transport_close(tls_scene.transport);
	while (tls_scene.transport)
		tls_scene_turn();
	assert_int_equal(lanes_load(&tls_scene.loop, LANE_HANDSHAKE), 1);
	tls_lane_release();
	tls_client_close(&client);
}

/* The end has not been read when the thread becomes free. */
WITH_LANES(who_has_left_is_found_out_just_before_its_turn)
{
	open_and_wait(MBEDTLS_SSL_VERSION_TLS1_2);
	http_transport_set_reading(tls_transport_of(tls_scene.transport)->lower, false);
	shutdown(client.fd, SHUT_RDWR);
	tls_lane_release();
	tls_scene_await_end();
	assert_int_equal(tls_scene.end_error, -ECONNRESET);
	assert_int_equal(tls_scene_failures(METRIC_TLS_LEFT), 1);
	assert_false(tls_scene_has_computed());
	tls_client_close(&client);
}

/* A client that left gets no second turn: its keys arrived without a request. */
WITH_LANES(who_leaves_before_its_second_turn_has_none)
{
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	tls_client_send_hello(&client);
	tls_lane_hold();
	while (lanes_load(&tls_scene.loop, LANE_HANDSHAKE) < 2)
		(void)tls_client_step(&client);
	shutdown(client.fd, SHUT_WR);
	tls_lane_release();
	tls_scene_await_end();
	assert_int_equal(tls_scene.end_error, -ECONNRESET);
	assert_int_equal(tls_scene_count(METRIC_TLS_FULL, METRIC_TLS12), 0);
	tls_client_close(&client);
}

/* A client of TLS 1.3 may send its whole request and close its side at once. Nothing of that needs
 * a thread of the lane. */
WITH_LANES(a_request_and_the_end_with_the_handshakes_last_part)
{
	char one;

	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_3, NULL);
	assert_int_equal(tls_client_step(&client), MBEDTLS_ERR_SSL_WANT_READ);
	while (recv(client.fd, &one, 1, MSG_PEEK) <= 0)
		tls_scene_turn();
	tls_lane_hold();
	assert_int_equal(mbedtls_ssl_handshake(&client.ssl), 0);
	assert_int_equal(mbedtls_ssl_write(&client.ssl, (const unsigned char *)"ping", 4), 4);
	shutdown(client.fd, SHUT_WR);
	tls_scene_await(4);
	tls_lane_release();
	assert_true(str_equal(buffer_view(&tls_scene.came), STR("ping")));
	tls_scene_await_end();
	assert_int_equal(tls_scene.end_error, 0);
	tls_client_close(&client);
}

/* A client of TLS 1.2 may send its request before the server's Finished (RFC 7918), and close its
 * side at once. mbedTLS does so only if it takes its handshake for done. */
WITH_LANES(a_request_before_the_servers_last_part)
{
	int *at = &client.ssl.MBEDTLS_PRIVATE(state);
	int before;

	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	tls_client_send_hello(&client);
	tls_lane_hold();
	assert_int_equal(mbedtls_ssl_handshake(&client.ssl), MBEDTLS_ERR_SSL_WANT_READ);
	before = *at;
	*at = MBEDTLS_SSL_HANDSHAKE_OVER;
	assert_int_equal(mbedtls_ssl_write(&client.ssl, (const unsigned char *)"ping", 4), 4);
	*at = before;
	shutdown(client.fd, SHUT_WR);
	while (lanes_load(&tls_scene.loop, LANE_HANDSHAKE) < 2)
		tls_scene_turn();
	tls_lane_release();
	tls_scene_await(4);
	assert_true(str_equal(buffer_view(&tls_scene.came), STR("ping")));
	tls_scene_await_end();
	assert_int_equal(tls_scene.end_error, 0);
	assert_int_equal(tls_scene_count(METRIC_TLS_FULL, METRIC_TLS12), 1);
	tls_client_close(&client);
}

WITH_LANES(closing_waits_for_the_job)
{
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	tls_client_send_hello(&client);
	tls_lane_hold();
	while (lanes_load(&tls_scene.loop, LANE_HANDSHAKE) < 2)
		(void)tls_client_step(&client);
	http_transport_close(tls_scene.transport);
	for (unsigned i = 0; i < 100; i++)
		tls_scene_turn();
	assert_non_null(tls_scene.transport);
	tls_lane_release();
	tls_client_close(&client);
}

RUN_TESTS(NULL, NULL)
