/* Connects to a server: name look-up, TCP (each address in turn), TLS if requested. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>
#include <wire/tls.h>
#include <wire/url.h>

struct transport;

struct transport_events {
	/* Called when TCP and TLS are connected. */
	void (*on_connected)(void *context);
	/* Called for received data, which the callee may change; it is valid during the call. */
	void (*on_data)(void *context, uint8_t *data, size_t size);
	/* Called last: the connection has failed or ended; is_clean: the peer has closed it. */
	void (*on_closed)(void *context, bool is_clean, const char *reason);
};

/* Starts connecting; no callback is called before this returns. tls: NULL for plain TCP. The
 * transport is valid until on_closed or transport_close(). Returns NULL, with a static text in
 * ret_fault, if it cannot begin. */
struct transport *transport_open(uv_loop_t *loop, const struct wire_url *url,
				 struct wire_tls_config *tls, const struct transport_events *events,
				 void *context, const char **ret_fault);

/* Writes a copy of data. Call it only between on_connected and on_closed. */
void transport_write(struct transport *transport, const void *data, size_t size);

/* Ends the connection; of the data written before, only the part that the system has accepted is
 * still sent. No callback is called after this. transport may be NULL. */
void transport_close(struct transport *transport);
