#include "domain/air.h"

#include <string.h>

enum {
	BUILT_IN_STAY_S = 15,
	DWELL_MAX_S = 3600, /* the link can say no more */
	/* After a push the next picture is sent so long before the end: a picture that is queued
	 * earlier could be shown by the push's own "immediate". */
	PUSH_LEAD_MS = 1000,
	/* A panel that keeps a picture for longer than this after its time is told to go on. */
	OVERDUE_MS = 5000,
};

static const struct air_item nothing = {.kind = AIR_NOTHING, .position = -1};

void air_init(struct air *air, int64_t rotation_position)
{
	*air = (struct air){
	    .brightness_sent = -1,
	    .displayed = nothing,
	    .queued = nothing,
	    .rotation_position = rotation_position,
	    .position_before = rotation_position,
	};
}

/* ---- what there is to show ---- */

static struct air_item item_of_entry(const struct content *content,
				     const struct content_entry *entry)
{
	return (struct air_item){
	    .kind = AIR_ENTRY,
	    .position = entry->position,
	    .generation = entry->picture_generation,
	    .picture_generation = entry->picture_generation,
	    .loop_ms = entry->picture.loop_ms,
	    .stay_s = content->settings.schedule_interval_s,
	};
}

static struct air_item item_of_push(const struct content *content, struct air_clock clock)
{
	const struct content_push *push = &content->push;
	const struct content_entry *entry =
	    push->is_entry ? content_at(content, push->entry_position) : NULL;
	int64_t stay_s = push->duration_s;

	if (push->displayed_us) /* another connection has shown a part of it */
		stay_s =
		    (push->displayed_us + push->duration_s * 1000000 - clock.wall_us + 999999) /
		    1000000;
	return (struct air_item){
	    .kind = AIR_PUSH,
	    .position = entry ? entry->position : -1,
	    .generation = push->generation,
	    .picture_generation = entry ? entry->picture_generation : 0,
	    .loop_ms = entry ? entry->picture.loop_ms : push->picture.loop_ms,
	    .stay_s = stay_s > 0 ? stay_s : 1,
	};
}

static struct air_item next_in_rotation(const struct air *air, const struct content *content)
{
	const struct content_entry *entry = content_next(content, air->rotation_position);

	if (!entry)
		return (struct air_item){
		    .kind = AIR_BUILT_IN, .position = -1, .stay_s = BUILT_IN_STAY_S};
	return item_of_entry(content, entry);
}

static bool is_same(const struct air_item *a, const struct air_item *b)
{
	return a->kind == b->kind && a->position == b->position && a->generation == b->generation;
}

/* The panel would show the same bytes: an entry whose push has just been seen, for example. */
static bool is_same_picture(const struct air_item *a, const struct air_item *b)
{
	if (a->kind == AIR_BUILT_IN || b->kind == AIR_BUILT_IN)
		return a->kind == b->kind;
	return a->position != -1 && a->position == b->position &&
	       a->picture_generation == b->picture_generation;
}

/* Whether what is displayed has a right to stay there for its time. */
static bool is_still_wanted(const struct air_item *item, const struct content *content)
{
	const struct content_entry *entry;

	switch (item->kind) {
	case AIR_BUILT_IN:
		return content->entry_count == 0;
	case AIR_ENTRY:
		/* A picture replaced in the background does not interrupt the display. */
		entry = content_at(content, item->position);
		return entry != NULL;
	case AIR_PUSH:
		return content->push.generation == item->generation;
	default:
		return false;
	}
}

/* ---- events ---- */

static void set_displayed(struct air *air, const struct air_item *item, struct content *content,
			  struct air_clock clock, const struct air_output *output)
{
	air->displayed = *item;
	air->since_ms = clock.now_ms;
	air->until_ms = clock.now_ms + item->stay_s * 1000;
	air->position_before = air->rotation_position;
	if (item->kind == AIR_ENTRY)
		air->rotation_position = item->position;
	if (item->kind == AIR_PUSH && content->push.generation == item->generation) {
		air->push_seen = item->generation;
		if (content->push.displayed_us == 0) {
			content->push.displayed_us = clock.wall_us;
			output->push_displayed(output->context, item->generation, clock.wall_us);
		}
	}
	if (is_same(&air->queued, item))
		air->queued = nothing;
}

void air_on_queued(struct air *air, int64_t number)
{
	if (!air->has_acknowledged) {
		air->has_acknowledged = true;
		/* What was believed to be displayed is only queued: the panel will say more. */
		if (air->displayed.kind != AIR_NOTHING && air->queued.kind == AIR_NOTHING) {
			air->queued = air->displayed;
			air->displayed = nothing;
			air->rotation_position = air->position_before;
		}
	}
	for (unsigned i = 0; i < air->ring_count; i++) {
		if (!air->ring[i].is_numbered) {
			air->ring[i].is_numbered = true;
			air->ring[i].number = number;
			return;
		}
	}
}

void air_on_displaying(struct air *air, int64_t number, struct content *content,
		       struct air_clock clock, const struct air_output *output)
{
	struct air_item item;

	air->has_acknowledged = true;
	if (air->ring_count == 0)
		return; /* something from before this connection */
	/* Without "queued" the newest is meant. */
	item = air->ring[air->ring_count - 1].item;
	for (unsigned i = 0; i < air->ring_count; i++) {
		if (air->ring[i].is_numbered && air->ring[i].number == number)
			item = air->ring[i].item;
	}
	set_displayed(air, &item, content, clock, output);
}

/* ---- decisions ---- */

static bool send(struct air *air, const struct air_item *item, bool hurried,
		 struct content *content, struct air_clock clock, const struct air_output *output)
{
	int64_t dwell_s = item->stay_s < DWELL_MAX_S ? item->stay_s : DWELL_MAX_S;

	if (!output->picture(output->context, item, dwell_s, hurried))
		return false;
	if (air->ring_count == AIR_RING) {
		memmove(&air->ring[0], &air->ring[1], (AIR_RING - 1) * sizeof(air->ring[0]));
		air->ring_count--;
	}
	air->ring[air->ring_count++] = (struct air_sent){.item = *item};
	air->queued = *item;
	air->was_hurried = hurried;
	if (!air->has_acknowledged)
		set_displayed(air, item, content, clock, output);
	return true;
}

/* When the picture after the displayed one may be sent. */
static int64_t queue_at_ms(const struct air *air)
{
	if (!air->has_acknowledged)
		return air->until_ms;
	if (air->displayed.kind == AIR_PUSH || air->displayed.stay_s > DWELL_MAX_S)
		return air->until_ms - PUSH_LEAD_MS;
	return air->since_ms;
}

/* The queued picture waits for its turn. Returns when to look again. */
static int64_t wait_for_turn(struct air *air, struct air_clock clock,
			     const struct air_output *output)
{
	/* A panel plays an animation to the end of its loop before it takes the next picture. */
	bool is_long = air->displayed.loop_ms > air->displayed.stay_s * 1000;
	int64_t hurry_ms = air->until_ms + (is_long ? 0 : OVERDUE_MS);

	if (air->displayed.kind == AIR_NOTHING || air->was_hurried)
		return INT64_MAX;
	if (clock.now_ms < hurry_ms)
		return hurry_ms;
	output->immediate(output->context);
	air->was_hurried = true;
	return INT64_MAX;
}

/* Shows a push at once, where there is one that this panel has not been sent. */
static void show_push(struct air *air, struct content *content, struct air_clock clock,
		      const struct air_output *output)
{
	struct air_item item;

	if (content->push.generation <= air->push_seen ||
	    !content_push_is_due(content, clock.wall_us))
		return;
	item = item_of_push(content, clock);
	if (!is_same(&air->queued, &item))
		send(air, &item, true, content, clock, output);
}

static int64_t update_rotation(struct air *air, struct content *content, struct air_clock clock,
			       const struct air_output *output)
{
	struct air_item next = next_in_rotation(air, content);
	bool is_wanted = is_still_wanted(&air->displayed, content);

	if (air->queued.kind == AIR_PUSH && is_still_wanted(&air->queued, content))
		return INT64_MAX; /* hurried, and about to be displayed */
	if (air->displayed.kind != AIR_NOTHING && !is_wanted) {
		/* What is on the screen was taken away: go on at once. */
		if (!is_same(&air->queued, &next) || !air->was_hurried)
			send(air, &next, true, content, clock, output);
		return air->has_acknowledged ? INT64_MAX : air->until_ms;
	}
	if (air->queued.kind != AIR_NOTHING && is_same(&air->queued, &next))
		return wait_for_turn(air, clock, output);
	if (air->displayed.kind != AIR_NOTHING && clock.now_ms < queue_at_ms(air) &&
	    air->queued.kind == AIR_NOTHING)
		return queue_at_ms(air);
	if (air->queued.kind == AIR_NOTHING && is_same_picture(&air->displayed, &next)) {
		/* The panel loops what it has; look again when this entry's turn is over. */
		if (clock.now_ms < air->until_ms)
			return air->until_ms;
		set_displayed(air, &next, content, clock, output);
		return air->until_ms;
	}
	if (!send(air, &next, false, content, clock, output))
		return INT64_MAX;
	return air->has_acknowledged ? wait_for_turn(air, clock, output) : air->until_ms;
}

int64_t air_update(struct air *air, struct content *content, struct air_clock clock,
		   const struct air_output *output)
{
	struct display_level level = display_level_at(&content->settings, clock.wall_us);
	int64_t level_ms = clock.now_ms + (level.valid_until_us - clock.wall_us) / 1000 + 1;
	int64_t next_ms;

	if (level.brightness != air->brightness_sent) {
		air->brightness_sent = level.brightness;
		output->brightness(output->context, level.brightness);
	}
	if (level.brightness == 0)
		return level_ms;
	show_push(air, content, clock, output);
	next_ms = update_rotation(air, content, clock, output);
	return next_ms < level_ms ? next_ms : level_ms;
}
