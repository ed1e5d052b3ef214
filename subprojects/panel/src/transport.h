/* Connects to a server: name look-up, TCP (each address in turn), TLS if requested. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>
#include <wire/tls.h>
#include <wire/url.h>

struct transport;

struct transport_events {
	/* TCP and TLS stand. */
	void (*on_connected)(void *context);
	/* data is the callee's to change, and valid during the call. */
	void (*on_data)(void *context, uint8_t *data, size_t size);
	/* Called last: the connection failed, or it ended, by the peer if is_clean. */
	void (*on_closed)(void *context, bool is_clean, const char *reason);
};

/* Starts connecting; no call comes before this one has returned. tls: NULL for plain TCP. The
 * transport is valid until on_closed or transport_close(). NULL, with a static text in ret_fault,
 * if it cannot even begin. */
struct transport *transport_open(uv_loop_t *loop, const struct wire_url *url,
				 struct wire_tls_config *tls, const struct transport_events *events,
				 void *context, const char **ret_fault);

/* Only between on_connected and on_closed. Copies data. */
void transport_write(struct transport *transport, const void *data, size_t size);

/* Ends the connection; of what was written before only that is still sent which the system has
 * taken. No call comes after this. NULL is fine. */
void transport_close(struct transport *transport);
