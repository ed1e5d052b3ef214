/* Connects to a server with libcurl: name look-up, proxies of the environment, TCP (each address in
 * turn), TLS if requested. */
#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>
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

/* Starts connecting; no callback is called before this returns. authorities: certificates (PEM) to
 * trust instead of the system's, if its length is not 0; they must stay valid. The transport is
 * valid until on_closed or transport_close(). */
struct transport *transport_open(uv_loop_t *loop, const struct wire_url *url,
				 const struct curl_blob *authorities,
				 const struct transport_events *events, void *context);

/* Writes a copy of data. Call it only between on_connected and on_closed. */
void transport_write(struct transport *transport, const void *data, size_t size);

/* Ends the connection; of the data written before, only the part that the system has accepted is
 * still sent. No callback is called after this. transport may be NULL. */
void transport_close(struct transport *transport);
