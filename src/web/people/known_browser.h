/* Known browsers: those with which somebody has signed in before. They have a cookie that says only
 * this, neither who nor where, so that their next sign-in does not wait behind failed attempts of
 * others at their address (attempts.h). It grants no access.
 *
 *   day (4) | random ID (16) | code (16)   in base64url
 *
 * The code is made with a key derived from the instance's secret key: so every worker accepts all
 * cookies, as does every instance with the same --secret-key-file. Nothing is stored. The ID is
 * used to count failed attempts; a browser keeps it. Pure. */
#pragma once

#include "domain/secret_settings.h"

#include <text/str.h>

enum { KNOWN_BROWSER_LENGTH = 48 };

/* Writes a cookie. id: the old one, or a new one. */
void known_browser_write(const struct settings_key *key, int64_t now_s, struct id id,
			 char ret_text[static KNOWN_BROWSER_LENGTH + 1]);

/* Returns false if it was not made with this key, or is older than LIMIT_KNOWN_BROWSER_S. */
__attribute__((warn_unused_result)) bool known_browser_read(const struct settings_key *key,
							    int64_t now_s, struct str text,
							    struct id *ret_id);
