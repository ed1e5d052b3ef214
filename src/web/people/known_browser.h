/* Known browsers: somebody has signed in with them before. They have a cookie that says this and
 * nothing else, neither who nor where, so that their next sign-in does not wait behind failed
 * attempts of strangers who share their address (attempts.h). It opens nothing.
 *
 *   day (4) | random ID (16) | code (16)   in base64url
 *
 * The code is made with a key of its own, derived from the instance's secret key: every worker
 * knows the cookies of all, as does every instance with the same --secret-key-file. Nothing is
 * stored. The ID is there to count failed attempts by; a browser keeps it. Pure. */
#pragma once

#include "domain/secret_settings.h"

#include <text/str.h>

enum { KNOWN_BROWSER_LENGTH = 48 };

/* id: that of before, or a new one. */
void known_browser_write(const struct settings_key *key, int64_t now_s, struct id id,
			 char ret_text[static KNOWN_BROWSER_LENGTH + 1]);

/* False: it was not made with this key, or LIMIT_KNOWN_BROWSER_S ago. */
__attribute__((warn_unused_result)) bool known_browser_read(const struct settings_key *key,
							    int64_t now_s, struct str text,
							    struct id *ret_id);
