#include "domain/poll.h"

/* Serves as much of an item's time as one answer can say, and keeps the rest. The time is divided
 * evenly among the answers, so that none is for a second only. */
static void serve(struct poll_cursor *cursor, struct poll_answer *answer,
		  const struct playback_item *item, int64_t stay_s)
{
	int64_t answers = (stay_s + POLL_DWELL_MAX_S - 1) / POLL_DWELL_MAX_S;

	answer->item = *item;
	answer->dwell_s = (stay_s + answers - 1) / answers;
	cursor->remaining_s = stay_s - answer->dwell_s;
	cursor->remains_of_push = item->kind == PLAYBACK_PUSH;
	if (item->kind == PLAYBACK_PUSH)
		cursor->push_seen = item->generation;
	else if (item->kind == PLAYBACK_INSTALLATION)
		cursor->position = item->position;
}

/* Serves the rest of the item that was served last, where it may still be shown. */
static bool serve_rest(struct poll_cursor *cursor, const struct content *content, int64_t wall_us,
		       struct poll_answer *answer)
{
	const struct content_installation *installation;
	int64_t interval_s = content->settings.schedule_interval_s;
	struct playback_item item;

	if (cursor->remaining_s <= 0)
		return false;
	if (cursor->remains_of_push) {
		if (content->push.generation != cursor->push_seen || !content_push_picture(content))
			return false;
		item = playback_item_of_push(content, wall_us);
		serve(cursor, answer, &item, cursor->remaining_s);
		return true;
	}
	installation = content_at(content, cursor->position);
	if (!installation)
		return false;
	item = playback_item_of(content, installation);
	serve(cursor, answer, &item,
	      cursor->remaining_s < interval_s ? cursor->remaining_s : interval_s);
	return true;
}

/* The position of the installation whose push was served last, and has had its time; -1: none. */
static int64_t pushed_position(const struct poll_cursor *cursor, const struct content *content)
{
	const struct content_push *push = &content->push;

	return cursor->remains_of_push && push->is_installation &&
		       push->generation == cursor->push_seen
		   ? push->installation_position
		   : -1;
}

struct poll_answer poll_next(struct poll_cursor *cursor, const struct content *content,
			     int64_t wall_us)
{
	struct display_level level = display_level_at(&content->settings, wall_us);
	struct poll_answer answer = {.brightness = level.brightness};
	struct playback_item item;

	if (level.brightness == 0) {
		/* The display is dark; the device is to poll again when that may change. */
		int64_t until_s = (level.valid_until_us - wall_us + 999999) / 1000000;

		answer.item = (struct playback_item){.kind = PLAYBACK_BUILT_IN, .position = -1};
		answer.dwell_s = until_s < POLL_DWELL_MAX_S ? until_s : POLL_DWELL_MAX_S;
		return answer;
	}
	if (content->push.generation > cursor->push_seen && content_push_is_due(content, wall_us)) {
		answer.is_push_displayed = content->push.displayed_us == 0;
		item = playback_item_of_push(content, wall_us);
		serve(cursor, &answer, &item, item.stay_s);
		return answer;
	}
	if (serve_rest(cursor, content, wall_us, &answer))
		return answer;
	item = playback_item_next(content, cursor->position, pushed_position(cursor, content));
	if (item.kind == PLAYBACK_BUILT_IN) {
		answer.item = item;
		answer.dwell_s = item.stay_s;
	} else {
		serve(cursor, &answer, &item, item.stay_s);
	}
	return answer;
}
