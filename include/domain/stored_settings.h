/* Settings of an installation as the database stores them: open ones as text, secret ones
 * encrypted, and the hash of all. */
#pragma once

#include "domain/secret_settings.h"
#include "domain/settings.h"

struct stored_settings {
	struct str open;
	struct str encrypted; /* data is NULL: no secret settings */
	struct str hash;
};

/* Makes the texts, in the arena. key may be NULL if secret is empty. */
void stored_settings_make(const struct settings_key *key, struct id device, struct str installation,
			  const struct settings *open, const struct settings *secret,
			  struct arena *arena, struct stored_settings *ret);

/* Moves settings of fields that the form declares secret from the open ones to the secret ones; a
 * secret that is stored already stays. Returns false if there is none to move. */
bool stored_settings_hide(const struct form *form, struct arena *arena, struct settings *open,
			  struct settings *secret);
