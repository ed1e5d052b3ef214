#include "flow.h"

#include <sodium.h>

enum {
	TIME_BYTES = 8,
	CODED_BYTES = TIME_BYTES + 1 + ID_BYTES + FLOW_SECRET_BYTES,
	CODE_BYTES = 18,
	BYTES = CODED_BYTES + CODE_BYTES,
	DERIVED_BYTES = 32,
};

_Static_assert(FLOW_LENGTH == BYTES / 3 * 4 && BYTES % 3 == 0, "as base64url has it");

static void code_of(const struct settings_key *key, const uint8_t *coded,
		    uint8_t ret_code[static CODE_BYTES])
{
	static const char purpose[] = "displayd sign-in by an issuer";
	uint8_t own[SETTINGS_KEY_BYTES];

	crypto_generichash(own, sizeof(own), (const uint8_t *)purpose, sizeof(purpose) - 1,
			   key->bytes, sizeof(key->bytes));
	crypto_generichash(ret_code, CODE_BYTES, coded, CODED_BYTES, own, sizeof(own));
	sodium_memzero(own, sizeof(own));
}

void flow_write(const struct settings_key *key, const struct flow *flow,
		char ret_text[static FLOW_LENGTH + 1])
{
	uint8_t bytes[BYTES];
	uint8_t *at = bytes + TIME_BYTES;

	for (unsigned i = 0; i < TIME_BYTES; i++)
		bytes[i] = (uint8_t)((uint64_t)flow->began_s >> (8 * (TIME_BYTES - 1 - i)));
	*at++ = flow->stays_signed_in;
	memcpy(at, flow->session.bytes, ID_BYTES);
	memcpy(at + ID_BYTES, flow->secret, FLOW_SECRET_BYTES);
	code_of(key, bytes, bytes + CODED_BYTES);
	sodium_bin2base64(ret_text, FLOW_LENGTH + 1, bytes, sizeof(bytes),
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(bytes, sizeof(bytes));
}

bool flow_read(const struct settings_key *key, int64_t now_s, struct str text, struct flow *ret)
{
	uint8_t bytes[BYTES], code[CODE_BYTES];
	const uint8_t *at = bytes + TIME_BYTES;
	uint64_t began_s = 0;
	size_t size;

	if (text.length != FLOW_LENGTH ||
	    sodium_base642bin(bytes, sizeof(bytes), text.data, text.length, NULL, &size, NULL,
			      sodium_base64_VARIANT_URLSAFE_NO_PADDING) < 0 ||
	    size != sizeof(bytes))
		return false;
	code_of(key, bytes, code);
	if (sodium_memcmp(code, bytes + CODED_BYTES, CODE_BYTES) != 0)
		return false;
	for (unsigned i = 0; i < TIME_BYTES; i++)
		began_s = began_s << 8 | bytes[i];
	ret->began_s = (int64_t)began_s;
	ret->stays_signed_in = *at++;
	memcpy(ret->session.bytes, at, ID_BYTES);
	memcpy(ret->secret, at + ID_BYTES, FLOW_SECRET_BYTES);
	/* Clocks of instances may differ a little. */
	return ret->began_s <= now_s + FLOW_LIFE_S && now_s - ret->began_s <= FLOW_LIFE_S;
}

static void encode(const uint8_t *bytes, char *ret_text)
{
	sodium_bin2base64(ret_text, FLOW_TEXT_LENGTH + 1, bytes, DERIVED_BYTES,
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

void flow_text(const struct flow *flow, enum flow_text which,
	       char ret_text[static FLOW_TEXT_LENGTH + 1])
{
	uint8_t purpose = (uint8_t)which, derived[DERIVED_BYTES];

	crypto_generichash(derived, sizeof(derived), &purpose, 1, flow->secret,
			   sizeof(flow->secret));
	encode(derived, ret_text);
}

bool flow_has_state(const struct flow *flow, struct str state)
{
	char wanted[FLOW_TEXT_LENGTH + 1];

	flow_text(flow, FLOW_STATE, wanted);
	return state.length == FLOW_TEXT_LENGTH &&
	       sodium_memcmp(wanted, state.data, FLOW_TEXT_LENGTH) == 0;
}

void flow_challenge(const struct flow *flow, char ret_text[static FLOW_TEXT_LENGTH + 1])
{
	char verifier[FLOW_TEXT_LENGTH + 1];
	uint8_t hash[crypto_hash_sha256_BYTES];

	flow_text(flow, FLOW_VERIFIER, verifier);
	crypto_hash_sha256(hash, (const uint8_t *)verifier, FLOW_TEXT_LENGTH);
	encode(hash, ret_text);
}
