#include "domain/poll.h"

/* Returns the part of a dwell time for which the item may be shown at this brightness from now on.
 */
static int64_t dwell_in(const struct display_mode *now, const struct playback_item *item,
			int64_t wall_us, int64_t dwell_s)
{
	int64_t until_us = now->valid_until_us;

	while (until_us < wall_us + dwell_s * 1000000) {
		struct display_mode mode = display_mode_at(now->content, until_us);

		if (mode.panel_level != now->panel_level ||
		    !picture_look_is_same(mode.look, now->look) ||
		    !playback_item_is_wanted(item, &mode))
			return (until_us - wall_us + 999999) / 1000000;
		until_us = mode.valid_until_us;
	}
	return dwell_s;
}

/* Serves as much of an item's time as fits into one answer, and keeps the rest. The time is divided
 * evenly among the answers, so that none is very short. */
static void serve(struct poll_cursor *cursor, struct poll_answer *answer,
		  const struct display_mode *mode, const struct playback_item *item, int64_t stay_s,
		  int64_t wall_us)
{
	int64_t answers = (stay_s + POLL_DWELL_MAX_S - 1) / POLL_DWELL_MAX_S;

	answer->item = *item;
	answer->dwell_s = dwell_in(mode, item, wall_us, (stay_s + answers - 1) / answers);
	cursor->remaining_s = stay_s - answer->dwell_s;
	cursor->remains_of_push = item->kind == PLAYBACK_PUSH;
	if (item->kind == PLAYBACK_PUSH)
		cursor->push_seen = item->generation;
	else if (item->kind == PLAYBACK_INSTALLATION)
		cursor->position = item->position;
}

/* Serves the rest of the item that was served last, if it may still be shown. */
static bool serve_rest(struct poll_cursor *cursor, const struct display_mode *mode, int64_t wall_us,
		       struct poll_answer *answer)
{
	const struct content *content = mode->content;
	const struct content_installation *installation;
	struct playback_item item;

	if (cursor->remaining_s <= 0)
		return false;
	if (cursor->remains_of_push) {
		item = playback_item_of_push(mode);
		if (item.generation != cursor->push_seen || !playback_item_is_wanted(&item, mode))
			return false;
		serve(cursor, answer, mode, &item, cursor->remaining_s, wall_us);
		return true;
	}
	installation = content_at(content, cursor->position);
	if (!installation || !display_mode_shows(mode, installation))
		return false;
	item = playback_item_of(mode, installation);
	serve(cursor, answer, mode, &item,
	      cursor->remaining_s < item.stay_s ? cursor->remaining_s : item.stay_s, wall_us);
	return true;
}

/* Returns the number of items by which the rotation was told to advance since the last poll. An
 * item that is shown alone stays. A worker that has not loaded the latest turns finds none, and
 * leaves them. */
static int64_t take_turns(struct poll_cursor *cursor, const struct display_mode *mode)
{
	int64_t count = mode->content->turn_count;
	int64_t turns = cursor->turns_seen == -1 ? 0 : count - cursor->turns_seen;

	if (cursor->turns_seen < count)
		cursor->turns_seen = count;
	return mode->kind == DISPLAY_MODE_ROTATION && turns > 0 ? turns : 0;
}

/* Returns the creation number of the installation whose push was served last and is over; -1: none.
 */
static int64_t pushed_position(const struct poll_cursor *cursor, const struct content *content)
{
	const struct content_push *push = &content->push;

	return cursor->remains_of_push && push->is_installation &&
		       push->generation == cursor->push_seen
		   ? push->installation_position
		   : -1;
}

/* Returns the item that is so many turns ahead, at least one. */
static struct playback_item item_ahead(const struct poll_cursor *cursor,
				       const struct display_mode *mode, int64_t turns)
{
	const struct content *content = mode->content;
	struct playback_item item =
	    playback_item_next(mode, cursor->position, pushed_position(cursor, content));

	for (unsigned i = 1; i < turns && i < content->installation_count; i++)
		item = playback_item_next(mode, item.position, -1);
	return item;
}

/* Serves the entry that the leader shows, for the rest of its turn; if that is about to end, the
 * one after it. Returns false if the device follows none, or the entry is not shown. */
static bool serve_lead(struct poll_cursor *cursor, const struct display_mode *mode, int64_t wall_us,
		       struct poll_answer *answer)
{
	enum { ENDING_US = 1500 * 1000 };
	const struct content_lead *lead = &mode->content->lead;
	const struct content_installation *installation =
	    lead->position ? content_at(mode->content, lead->position) : NULL;
	int64_t rest_us = lead->until_us - wall_us;
	struct playback_item item;
	int64_t stay_s;

	if (mode->kind != DISPLAY_MODE_ROTATION || !installation ||
	    !display_mode_shows(mode, installation))
		return false;
	item = playback_item_of(mode, installation);
	stay_s = item.stay_s;
	if (lead->until_us && rest_us < ENDING_US) {
		item = playback_item_next(mode, lead->position, -1);
		stay_s = item.stay_s;
	} else if (lead->until_us) {
		stay_s = (rest_us + 999999) / 1000000;
	}
	serve(cursor, answer, mode, &item, stay_s, wall_us);
	cursor->remaining_s = 0;
	return true;
}

struct poll_answer poll_next(struct poll_cursor *cursor, const struct content *content,
			     int64_t wall_us)
{
	struct display_mode mode = display_mode_at(content, wall_us);
	struct poll_answer answer = {.brightness = mode.panel_level};
	int64_t turns = take_turns(cursor, &mode);
	struct playback_item item;

	if (mode.kind == DISPLAY_MODE_DARK) {
		/* The panel is dark; it must poll again when that may change. */
		int64_t until_s = (mode.valid_until_us - wall_us + 999999) / 1000000;

		answer.item = playback_item_built_in(&mode);
		answer.dwell_s = until_s < POLL_DARK_MAX_S ? until_s : POLL_DARK_MAX_S;
		return answer;
	}
	if (content_push_is_after(content->push.generation, cursor->push_seen) &&
	    display_mode_has_push(&mode)) {
		answer.is_push_displayed = content->push.displayed_us == 0;
		item = playback_item_of_push(&mode);
		serve(cursor, &answer, &mode, &item, item.stay_s, wall_us);
		return answer;
	}
	if (turns == 0 && serve_rest(cursor, &mode, wall_us, &answer))
		return answer;
	if (turns == 0 && serve_lead(cursor, &mode, wall_us, &answer))
		return answer;
	item = item_ahead(cursor, &mode, turns);
	if (item.kind == PLAYBACK_BUILT_IN) {
		answer.item = item;
		answer.dwell_s = dwell_in(&mode, &item, wall_us, item.stay_s);
	} else {
		serve(cursor, &answer, &mode, &item, item.stay_s, wall_us);
	}
	return answer;
}
