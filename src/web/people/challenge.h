/* Challenges of passkeys: random data that an authenticator signs, made for one browser and one
 * answer.
 *
 * They are not stored. A challenge contains its time and an authentication code by a key that all
 * instances share (table site), so making one costs no write, and nobody can fill a table with
 * them. Answered challenges are stored for as long as they would be valid (passkey_used.sql), so
 * that none is answered twice. */
#pragma once

#include "base/id.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	CHALLENGE_KEY_BYTES = 32,
	CHALLENGE_BYTES = 8 + 16 + 16, /* seconds, random bits, code */
	CHALLENGE_LENGTH = 54,	       /* in base64url, without padding */
};

struct challenge {
	uint8_t bytes[CHALLENGE_BYTES];
	char text[CHALLENGE_LENGTH + 1];
};

/* Makes a challenge. session: that of the browser; none: not signed in. */
void challenge_new(const uint8_t key[static CHALLENGE_KEY_BYTES], struct id session, int64_t now_s,
		   struct challenge *ret);

/* Whether the text is a challenge for this session, made with this key at most life_s ago. */
bool challenge_read(const uint8_t key[static CHALLENGE_KEY_BYTES], struct id session, int64_t now_s,
		    int64_t life_s, struct str text, struct challenge *ret);
