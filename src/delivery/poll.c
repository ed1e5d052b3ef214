#include "base/clock.h"
#include "delivery_private.h"

enum { TRIES_MAX = 3 };

/* The next item whose picture is in memory. False where none is; the cursor is then as it was. */
static bool next_in_memory(struct panel *panel, struct poll_cursor *cursor, int64_t wall_us,
			   struct poll_answer *ret_answer)
{
	struct poll_cursor ahead = *cursor;

	for (unsigned i = 0; i <= panel->content.installation_count; i++) {
		*ret_answer = poll_next(&ahead, &panel->content, wall_us);
		if (picture_of_item(panel, &ret_answer->item).data) {
			*cursor = ahead;
			return true;
		}
		ahead.remaining_s = 0;
	}
	return false;
}

static void advance(struct panel *panel, const struct poll_cursor *cursor,
		    const struct poll_answer *answer, int64_t wall_us)
{
	cursor_set(panel->delivery->cursors, panel->id, cursor);
	if (!answer->is_push_displayed)
		return;
	panel->content.push.displayed_us = wall_us;
	ledger_displayed(panel, answer->item.generation, wall_us);
}

bool delivery_poll(struct panel *panel, struct panel_search *search, bool is_peek,
		   struct arena *arena, struct poll_picture *ret_picture)
{
	struct poll_cursor cursor = cursor_get(panel->delivery->cursors, panel->id);
	struct poll_cursor ahead = cursor;
	int64_t wall_us = clock_wall_us();
	struct poll_answer answer;

	panel_touch(panel);
	panel_seen(panel);
	panel_recall_push(panel);
	answer = poll_next(&ahead, &panel->content, wall_us);
	if (!picture_of_item(panel, &answer.item).data) {
		/* Memory is short, so it is fetched for this answer. */
		panel_fetch_picture(panel, answer.item.position);
		if (panel->fetch && search->tries++ < TRIES_MAX) {
			list_append(&panel->searches, &search->node);
			return false;
		}
		/* The database is away: what is in memory goes on. */
		ahead = cursor;
		if (!next_in_memory(panel, &ahead, wall_us, &answer))
			answer = (struct poll_answer){.item = {.kind = PLAYBACK_BUILT_IN},
						      .brightness = answer.brightness,
						      .dwell_s = 5};
	}
	if (!is_peek)
		advance(panel, &ahead, &answer, wall_us);
	*ret_picture = (struct poll_picture){.webp = picture_of_item(panel, &answer.item),
					     .brightness = answer.brightness,
					     .dwell_s = answer.dwell_s};
	if (answer.item.kind == PLAYBACK_BUILT_IN)
		return true;
	/* What the panel has may be loaded anew before the answer is written. */
	ret_picture->webp = arena_copy(arena, ret_picture->webp);
	panel_release_picture(panel, answer.item.position);
	return true;
}
