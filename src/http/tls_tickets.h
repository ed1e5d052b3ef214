/* Tickets: TLS sessions, encrypted with a key that all workers have, for clients to keep.
 *
 *   ticket = key's name (8) | nonce (24) | session, encrypted | mark (16)
 *
 * XChaCha20-Poly1305; functions have no state, so any thread may call them. */
#pragma once

#include "http/tls_store.h"

enum { TLS_TICKET_EXTRA_BYTES = TLS_TICKET_KEY_NAME_BYTES + 24 + 16 };

/* Encrypts, in place, the session after the first TLS_TICKET_EXTRA_BYTES - 16 bytes of the ticket.
 * The ticket has size + TLS_TICKET_EXTRA_BYTES bytes. */
void tls_ticket_encrypt(const struct tls_ticket_key *keys, uint8_t *ticket, size_t size);

/* Decrypts a ticket into ret_session, a separate buffer of at least as many bytes. Returns false if
 * the ticket is not ours, or too old. */
__attribute__((warn_unused_result)) bool tls_ticket_decrypt(const struct tls_ticket_key *keys,
							    const uint8_t *ticket, size_t size,
							    uint8_t *ret_session, size_t *ret_size);
