/* ID tokens and sets of keys of an issuer: for any input, what is read is within its bounds, and no
 * token is right that was not signed. The input is a set of keys, a line end, and a token. */
#include "base/memory.h"
#include "web/identity/id_token.h"

#include <stdlib.h>
#include <string.h>

static void check_keys(const struct issuer_keys *keys)
{
	if (keys->count > ISSUER_KEYS_MAX)
		abort();
	for (unsigned i = 0; i < keys->count; i++) {
		const struct issuer_key *key = &keys->keys[i];

		if (key->algorithm == KEY_UNKNOWN || key->size == 0 ||
		    key->size > ISSUER_KEY_BYTES_MAX || strlen(key->id) > ISSUER_KEY_ID_MAX ||
		    key->exponent_size > ISSUER_EXPONENT_BYTES_MAX)
			abort();
	}
}

static void check_token(const struct issuer_keys *keys, struct str text)
{
	const struct id_token_wanted wanted = {.issuer = "https://id.example.org",
					       .client_id = "displayd",
					       .nonce = STR("n"),
					       .now_s = 1795176000};
	const struct issuer_key *key;
	struct arena arena = {0};
	struct id_token token;

	if (!id_token_read(text, wanted.client_id, &arena, &token)) {
		if (token.algorithm == KEY_UNKNOWN || token.signed_text.length >= text.length)
			abort();
		if (!id_token_check(&token, &wanted) &&
		    (!token.subject.length || token.subject.length > ID_TOKEN_SUBJECT_MAX ||
		     !token.is_for_us || !str_equal(token.issuer, str_from(wanted.issuer))))
			abort();
		key = issuer_keys_find(keys, token.algorithm, token.key_id);
		/* Nobody has the secret keys of the corpus any more. */
		if (key && issuer_key_verifies(key, token.signed_text, token.signature) &&
		    !str_equal(token.nonce, wanted.nonce))
			abort();
	}
	arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy =
	    memory_alloc(size ? size : 1); /* a separate copy, so that an overrun is detected */
	struct issuer_keys keys;
	struct str rest = {copy, size}, set;

	memcpy(copy, data, size);
	if (str_next(&rest, '\n', &set)) {
		if (!issuer_keys_read(set, &keys) && keys.count > 0)
			abort();
		check_keys(&keys);
		check_token(&keys, rest);
	}
	free(copy);
	return 0;
}
