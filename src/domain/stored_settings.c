#include "domain/stored_settings.h"

void stored_settings_make(const struct settings_key *key, struct id device, struct str installation,
			  const struct settings *open, const struct settings *secret,
			  struct arena *arena, struct stored_settings *ret)
{
	uint8_t hash[SETTINGS_HASH_BYTES];
	struct buffer encrypted = {0};
	struct settings all;

	settings_merge(open, secret, arena, &all);
	ret->open = settings_to_text(open, arena);
	ret->encrypted = (struct str){0};
	if (secret->count) {
		settings_encrypt(key, device, installation, settings_to_text(secret, arena),
				 &encrypted);
		ret->encrypted = arena_copy(arena, buffer_view(&encrypted));
		buffer_finish(&encrypted);
	}
	settings_hash(key, settings_to_text(&all, arena), secret->count > 0, hash);
	ret->hash = arena_copy(arena, (struct str){(const char *)hash, sizeof(hash)});
}

static struct settings copy_of(const struct settings *settings, struct arena *arena)
{
	static const struct settings none;
	struct settings copy;

	settings_merge(settings, &none, arena, &copy);
	return copy;
}

bool stored_settings_hide(const struct form *form, struct arena *arena, struct settings *open,
			  struct settings *secret)
{
	struct settings hidden = copy_of(open, arena);

	settings_keep(&hidden, form, true);
	if (hidden.count == 0)
		return false;
	settings_keep(open, form, false);
	settings_merge(&hidden, secret, arena, secret);
	return true;
}
