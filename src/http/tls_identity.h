/* A certificate with its chain and its key: what a server shows to say who it is. Nobody changes it
 * once it is made, so that several threads may use it. */
#pragma once

#include "http/tls.h"

#include <mbedtls/pk.h>
#include <mbedtls/x509_crt.h>

struct tls_identity {
	mbedtls_x509_crt chain; /* the server's own certificate first */
	mbedtls_pk_context key;
};

/* Reads it from PEM, and checks whether the key belongs to the certificate and both are of a kind
 * that clients can use. 0, or -1 with a fault. tls_identity_finish() it in either case. */
__attribute__((warn_unused_result)) int tls_identity_init(struct tls_identity *identity,
							  const struct http_tls_pair *pair,
							  struct http_tls_fault *reterr);
void tls_identity_finish(struct tls_identity *identity);

/* Whether the certificate is for this name, of which it may have the last labels behind "*."
 * (RFC 9525 section 6.3). Addresses are no names. */
bool tls_identity_has_name(const struct tls_identity *identity, struct str name);

/* The DNS names of the certificate: its alternative names, or where it has none, its common name.
 * Calls visit() until that returns true; whether it did. */
bool tls_identity_visit_names(const struct tls_identity *identity,
			      bool (*visit)(struct str name, void *context), void *context);

/* mbedTLS asks it for random bytes, on any thread. */
int tls_random(void *context, unsigned char *data, size_t size);
