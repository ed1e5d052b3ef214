#include "domain/firmware_token.h"
#include "base/hex.h"

#include <sodium.h>
#include <string.h>

enum { MAC_LENGTH = 16, TIME_LENGTH = 8 };

struct token {
	uint8_t image[sizeof(struct id)];
	uint8_t end_s[TIME_LENGTH]; /* big-endian */
	uint8_t mac[MAC_LENGTH];
};

_Static_assert(2 * sizeof(struct token) == FIRMWARE_TOKEN_LENGTH, "no padding");

static void make_mac(const struct settings_key *key, struct id device, const struct token *token,
		     uint8_t ret_mac[static MAC_LENGTH])
{
	static const char purpose[] = "firmware image ";
	crypto_generichash_state state;

	crypto_generichash_init(&state, key->bytes, sizeof(key->bytes), MAC_LENGTH);
	crypto_generichash_update(&state, (const uint8_t *)purpose, strlen(purpose));
	crypto_generichash_update(&state, device.bytes, sizeof(device.bytes));
	crypto_generichash_update(&state, token->image, sizeof(token->image));
	crypto_generichash_update(&state, token->end_s, sizeof(token->end_s));
	crypto_generichash_final(&state, ret_mac, MAC_LENGTH);
}

void firmware_token_make(const struct settings_key *key, struct id device, struct id image,
			 int64_t now_s, char ret_token[static FIRMWARE_TOKEN_LENGTH + 1])
{
	uint64_t end_s = (uint64_t)(now_s + FIRMWARE_TOKEN_S);
	struct token token;

	memcpy(token.image, image.bytes, sizeof(token.image));
	for (unsigned i = 0; i < TIME_LENGTH; i++)
		token.end_s[i] = (uint8_t)(end_s >> (8 * (TIME_LENGTH - 1 - i)));
	make_mac(key, device, &token, token.mac);
	hex_encode(&token, sizeof(token), ret_token);
}

enum firmware_token_state firmware_token_read(const struct settings_key *key, struct id device,
					      struct str text, int64_t now_s, struct id *ret_image)
{
	uint8_t mac[MAC_LENGTH];
	struct token token;
	uint64_t end_s = 0;

	if (!hex_decode(text, &token, sizeof(token)))
		return FIRMWARE_TOKEN_WRONG;
	make_mac(key, device, &token, mac);
	if (sodium_memcmp(mac, token.mac, sizeof(mac)) != 0)
		return FIRMWARE_TOKEN_WRONG;
	memcpy(ret_image->bytes, token.image, sizeof(token.image));
	for (unsigned i = 0; i < TIME_LENGTH; i++)
		end_s = end_s << 8 | token.end_s[i];
	return now_s < (int64_t)end_s ? FIRMWARE_TOKEN_HOLDS : FIRMWARE_TOKEN_ENDED;
}
