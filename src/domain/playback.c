#include "domain/playback.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* The next picture after one with "immediate" is sent so long before the end of that one,
	 * and no earlier: the panel may have taken the picture before "immediate" arrived, and then
	 * the next picture replaces it at once, as only a newer one of the same app may. */
	LEAD_MS = 1000,
	/* Time before its turn at which a picture is sent to a panel that sends no messages: most
	 * such panels look for it at the end of the dwell time, and would otherwise find it one
	 * dwell time later; some show it at once. */
	SILENT_LEAD_MS = 300,
	/* A picture that is later than this, or would be, gets an "immediate". */
	GRACE_MS = 5000,
	/* This long after "immediate" an unconfirmed picture counts as displayed. */
	SILENCE_MS = 10 * 1000,
	/* Time granted to the unknown picture of a panel that connects: it might stay an hour. */
	UNKNOWN_MAX_S = 300,
	/* A picture that was not in memory is tried again after this. */
	RETRY_MS = 5000,
};

static const struct playback_item nothing = {.kind = PLAYBACK_NOTHING, .position = -1};

void playback_init(struct playback *playback, int64_t rotation_position)
{
	*playback = (struct playback){
	    .brightness_sent = -1,
	    .said_number = -1,
	    .last_number = -1,
	    .displayed = nothing,
	    .turns_seen = -1,
	    .rotation_position = rotation_position,
	    .position_before = rotation_position,
	};
}

void playback_finish(struct playback *playback)
{
	free(playback->ring);
	playback->ring = NULL;
	playback->ring_count = 0;
}

/* ---- pictures in the panel ---- */

/* Returns the picture that is queued in the panel; NULL: none. */
static struct playback_sent *queued_in(struct playback *playback)
{
	struct playback_sent *newest;

	if (playback->ring_count == 0)
		return NULL;
	newest = &playback->ring[playback->ring_count - 1];
	return newest->serial == playback->displayed_serial ? NULL : newest;
}

/* Makes the ring hold exactly count pictures. */
static void resize_ring(struct playback *playback, unsigned count)
{
	playback->ring = memory_realloc(playback->ring, count * sizeof(playback->ring[0]));
	playback->ring_count = count;
}

static void drop_sent(struct playback *playback, unsigned count)
{
	unsigned left = playback->ring_count - count;

	if (left == 0) {
		playback_finish(playback); /* frees the ring, which is empty now */
		return;
	}
	memmove(&playback->ring[0], &playback->ring[count], left * sizeof(playback->ring[0]));
	resize_ring(playback, left);
}

static void begin_turn(struct playback *playback, const struct playback_item *item,
		       struct playback_clock clock)
{
	playback->displayed = *item;
	playback->since_ms = clock.now_ms;
	playback->until_ms = clock.now_ms + item->stay_s * 1000;
	playback->position_before = playback->rotation_position;
	if (item->kind == PLAYBACK_INSTALLATION)
		playback->rotation_position = item->position;
}

static void set_displayed(struct playback *playback, const struct playback_sent *sent,
			  bool is_assumed, struct content *content, struct playback_clock clock,
			  const struct playback_output *output)
{
	struct content_push *push = &content->push;

	begin_turn(playback, &sent->item, clock);
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
		if (clock.now_ms - playback->ring[i].sent_ms > SILENCE_MS)
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
		drop_sent(playback, (unsigned)index + 1);
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
		set_displayed(playback, &playback->ring[i], /* is_assumed= */ false, content, clock,
			      output);
		drop_sent(playback, i + 1);
		return;
	}
	/* The number belongs to a picture from before this connection, or is repeated. */
	if (number <= playback->last_number || number == playback->said_number)
		return;
	assumed = assume_sent(playback);
	if (!assumed)
		return;
	if (assumed->serial != playback->displayed_serial)
		set_displayed(playback, assumed, /* is_assumed= */ true, content, clock, output);
	playback->said_number = (int32_t)number;
}

/* ---- decisions ---- */

/* Assumes that a silent panel displays the picture once the turn and the loop before are over. */
static void assume_displayed(struct playback *playback, const struct playback_sent *sent,
			     struct content *content, struct playback_clock clock,
			     const struct playback_output *output)
{
	int64_t early_ms = playback->until_ms - clock.now_ms;
	bool is_early = !sent->was_hurried && early_ms > 0 && early_ms <= SILENT_LEAD_MS;

	set_displayed(playback, sent, /* is_assumed= */ true, content, clock, output);
	if (is_early) {
		playback->since_ms += early_ms;
		playback->until_ms += early_ms;
	}
	if (sent->item.loop_ms <= sent->item.stay_s * 1000 &&
	    playback->until_ms < playback->since_ms + playback->period_ms)
		playback->until_ms = playback->since_ms + playback->period_ms;
}

static bool send(struct playback *playback, const struct playback_item *item, bool hurried,
		 const struct display_mode *mode, struct content *content,
		 struct playback_clock clock, const struct playback_output *output)
{
	int64_t dwell_s = item->stay_s < PLAYBACK_DWELL_MAX_S ? item->stay_s : PLAYBACK_DWELL_MAX_S;
	int change = mode->panel_level == playback->brightness_sent ? -1 : mode->panel_level;
	struct playback_item copy = *item; /* item may lie in the ring, which moves */
	struct playback_sent *sent;

	if (!output->picture(output->context, item, dwell_s, change, hurried))
		return false;
	playback->brightness_sent = mode->panel_level;
	if (playback->ring_count == PLAYBACK_RING) {
		playback->forgotten += playback->ring[0].number < 0 &&
				       clock.now_ms - playback->ring[0].sent_ms <= SILENCE_MS;
		drop_sent(playback, 1);
	}
	resize_ring(playback, playback->ring_count + 1);
	sent = &playback->ring[playback->ring_count - 1];
	*sent = (struct playback_sent){
	    .item = copy,
	    .serial = ++playback->last_serial,
	    .number = -1,
	    .was_hurried = hurried,
	    .sent_ms = clock.now_ms,
	};
	if (copy.kind == PLAYBACK_PUSH)
		playback->push_sent = copy.generation;
	if (!playback->has_spoken)
		assume_displayed(playback, sent, content, clock, output);
	return true;
}

/* Returns the first end of a period that is not before end_ms. */
static int64_t natural_end_ms(const struct playback *playback, int64_t end_ms)
{
	int64_t period = playback->period_ms;

	return playback->taken_ms + (end_ms - playback->taken_ms + period - 1) / period * period;
}

/* Time to send "immediate" for the queued picture, unless the panel has displayed it by then. */
static int64_t hurry_at_ms(const struct playback *playback, const struct playback_sent *queued)
{
	int64_t end_ms =
	    playback->until_ms > queued->sent_ms ? playback->until_ms : queued->sent_ms;
	int64_t natural_ms;

	if (playback->displayed.kind == PLAYBACK_NOTHING) {
		int64_t stay_s = queued->item.stay_s;

		return queued->sent_ms + (stay_s < UNKNOWN_MAX_S ? stay_s : UNKNOWN_MAX_S) * 1000 +
		       GRACE_MS;
	}
	natural_ms = natural_end_ms(playback, end_ms);
	if (playback->displayed.loop_ms > playback->displayed.stay_s * 1000 ||
	    natural_ms > end_ms + GRACE_MS)
		return end_ms;
	return natural_ms + GRACE_MS;
}

int64_t playback_turn_end_ms(const struct playback *playback)
{
	int64_t natural_ms = playback->until_ms;

	if (playback->has_spoken && playback->period_ms > 0)
		natural_ms = natural_end_ms(playback, playback->until_ms);
	/* A panel that would continue for longer gets an "immediate". */
	return natural_ms > playback->until_ms + GRACE_MS ? playback->until_ms : natural_ms;
}

/* Waits for the turn of the queued picture. Returns when to look again. */
static int64_t wait_for_turn(struct playback *playback, struct content *content,
			     const struct display_mode *mode, struct playback_clock clock,
			     const struct playback_output *output)
{
	struct playback_sent *queued = queued_in(playback);
	int64_t at_ms =
	    queued->was_hurried ? queued->sent_ms + SILENCE_MS : hurry_at_ms(playback, queued);

	if (clock.now_ms < at_ms)
		return at_ms;
	if (queued->was_hurried) {
		set_displayed(playback, queued, /* is_assumed= */ true, content, clock, output);
		return clock.now_ms;
	}
	if (queued->number >= 0) {
		output->immediate(output->context);
		queued->was_hurried = true;
		queued->sent_ms = clock.now_ms;
		return clock.now_ms + SILENCE_MS;
	}
	/* The panel has not confirmed the picture, and "immediate" with nothing queued does harm,
	 * so the picture is sent again with it. */
	if (!send(playback, &queued->item, true, mode, content, clock, output))
		return clock.now_ms + RETRY_MS;
	return clock.now_ms + SILENCE_MS;
}

/* Earliest time to send the picture after the displayed one. */
static int64_t queue_at_ms(const struct playback *playback, const struct playback_item *next)
{
	if (!playback->has_spoken)
		return playback->until_ms - SILENT_LEAD_MS;
	if (playback->is_assumed || playback->displayed.stay_s > PLAYBACK_DWELL_MAX_S ||
	    (playback->is_after_hurry && !playback_item_may_replace(next, &playback->displayed)))
		return playback->until_ms - LEAD_MS;
	return playback->since_ms;
}

static int64_t send_next(struct playback *playback, const struct playback_item *next, bool hurried,
			 const struct display_mode *mode, struct content *content,
			 struct playback_clock clock, const struct playback_output *output)
{
	if (!send(playback, next, hurried, mode, content, clock, output))
		return clock.now_ms + RETRY_MS;
	return playback->has_spoken ? wait_for_turn(playback, content, mode, clock, output)
				    : queue_at_ms(playback, next);
}

/* A new interval or display time also applies to the installation on the screen. */
static void adjust_turn(struct playback *playback, const struct display_mode *mode)
{
	const struct content_installation *installation =
	    content_at(mode->content, playback->displayed.position);
	int64_t stay_s;

	if (playback->displayed.kind != PLAYBACK_INSTALLATION || !installation)
		return;
	stay_s = content_stay_s(installation, mode->interval_s, playback->displayed.loop_ms);
	if (playback->displayed.stay_s == stay_s)
		return;
	playback->displayed.stay_s = stay_s;
	playback->until_ms = playback->since_ms + stay_s * 1000;
}

/* Item that follows the displayed one in the rotation. */
static struct playback_item next_in_rotation(const struct playback *playback,
					     const struct display_mode *mode)
{
	const struct playback_item *displayed = &playback->displayed;

	return playback_item_next(mode, playback->rotation_position,
				  displayed->kind == PLAYBACK_PUSH ? displayed->position : -1);
}

struct playback_item playback_next(const struct playback *playback, const struct display_mode *mode)
{
	const struct playback_sent *newest =
	    playback->ring_count ? &playback->ring[playback->ring_count - 1] : NULL;
	struct playback_item next = next_in_rotation(playback, mode);

	if (newest && newest->serial != playback->displayed_serial &&
	    playback_item_is_wanted(&newest->item, mode))
		next = newest->item;
	return playback_item_is_same_picture(&playback->displayed, &next) ? nothing : next;
}

static int64_t update_rotation(struct playback *playback, struct content *content,
			       const struct display_mode *mode, struct playback_clock clock,
			       const struct playback_output *output)
{
	struct playback_item next = next_in_rotation(playback, mode);
	const struct playback_sent *queued = queued_in(playback);
	bool has_displayed = playback->displayed.kind != PLAYBACK_NOTHING;
	bool is_overdue;

	adjust_turn(playback, mode);
	/* A push is about to be displayed. */
	if (queued && queued->item.kind == PLAYBACK_PUSH &&
	    playback_item_is_wanted(&queued->item, mode))
		return wait_for_turn(playback, content, mode, clock, output);
	/* A picture was removed or looks different: continue at once. */
	if (playback_item_looks_old(&playback->displayed, mode, &next) ||
	    (has_displayed && !playback_item_is_wanted(&playback->displayed, mode)) ||
	    (queued && queued->was_hurried && !playback_item_is_wanted(&queued->item, mode))) {
		if (queued && queued->was_hurried && playback_item_is_same(&queued->item, &next))
			return wait_for_turn(playback, content, mode, clock, output);
		return send_next(playback, &next, true, mode, content, clock, output);
	}
	if (queued && playback_item_is_same(&queued->item, &next))
		return wait_for_turn(playback, content, mode, clock, output);
	if (!has_displayed || queued)
		return send_next(playback, &next, false, mode, content, clock, output);
	if (playback_item_is_same_picture(&playback->displayed, &next)) {
		/* The panel repeats the picture it has; look again when this turn is over. */
		if (clock.now_ms >= playback->until_ms)
			begin_turn(playback, &next, clock);
		return playback->until_ms;
	}
	if (clock.now_ms < queue_at_ms(playback, &next))
		return queue_at_ms(playback, &next);
	is_overdue = clock.now_ms >= playback->until_ms + GRACE_MS ||
		     (!playback->has_spoken &&
		      playback->displayed.loop_ms > playback->displayed.stay_s * 1000);
	return send_next(playback, &next, is_overdue, mode, content, clock, output);
}

/* Number of items by which the rotation was told to advance. An item that is shown alone stays. */
static int64_t turns_due(struct playback *playback, const struct display_mode *mode)
{
	enum playback_kind kind = playback->displayed.kind;

	if (playback->turns_seen == -1 || mode->kind != DISPLAY_MODE_ROTATION ||
	    (kind != PLAYBACK_INSTALLATION && kind != PLAYBACK_PUSH))
		playback->turns_seen = mode->content->turn_count;
	return mode->content->turn_count - playback->turns_seen;
}

/* Sends the item so many turns ahead at once. Returns false if the panel shows it already. */
static bool turn_on(struct playback *playback, int64_t turns, const struct display_mode *mode,
		    struct content *content, struct playback_clock clock,
		    const struct playback_output *output, int64_t *ret_ms)
{
	struct playback_item next = next_in_rotation(playback, mode);
	unsigned sent = playback->last_serial;

	for (unsigned i = 1; i < turns && i < content->installation_count; i++) {
		playback->rotation_position = next.position;
		next = playback_item_next(mode, next.position, -1);
	}
	playback->turns_seen = content->turn_count - 1;
	if (playback_item_is_same_picture(&playback->displayed, &next))
		return false;
	*ret_ms = send_next(playback, &next, true, mode, content, clock, output);
	/* A picture that is not in memory is tried again later. */
	if (playback->last_serial != sent)
		playback->turns_seen = content->turn_count;
	return true;
}

/* Sends a push at once, if there is one that was not sent to this panel. Returns false if there is
 * none. */
static bool show_push(struct playback *playback, struct content *content,
		      const struct display_mode *mode, struct playback_clock clock,
		      const struct playback_output *output, int64_t *ret_ms)
{
	struct playback_item item;

	if (content->push.generation == playback->push_sent || !display_mode_has_push(mode))
		return false;
	item = playback_item_of_push(mode);
	*ret_ms = send_next(playback, &item, true, mode, content, clock, output);
	/* All turns were before the push. */
	if (playback->push_sent == item.generation)
		playback->turns_seen = content->turn_count;
	return true;
}

int64_t playback_update(struct playback *playback, struct content *content,
			struct playback_clock clock, const struct playback_output *output)
{
	struct display_mode mode = display_mode_at(content, clock.wall_us);
	int64_t mode_ms = clock.now_ms + (mode.valid_until_us - clock.wall_us) / 1000 + 1;
	int64_t turns = turns_due(playback, &mode);
	int64_t next_ms = INT64_MAX;

	if (mode.kind != DISPLAY_MODE_DARK &&
	    !show_push(playback, content, &mode, clock, output, &next_ms) &&
	    !(turns > 0 && turn_on(playback, turns, &mode, content, clock, output, &next_ms))) {
		playback->turns_seen = content->turn_count;
		next_ms = update_rotation(playback, content, &mode, clock, output);
	}
	/* Send it unless it was sent with a picture. */
	if (mode.panel_level != playback->brightness_sent) {
		playback->brightness_sent = mode.panel_level;
		output->brightness(output->context, mode.panel_level);
	}
	return next_ms < mode_ms ? next_ms : mode_ms;
}
