#include "domain/push_shown.h"
#include "base/clock.h"
#include "domain/schedule.h"

#include <string.h>

static int wakes_minute(const struct display_settings *settings, int64_t wall_us)
{
	int64_t until_us;

	if (!display_wakes_at(settings, wall_us, &until_us))
		return -1;
	return local_time_at(settings->zone, until_us).second / 60;
}

struct push_shown push_shown_at(const struct display_settings *settings, int64_t wall_us,
				const struct push_body *body, const struct push_stored *stored,
				bool is_online, int64_t since_us)
{
	struct str pinned = stored->pinned_installation_id;
	bool is_waking = body->is_waking && !body->in_background;
	struct push_shown shown = {.kind = PUSH_NOW, .since_us = since_us, .pinned_id = pinned};
	struct display_level level = display_level_at(settings, wall_us);

	if (level.brightness == 0 && !level.is_asleep) {
		shown.kind = PUSH_DARK;
	} else if (!is_waking && level.is_asleep) {
		shown.kind = PUSH_ASLEEP;
		shown.wakes_minute = wakes_minute(settings, wall_us);
	} else if (body->in_background && pinned.data &&
		   !str_equal(pinned, body->installation_id)) {
		shown.kind = PUSH_PINNED;
	} else if (!is_online) {
		shown.kind = stored->has_connected ? PUSH_OFFLINE : PUSH_NEVER;
	} else if (body->in_background) {
		shown.kind = PUSH_LATER;
	}
	return shown;
}

/* Percent-encodes all characters except those that RFC 3986 calls unreserved, since an ID may have
 * any. */
static struct str encoded(struct arena *arena, struct str id)
{
	static const char digits[] = "0123456789ABCDEF";
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	char *text = arena_alloc(arena, 3 * id.length + 1);
	size_t length = 0;

	for (size_t i = 0; i < id.length; i++) {
		uint8_t byte = (uint8_t)id.data[i];

		if (byte && strchr(plain, byte)) {
			text[length++] = (char)byte;
			continue;
		}
		text[length++] = '%';
		text[length++] = digits[byte >> 4];
		text[length++] = digits[byte & 15];
	}
	return (struct str){text, length};
}

struct str push_shown_field(const struct push_shown *shown, struct arena *arena)
{
	char since[TIMESTAMP_LENGTH + 1];

	switch (shown->kind) {
	case PUSH_DARK:
		return STR("dark");
	case PUSH_ASLEEP:
		if (shown->wakes_minute < 0)
			return STR("asleep");
		return arena_printf(arena, "asleep; until=%02d:%02d", shown->wakes_minute / 60,
				    shown->wakes_minute % 60);
	case PUSH_PINNED:
		return arena_printf(arena, "pinned; id=%.*s",
				    STR_ARG(encoded(arena, shown->pinned_id)));
	case PUSH_NEVER:
		return STR("never");
	case PUSH_OFFLINE:
		timestamp_format(shown->since_us, since);
		return arena_printf(arena, "offline; since=%s", since);
	case PUSH_LATER:
		return STR("later");
	default:
		return STR("now");
	}
}
