#include "panel_views.h"

#include <string.h>

/* Time for which a polling panel counts as online after its next poll was due. */
enum { POLL_GRACE_MS = 60 * 1000 };

bool panel_is_polling(const struct panel *panel)
{
	const struct shown_poll *poll = panel ? panel->polled : NULL;

	return poll && (int64_t)loop_now_ms(panel->panels->loop) <=
			   poll->at_ms + poll->dwell_s * 1000 + POLL_GRACE_MS;
}

/* The panel may have polled at another worker since, which knows more. */
static bool polls_here(const struct panel *panel)
{
	return panel_is_polling(panel) && cursor_was_set_here(panel->panels->cursors, panel->id);
}

bool panel_is_here(const struct panel *panel)
{
	return panel && (!list_is_empty(&panel->connections) || polls_here(panel));
}

struct shown panel_look(struct panel *panel, struct playback_clock clock, int64_t *ret_rank_us)
{
	struct poll_cursor cursor;
	const struct shown_poll *poll;
	const struct content *content;
	struct content room;

	if (!panel || panel->state != PANEL_READY)
		return (struct shown){0};
	content = panel_shown(panel, clock.wall_us, &room);
	if (!list_is_empty(&panel->connections)) {
		const struct panel_connection *connection =
		    container_of(panel->connections.previous, struct panel_connection, node);

		*ret_rank_us = connection->connected_us;
		return shown_of_playback(&connection->playback, content, clock);
	}
	if (!polls_here(panel))
		return (struct shown){0};
	poll = panel->polled;
	*ret_rank_us = poll->at_us;
	cursor = cursor_get(panel->panels->cursors, panel->id);
	return shown_of_poll(poll, &cursor, content, clock);
}

static bool is_same_item(const struct playback_item *a, const struct playback_item *b)
{
	return playback_item_is_same(a, b) && a->picture_generation == b->picture_generation;
}

/* The bytes of a replaced or dropped picture are gone, but its hash is known if it was reported
 * before. */
static void name_picture(struct view_picture *picture, struct panel *panel,
			 const struct playback_item *item, const struct panel_view_sent *sent)
{
	struct playback_item there;
	const struct panel *of = panel_of_item(panel, item, &there);
	const struct content_installation *installation = content_at(&of->content, there.position);

	if (installation)
		picture->installation_id = installation->id;
	picture->has_hash = panel_picture_hash(panel, item, picture->hash);
	picture->filter = item->look.filter;
	if (picture->has_hash || !sent)
		return;
	if (is_same_item(item, &sent->shown.item))
		memcpy(picture, &sent->now, offsetof(struct view_picture, installation_id));
	else if (is_same_item(item, &sent->shown.next))
		memcpy(picture, &sent->next, offsetof(struct view_picture, installation_id));
}

static int64_t wall_us_of(int64_t ms, struct playback_clock clock)
{
	return clock.wall_us + (ms - clock.now_ms) * 1000;
}

struct panel_view panel_view_of(const struct panel_view_sent *sent, struct panel *panel,
				const struct shown *shown, int64_t rank_us,
				struct playback_clock clock)
{
	struct panel_view view = {
	    .connection = shown->connection,
	    .is_acknowledged = shown->is_acknowledged,
	    .brightness = shown->brightness,
	    .rank_us = rank_us,
	};

	if (shown->connection == SHOWN_OFFLINE)
		return view;
	if (shown->kind != SHOWN_UNKNOWN)
		view.since_us = wall_us_of(shown->since_ms, clock);
	if (shown->until_ms && shown->kind != SHOWN_UNKNOWN)
		view.until_us = wall_us_of(shown->until_ms, clock);
	name_picture(&view.now, panel, &shown->item, sent);
	name_picture(&view.next, panel, &shown->next, sent);
	view.now.kind = shown->kind;
	view.next.kind = shown->next_kind;
	return view;
}
