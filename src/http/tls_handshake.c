#include "http/tls_handshake.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/tls_hello.h"
#include "loop/lanes.h"
#include "metric/metric.h"

#include <errno.h>
#include <mbedtls/error.h>
#include <stdlib.h>
#include <text/address.h>

struct tls_handshake {
	struct lane_job job;
	struct tls_transport *owner;
	struct deadline limit; /* set while it waits for the client, or for its first turn */
	unsigned turns;
	bool is_waiting; /* its first turn is in the lane; the client's bytes are still read */
	bool has_gone;	 /* its client has left before its turn */
	bool is_changed; /* the client's messages are encrypted now */
	bool is_cheap;	 /* cheap because of a ticket of ours for TLS 1.2 */
	bool has_opened; /* has decrypted a ticket of ours, of any version */
	int result;	 /* result of the last turn */
};

struct remote {
	char text[HTTP_TRANSPORT_ADDRESS_BYTES];
};

static struct str remote_of(const struct tls_transport *tls, struct remote *memory)
{
	return (struct str){memory->text, http_transport_address(tls->lower, memory->text)};
}

/* At most one line a second. */
static void log_refusal(const struct tls_transport *tls, const char *why)
{
	static uint64_t last_s;
	uint64_t now_s = loop_now_ms(tls_transport_loop(tls)) / 1000;
	struct remote memory;

	if (now_s != last_s)
		log_warn("tls", "connection refused", LOG_TEXT("reason", why),
			 LOG_STR("remote", remote_of(tls, &memory)));
	last_s = now_s;
}

static void tls_handshake_fail(struct tls_transport *tls, int error)
{
	const char *why = mbedtls_high_level_strerr(error);
	struct remote memory;

	log_debug("tls", "handshake failed", LOG_TEXT("reason", why ? why : "internal error"),
		  LOG_STR("remote", remote_of(tls, &memory)));
	tls_records_end(tls, -EPROTO);
}

/* Whether the session has the handshake's version: in TLS 1.2 a ticket of TLS 1.3 would give a
 * session without a secret. mbedTLS checks only the opposite case. */
static bool is_of_its_version(const mbedtls_ssl_context *ssl)
{
	const mbedtls_ssl_session *session = ssl->MBEDTLS_PRIVATE(session);

	return session->MBEDTLS_PRIVATE(tls_version) == mbedtls_ssl_get_version_number(ssl);
}

/* Computes a turn, on any thread. feed has complete records. */
static void compute(struct tls_transport *tls)
{
	int error = tls->has_ssl ? 0 : tls_records_init(tls);

	tls->handshake->turns++;
	if (!error)
		error = mbedtls_ssl_handshake(&tls->ssl);
	tls->handshake->has_opened |= tls_context_take_opened();
	if (!error && !is_of_its_version(&tls->ssl))
		error = MBEDTLS_ERR_SSL_ILLEGAL_PARAMETER;
	tls->handshake->result = error;
}

static void count_done(const struct tls_transport *tls)
{
	const struct tls_handshake *handshake = tls->handshake;
	enum metric_tls_handshake kind =
	    handshake->has_opened ? METRIC_TLS_RESUMED : METRIC_TLS_FULL;
	enum metric_tls_version version =
	    mbedtls_ssl_get_version_number(&tls->ssl) == MBEDTLS_SSL_VERSION_TLS1_3 ? METRIC_TLS13
										    : METRIC_TLS12;

	metric_add(METRIC_TLS_HANDSHAKES, metric_pair(METRIC_TLS_HANDSHAKES, kind, version), 1);
	metric_observe(METRIC_TLS_DURATION, kind, clock_monotonic_us() - tls->began_us);
}

static void go_on(struct tls_transport *tls)
{
	struct tls_handshake *handshake = tls->handshake;
	int result = handshake->result, error = 0;

	/* Remaining records belong to the request. */
	buffer_consume(&tls->input, (size_t)(tls->feed.data - buffer_view(&tls->input).data));
	tls->feed = (struct str){0};
	if (result == 0) {
		count_done(tls);
		tls_handshake_free(tls);
		tls_records_read_on(tls);
	}
	/* The answer to a request that came with the end of the handshake has taken the output with
	 * it: one write for both. */
	error = tls_records_flush_output(tls);
	if (error) {
		tls_records_end(tls, error);
	} else if (result == 0) {
		return;
	} else if (result != MBEDTLS_ERR_SSL_WANT_READ ||
		   handshake->turns >= LIMIT_HANDSHAKE_TURNS) {
		tls_handshake_fail(tls, result);
	} else {
		deadline_set(tls_transport_loop(tls), &handshake->limit, LIMIT_HANDSHAKE_MS);
		http_transport_set_reading(tls->lower, tls->transport.is_reading);
	}
}

static bool run_job(struct lane_job *job)
{
	compute(container_of(job, struct tls_handshake, job)->owner);
	return false;
}

/* Whether the client cannot end its handshake: it has left, or sends no more, and no request came
 * with the end of the handshake. */
static bool has_gone(const struct tls_transport *tls)
{
	enum http_transport_peer peer = http_transport_peer(tls->lower);

	if (peer == HTTP_PEER_ENDED && tls->handshake->turns > 0)
		return !tls_records_have(buffer_view(&tls->input), TLS_RECORD_DATA);
	return peer != HTTP_PEER_THERE;
}

static void find_feed(struct tls_transport *tls)
{
	struct str input = buffer_view(&tls->input);

	tls->feed = (struct str){input.data, tls_records_length(input)};
}

/* Called just before a thread gets the job. */
static bool is_abandoned(struct lane_job *job)
{
	struct tls_handshake *handshake = container_of(job, struct tls_handshake, job);
	struct tls_transport *tls = handshake->owner;

	handshake->has_gone = has_gone(tls);
	if (handshake->has_gone || tls->transport.is_closing)
		return true;
	handshake->is_waiting = false;
	deadline_clear(tls_transport_loop(tls), &handshake->limit);
	tls->is_working = true;
	http_transport_set_reading(tls->lower, false);
	find_feed(tls);
	return false;
}

static void tls_handshake_refuse(struct tls_transport *tls, int error)
{
	const char *why = error == -ETIME    ? "its handshake would wait for too long"
			  : error == -EDQUOT ? "too many handshakes of its network are waiting"
					     : "too many handshakes are waiting";

	log_refusal(tls, why);
	tls_records_end(tls, error);
}

static void on_job_done(struct lane_job *job)
{
	struct tls_handshake *handshake = container_of(job, struct tls_handshake, job);
	struct tls_transport *tls = handshake->owner;

	handshake->is_waiting = tls->is_working = false;
	if (tls->transport.is_closing)
		http_transport_close(tls->lower);
	else if (tls->transport.is_ended)
		return;
	else if (!job->is_dropped)
		go_on(tls);
	else if (handshake->has_gone)
		tls_records_end(tls, -ECONNRESET);
	else
		tls_handshake_refuse(tls, -EDQUOT); /* this oldest handshake makes room */
}

/* Finds the owners of the handshake's share of the lane, and of its turns. */
static void find_share(const struct tls_transport *tls, struct lane_job *job)
{
	struct remote memory;
	struct address address;

	if (!address_read(remote_of(tls, &memory), &address))
		return;
	address_cut_to_subscriber(&address);
	memcpy(job->account.bytes, address.bytes, sizeof(address.bytes));
	address_cut_to_network(&address);
	memcpy(job->network.bytes, address.bytes, sizeof(address.bytes));
}

static void submit(struct tls_transport *tls)
{
	struct tls_handshake *handshake = tls->handshake;
	struct lane_job *job = &handshake->job;
	bool is_first = handshake->turns == 0;
	unsigned retry_after_s;
	int error;

	*job = (struct lane_job){
	    .size = 1,
	    .goes_on = !is_first,
	    .run = run_job,
	    .is_abandoned = is_abandoned,
	    .done = on_job_done,
	};
	find_share(tls, job);
	/* Set it before submitting, since the lane may take the job at once. */
	handshake->is_waiting = is_first;
	tls->is_working = !is_first;
	if (is_first)
		deadline_set(tls_transport_loop(tls), &handshake->limit, LIMIT_LANE_WAIT_MS);
	else
		http_transport_set_reading(tls->lower, false);
	error = lanes_submit(tls_transport_loop(tls), LANE_HANDSHAKE, job, &retry_after_s);
	if (!error)
		return;
	handshake->is_waiting = tls->is_working = false;
	tls_handshake_refuse(tls, error);
}

/* Whether the client only proves that it has the keys, in TLS 1.3: there is nothing to sign, and
 * nothing to agree on. */
static bool is_last(const struct tls_transport *tls)
{
	return mbedtls_ssl_get_version_number(&tls->ssl) == MBEDTLS_SSL_VERSION_TLS1_3 &&
	       tls->ssl.MBEDTLS_PRIVATE(state) == MBEDTLS_SSL_CLIENT_FINISHED;
}

/* Whether the turn costs little. In TLS 1.2 the first turn decides for all turns. */
static bool is_cheap(struct tls_transport *tls)
{
	struct tls_hello hello;

	if (tls->handshake->turns > 0)
		return tls->handshake->is_cheap || is_last(tls);
	tls->handshake->is_cheap = tls_hello_read(tls->feed, &hello) && !hello.offers_tls13 &&
				   hello.ticket.length > 0 &&
				   tls_context_knows_ticket(tls->context, hello.ticket);
	return tls->handshake->is_cheap;
}

/* Whether there are enough bytes to compute a turn. */
static bool has_turn(struct tls_transport *tls)
{
	struct tls_handshake *handshake = tls->handshake;

	if (tls->feed.length == 0)
		return false;
	handshake->is_changed |= tls_records_have(tls->feed, TLS_RECORD_CHANGE);
	return handshake->is_changed || tls_message_is_whole(tls->feed);
}

/* Joins a hello that the client has split into records of a few bytes, as some do to hide it from
 * middleboxes.
 */
static void join_hello(struct tls_transport *tls)
{
	struct buffer joined = {0};

	if (tls->handshake->turns > 0 || !tls_message_join(buffer_view(&tls->input), &joined))
		return;
	buffer_finish(&tls->input);
	tls->input = joined;
	find_feed(tls);
}

void tls_handshake_take(struct tls_transport *tls, struct str data)
{
	struct tls_handshake *handshake = tls->handshake;
	struct loop *loop = tls_transport_loop(tls);

	require(!tls->is_working); /* feed points into input, which may move */
	if (!tls->began_us)
		tls->began_us = clock_monotonic_us();
	buffer_append_str(&tls->input, data);
	if (handshake->is_waiting) {
		/* The client has sent more than its part. The rest waits in the kernel. */
		http_transport_set_reading(tls->lower, false);
		return;
	}
	find_feed(tls);
	if (!has_turn(tls)) {
		if (buffer_length(&tls->input) > TLS_RECORD_BYTES_MAX)
			tls_handshake_fail(tls, MBEDTLS_ERR_SSL_DECODE_ERROR);
		return;
	}
	deadline_clear(loop, &handshake->limit);
	join_hello(tls);
	if (loop->lanes && !is_cheap(tls)) {
		submit(tls);
	} else {
		compute(tls);
		go_on(tls);
	}
}

/* The client has taken too long, or its first turn did not come. */
static void on_limit(struct deadline *deadline)
{
	struct tls_handshake *handshake = container_of(deadline, struct tls_handshake, limit);
	struct tls_transport *tls = handshake->owner;
	bool has_waited = handshake->is_waiting;

	tls_handshake_stop(tls);
	if (has_waited)
		tls_handshake_refuse(tls, -ETIME);
	else
		tls_records_end(tls, -ETIMEDOUT);
}

void tls_handshake_start(struct tls_transport *tls)
{
	struct tls_handshake *handshake = memory_zalloc(sizeof(*handshake));

	handshake->owner = tls;
	deadline_init(&handshake->limit, on_limit);
	deadline_set(tls_transport_loop(tls), &handshake->limit, LIMIT_HANDSHAKE_MS);
	tls->handshake = handshake;
}

bool tls_handshake_has_begun(const struct tls_transport *tls)
{
	return tls->handshake &&
	       (tls->handshake->turns > 0 || tls->handshake->is_waiting || tls->is_working);
}

void tls_handshake_stop(struct tls_transport *tls)
{
	struct tls_handshake *handshake = tls->handshake;

	if (!handshake)
		return;
	deadline_clear(tls_transport_loop(tls), &handshake->limit);
	if (handshake->is_waiting)
		lanes_cancel(tls_transport_loop(tls), &handshake->job);
	handshake->is_waiting = false;
}

void tls_handshake_free(struct tls_transport *tls)
{
	tls_handshake_stop(tls);
	free(tls->handshake);
	tls->handshake = NULL;
}
