#include "polling.h"
#include "base/clock.h"
#include "base/memory.h"
#include "following.h"
#include "metric/metric.h"

enum { TRIES_MAX = 3, NOTHING_DWELL_S = 5 };

/* Finds the next item whose picture is in memory. Returns false, with the cursor unchanged, if
 * there is none. */
static bool next_in_memory(struct panel *panel, const struct content *content,
			   struct poll_cursor *cursor, int64_t wall_us,
			   struct poll_answer *ret_answer)
{
	struct poll_cursor ahead = *cursor;

	for (unsigned i = 0; i <= content->installation_count; i++) {
		*ret_answer = poll_next(&ahead, content, wall_us);
		if (panel_picture(panel, &ret_answer->item).data) {
			*cursor = ahead;
			return true;
		}
		ahead.remaining_s = 0;
	}
	return false;
}

static void advance(const struct polling *polling, struct panel *panel,
		    const struct poll_cursor *cursor, const struct poll_answer *answer,
		    int64_t wall_us)
{
	struct id device_id = panel->id;
	int64_t generation;

	polling->on_come(polling->context, panel);
	cursor_set(polling->cursors, device_id, cursor,
		   &(struct cursor_moment){.wall_us = wall_us,
					   .loop_ms = loop_now_ms(polling->loop),
					   .dwell_s = (uint32_t)answer->dwell_s});
	if (!panel->polled)
		panel->polled = memory_alloc(sizeof(*panel->polled));
	*panel->polled = (struct shown_poll){.item = answer->item,
					     .at_ms = (int64_t)loop_now_ms(polling->loop),
					     .at_us = wall_us,
					     .dwell_s = answer->dwell_s};
	polling->on_change(polling->context, panel);
	write_behind_polled(polling->write_behind, panel);
	if (answer->is_push_displayed) {
		panel = panel_shown_push(panel, answer->item.generation, wall_us, &generation);
		write_behind_displayed(polling->write_behind, panel, generation, wall_us);
	}
	roaming_polled(polling->roaming, device_id, answer->dwell_s);
}

/* The picture cannot be fetched: the answer is a picture that is in memory. */
static struct poll_answer next_in_memory_or_none(struct panel *panel, const struct content *content,
						 struct poll_cursor *cursor, int64_t wall_us,
						 int brightness)
{
	struct poll_answer answer;

	if (next_in_memory(panel, content, cursor, wall_us, &answer))
		return answer;
	return (struct poll_answer){.item = {.kind = PLAYBACK_BUILT_IN,
					     .position = -1,
					     .look = {.size = content->settings.panel_size}},
				    .brightness = brightness,
				    .dwell_s = NOTHING_DWELL_S};
}

static void give_order(const struct polling *polling, struct panel *panel,
		       const struct panel_way *way, struct arena *arena,
		       struct poll_picture *picture)
{
	struct panel_order order;

	if (!orders_may_give(panel, true, panel_may_be_led(panel, way)))
		return;
	order = orders_give(polling->orders, panel, true, arena);
	picture->reboot = order.reboots;
	picture->url = order.url;
	picture->image_url = order.image_url;
}

/* Whether the answer waits for an order that is being taken. */
static bool awaits_order(const struct polling *polling, struct panel *panel,
			 struct panel_lookup *lookup)
{
	if (!orders_await(polling->orders, panel, &lookup->way, true) ||
	    lookup->tries++ >= TRIES_MAX)
		return false;
	lookup_wait(lookup, panel);
	return true;
}

bool polling_next(const struct polling *polling, struct panel *panel, struct panel_lookup *lookup,
		  bool is_peek, struct arena *arena, struct poll_picture *ret_picture)
{
	struct poll_cursor cursor = cursor_get(polling->cursors, panel->id);
	struct poll_cursor ahead = cursor;
	int64_t wall_us = clock_wall_us();
	struct poll_answer answer;
	struct content room;
	const struct content *content;

	panel_touch(panel);
	if (!is_peek) {
		panel_seen(panel);
		write_behind_contact(polling->write_behind, panel);
		if (panel->awaits_contact) {
			lookup_wait(lookup, panel);
			return false;
		}
		if (awaits_order(polling, panel, lookup))
			return false;
	}
	panel_recall_push(panel);
	content = panel_shown(panel, wall_us, &room);
	answer = poll_next(&ahead, content, wall_us);
	if (!panel_picture(panel, &answer.item).data) {
		/* Memory is short, so the picture is fetched for this answer. */
		if (panel_fetch_picture(polling->fetcher, panel, &answer.item) &&
		    lookup->tries++ < TRIES_MAX) {
			lookup_wait(lookup, panel);
			return false;
		}
		ahead = cursor;
		answer = next_in_memory_or_none(panel, content, &ahead, wall_us, answer.brightness);
	}
	if (!is_peek) {
		metric_add(METRIC_PICTURES_SENT, METRIC_PANEL_POLLING, 1);
		advance(polling, panel, &ahead, &answer, wall_us);
	}
	*ret_picture = (struct poll_picture){.webp = panel_picture(panel, &answer.item),
					     .brightness = answer.brightness,
					     .dwell_s = answer.dwell_s};
	if (!is_peek)
		give_order(polling, panel, &lookup->way, arena, ret_picture);
	/* A load may free the panel's picture before the answer is written. */
	if (answer.item.kind != PLAYBACK_BUILT_IN)
		ret_picture->webp = arena_copy(arena, ret_picture->webp);
	panel_release_picture(panel, &answer.item);
	return true;
}
