#include "coded_text.h"
#include "base/require.h"

#include <sodium.h>
#include <string.h>

static void code_of(const struct coded_text *kind, const struct settings_key *key,
		    const uint8_t *values, uint8_t *ret_code)
{
	uint8_t own[SETTINGS_KEY_BYTES];

	crypto_generichash(own, sizeof(own), (const uint8_t *)kind->purpose, strlen(kind->purpose),
			   key->bytes, sizeof(key->bytes));
	crypto_generichash(ret_code, kind->code_bytes, values, kind->value_bytes, own, sizeof(own));
	sodium_memzero(own, sizeof(own));
}

void coded_text_write(const struct coded_text *kind, const struct settings_key *key,
		      const uint8_t *values, char *ret_text)
{
	size_t size = kind->value_bytes + kind->code_bytes;
	uint8_t bytes[CODED_TEXT_BYTES_MAX];

	require(size <= sizeof(bytes) && size % 3 == 0);
	memcpy(bytes, values, kind->value_bytes);
	code_of(kind, key, values, bytes + kind->value_bytes);
	sodium_bin2base64(ret_text, size / 3 * 4 + 1, bytes, size,
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(bytes, sizeof(bytes));
}

bool coded_text_read(const struct coded_text *kind, const struct settings_key *key, struct str text,
		     uint8_t *ret_values)
{
	size_t size = kind->value_bytes + kind->code_bytes, decoded;
	uint8_t bytes[CODED_TEXT_BYTES_MAX], code[CODED_TEXT_BYTES_MAX];

	require(size <= sizeof(bytes) && size % 3 == 0);
	if (text.length != size / 3 * 4 ||
	    sodium_base642bin(bytes, size, text.data, text.length, NULL, &decoded, NULL,
			      sodium_base64_VARIANT_URLSAFE_NO_PADDING) < 0 ||
	    decoded != size)
		return false;
	code_of(kind, key, bytes, code);
	if (sodium_memcmp(code, bytes + kind->value_bytes, kind->code_bytes) != 0)
		return false;
	memcpy(ret_values, bytes, kind->value_bytes);
	return true;
}
