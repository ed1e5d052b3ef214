#include "domain/shown.h"

static const struct playback_item nothing = {.kind = PLAYBACK_NOTHING, .position = -1};

static enum shown_kind kind_of(const struct playback_item *item)
{
	switch (item->kind) {
	case PLAYBACK_BUILT_IN:
		return SHOWN_NOTHING;
	case PLAYBACK_INSTALLATION:
		return SHOWN_ROTATION;
	case PLAYBACK_PUSH:
		return item->position == -1 ? SHOWN_TEMPORARY : SHOWN_PUSH;
	default:
		return SHOWN_UNKNOWN;
	}
}

/* A dark panel shows no picture, whatever it holds. */
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
	struct display_level level = display_level_at(&content->settings, clock.wall_us);
	int sent = playback->brightness_sent;
	struct shown shown = {
	    .connection = SHOWN_WEB_SOCKET,
	    .is_acknowledged = playback->has_spoken && !playback->is_assumed,
	    .item = playback->displayed,
	    .next = playback_next(playback, content),
	    .brightness = sent == -1 ? level.brightness : sent,
	    .since_ms = playback->since_ms,
	    .until_ms = playback->until_ms,
	};

	shown.kind = kind_of(&shown.item);
	shown.next_kind = kind_of(&shown.next);
	if (shown.kind == SHOWN_UNKNOWN)
		shown.is_acknowledged = false;
	if (shown.next.kind == PLAYBACK_NOTHING)
		shown.until_ms = 0; /* it stays */
	if (shown.brightness == 0)
		darken(&shown, content);
	return shown;
}

/* The push that was served last, or the installation. */
static struct playback_item item_served(const struct poll_cursor *cursor,
					const struct content *content, int64_t wall_us)
{
	const struct content_installation *installation;

	if (cursor->remains_of_push && cursor->push_seen == content->push.generation &&
	    content_push_picture(content))
		return playback_item_of_push(content, wall_us);
	installation = content_at(content, cursor->position);
	if (installation && !cursor->remains_of_push)
		return playback_item_of(content, installation);
	return content->installation_count == 0
		   ? (struct playback_item){.kind = PLAYBACK_BUILT_IN, .position = -1}
		   : nothing;
}

struct shown shown_of_poll(const struct poll_cursor *cursor, const struct content *content,
			   int64_t polled_ms, int64_t dwell_s, struct playback_clock clock)
{
	struct display_level level = display_level_at(&content->settings, clock.wall_us);
	struct poll_cursor ahead = *cursor;
	struct shown shown = {
	    .connection = SHOWN_POLLING,
	    .item = item_served(cursor, content, clock.wall_us),
	    .next = nothing,
	    .brightness = level.brightness,
	    .since_ms = polled_ms,
	    .until_ms = polled_ms + dwell_s * 1000,
	};

	shown.kind = kind_of(&shown.item);
	if (level.brightness == 0) {
		darken(&shown, content);
		return shown;
	}
	shown.next = poll_next(&ahead, content, clock.wall_us).item;
	if (playback_item_is_same_picture(&shown.item, &shown.next) ||
	    playback_item_is_same(&shown.item, &shown.next)) {
		shown.next = nothing;
		shown.until_ms = 0;
	}
	shown.next_kind = kind_of(&shown.next);
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
