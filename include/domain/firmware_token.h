/* Tokens in the URLs by which panels fetch images of firmware.
 *
 *   token, in hexadecimal digits: ID of the image, time of its end, MAC over both and the device's
 * ID
 *
 * A token is for one device and one image, and holds for 15 minutes. Any instance with the same
 * secret key accepts it; nothing is stored. */
#pragma once

#include "domain/secret_settings.h"

enum { FIRMWARE_TOKEN_LENGTH = 80, FIRMWARE_TOKEN_S = 15 * 60 };

/* Makes a token that ends FIRMWARE_TOKEN_S after now_s (Unix time). Writes a NUL at its end. */
void firmware_token_make(const struct settings_key *key, struct id device, struct id image,
			 int64_t now_s, char ret_token[static FIRMWARE_TOKEN_LENGTH + 1]);

enum firmware_token_state {
	FIRMWARE_TOKEN_WRONG, /* it was not made here, or for another device */
	FIRMWARE_TOKEN_ENDED,
	FIRMWARE_TOKEN_HOLDS,
};

/* Verifies a token, in constant time. *ret_image is set unless it is wrong. */
enum firmware_token_state firmware_token_read(const struct settings_key *key, struct id device,
					      struct str token, int64_t now_s,
					      struct id *ret_image);
