#include "flow.h"
#include "web/people/coded_text.h"

#include <sodium.h>

enum {
	TIME_BYTES = 8,
	VALUE_BYTES = TIME_BYTES + 1 + ID_BYTES + FLOW_SECRET_BYTES,
	CODE_BYTES = 18,
	DERIVED_BYTES = 32,
};

_Static_assert(FLOW_LENGTH == (VALUE_BYTES + CODE_BYTES) / 3 * 4, "as base64url has it");

static const struct coded_text cookie = {"displayd sign-in by an issuer", VALUE_BYTES, CODE_BYTES};

void flow_write(const struct settings_key *key, const struct flow *flow,
		char ret_text[static FLOW_LENGTH + 1])
{
	uint8_t bytes[VALUE_BYTES];
	uint8_t *at = bytes + TIME_BYTES;

	for (unsigned i = 0; i < TIME_BYTES; i++)
		bytes[i] = (uint8_t)((uint64_t)flow->began_s >> (8 * (TIME_BYTES - 1 - i)));
	*at++ = flow->stays_signed_in;
	memcpy(at, flow->session.bytes, ID_BYTES);
	memcpy(at + ID_BYTES, flow->secret, FLOW_SECRET_BYTES);
	coded_text_write(&cookie, key, bytes, ret_text);
	sodium_memzero(bytes, sizeof(bytes));
}

bool flow_read(const struct settings_key *key, int64_t now_s, struct str text, struct flow *ret)
{
	uint8_t bytes[VALUE_BYTES];
	const uint8_t *at = bytes + TIME_BYTES;
	uint64_t began_s = 0;

	if (!coded_text_read(&cookie, key, text, bytes))
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
