/* Tickets: a session of TLS, encrypted with a key that all workers have, for its client to keep.
 *
 *   ticket = key's name (8) | nonce (24) | session, encrypted | mark (16)
 *
 * XChaCha20-Poly1305; nothing here changes anything, so that any thread may call it. */
#pragma once

#include "http/tls_store.h"

enum { TLS_TICKET_EXTRA_BYTES = TLS_TICKET_KEY_NAME_BYTES + 24 + 16 };

/* Seals the session that lies behind the first TLS_TICKET_EXTRA_BYTES - 16 bytes of the ticket, in
 * place. The ticket has size + TLS_TICKET_EXTRA_BYTES bytes. */
void tls_ticket_encrypt(const struct tls_ticket_key *keys, uint8_t *ticket, size_t size);

/* Opens a ticket into ret_session, a buffer of at least as many bytes apart from the ticket. False:
 * the ticket is not ours, or too old. */
__attribute__((warn_unused_result)) bool tls_ticket_decrypt(const struct tls_ticket_key *keys,
							    const uint8_t *ticket, size_t size,
							    uint8_t *ret_session, size_t *ret_size);
