#include "domain/poll.h"

/* Ask again soon: something may have been pushed. */
enum { BUILT_IN_DWELL_S = 15 };

/* Serves so much of an item's time as one answer can say, and keeps the rest. The answers of an
 * item are about equal: none is for a second only. */
static void serve(struct poll_cursor *cursor, struct poll_answer *answer, int64_t stay_s)
{
	int64_t answers = (stay_s + POLL_DWELL_MAX_S - 1) / POLL_DWELL_MAX_S;

	answer->dwell_s = (stay_s + answers - 1) / answers;
	cursor->remaining_s = stay_s - answer->dwell_s;
}

static void serve_push(struct poll_cursor *cursor, const struct content *content,
		       struct poll_answer *answer, int64_t stay_s)
{
	answer->item = (struct air_item){
	    .kind = AIR_PUSH,
	    .position = content->push.is_entry ? content->push.entry_position : -1,
	    .generation = content->push.generation,
	};
	cursor->remains_of_push = true;
	cursor->push_seen = content->push.generation;
	serve(cursor, answer, stay_s);
}

static void serve_entry(struct poll_cursor *cursor, const struct content_entry *entry,
			struct poll_answer *answer, int64_t stay_s)
{
	answer->item = (struct air_item){
	    .kind = AIR_ENTRY,
	    .position = entry->position,
	    .generation = entry->picture_generation,
	};
	cursor->remains_of_push = false;
	cursor->position = entry->position;
	serve(cursor, answer, stay_s);
}

/* The rest of what was served last, if it still has a right to be shown. */
static bool serve_rest(struct poll_cursor *cursor, const struct content *content,
		       struct poll_answer *answer)
{
	const struct content_entry *entry;
	int64_t interval_s = content->settings.schedule_interval_s;

	if (cursor->remaining_s <= 0)
		return false;
	if (cursor->remains_of_push) {
		if (content->push.generation != cursor->push_seen || !content_push_picture(content))
			return false;
		serve_push(cursor, content, answer, cursor->remaining_s);
		return true;
	}
	entry = content_at(content, cursor->position);
	if (!entry)
		return false;
	serve_entry(cursor, entry, answer,
		    cursor->remaining_s < interval_s ? cursor->remaining_s : interval_s);
	return true;
}

struct poll_answer poll_next(struct poll_cursor *cursor, const struct content *content,
			     int64_t wall_us)
{
	struct display_level level = display_level_at(&content->settings, wall_us);
	struct poll_answer answer = {
	    .item = {.kind = AIR_BUILT_IN, .position = -1},
	    .brightness = level.brightness,
	    .dwell_s = BUILT_IN_DWELL_S,
	};
	const struct content_entry *entry;

	if (level.brightness == 0) {
		/* Dark: the picture is not seen; the device is to ask again when that may change.
		 */
		int64_t until_s = (level.valid_until_us - wall_us + 999999) / 1000000;

		answer.dwell_s = until_s < POLL_DWELL_MAX_S ? until_s : POLL_DWELL_MAX_S;
		return answer;
	}
	if (content->push.generation > cursor->push_seen && content_push_is_due(content, wall_us)) {
		answer.is_push_displayed = content->push.displayed_us == 0;
		serve_push(cursor, content, &answer, content_push_rest_s(content, wall_us));
		return answer;
	}
	if (serve_rest(cursor, content, &answer))
		return answer;
	entry = content_next(content, cursor->position);
	if (entry)
		serve_entry(cursor, entry, &answer, content->settings.schedule_interval_s);
	return answer;
}
