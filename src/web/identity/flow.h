/* A sign-in by an issuer that has begun in a browser: its state, nonce and code verifier are
 * derived from a secret in the browser's cookie, so nothing is stored, and only this browser can
 * end it.
 *
 *   time (8) | flags (1) | session (16) | secret (32) | code (18)   in base64url
 *
 * The code is made with a key derived from the instance's secret key. Pure. */
#pragma once

#include "domain/secret_settings.h"

#include <text/str.h>

enum { FLOW_LENGTH = 100, FLOW_SECRET_BYTES = 32, FLOW_TEXT_LENGTH = 43, FLOW_LIFE_S = 15 * 60 };

struct flow {
	int64_t began_s;
	bool stays_signed_in;
	/* Session that asked, with its password or passkey, to connect its account; none: a
	 * sign-in. */
	struct id session;
	uint8_t secret[FLOW_SECRET_BYTES];
};

enum flow_text { FLOW_STATE, FLOW_NONCE, FLOW_VERIFIER };

/* Writes the cookie of a flow. */
void flow_write(const struct settings_key *key, const struct flow *flow,
		char ret_text[static FLOW_LENGTH + 1]);
/* Returns false if it was not made with this key, or is older than FLOW_LIFE_S. */
__attribute__((warn_unused_result)) bool flow_read(const struct settings_key *key, int64_t now_s,
						   struct str text, struct flow *ret);

/* Derives a text of the flow. The browser sees the state and the nonce, and the issuer a hash of
 * the verifier; none of them reveals another one. */
void flow_text(const struct flow *flow, enum flow_text which,
	       char ret_text[static FLOW_TEXT_LENGTH + 1]);
/* Whether this is the flow's state. */
__attribute__((warn_unused_result)) bool flow_has_state(const struct flow *flow, struct str state);
/* Derives the challenge of the verifier (RFC 7636, S256). */
void flow_challenge(const struct flow *flow, char ret_text[static FLOW_TEXT_LENGTH + 1]);
