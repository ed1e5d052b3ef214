#include "http/tls_records.h"
#include "base/memory.h"
#include "base/require.h"
#include "metric/metric.h"

#include <errno.h>

enum { PLAIN_BYTES = MBEDTLS_SSL_IN_CONTENT_LEN, TURN_BYTES = 64 * 1024, ALERTS_MAX = 4 };

/* Buffers of the one loop of a process: bytes decrypted in a turn, for on_data; bytes to encrypt as
 * one record. */
static char opened[TURN_BYTES];
static char collected[PLAIN_BYTES];

static int receive(void *context, unsigned char *data, size_t room)
{
	struct tls_transport *tls = context;
	size_t size = tls->feed.length < room ? tls->feed.length : room;

	if (size == 0)
		return MBEDTLS_ERR_SSL_WANT_READ;
	/* Count records here, at their begin: a call of mbedTLS skips any number of records without
	 * data for us. */
	if (!tls->handshake && tls->ssl.MBEDTLS_PRIVATE(in_left) == 0) {
		if (tls->records == TLS_RECORDS_A_TURN)
			return MBEDTLS_ERR_SSL_WANT_READ;
		tls->records++;
	}
	memcpy(data, tls->feed.data, size);
	tls->feed = str_from_offset(tls->feed, size);
	return (int)size;
}

/* Sends what the handshake has left, and the part if it is not empty, by one write. */
static int send_after_output(struct tls_transport *tls, struct str part)
{
	const struct str parts[] = {buffer_view(&tls->output), part};
	unsigned first = parts[0].length == 0, end = part.length ? 2 : 1;
	int error = http_transport_send(tls->lower, parts + first, end - first, /* copy= */ true);

	buffer_finish(&tls->output);
	return error;
}

static bool can_read(const struct tls_transport *tls)
{
	return !tls->transport.is_closing && !tls->transport.is_ended;
}

/* Takes all data or fails, so that mbedTLS never waits. */
static int transmit(void *context, const unsigned char *data, size_t size)
{
	struct tls_transport *tls = context;
	const struct str part = {(const char *)data, size};

	if (tls->handshake) {
		buffer_append_str(&tls->output, part);
		return (int)size;
	}
	/* Alert in answer to a record. A record may cause thousands of them, by renegotiations. */
	if (tls->is_opening && ++tls->alerts > ALERTS_MAX)
		return MBEDTLS_ERR_SSL_INTERNAL_ERROR;
	tls->send_error = send_after_output(tls, part);
	return tls->send_error ? MBEDTLS_ERR_SSL_INTERNAL_ERROR : (int)size;
}

int tls_records_flush_output(struct tls_transport *tls)
{
	if (buffer_length(&tls->output) == 0 || !can_read(tls))
		return 0;
	return send_after_output(tls, (struct str){0});
}

int tls_records_init(struct tls_transport *tls)
{
	int error;

	mbedtls_ssl_init(&tls->ssl);
	tls->has_ssl = true;
	error = mbedtls_ssl_setup(&tls->ssl, &tls->context->ssl);
	mbedtls_ssl_set_bio(&tls->ssl, tls, transmit, receive, NULL);
	return error;
}

static void count_failure(int error)
{
	enum metric_tls_failure failure = METRIC_TLS_LEFT;

	if (error == -EAGAIN || error == -EDQUOT || error == -ETIME)
		failure = METRIC_TLS_REFUSED;
	else if (error == -EPROTO)
		failure = METRIC_TLS_WRONG;
	else if (error == -ETIMEDOUT)
		failure = METRIC_TLS_TOO_LATE;
	metric_add(METRIC_TLS_FAILED, failure, 1);
}

void tls_records_end(struct tls_transport *tls, int error)
{
	struct http_transport *transport = &tls->transport;

	if (transport->is_closing || (transport->is_ended && error == 0))
		return;
	/* A load balancer that checks whether the port is open sends nothing, so it began no
	 * handshake. */
	if (tls->handshake && tls->began_us && !transport->is_ended)
		count_failure(error);
	http_transport_set_reading(transport, false);
	transport->is_ended = true;
	transport->events->on_end(transport, error);
}

/* ---- reading ---- */

static void keep_end(struct tls_transport *tls, int error)
{
	tls->owes_end = true;
	tls->end_error = error;
	tls->feed = (struct str){0}; /* nothing is read after it */
}

/* Decrypts the records of this turn for one call of on_data: the layers above have budgets for a
 * call, and their answers to one call need few writes. Returns the number of bytes; the rest stays
 * in feed. */
static size_t open_records(struct tls_transport *tls)
{
	uint32_t turn = tls_transport_loop(tls)->turn;
	size_t filled = 0;

	if (!can_read(tls) || !tls->transport.is_reading || tls->turn == turn)
		return 0;
	tls->turn = turn;
	tls->records = 0;
	tls->is_opening = true;
	/* Require room for a full record: mbedTLS would keep the rest of a record that it returns
	 * in part. */
	while (!tls->owes_end && sizeof(opened) - filled >= PLAIN_BYTES) {
		size_t before = tls->feed.length;
		int size =
		    mbedtls_ssl_read(&tls->ssl, (unsigned char *)opened + filled, PLAIN_BYTES);

		if (size > 0)
			filled += (size_t)size;
		else if (size == 0 || size == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY)
			keep_end(tls, 0);
		else if (size != MBEDTLS_ERR_SSL_WANT_READ)
			keep_end(tls, -EPROTO);
		else if (tls->feed.length == 0 || tls->feed.length == before)
			break; /* else the record had no data for the owner */
	}
	tls->is_opening = false;
	return filled;
}

/* Passes on the decrypted bytes. Waiting bytes are in input by now, where has_input() counts them.
 */
static void give_on(struct tls_transport *tls, size_t size)
{
	if (size > 0)
		tls->transport.events->on_data(&tls->transport, (struct str){opened, size});
	if (!can_read(tls))
		return;
	if (tls->owes_end && tls->transport.is_reading)
		tls_records_end(tls, tls->end_error);
	else
		tls_records_follow_reading(tls);
}

void tls_records_take(struct tls_transport *tls, struct str data)
{
	size_t size;

	tls->feed = data;
	size = open_records(tls);
	buffer_append_str(&tls->input, tls->feed);
	tls->feed = (struct str){0};
	give_on(tls, size);
}

bool tls_records_has_begun(const struct tls_transport *tls)
{
	return tls->has_ssl && !tls->handshake && tls->ssl.MBEDTLS_PRIVATE(in_left) > 0;
}

void tls_records_follow_reading(struct tls_transport *tls)
{
	bool is_reading = tls->transport.is_reading;
	bool waits = buffer_length(&tls->input) > 0 || tls->owes_end;

	if (is_reading && waits)
		loop_later(tls_transport_loop(tls), &tls->read_on);
	http_transport_set_reading(tls->lower, is_reading && !waits);
}

void tls_records_read_on(struct tls_transport *tls)
{
	size_t size;

	if (!tls->transport.is_reading)
		return;
	tls->feed = buffer_view(&tls->input);
	size = open_records(tls);
	buffer_consume(&tls->input, buffer_length(&tls->input) - tls->feed.length);
	tls->feed = (struct str){0};
	if (buffer_length(&tls->input) == 0)
		buffer_finish(&tls->input); /* a waiting connection keeps no memory for it */
	give_on(tls, size);
}

/* ---- writing ---- */

/* Takes bytes from the parts for one record. */
static size_t collect(struct tls_transport *tls)
{
	size_t size = 0;
	unsigned first = 0;

	while (first < tls->rest_count && size < sizeof(collected)) {
		struct str *part = &tls->rest[first];
		size_t taken = sizeof(collected) - size;

		if (taken > part->length)
			taken = part->length;
		memcpy(collected + size, part->data, taken);
		size += taken;
		*part = str_from_offset(*part, taken);
		if (part->length == 0)
			first++;
	}
	tls->rest_count -= first;
	memmove(tls->rest, tls->rest + first, tls->rest_count * sizeof(tls->rest[0]));
	tls->rest_bytes -= size;
	return size;
}

/* Encrypts waiting bytes: all of them, or as long as the lower transport takes them at once. */
static int write_records(struct tls_transport *tls, bool all)
{
	while (tls->rest_bytes > 0 && (all || http_transport_pending(tls->lower) == 0)) {
		size_t size = collect(tls), done = 0;

		while (done < size) {
			int taken = mbedtls_ssl_write(
			    &tls->ssl, (const unsigned char *)collected + done, size - done);

			if (taken <= 0)
				return tls->send_error ? tls->send_error : -EPROTO;
			done += (size_t)taken;
		}
	}
	return 0;
}

int tls_records_send(struct http_transport *transport, const struct str *parts, unsigned count,
		     bool copy)
{
	struct tls_transport *tls = tls_transport_of(transport);
	int error;

	require(count <= HTTP_TRANSPORT_PARTS_MAX);
	if (transport->is_closing || tls->handshake || tls->is_shutting)
		return -ECONNRESET;
	/* Encrypt waiting bytes before the new ones. */
	error = write_records(tls, true);
	if (error)
		return error;
	for (unsigned i = 0; i < count; i++) {
		if (parts[i].length == 0)
			continue;
		tls->rest[tls->rest_count++] = parts[i];
		tls->rest_bytes += parts[i].length;
	}
	error = write_records(tls, copy);
	tls->owes_flush = tls->rest_bytes > 0 || http_transport_pending(tls->lower) > 0;
	return error;
}

void tls_records_on_flushed(struct tls_transport *tls)
{
	int error;

	if (tls->transport.is_closing)
		return;
	error = write_records(tls, false);
	if (error) {
		tls_records_end(tls, error);
		return;
	}
	if (tls->rest_bytes > 0 || http_transport_pending(tls->lower) > 0)
		return;
	if (tls->is_shutting) {
		http_transport_shutdown(tls->lower);
	} else if (tls->owes_flush) {
		tls->owes_flush = false;
		tls->transport.events->on_flushed(&tls->transport);
	}
}

void tls_records_shutdown(struct http_transport *transport)
{
	struct tls_transport *tls = tls_transport_of(transport);

	if (transport->is_closing || tls->is_shutting)
		return;
	tls->is_shutting = true;
	/* A peer that has left needs no alert. */
	if (!tls->handshake)
		(void)mbedtls_ssl_close_notify(&tls->ssl);
	if (http_transport_pending(tls->lower) == 0)
		http_transport_shutdown(tls->lower);
}
