/* Handshakes: with what they end, who computes them, and what is refused. */
#include "base/limits.h"
#include "base/require.h"
#include "http/tls_handshake.h"
#include "loop/lanes.h"
#include "tls_scene.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/socket.h>

static const mbedtls_ssl_protocol_version versions[] = {MBEDTLS_SSL_VERSION_TLS1_2,
							MBEDTLS_SSL_VERSION_TLS1_3};

static struct tls_client client;
static sem_t gate;
/* One that runs, those that wait, and one that is refused. */
static struct lane_job jobs[LIMIT_HANDSHAKE_JOBS + 2];

static uint64_t failures(enum metric_tls_failure reason)
{
	return metric_cells[METRIC_TLS_FAILED][reason];
}

/* ---- the lane, with jobs that are none of a handshake ---- */

static bool wait_at_the_gate(struct lane_job *job)
{
	(void)job;
	while (sem_wait(&gate))
		require(errno == EINTR);
	return false;
}

static bool do_nothing(struct lane_job *job)
{
	(void)job;
	return false;
}

static void forget(struct lane_job *job)
{
	(void)job;
}

static int add_job(struct lane_job *job, bool (*run)(struct lane_job *job))
{
	unsigned retry_after_s, number = (unsigned)(job - jobs);

	*job = (struct lane_job){.size = 1, .run = run, .done = forget};
	/* Each is another account's. */
	memcpy(job->account.bytes, &(unsigned){number + 1}, sizeof(number));
	return lanes_submit(&tls_scene.loop, LANE_HANDSHAKE, job, &retry_after_s);
}

static bool is_held;

/* Holds the lane's only thread until the gate opens. */
static void hold_thread(void)
{
	sem_init(&gate, 0, 0);
	is_held = true;
	assert_int_equal(add_job(&jobs[0], wait_at_the_gate), 0);
}

static void fill_lane(void)
{
	unsigned count = 1;

	hold_thread();
	while (add_job(&jobs[count], do_nothing) == 0)
		count++;
	assert_int_equal(count, LIMIT_HANDSHAKE_JOBS + 1);
}

static void open_gate(void)
{
	sem_post(&gate);
	is_held = false;
	while (lanes_load(&tls_scene.loop, LANE_HANDSHAKE) > 0)
		tls_scene_turn();
	sem_destroy(&gate);
}

/* After an assertion that failed while the thread was held, too. */
static int close_with_lanes(void **state)
{
	if (is_held)
		open_gate();
	return tls_scene_close(state);
}

/* ---- */

static void answers(void)
{
	char answer[4];

	tls_client_send(&client, "ping", 4);
	tls_scene_await(4);
	assert_true(str_equal(buffer_view(&tls_scene.came), STR("ping")));
	assert_int_equal(
	    http_transport_send(tls_scene.transport, &STR("pong"), 1, /* copy= */ true), 0);
	assert_int_equal(tls_client_read(&client, answer, 4), 4);
	assert_memory_equal(answer, "pong", 4);
}

static void both_versions(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		tls_client_open(&client, versions[i], NULL);
		assert_int_equal(tls_client_shake_hands(&client), 0);
		assert_int_equal(mbedtls_ssl_get_version_number(&client.ssl), versions[i]);
		answers();
		tls_client_close(&client);
		assert_int_equal(tls_scene_count(METRIC_TLS_FULL, i), 1);
		assert_int_equal(tls_scene_count(METRIC_TLS_RESUMED, i), 0);
	}
}

/* Another handshake of the client's, with what the one before it has left. */
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
		answers();
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
		answers();
		tls_client_close(&client);
		assert_int_equal(tls_scene_count(METRIC_TLS_FULL, i), 2);
		assert_int_equal(tls_scene_count(METRIC_TLS_RESUMED, i), 0);
	}
	assert_int_equal(metric_cells[METRIC_TLS_TICKET_KEYS][0], 1 + 2 * TLS_TICKET_KEYS);
}

/* Its ticket opens in TLS 1.2 as well, to a session without a secret: anybody on the way could read
 * that connection. */
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
	/* To the client all is well. */
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
	hold_thread();
	for (unsigned i = 0; i < 10 && result == MBEDTLS_ERR_SSL_WANT_READ; i++)
		result = tls_client_step(&client);
	if (result == 0)
		answers();
	open_gate();
	assert_int_equal(result, 0);
	tls_client_close(&client);
}

static void send_hello_and_await_answer(void)
{
	char one;

	assert_int_equal(tls_client_step(&client), MBEDTLS_ERR_SSL_WANT_READ);
	while (recv(client.fd, &one, 1, MSG_PEEK) <= 0)
		tls_scene_turn();
}

/* Its signature is paid for. */
static void what_has_begun_is_done_however_many_wait(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		tls_client_open(&client, versions[i], NULL);
		send_hello_and_await_answer();
		fill_lane();
		while (tls_client_step(&client) == MBEDTLS_ERR_SSL_WANT_READ &&
		       lanes_load(&tls_scene.loop, LANE_HANDSHAKE) <= LIMIT_HANDSHAKE_JOBS + 1 &&
		       tls_scene.ends == 0)
			;
		open_gate();
		assert_int_equal(tls_client_shake_hands(&client), 0);
		answers();
		tls_client_close(&client);
	}
	assert_int_equal(failures(METRIC_TLS_REFUSED), 0);
}

static void what_has_not_begun_is_refused_where_too_many_wait(void **state)
{
	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_3, NULL);
	fill_lane();
	assert_int_not_equal(tls_client_shake_hands(&client), 0);
	assert_int_equal(tls_scene.ends, 1);
	assert_int_equal(tls_scene.end_error, -EAGAIN);
	assert_int_equal(failures(METRIC_TLS_REFUSED), 1);
	open_gate();
	tls_client_close(&client);
}

static void closing_waits_for_the_job(void **state)
{
	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	hold_thread();
	while (lanes_load(&tls_scene.loop, LANE_HANDSHAKE) < 2)
		(void)tls_client_step(&client);
	http_transport_close(tls_scene.transport);
	for (unsigned i = 0; i < 100; i++)
		tls_scene_turn();
	assert_non_null(tls_scene.transport);
	open_gate();
	tls_client_close(&client);
}

static void raw(const char *data, size_t size)
{
	assert_int_equal(send(client.fd, data, size, MSG_NOSIGNAL), (ssize_t)size);
	tls_scene_turn();
}

static void await_end(void)
{
	while (tls_scene.ends == 0)
		tls_scene_turn();
}

static void a_client_that_leaves_is_counted(void **state)
{
	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	send_hello_and_await_answer();
	shutdown(client.fd, SHUT_RDWR);
	await_end();
	assert_int_equal(failures(METRIC_TLS_LEFT), 1);
	tls_client_close(&client);
}

/* So load balancers look whether a port is open. */
static void a_client_that_sends_nothing_is_not_counted(void **state)
{
	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	shutdown(client.fd, SHUT_RDWR);
	await_end();
	for (unsigned reason = METRIC_TLS_REFUSED; reason <= METRIC_TLS_LEFT; reason++)
		assert_int_equal(failures(reason), 0);
	tls_client_close(&client);
}

static void a_client_that_leaves_in_its_first_record_is_counted(void **state)
{
	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	raw("\x16", 1);
	shutdown(client.fd, SHUT_RDWR);
	await_end();
	assert_int_equal(failures(METRIC_TLS_LEFT), 1);
	tls_client_close(&client);
}

/* One byte a record, of a hello that never ends. */
static void turns_are_limited(void **state)
{
	unsigned count = 1;

	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	raw("\x16\x03\x01\0\x06\x01\0\x01\0\x03\x03", 11);
	while (tls_scene.ends == 0 && count <= LIMIT_HANDSHAKE_TURNS) {
		raw("\x16\x03\x01\0\x01x", 6);
		count++;
	}
	assert_int_equal(count, LIMIT_HANDSHAKE_TURNS);
	assert_int_equal(tls_scene.end_error, -EPROTO);
	assert_int_equal(failures(METRIC_TLS_WRONG), 1);
	tls_client_close(&client);
}

static void what_is_no_handshake_ends_it(void **state)
{
	(void)state;
	tls_client_open(&client, MBEDTLS_SSL_VERSION_TLS1_2, NULL);
	raw("GET / HTTP/1.1\r\n\r\n", 18);
	await_end();
	assert_int_equal(tls_scene.end_error, -EPROTO);
	tls_client_close(&client);
}

#define WITH_LANES(name)                                                                           \
	cmocka_unit_test_setup_teardown(name, tls_scene_open_with_lanes, close_with_lanes)
#define WITHOUT(name) cmocka_unit_test_setup_teardown(name, tls_scene_open, tls_scene_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITHOUT(both_versions),
	    WITHOUT(both_versions_resume),
	    WITHOUT(turns_are_limited),
	    WITHOUT(what_is_no_handshake_ends_it),
	    WITHOUT(a_client_that_sends_nothing_is_not_counted),
	    WITHOUT(a_client_that_leaves_in_its_first_record_is_counted),
	    WITH_LANES(both_versions),
	    WITH_LANES(both_versions_resume),
	    WITH_LANES(another_key_of_tickets_is_a_full_handshake),
	    WITH_LANES(a_ticket_of_tls13_is_none_of_tls12),
	    WITH_LANES(a_resumed_one_of_tls12_needs_no_thread),
	    WITH_LANES(what_has_begun_is_done_however_many_wait),
	    WITH_LANES(what_has_not_begun_is_refused_where_too_many_wait),
	    WITH_LANES(closing_waits_for_the_job),
	    WITH_LANES(a_client_that_leaves_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
