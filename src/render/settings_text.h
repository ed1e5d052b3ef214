/* Settings of an installation for its script, secret ones included. */
#pragma once

#include "db/statements.h"
#include "domain/settings.h"

struct settings_key;

/* Returns NULL, and *ret_json in the arena or the row; else a sentence with the reason.
 * *ret_secret: settings that are masked in the script's output. */
const char *settings_text(const struct settings_key *key, const struct render_lease_row *row,
			  struct arena *arena, struct str *ret_json, struct settings *ret_secret);
