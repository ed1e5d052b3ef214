/* Identity of a server: a certificate with its chain and its key. It never changes after its
 * creation, so several threads may use it. */
#pragma once

#include "http/tls.h"

#include <mbedtls/pk.h>
#include <mbedtls/x509_crt.h>

struct tls_identity {
	mbedtls_x509_crt chain; /* the server's own certificate first */
	mbedtls_pk_context key;
};

/* Reads it from PEM, and checks whether the key belongs to the certificate and both are of a kind
 * that clients support. Returns 0, or -1 with a fault. Call tls_identity_finish() in either case.
 */
__attribute__((warn_unused_result)) int tls_identity_init(struct tls_identity *identity,
							  const struct http_tls_pair *pair,
							  struct http_tls_fault *reterr);
void tls_identity_finish(struct tls_identity *identity);

/* Whether the certificate is for this name, perhaps by a wildcard (RFC 9525 section 6.3). Addresses
 * do not count as names. */
bool tls_identity_has_name(const struct tls_identity *identity, struct str name);

/* Calls visit() for the DNS names of the certificate until it returns true: the alternative names,
 * or if there are none, the common name. Returns whether visit() did. */
bool tls_identity_visit_names(const struct tls_identity *identity,
			      bool (*visit)(struct str name, void *context), void *context);

/* Random bytes for mbedTLS, on any thread. */
int tls_random(void *context, unsigned char *data, size_t size);
