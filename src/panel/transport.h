/* One connection to a server: name look-up, TCP (each address in turn), TLS where asked for. */
#pragma once

#include "loop/loop.h"
#include "tls.h"
#include "url.h"

enum { TRANSPORT_REASON_MAX = 700 };

struct transport_events {
	/* TCP and TLS stand. */
	void (*on_connected)(void *context);
	void (*on_data)(void *context, const uint8_t *data, size_t size);
	/* It did not come about, or it ended: by the peer with clean true. The last call. */
	void (*on_closed)(void *context, bool clean, const char *reason);
};

struct transport;

/* Starts connecting; no call comes before this one has returned. tls: NULL for plain TCP.
 * timeout_ms: to on_connected. The transport is valid until on_closed has returned or until
 * transport_close(). */
struct transport *transport_open(struct loop *loop, const struct panel_url *url,
				 struct tls_client *tls, uint64_t timeout_ms,
				 const struct transport_events *events, void *context);

/* Only between on_connected and on_closed. Copies data. */
void transport_write(struct transport *transport, const void *data, size_t size);

/* Ends the connection; what was written before is still sent where the peer takes it within a
 * second. No call comes after this. Must not be used afterwards. */
void transport_close(struct transport *transport);
