/* Blocking connection to a server: its private socket, or TCP, with TLS if the URL is https. */
#pragma once

#include "main/reason.h"

#include <sys/types.h>
#include <text/str.h>
#include <wire/tls.h>
#include <wire/url.h>

struct stream {
	int fd;
	struct wire_tls_session *tls; /* NULL: plain */
	int piece_ms;		      /* how long one is waited for */
	uint64_t ends_at_ms;	      /* of the monotonic clock: nothing is waited for later */
	bool has_failed_tls;	      /* wire_tls_fault() says why */
};

/* Connects to a unix socket. patience_ms: for each piece of an answer; 0: the usual one. 0, or a
 * negative errno. stream_close() in any case, as below. */
int stream_connect_socket(const char *path, int patience_ms, struct stream *ret);

/* Connects to the URL's host, and shakes hands if it is https; tls is needed then. 0, or -1 with a
 * sentence. patience_ms: for all that is read and written. */
int stream_connect_url(const struct wire_url *url, struct wire_tls_config *tls, int patience_ms,
		       struct stream *ret, struct reason *reterr);

/* False: errno, or has_failed_tls, says why. */
bool stream_write(struct stream *stream, struct str text);
/* Returns how many bytes came; 0: the end. Negative: errno, EAGAIN for a late one, or
 * has_failed_tls says why. */
ssize_t stream_read(struct stream *stream, void *data, size_t room);

void stream_close(struct stream *stream);
