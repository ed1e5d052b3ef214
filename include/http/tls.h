/* TLS listeners: certificates and keys that the supervisor reads, and what workers make of them.
 *
 *   supervisor: files --> http_tls_check() --> http_tls_publish() --> region "tls", generation + 1
 *   worker:     accept(): another generation? --> reads the region anew --> the connection
 *
 * Workers cannot read the files: certificates, keys and the keys of tickets reach them through the
 * shared memory. A connection keeps to its end what it began with. The keys of tickets are common
 * to all workers, so that a client resumes its session in any of them; each encrypts tickets with a
 * while, opens them for some more, and is then wiped. */
#pragma once

#include "base/region.h"
#include "http/listener.h"

#include <stdbool.h>
#include <text/str.h>

enum {
	HTTP_TLS_PAIRS_MAX = 16,
	HTTP_TLS_FILE_BYTES_MAX = 64 * 1024, /* with a whole chain, or both in one */
	HTTP_TLS_BYTES_MAX = 256 * 1024,     /* of all files */
	HTTP_TLS_NAME_BYTES = 200,
	HTTP_TLS_FAULT_BYTES = 400,
	/* A key encrypts tickets for so long, and decrypts them for twice as long behind that. */
	HTTP_TLS_TICKET_KEY_S = 4 * 3600,
};

/* The texts of two files in PEM form. */
struct http_tls_pair {
	struct str certificate; /* the server's own one first, then those that lead to its issuer */
	struct str key;
};

/* Facts about a pair that can be used. */
struct http_tls_facts {
	char name[HTTP_TLS_NAME_BYTES]; /* the first DNS name without a wildcard; "": none */
	int64_t ends_at_s;		/* of the certificate, wall clock */
	const char *warning;		/* the end of such a sentence, static; NULL: all is well */
};

/* Fault of a pair, as the end of a sentence that begins with a file's name. */
struct http_tls_fault {
	bool is_of_key; /* which file */
	char text[HTTP_TLS_FAULT_BYTES];
};

/* Whether a server can use the pair. now_s: wall clock; an expired certificate is a warning. 0, or
 * -1 with a fault. */
__attribute__((warn_unused_result)) int http_tls_check(const struct http_tls_pair *pair,
						       int64_t now_s,
						       struct http_tls_facts *ret_facts,
						       struct http_tls_fault *reterr);

extern const struct region http_tls_region;

/* Makes workers use these pairs from now on. Call it in the supervisor alone. The pairs were
 * checked; the first one is for clients that name no server or an unknown one. count: at least 1.
 * Returns false, and changes nothing, if they have more than HTTP_TLS_BYTES_MAX bytes. */
__attribute__((warn_unused_result)) bool http_tls_publish(struct region_map *shared,
							  const struct http_tls_pair *pairs,
							  unsigned count, int64_t now_s);

/* Replaces the key of tickets if its time is over. Call it in the supervisor alone. Returns the
 * wall clock's second at which to call it again. */
int64_t http_tls_rotate_tickets(struct region_map *shared, int64_t now_s);

/* Wipes everything published. Call it in the supervisor alone. No worker takes new connections over
 * TLS any more. */
void http_tls_forget(struct region_map *shared);

/* A worker's TLS. */
struct http_tls;

/* After the fork, before the first thread and the sandbox. Something must be published. NULL where
 * mbedTLS cannot be set up: the log says why. */
struct http_tls *http_tls_create(struct region_map *shared);
/* No connection is left. NULL is allowed. */
void http_tls_destroy(struct http_tls *tls);

/* Transport for struct http_listener_settings: TLS over a TCP or unix socket as it is, or over one
 * whose connections each begin with a PROXY header. Valid as long as tls. */
const struct http_transport_kind *http_tls_transport(struct http_tls *tls,
						     bool expects_proxy_header);
