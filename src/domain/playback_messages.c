#include "base/memory.h"
#include "playback_steps.h"

#include <stdlib.h>
#include <string.h>

static const struct playback_item nothing = {.kind = PLAYBACK_NOTHING, .position = -1};

/* ---- pictures in the panel ---- */

void playback_finish(struct playback *playback)
{
	free(playback->ring);
	playback->ring = NULL;
	playback->ring_count = 0;
}

/* Returns the picture that is queued in the panel; NULL: none. */
struct playback_sent *playback_queued(struct playback *playback)
{
	struct playback_sent *newest;

	if (playback->ring_count == 0)
		return NULL;
	newest = &playback->ring[playback->ring_count - 1];
	return newest->serial == playback->displayed_serial ? NULL : newest;
}

/* Makes the ring hold exactly count pictures. */
void playback_resize_ring(struct playback *playback, unsigned count)
{
	playback->ring = memory_realloc(playback->ring, count * sizeof(playback->ring[0]));
	playback->ring_count = count;
}

void playback_drop_sent(struct playback *playback, unsigned count)
{
	unsigned left = playback->ring_count - count;

	if (left == 0) {
		playback_finish(playback); /* frees the ring, which is empty now */
		return;
	}
	memmove(&playback->ring[0], &playback->ring[count], left * sizeof(playback->ring[0]));
	playback_resize_ring(playback, left);
}

void playback_begin_turn(struct playback *playback, const struct playback_item *item,
			 struct playback_clock clock)
{
	playback->displayed = *item;
	playback->since_ms = clock.now_ms;
	playback->until_ms = clock.now_ms + item->stay_s * 1000;
	playback->position_before = playback->rotation_position;
	if (item->kind == PLAYBACK_INSTALLATION)
		playback->rotation_position = item->position;
}

void playback_set_displayed(struct playback *playback, const struct playback_sent *sent,
			    bool is_assumed, struct content *content, struct playback_clock clock,
			    const struct playback_output *output)
{
	struct content_push *push = &content->push;

	playback_begin_turn(playback, &sent->item, clock);
	playback->displayed_serial = sent->serial;
	playback->taken_ms = clock.now_ms;
	playback->period_ms = playback_item_period_ms(&sent->item);
	playback->is_assumed = is_assumed;
	playback->is_after_hurry = sent->was_hurried;
	playback->said_number = -1;
	if (sent->item.kind == PLAYBACK_PUSH && push->generation == sent->item.generation &&
	    push->displayed_us == 0) {
		push->displayed_us = clock.wall_us;
		output->push_displayed(output->context, push->generation, clock.wall_us);
	}
}

/* ---- messages of the panel ---- */

/* Index of the picture that a "queued" acknowledges: the next one in the order of sending. Numbers
 * grow by one, so that a gap shows how many "queued" were lost. A picture whose "queued" is long
 * overdue will not get one. Returns -1 if the picture has left the ring. */
static int find_unnumbered(struct playback *playback, int32_t number, struct playback_clock clock)
{
	uint32_t skipped =
	    playback->last_number >= 0 ? (uint32_t)(number - playback->last_number) - 1 : 0;
	int found = -1;

	if (playback->forgotten > skipped) {
		playback->forgotten -= skipped + 1;
		return -1;
	}
	skipped -= playback->forgotten;
	playback->forgotten = 0;
	for (unsigned i = 0; i < playback->ring_count; i++) {
		if (playback->ring[i].number >= 0)
			continue;
		found = (int)i;
		if (clock.now_ms - playback->ring[i].sent_ms > PLAYBACK_SILENCE_MS)
			continue;
		if (skipped-- == 0)
			break;
	}
	return found;
}

void playback_on_queued(struct playback *playback, int64_t number, struct playback_clock clock)
{
	struct playback_sent *sent;
	int index;

	playback->has_spoken = playback->says_queued = true;
	if (number < 0 || number > INT32_MAX || number <= playback->last_number)
		return;
	index = find_unnumbered(playback, (int32_t)number, clock);
	playback->last_number = (int32_t)number;
	if (index < 0)
		return;
	sent = &playback->ring[index];
	sent->number = (int32_t)number;
	if (sent->serial != playback->displayed_serial)
		return;
	if (playback->said_number == number) {
		/* "displaying" had overtaken it. */
		playback->is_assumed = false;
		playback_drop_sent(playback, (unsigned)index + 1);
		return;
	}
	/* The picture was assumed to be displayed, but is only queued: "displaying" will follow. */
	playback->displayed = nothing;
	playback->displayed_serial = 0;
	playback->rotation_position = playback->position_before;
}

static const struct playback_sent *assume_sent(const struct playback *playback)
{
	const struct playback_sent *assumed = NULL;

	for (unsigned i = 0; i < playback->ring_count; i++) {
		if (playback->ring[i].number >= 0)
			continue;
		assumed = &playback->ring[i];
		/* If the panel says "queued", its message on the oldest such picture is about to
		 * come. If it does not, assume the newest. */
		if (playback->says_queued)
			break;
	}
	return assumed;
}

void playback_on_displaying(struct playback *playback, int64_t number, struct content *content,
			    struct playback_clock clock, const struct playback_output *output)
{
	const struct playback_sent *assumed;

	playback->has_spoken = true;
	if (number < 0 || number > INT32_MAX)
		return;
	for (unsigned i = 0; i < playback->ring_count; i++) {
		if (playback->ring[i].number != number)
			continue;
		playback_set_displayed(playback, &playback->ring[i], /* is_assumed= */ false,
				       content, clock, output);
		playback_drop_sent(playback, i + 1);
		return;
	}
	/* The number belongs to a picture from before this connection, or is repeated. */
	if (number <= playback->last_number || number == playback->said_number)
		return;
	assumed = assume_sent(playback);
	if (!assumed)
		return;
	if (assumed->serial != playback->displayed_serial)
		playback_set_displayed(playback, assumed, /* is_assumed= */ true, content, clock,
				       output);
	playback->said_number = (int32_t)number;
}
