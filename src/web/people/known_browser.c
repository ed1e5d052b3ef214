#include "known_browser.h"
#include "base/limits.h"

#include <sodium.h>

enum {
	DAY_S = 24 * 3600,
	DAY_BYTES = 4,
	CODE_BYTES = 16,
	CODED_BYTES = DAY_BYTES + ID_BYTES,
	BYTES = CODED_BYTES + CODE_BYTES,
};

_Static_assert(KNOWN_BROWSER_LENGTH == BYTES / 3 * 4 && BYTES % 3 == 0, "as base64url has it");

static void code_of(const struct settings_key *key, const uint8_t *coded,
		    uint8_t ret_code[static CODE_BYTES])
{
	static const char purpose[] = "displayd known browser";
	uint8_t own[SETTINGS_KEY_BYTES];

	crypto_generichash(own, sizeof(own), (const uint8_t *)purpose, sizeof(purpose) - 1,
			   key->bytes, sizeof(key->bytes));
	crypto_generichash(ret_code, CODE_BYTES, coded, CODED_BYTES, own, sizeof(own));
	sodium_memzero(own, sizeof(own));
}

void known_browser_write(const struct settings_key *key, int64_t now_s, struct id id,
			 char ret_text[static KNOWN_BROWSER_LENGTH + 1])
{
	uint32_t day = (uint32_t)(now_s / DAY_S);
	uint8_t bytes[BYTES];

	for (unsigned i = 0; i < DAY_BYTES; i++)
		bytes[i] = (uint8_t)(day >> (8 * (DAY_BYTES - 1 - i)));
	memcpy(bytes + DAY_BYTES, id.bytes, ID_BYTES);
	code_of(key, bytes, bytes + CODED_BYTES);
	sodium_bin2base64(ret_text, KNOWN_BROWSER_LENGTH + 1, bytes, sizeof(bytes),
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool known_browser_read(const struct settings_key *key, int64_t now_s, struct str text,
			struct id *ret_id)
{
	uint8_t bytes[BYTES], code[CODE_BYTES];
	int64_t day = 0;
	size_t size;

	if (text.length != KNOWN_BROWSER_LENGTH ||
	    sodium_base642bin(bytes, sizeof(bytes), text.data, text.length, NULL, &size, NULL,
			      sodium_base64_VARIANT_URLSAFE_NO_PADDING) < 0 ||
	    size != sizeof(bytes))
		return false;
	code_of(key, bytes, code);
	if (sodium_memcmp(code, bytes + CODED_BYTES, CODE_BYTES) != 0)
		return false;
	for (unsigned i = 0; i < DAY_BYTES; i++)
		day = day << 8 | bytes[i];
	memcpy(ret_id->bytes, bytes + DAY_BYTES, ID_BYTES);
	return now_s - day * DAY_S < LIMIT_KNOWN_BROWSER_S;
}
