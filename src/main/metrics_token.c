#include "main/metrics_token.h"
#include "main/secret_file.h"

#include <sodium.h>
#include <stdbool.h>

static const char what[] = "the token for metrics";

/* Whether a field "Authorization: Bearer" can carry the text as one word. */
static bool is_token(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return length >= METRICS_TOKEN_MIN;
}

int metrics_token_load(const char *file, uint8_t ret_hash[static METRICS_TOKEN_HASH_BYTES],
		       struct reason *reterr)
{
	char text[METRICS_TOKEN_MAX];
	ssize_t length = secret_file_read(what, file, text, sizeof(text), reterr);
	bool is_good;

	if (length < 0)
		return -1;
	is_good = length <= METRICS_TOKEN_MAX && is_token(text, (size_t)length);
	if (is_good)
		crypto_hash_sha256(ret_hash, (const unsigned char *)text, (size_t)length);
	sodium_memzero(text, sizeof(text));
	if (is_good)
		return 0;
	return reason_set(reterr,
			  "%s, %s: must be one line of %d to %d visible ASCII characters without "
			  "spaces",
			  what, file, METRICS_TOKEN_MIN, METRICS_TOKEN_MAX);
}
