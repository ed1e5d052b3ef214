#include "domain/shown.h"

struct str shown_kind_name(enum shown_kind kind)
{
	static const char *const kinds[SHOWN_KINDS] = {
	    [SHOWN_UNKNOWN] = "unknown", [SHOWN_ROTATION] = "rotation",
	    [SHOWN_PUSH] = "push",	 [SHOWN_TEMPORARY] = "temporary",
	    [SHOWN_NOTHING] = "nothing", [SHOWN_ASLEEP] = "asleep",
	    [SHOWN_DARK] = "dark",	 [SHOWN_NIGHT] = "night",
	    [SHOWN_PINNED] = "pinned",
	};

	return str_from(kinds[kind]);
}

static const struct playback_item nothing = {.kind = PLAYBACK_NOTHING, .position = -1};

static enum shown_kind kind_of(const struct playback_item *item, const struct display_mode *mode)
{
	switch (item->kind) {
	case PLAYBACK_BUILT_IN:
		return SHOWN_NOTHING;
	case PLAYBACK_INSTALLATION:
		if (!mode->alone || mode->alone->position != item->position)
			return SHOWN_ROTATION;
		return mode->kind == DISPLAY_MODE_NIGHT ? SHOWN_NIGHT : SHOWN_PINNED;
	case PLAYBACK_PUSH:
		return item->position == -1 ? SHOWN_TEMPORARY : SHOWN_PUSH;
	default:
		return SHOWN_UNKNOWN;
	}
}

/* A dark panel shows no picture, even if it has one. */
static void darken(struct shown *shown, const struct content *content)
{
	shown->kind = content->settings.brightness == 0 ? SHOWN_DARK : SHOWN_ASLEEP;
	shown->next_kind = SHOWN_UNKNOWN;
	shown->item = shown->next = nothing;
	shown->until_ms = 0;
}

struct shown shown_of_playback(const struct playback *playback, const struct content *content,
			       struct playback_clock clock)
{
	struct display_mode mode = display_mode_at(content, clock.wall_us);
	bool is_sent =
	    playback->brightness_sent != -1 && playback->brightness_sent != mode.panel_level;
	struct shown shown = {
	    .connection = SHOWN_WEB_SOCKET,
	    .is_acknowledged = playback->has_spoken && !playback->is_assumed,
	    .item = playback->displayed,
	    .next = playback_next(playback, &mode),
	    .brightness =
		is_sent ? brightness_from_sent(&content->settings.curve, playback->brightness_sent)
			: mode.brightness,
	    .since_ms = playback->since_ms,
	    .until_ms = playback->until_ms,
	};

	shown.kind = kind_of(&shown.item, &mode);
	shown.next_kind = kind_of(&shown.next, &mode);
	if (shown.kind == SHOWN_UNKNOWN)
		shown.is_acknowledged = false;
	if (shown.next.kind == PLAYBACK_NOTHING)
		shown.until_ms = 0; /* it stays */
	if (shown.brightness == 0)
		darken(&shown, content);
	return shown;
}

struct shown shown_of_poll(const struct shown_poll *poll, const struct poll_cursor *cursor,
			   const struct content *content, struct playback_clock clock)
{
	struct display_mode mode = display_mode_at(content, clock.wall_us);
	struct poll_cursor ahead = *cursor;
	struct shown shown = {
	    .connection = SHOWN_POLLING,
	    .item = poll->item,
	    .next = nothing,
	    .brightness = mode.brightness,
	    .since_ms = poll->at_ms,
	    .until_ms = poll->at_ms + poll->dwell_s * 1000,
	};

	shown.kind = kind_of(&shown.item, &mode);
	if (mode.kind == DISPLAY_MODE_DARK) {
		darken(&shown, content);
		return shown;
	}
	shown.next = poll_next(&ahead, content, clock.wall_us).item;
	if (playback_item_is_same_picture(&shown.item, &shown.next) ||
	    playback_item_is_same(&shown.item, &shown.next)) {
		shown.next = nothing;
		shown.until_ms = 0;
	}
	shown.next_kind = kind_of(&shown.next, &mode);
	return shown;
}

static bool is_same_item(const struct playback_item *a, const struct playback_item *b)
{
	return playback_item_is_same(a, b) && a->picture_generation == b->picture_generation;
}

bool shown_is_same(const struct shown *a, const struct shown *b)
{
	return a->connection == b->connection && a->is_acknowledged == b->is_acknowledged &&
	       a->kind == b->kind && a->next_kind == b->next_kind &&
	       a->brightness == b->brightness && is_same_item(&a->item, &b->item) &&
	       is_same_item(&a->next, &b->next) && a->until_ms == b->until_ms &&
	       (a->until_ms == 0 || a->since_ms == b->since_ms);
}
