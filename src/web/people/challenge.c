#include "challenge.h"

#include <sodium.h>

enum {
	TIME_BYTES = 8,
	RANDOM_BYTES = 16,
	CODE_BYTES = 16,
	CODED_BYTES = TIME_BYTES + RANDOM_BYTES
};

static void code_of(const uint8_t *key, struct id session, const uint8_t *coded,
		    uint8_t ret_code[static CODE_BYTES])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, key, CHALLENGE_KEY_BYTES, CODE_BYTES);
	crypto_generichash_update(&state, session.bytes, sizeof(session.bytes));
	crypto_generichash_update(&state, coded, CODED_BYTES);
	crypto_generichash_final(&state, ret_code, CODE_BYTES);
}

void challenge_new(const uint8_t key[static CHALLENGE_KEY_BYTES], struct id session, int64_t now_s,
		   struct challenge *ret)
{
	for (unsigned i = 0; i < TIME_BYTES; i++)
		ret->bytes[i] = (uint8_t)((uint64_t)now_s >> (8 * (TIME_BYTES - 1 - i)));
	randombytes_buf(ret->bytes + TIME_BYTES, RANDOM_BYTES);
	code_of(key, session, ret->bytes, ret->bytes + CODED_BYTES);
	sodium_bin2base64(ret->text, sizeof(ret->text), ret->bytes, CHALLENGE_BYTES,
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool challenge_read(const uint8_t key[static CHALLENGE_KEY_BYTES], struct id session, int64_t now_s,
		    int64_t life_s, struct str text, struct challenge *ret)
{
	uint8_t code[CODE_BYTES];
	uint64_t made_s = 0;
	size_t size;

	if (text.length != CHALLENGE_LENGTH ||
	    sodium_base642bin(ret->bytes, CHALLENGE_BYTES, text.data, text.length, NULL, &size,
			      NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) < 0 ||
	    size != CHALLENGE_BYTES)
		return false;
	memcpy(ret->text, text.data, text.length);
	ret->text[text.length] = '\0';
	code_of(key, session, ret->bytes, code);
	if (sodium_memcmp(code, ret->bytes + CODED_BYTES, CODE_BYTES) != 0)
		return false;
	for (unsigned i = 0; i < TIME_BYTES; i++)
		made_s = made_s << 8 | ret->bytes[i];
	/* Clocks of instances may differ a little. */
	return (int64_t)made_s <= now_s + life_s && now_s - (int64_t)made_s <= life_s;
}
