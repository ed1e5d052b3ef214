/* The settings of an installation as its script gets them: those that are secret, too. */
#pragma once

#include "db/statements.h"
#include "domain/settings.h"

struct settings_key;

/* NULL, and *ret_json is in the arena or the row's; else why there are none, a sentence.
 * *ret_secret: those that are masked in what the script prints. */
const char *settings_text(const struct settings_key *key, const struct render_lease_row *row,
			  struct arena *arena, struct str *ret_json, struct settings *ret_secret);
