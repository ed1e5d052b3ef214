/* TLS settings of a worker's new connections: the identities and the keys of tickets of one
 * generation of the region "tls". Connections count its users. Once made, it does not change, so
 * that worker threads may read it.
 *
 * An idle connection takes 25 KiB with TLS 1.2 and 44 with 1.3. mbedTLS' variable buffers save
 * nothing: most clients send full records, and a smaller buffer leaves a hole of the larger one in
 * the heap. */
#pragma once

#include "http/tls_identity.h"
#include "http/tls_store.h"

#include <mbedtls/ssl.h>

struct tls_identities;

struct tls_context {
	mbedtls_ssl_config ssl;
	struct tls_ticket_key ticket_keys[TLS_TICKET_KEYS];
	struct tls_identities *identities; /* shared by contexts with the same certificates */
	uint32_t generation;
	unsigned users;
};

/* Makes a context of the generation in force, with one user. previous: NULL, or the old context,
 * whose identities are reused if the files are the same. Returns NULL on failure: the log has the
 * reason, unless the generation is just being replaced. */
struct tls_context *tls_context_create(struct region_map *shared, struct tls_context *previous);

/* Removes a user; the context without users is destroyed. NULL is allowed. */
void tls_context_leave(struct tls_context *context);

/* Whether mbedTLS has opened a ticket on this thread since the last call: its callback does not
 * identify the connection. */
bool tls_context_take_opened(void);

/* Whether a ticket of TLS 1.2 can be decrypted: then its handshake is cheap. */
bool tls_context_knows_ticket(const struct tls_context *context, struct str ticket);
