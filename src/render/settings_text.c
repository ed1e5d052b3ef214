#include "settings_text.h"
#include "domain/device_place.h"
#include "domain/secret_settings.h"
#include "domain/settings.h"

const char *settings_text(const struct settings_key *key, const struct render_lease_row *row,
			  struct arena *arena, struct str *ret_json, struct settings *ret_secret)
{
	struct settings open, all;
	struct buffer buffer = {0};
	struct str opened;

	*ret_json = device_place_settle(row->settings, row->place, arena);
	*ret_secret = (struct settings){0};
	if (!row->secret_settings.data)
		return NULL;
	if (!key || !settings_decrypt(key, row->device_id, row->installation_id,
				      row->secret_settings, arena, &opened))
		return settings_open_failed;
	settings_parse(row->settings, arena, &open);
	settings_parse(opened, arena, ret_secret);
	settings_merge(&open, ret_secret, arena, &all);
	settings_write(&all, &buffer);
	*ret_json = device_place_settle(arena_copy(arena, buffer_view(&buffer)), row->place, arena);
	buffer_finish(&buffer);
	return NULL;
}
