/* X25519 for mbedTLS, computed by libsodium: mbedTLS needs 500 us for a product, libsodium 40.
 * PSA's two functions that multiply have these names where psa_crypto.c calls them (meson.build).
 * Any thread may call these. */
#include <psa/crypto.h>
#include <psa_crypto_ecp.h>
#include <sodium.h>
#include <stdbool.h>

enum { NUMBER_BYTES = crypto_scalarmult_curve25519_BYTES };

static bool is_x25519(const psa_key_attributes_t *attributes, size_t size)
{
	return psa_get_key_type(attributes) ==
		   PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_MONTGOMERY) &&
	       psa_get_key_bits(attributes) == 255 && size == NUMBER_BYTES;
}

psa_status_t x25519_export_public_key(const psa_key_attributes_t *attributes, const uint8_t *key,
				      size_t key_size, uint8_t *ret, size_t room, size_t *ret_size)
{
	if (!is_x25519(attributes, key_size))
		return mbedtls_psa_ecp_export_public_key(attributes, key, key_size, ret, room,
							 ret_size);
	if (room < NUMBER_BYTES)
		return PSA_ERROR_BUFFER_TOO_SMALL;
	crypto_scalarmult_curve25519_base(ret, key);
	*ret_size = NUMBER_BYTES;
	return PSA_SUCCESS;
}

psa_status_t x25519_key_agreement(const psa_key_attributes_t *attributes, const uint8_t *key,
				  size_t key_size, psa_algorithm_t algorithm, const uint8_t *peer,
				  size_t peer_size, uint8_t *ret, size_t room, size_t *ret_size)
{
	if (!is_x25519(attributes, key_size) || !PSA_ALG_IS_ECDH(algorithm) ||
	    peer_size != NUMBER_BYTES)
		return mbedtls_psa_key_agreement_ecdh(attributes, key, key_size, algorithm, peer,
						      peer_size, ret, room, ret_size);
	if (room < NUMBER_BYTES)
		return PSA_ERROR_BUFFER_TOO_SMALL;
	/* Fails for points of a small order, as RFC 8446 section 7.4.2 demands. */
	if (crypto_scalarmult_curve25519(ret, key, peer) != 0)
		return PSA_ERROR_INVALID_ARGUMENT;
	*ret_size = NUMBER_BYTES;
	return PSA_SUCCESS;
}
