/* TLS listeners: the supervisor reads certificates and keys, workers use them.
 *
 *   supervisor: files --> http_tls_check() --> http_tls_publish() --> region "tls", generation + 1
 *   worker:     accept(): another generation? --> reads the region again --> the connection
 *
 * Workers cannot read the files: certificates, keys and the keys of tickets reach them through the
 * shared memory. A connection keeps its first configuration to its end. All workers share the keys
 * of tickets, so that a client can resume its session in any of them; each key encrypts tickets for
 * a time, decrypts them for longer, and is then wiped. */
#pragma once

#include "base/region.h"
#include "http/listener.h"

#include <stdbool.h>
#include <text/str.h>

enum {
	HTTP_TLS_PAIRS_MAX = 16,
	HTTP_TLS_FILE_BYTES_MAX = 64 * 1024, /* a file may have the whole chain, and the key */
	HTTP_TLS_BYTES_MAX = 256 * 1024,     /* of all files */
	HTTP_TLS_NAME_BYTES = 200,
	HTTP_TLS_FAULT_BYTES = 400,
	/* Time for which a key encrypts tickets. Afterwards it decrypts them for twice as long. */
	HTTP_TLS_TICKET_KEY_S = 4 * 3600,
};

/* The texts of two files in PEM form. */
struct http_tls_pair {
	struct str
	    certificate; /* the server's own certificate first, then those up to its issuer */
	struct str key;
};

/* Facts about a usable pair. */
struct http_tls_facts {
	char name[HTTP_TLS_NAME_BYTES]; /* the first DNS name without a wildcard; "": none */
	int64_t ends_at_s;		/* of the certificate, wall clock */
	const char *warning;		/* end of a sentence that begins with a file's name, static;
					   NULL: none */
	bool is_slow;			/* not an ECDSA key on P-256: a signature costs much more */
};

/* Fault of a pair, as the end of a sentence that begins with a file's name. */
struct http_tls_fault {
	bool is_of_key; /* about the key's file, else the certificate's */
	char text[HTTP_TLS_FAULT_BYTES];
};

/* Whether a server can use the pair. now_s: wall clock; an expired certificate is a warning.
 * Returns 0, or -1 with a fault. */
__attribute__((warn_unused_result)) int http_tls_check(const struct http_tls_pair *pair,
						       int64_t now_s,
						       struct http_tls_facts *ret_facts,
						       struct http_tls_fault *reterr);

extern const struct region http_tls_region;

/* Makes workers use these pairs from now on. Call it only in the supervisor. The pairs must have
 * been checked; the first one is for clients that name no server or an unknown one. count: at least
 * 1. Returns false, and changes nothing, if they have more than HTTP_TLS_BYTES_MAX bytes. */
__attribute__((warn_unused_result)) bool http_tls_publish(struct region_map *shared,
							  const struct http_tls_pair *pairs,
							  unsigned count, int64_t now_s);
/* Whether workers use just these pairs. */
bool http_tls_has(struct region_map *shared, const struct http_tls_pair *pairs, unsigned count);

/* Replaces the key of tickets if its time is over. Call it only in the supervisor. Returns the time
 * (wall clock, seconds) at which to call it again. */
int64_t http_tls_rotate_tickets(struct region_map *shared, int64_t now_s);

/* Wipes everything published. Call it only in the supervisor. Workers accept no new TLS connections
 * afterwards. */
void http_tls_forget(struct region_map *shared);

/* TLS configuration of a worker. */
struct http_tls;

/* Call it after the fork, before the first thread and the sandbox. Pairs must have been published.
 * Returns NULL if mbedTLS cannot be set up: the log has the reason. */
struct http_tls *http_tls_create(struct region_map *shared);
/* Call it when no connection is left. NULL is allowed. */
void http_tls_destroy(struct http_tls *tls);

/* Transport for struct http_listener_settings: TLS over a TCP or unix socket, or over one whose
 * connections each begin with a PROXY header. Valid as long as tls. */
const struct http_transport_kind *http_tls_transport(struct http_tls *tls,
						     bool expects_proxy_header);
