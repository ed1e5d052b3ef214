#include "domain/air.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	BUILT_IN_STAY_S = 15,
	DWELL_MAX_S = 3600, /* the link can say no more */
	/* After a picture that came by "immediate" the next one is sent so long before its end: the
	 * panel may have taken it before the order arrived, and the order then lets whatever comes
	 * next replace it. */
	LEAD_MS = 1000,
	/* To a panel that says nothing, so long before its turn: most such panels look for it at
	 * the end of the dwell, and would else find it one dwell later; some show it at once. */
	SILENT_LEAD_MS = 300,
	/* What is later than this, or would be, is helped by "immediate". */
	GRACE_MS = 5000,
	/* After "immediate" the picture counts as displayed even if the panel does not say so. */
	SILENCE_MS = 10 * 1000,
	/* What a panel shows when it connects may be an hour's picture: it gets no longer. */
	UNKNOWN_MAX_S = 300,
	/* A picture that is not in memory is asked for again after this. */
	RETRY_MS = 5000,
};

static const struct air_item nothing = {.kind = AIR_NOTHING, .position = -1};

void air_init(struct air *air, int64_t rotation_position)
{
	*air = (struct air){
	    .brightness_sent = -1,
	    .said_number = -1,
	    .last_number = -1,
	    .displayed = nothing,
	    .rotation_position = rotation_position,
	    .position_before = rotation_position,
	};
}

void air_finish(struct air *air)
{
	free(air->ring);
	air->ring = NULL;
	air->ring_count = 0;
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

	return (struct air_item){
	    .kind = AIR_PUSH,
	    .position = entry ? entry->position : -1,
	    .generation = push->generation,
	    .picture_generation = entry ? entry->picture_generation : 0,
	    .loop_ms = entry ? entry->picture.loop_ms : push->picture.loop_ms,
	    .stay_s = content_push_rest_s(content, clock.wall_us),
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

/* Whether both are the same bytes: an entry that was pushed has just been seen, for example. */
static bool is_same_picture(const struct air_item *a, const struct air_item *b)
{
	if (a->kind == AIR_BUILT_IN || b->kind == AIR_BUILT_IN)
		return a->kind == b->kind;
	return a->position != -1 && a->position == b->position &&
	       a->picture_generation == b->picture_generation;
}

/* Whether it has a right to be seen for its time. A picture that was replaced in the background
 * has. */
static bool is_wanted(const struct air_item *item, const struct content *content)
{
	switch (item->kind) {
	case AIR_BUILT_IN:
		return content->entry_count == 0;
	case AIR_ENTRY:
		return content_at(content, item->position) != NULL;
	case AIR_PUSH:
		return content->push.generation == item->generation &&
		       content_push_picture(content);
	default:
		return false;
	}
}

/* ---- what the panel has ---- */

/* What waits in the panel; NULL: nothing. */
static struct air_sent *queued_in(struct air *air)
{
	struct air_sent *newest;

	if (air->ring_count == 0)
		return NULL;
	newest = &air->ring[air->ring_count - 1];
	return newest->serial == air->displayed_serial ? NULL : newest;
}

/* Room for exactly so many. */
static void resize_ring(struct air *air, unsigned count)
{
	air->ring = memory_realloc(air->ring, count * sizeof(air->ring[0]));
	air->ring_count = count;
}

static void drop_sent(struct air *air, unsigned count)
{
	unsigned left = air->ring_count - count;

	if (left == 0) {
		air_finish(air); /* a panel that has said what it shows needs none */
		return;
	}
	memmove(&air->ring[0], &air->ring[count], left * sizeof(air->ring[0]));
	resize_ring(air, left);
}

/* The dwell, and an animation to the end of its loop. */
static int64_t period_ms(const struct air_item *item)
{
	int64_t dwell_ms = (item->stay_s < DWELL_MAX_S ? item->stay_s : DWELL_MAX_S) * 1000;

	if (item->loop_ms == 0)
		return dwell_ms;
	return (dwell_ms + item->loop_ms - 1) / item->loop_ms * item->loop_ms;
}

static void begin_turn(struct air *air, const struct air_item *item, struct air_clock clock)
{
	air->displayed = *item;
	air->since_ms = clock.now_ms;
	air->until_ms = clock.now_ms + item->stay_s * 1000;
	air->position_before = air->rotation_position;
	if (item->kind == AIR_ENTRY)
		air->rotation_position = item->position;
}

static void set_displayed(struct air *air, const struct air_sent *sent, bool is_assumed,
			  struct content *content, struct air_clock clock,
			  const struct air_output *output)
{
	struct content_push *push = &content->push;

	begin_turn(air, &sent->item, clock);
	air->displayed_serial = sent->serial;
	air->taken_ms = clock.now_ms;
	air->period_ms = period_ms(&sent->item);
	air->is_assumed = is_assumed;
	air->is_after_hurry = sent->was_hurried;
	air->said_number = -1;
	if (sent->item.kind == AIR_PUSH && push->generation == sent->item.generation &&
	    push->displayed_us == 0) {
		push->displayed_us = clock.wall_us;
		output->push_displayed(output->context, push->generation, clock.wall_us);
	}
}

/* ---- what the panel says ---- */

/* Index of what a "queued" is about. It is the next one in the order of sending; numbers grow by
 * one, so a "queued" that got lost shows. One that is long overdue will not come. -1: about
 * something that was forgotten. */
static int find_unnumbered(struct air *air, int32_t number, struct air_clock clock)
{
	uint32_t skipped = air->last_number >= 0 ? (uint32_t)(number - air->last_number) - 1 : 0;
	int found = -1;

	if (air->forgotten > skipped) {
		air->forgotten -= skipped + 1;
		return -1;
	}
	skipped -= air->forgotten;
	air->forgotten = 0;
	for (unsigned i = 0; i < air->ring_count; i++) {
		if (air->ring[i].number >= 0)
			continue;
		found = (int)i;
		if (clock.now_ms - air->ring[i].sent_ms > SILENCE_MS)
			continue;
		if (skipped-- == 0)
			break;
	}
	return found;
}

void air_on_queued(struct air *air, int64_t number, struct air_clock clock)
{
	struct air_sent *sent;
	int index;

	air->has_spoken = air->says_queued = true;
	if (number < 0 || number > INT32_MAX || number <= air->last_number)
		return;
	index = find_unnumbered(air, (int32_t)number, clock);
	air->last_number = (int32_t)number;
	if (index < 0)
		return;
	sent = &air->ring[index];
	sent->number = (int32_t)number;
	if (sent->serial != air->displayed_serial)
		return;
	if (air->said_number == number) {
		/* "displaying" had overtaken it. */
		air->is_assumed = false;
		drop_sent(air, (unsigned)index + 1);
		return;
	}
	/* What was believed to be displayed is only queued: the panel will say more. */
	air->displayed = nothing;
	air->displayed_serial = 0;
	air->rotation_position = air->position_before;
}

static const struct air_sent *guess_sent(const struct air *air)
{
	const struct air_sent *guess = NULL;

	for (unsigned i = 0; i < air->ring_count; i++) {
		if (air->ring[i].number >= 0)
			continue;
		guess = &air->ring[i];
		/* Its "queued" is about to come: it is the next one. Where panels do not say
		 * "queued" it is the newest. */
		if (air->says_queued)
			break;
	}
	return guess;
}

void air_on_displaying(struct air *air, int64_t number, struct content *content,
		       struct air_clock clock, const struct air_output *output)
{
	const struct air_sent *guess;

	air->has_spoken = true;
	if (number < 0 || number > INT32_MAX)
		return;
	for (unsigned i = 0; i < air->ring_count; i++) {
		if (air->ring[i].number != number)
			continue;
		set_displayed(air, &air->ring[i], /* is_assumed= */ false, content, clock, output);
		drop_sent(air, i + 1);
		return;
	}
	/* Something from before this connection, said again, or of the panel's own. */
	if (number <= air->last_number || number == air->said_number)
		return;
	guess = guess_sent(air);
	if (!guess)
		return;
	if (guess->serial != air->displayed_serial)
		set_displayed(air, guess, /* is_assumed= */ true, content, clock, output);
	air->said_number = (int32_t)number;
}

/* ---- decisions ---- */

/* By a panel that says nothing: when the turn of what it displays is over, and until it has come to
 * the end of a loop. */
static void assume_displayed(struct air *air, const struct air_sent *sent, struct content *content,
			     struct air_clock clock, const struct air_output *output)
{
	int64_t early_ms = air->until_ms - clock.now_ms;
	bool is_early = !sent->was_hurried && early_ms > 0 && early_ms <= SILENT_LEAD_MS;

	set_displayed(air, sent, /* is_assumed= */ true, content, clock, output);
	if (is_early) {
		air->since_ms += early_ms;
		air->until_ms += early_ms;
	}
	if (sent->item.loop_ms <= sent->item.stay_s * 1000 &&
	    air->until_ms < air->since_ms + air->period_ms)
		air->until_ms = air->since_ms + air->period_ms;
}

static bool send(struct air *air, const struct air_item *item, bool hurried, int brightness,
		 struct content *content, struct air_clock clock, const struct air_output *output)
{
	int64_t dwell_s = item->stay_s < DWELL_MAX_S ? item->stay_s : DWELL_MAX_S;
	int change = brightness == air->brightness_sent ? -1 : brightness;
	struct air_item copy = *item; /* of what may lie in the ring, which moves */
	struct air_sent *sent;

	if (!output->picture(output->context, item, dwell_s, change, hurried))
		return false;
	air->brightness_sent = brightness;
	if (air->ring_count == AIR_RING) {
		air->forgotten +=
		    air->ring[0].number < 0 && clock.now_ms - air->ring[0].sent_ms <= SILENCE_MS;
		drop_sent(air, 1);
	}
	resize_ring(air, air->ring_count + 1);
	sent = &air->ring[air->ring_count - 1];
	*sent = (struct air_sent){
	    .item = copy,
	    .serial = ++air->last_serial,
	    .number = -1,
	    .was_hurried = hurried,
	    .sent_ms = clock.now_ms,
	};
	if (copy.kind == AIR_PUSH)
		air->push_sent = copy.generation;
	if (!air->has_spoken)
		assume_displayed(air, sent, content, clock, output);
	return true;
}

/* When the panel is to be told to take what is queued, unless it has done so by itself. */
static int64_t hurry_at_ms(const struct air *air, const struct air_sent *queued)
{
	int64_t period = air->period_ms;
	int64_t end_ms = air->until_ms > queued->sent_ms ? air->until_ms : queued->sent_ms;
	int64_t natural_ms;

	if (air->displayed.kind == AIR_NOTHING) {
		int64_t stay_s = queued->item.stay_s;

		return queued->sent_ms + (stay_s < UNKNOWN_MAX_S ? stay_s : UNKNOWN_MAX_S) * 1000 +
		       GRACE_MS;
	}
	natural_ms = air->taken_ms + (end_ms - air->taken_ms + period - 1) / period * period;
	if (air->displayed.loop_ms > air->displayed.stay_s * 1000 || natural_ms > end_ms + GRACE_MS)
		return end_ms;
	return natural_ms + GRACE_MS;
}

/* The queued picture waits for its turn. Returns when to look again. */
static int64_t wait_for_turn(struct air *air, struct content *content, int brightness,
			     struct air_clock clock, const struct air_output *output)
{
	struct air_sent *queued = queued_in(air);
	int64_t at_ms =
	    queued->was_hurried ? queued->sent_ms + SILENCE_MS : hurry_at_ms(air, queued);

	if (clock.now_ms < at_ms)
		return at_ms;
	if (queued->was_hurried) {
		set_displayed(air, queued, /* is_assumed= */ true, content, clock, output);
		return clock.now_ms;
	}
	if (queued->number >= 0) {
		output->immediate(output->context);
		queued->was_hurried = true;
		queued->sent_ms = clock.now_ms;
		return clock.now_ms + SILENCE_MS;
	}
	/* Whether the panel has it is not known: "immediate" with nothing queued is bad. */
	if (!send(air, &queued->item, true, brightness, content, clock, output))
		return clock.now_ms + RETRY_MS;
	return clock.now_ms + SILENCE_MS;
}

/* When the picture after the displayed one may be sent. */
static int64_t queue_at_ms(const struct air *air)
{
	if (!air->has_spoken)
		return air->until_ms - SILENT_LEAD_MS;
	if (air->is_assumed || air->is_after_hurry || air->displayed.stay_s > DWELL_MAX_S)
		return air->until_ms - LEAD_MS;
	return air->since_ms;
}

static int64_t send_next(struct air *air, const struct air_item *next, bool hurried, int brightness,
			 struct content *content, struct air_clock clock,
			 const struct air_output *output)
{
	if (!send(air, next, hurried, brightness, content, clock, output))
		return clock.now_ms + RETRY_MS;
	return air->has_spoken ? wait_for_turn(air, content, brightness, clock, output)
			       : queue_at_ms(air);
}

/* A new interval holds for the entry on the screen, too. */
static void adjust_turn(struct air *air, const struct content *content)
{
	int64_t stay_s = content->settings.schedule_interval_s;

	if (air->displayed.kind != AIR_ENTRY || air->displayed.stay_s == stay_s)
		return;
	air->displayed.stay_s = stay_s;
	air->until_ms = air->since_ms + stay_s * 1000;
}

static int64_t update_rotation(struct air *air, struct content *content, int brightness,
			       struct air_clock clock, const struct air_output *output)
{
	struct air_item next = next_in_rotation(air, content);
	const struct air_sent *queued = queued_in(air);
	bool has_displayed = air->displayed.kind != AIR_NOTHING;
	bool is_overdue;

	adjust_turn(air, content);
	/* A push is about to be displayed. */
	if (queued && queued->item.kind == AIR_PUSH && is_wanted(&queued->item, content))
		return wait_for_turn(air, content, brightness, clock, output);
	/* What is on the screen, or about to be, was taken away: go on at once. */
	if ((has_displayed && !is_wanted(&air->displayed, content)) ||
	    (queued && queued->was_hurried && !is_wanted(&queued->item, content))) {
		if (queued && queued->was_hurried && is_same(&queued->item, &next))
			return wait_for_turn(air, content, brightness, clock, output);
		return send_next(air, &next, true, brightness, content, clock, output);
	}
	if (queued && is_same(&queued->item, &next))
		return wait_for_turn(air, content, brightness, clock, output);
	if (!has_displayed || queued)
		return send_next(air, &next, false, brightness, content, clock, output);
	if (is_same_picture(&air->displayed, &next)) {
		/* The panel loops what it has; look again when this entry's turn is over. */
		if (clock.now_ms >= air->until_ms)
			begin_turn(air, &next, clock);
		return air->until_ms;
	}
	if (clock.now_ms < queue_at_ms(air))
		return queue_at_ms(air);
	is_overdue = clock.now_ms >= air->until_ms + GRACE_MS ||
		     (!air->has_spoken && air->displayed.loop_ms > air->displayed.stay_s * 1000);
	return send_next(air, &next, is_overdue, brightness, content, clock, output);
}

/* Shows a push at once, where there is one that this panel has not been sent. False: not now. */
static bool show_push(struct air *air, struct content *content, int brightness,
		      struct air_clock clock, const struct air_output *output, int64_t *ret_ms)
{
	struct air_item item;

	if (content->push.generation == air->push_sent ||
	    !content_push_is_due(content, clock.wall_us))
		return false;
	item = item_of_push(content, clock);
	*ret_ms = send_next(air, &item, true, brightness, content, clock, output);
	return true;
}

int64_t air_update(struct air *air, struct content *content, struct air_clock clock,
		   const struct air_output *output)
{
	struct display_level level = display_level_at(&content->settings, clock.wall_us);
	int64_t level_ms = clock.now_ms + (level.valid_until_us - clock.wall_us) / 1000 + 1;
	int64_t next_ms = INT64_MAX;

	if (level.brightness > 0 &&
	    !show_push(air, content, level.brightness, clock, output, &next_ms))
		next_ms = update_rotation(air, content, level.brightness, clock, output);
	/* Unless it went along with a picture. */
	if (level.brightness != air->brightness_sent) {
		air->brightness_sent = level.brightness;
		output->brightness(output->context, level.brightness);
	}
	return next_ms < level_ms ? next_ms : level_ms;
}
