#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/proxies.h"
#include "http/tls_handshake.h"
#include "http/tls_records.h"
#include "http/transport_plain.h"

#include <psa/crypto.h>
#include <stdlib.h>

struct tls_kind {
	struct http_transport_kind kind;
	const struct http_transport_kind *lower;
	struct http_tls *tls;
};

struct http_tls {
	struct tls_kind plain;
	struct tls_kind proxied;
	struct region_map *shared;
	struct tls_context *context; /* context of new connections */
};

static void on_lower_closed(struct http_transport *lower)
{
	struct tls_transport *tls = lower->owner;

	if (tls->transport.events)
		tls->transport.events->on_closed(&tls->transport);
	tls_handshake_free(tls);
	if (tls->has_ssl)
		mbedtls_ssl_free(&tls->ssl);
	tls_context_leave(tls->context);
	buffer_finish(&tls->input);
	buffer_finish(&tls->output);
	free(tls);
}

static void tls_close(struct http_transport *transport)
{
	struct tls_transport *tls = tls_transport_of(transport);

	if (transport->is_closing)
		return;
	transport->is_closing = true;
	transport->is_reading = false;
	loop_later_cancel(&tls->read_on);
	tls_handshake_stop(tls);
	tls->lower->is_broken_off = transport->is_broken_off;
	if (!tls->is_working)
		http_transport_close(tls->lower);
}

static void on_read_on(struct later *later)
{
	tls_records_read_on(container_of(later, struct tls_transport, read_on));
}

static void tls_set_reading(struct http_transport *transport, bool on)
{
	struct tls_transport *tls = tls_transport_of(transport);

	if (tls->handshake)
		http_transport_set_reading(tls->lower, on && !tls->is_working);
	else
		tls_records_follow_reading(tls);
}

static void on_lower_data(struct http_transport *lower, struct str data)
{
	struct tls_transport *tls = lower->owner;

	if (tls->transport.is_closing || tls->transport.is_ended)
		return;
	if (tls->handshake)
		tls_handshake_take(tls, data);
	else
		tls_records_take(tls, data);
}

static void on_lower_flushed(struct http_transport *lower)
{
	tls_records_on_flushed(lower->owner);
}

static void on_lower_end(struct http_transport *lower, int error)
{
	struct tls_transport *tls = lower->owner;

	tls_handshake_stop(tls);
	tls_records_end(tls, error);
}

static const struct http_transport_events lower_events = {
    .on_data = on_lower_data,
    .on_end = on_lower_end,
    .on_flushed = on_lower_flushed,
    .on_closed = on_lower_closed,
};

/* Returns the context in force, with which a new connection begins. */
static struct tls_context *current_context(struct http_tls *tls)
{
	struct tls_context *fresh;

	if (tls_store_generation(tls->shared) != tls->context->generation) {
		fresh = tls_context_create(tls->shared, tls->context);
		if (fresh) {
			tls_context_leave(tls->context);
			tls->context = fresh;
			log_debug("tls", "updated certificates and ticket keys",
				  LOG_INT("generation", fresh->generation));
		}
	}
	tls->context->users++;
	return tls->context;
}

static struct http_transport *tls_accept(const struct http_transport_kind *kind,
					 struct http_transport_host *host, uv_stream_t *listener)
{
	const struct tls_kind *tls_kind = container_of(kind, struct tls_kind, kind);
	struct http_transport *lower = http_transport_accept(tls_kind->lower, host, listener);
	struct tls_transport *tls;

	if (!lower)
		return NULL;
	tls = memory_zalloc(sizeof(*tls));
	tls->transport.kind = kind;
	tls->transport.host = host;
	tls->context = current_context(tls_kind->tls);
	tls->lower = lower;
	lower->owner = tls;
	lower->events = &lower_events;
	loop_later_init(&tls->read_on, on_read_on);
	tls_handshake_start(tls);
	return &tls->transport;
}

static size_t tls_address(const struct http_transport *transport, char *ret_text)
{
	const struct http_transport *lower = tls_transport_of(transport)->lower;

	return lower->kind->address(lower, ret_text);
}

static size_t tls_pending(const struct http_transport *transport)
{
	const struct tls_transport *tls = tls_transport_of(transport);

	return http_transport_pending(tls->lower) + tls->rest_bytes;
}

static bool tls_is_stalled(struct http_transport *transport, uint64_t limit_ms)
{
	return http_transport_is_stalled(tls_transport_of(transport)->lower, limit_ms);
}

static bool tls_has_input(const struct http_transport *transport)
{
	const struct tls_transport *tls = tls_transport_of(transport);

	/* A begun handshake counts as input. */
	return buffer_length(&tls->input) > 0 || tls_handshake_has_begun(tls) ||
	       tls_records_has_begun(tls) || http_transport_has_input(tls->lower);
}

static enum http_transport_peer tls_peer(const struct http_transport *transport)
{
	return http_transport_peer(tls_transport_of(transport)->lower);
}

static struct http_unsent_share *tls_share(const struct http_transport *transport)
{
	return http_transport_share(tls_transport_of(transport)->lower);
}

static const struct http_transport_kind tls_kind_of_transport = {
    .accept = tls_accept,
    .address = tls_address,
    .set_reading = tls_set_reading,
    .send = tls_records_send,
    .pending = tls_pending,
    .is_stalled = tls_is_stalled,
    .shutdown = tls_records_shutdown,
    .has_input = tls_has_input,
    .peer = tls_peer,
    .share = tls_share,
    .close = tls_close,
};

/* The supervisor may replace the contents while they are read, but not twice in such a short time.
 */
static struct tls_context *first_context(struct region_map *shared)
{
	struct tls_context *context = NULL;
	uint32_t generation;

	do {
		generation = tls_store_generation(shared);
		context = tls_context_create(shared, NULL);
	} while (!context && generation != tls_store_generation(shared));
	return context;
}

struct http_tls *http_tls_create(struct region_map *shared)
{
	struct http_tls *tls = memory_zalloc(sizeof(*tls));

	tls->shared = shared;
	tls->plain = (struct tls_kind){
	    .kind = tls_kind_of_transport, .lower = &http_transport_plain, .tls = tls};
	tls->proxied = (struct tls_kind){
	    .kind = tls_kind_of_transport, .lower = &http_transport_proxied, .tls = tls};
	/* Call it after the fork: processes must not share the state of random numbers. */
	if (psa_crypto_init() == PSA_SUCCESS)
		tls->context = first_context(shared);
	else
		log_error("tls", "no source of random numbers for TLS");
	if (tls->context)
		return tls;
	free(tls);
	return NULL;
}

void http_tls_destroy(struct http_tls *tls)
{
	if (!tls)
		return;
	require(tls->context->users == 1);
	tls_context_leave(tls->context);
	mbedtls_psa_crypto_free();
	free(tls);
}

const struct http_transport_kind *http_tls_transport(struct http_tls *tls,
						     bool expects_proxy_header)
{
	require(tls); /* never fall back to plain text */
	return expects_proxy_header ? &tls->proxied.kind : &tls->plain.kind;
}
