#include "domain/picture_hash.h"

#include <sodium.h>

void picture_hash(struct str webp, uint8_t ret_hash[static PICTURE_HASH_BYTES])
{
	uint8_t hash[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(hash, (const unsigned char *)webp.data, webp.length);
	memcpy(ret_hash, hash, PICTURE_HASH_BYTES);
}
