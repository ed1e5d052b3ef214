#include "http/tls_tickets.h"
#include "base/require.h"

#include <sodium.h>
#include <string.h>

enum {
	NAME_BYTES = TLS_TICKET_KEY_NAME_BYTES,
	NONCE_BYTES = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
	MARK_BYTES = crypto_aead_xchacha20poly1305_ietf_ABYTES,
};

_Static_assert(NAME_BYTES + NONCE_BYTES + MARK_BYTES == TLS_TICKET_EXTRA_BYTES,
	       "the ticket is as its header says");
_Static_assert(TLS_TICKET_KEY_BYTES == crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
	       "the key is one of the cipher");

void tls_ticket_encrypt(const struct tls_ticket_key *keys, uint8_t *ticket, size_t size)
{
	uint8_t *nonce = ticket + NAME_BYTES, *session = nonce + NONCE_BYTES;

	memcpy(ticket, keys[0].name, NAME_BYTES);
	randombytes_buf(nonce, NONCE_BYTES);
	crypto_aead_xchacha20poly1305_ietf_encrypt(session, NULL, session, size, ticket, NAME_BYTES,
						   NULL, nonce, keys[0].key);
}

bool tls_ticket_decrypt(const struct tls_ticket_key *keys, const uint8_t *ticket, size_t size,
			uint8_t *ret_session, size_t *ret_size)
{
	const uint8_t *nonce = ticket + NAME_BYTES, *encrypted = nonce + NONCE_BYTES;
	const struct tls_ticket_key *key = NULL;

	if (size < TLS_TICKET_EXTRA_BYTES)
		return false;
	/* The cipher does not support overlapping buffers. */
	require(ret_session + size <= ticket || ticket + size <= ret_session);
	for (int i = 0; i < TLS_TICKET_KEYS && !key; i++)
		if (memcmp(ticket, keys[i].name, NAME_BYTES) == 0 &&
		    !sodium_is_zero(keys[i].name, NAME_BYTES))
			key = &keys[i];
	if (!key)
		return false;
	if (crypto_aead_xchacha20poly1305_ietf_decrypt(ret_session, NULL, NULL, encrypted,
						       size - NAME_BYTES - NONCE_BYTES, ticket,
						       NAME_BYTES, nonce, key->key) != 0)
		return false;
	*ret_size = size - TLS_TICKET_EXTRA_BYTES;
	return true;
}
