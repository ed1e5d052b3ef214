#include "domain/playback.h"
#include "playback_steps.h"

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

/* ---- decisions ---- */

/* Assumes that a silent panel displays the picture once the turn and the loop before are over. */
static void assume_displayed(struct playback *playback, const struct playback_sent *sent,
			     struct content *content, struct playback_clock clock,
			     const struct playback_output *output)
{
	int64_t early_ms = playback->until_ms - clock.now_ms;
	bool is_early = !sent->was_hurried && early_ms > 0 && early_ms <= SILENT_LEAD_MS;

	playback_set_displayed(playback, sent, /* is_assumed= */ true, content, clock, output);
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
		playback->forgotten +=
		    playback->ring[0].number < 0 &&
		    clock.now_ms - playback->ring[0].sent_ms <= PLAYBACK_SILENCE_MS;
		playback_drop_sent(playback, 1);
	}
	playback_resize_ring(playback, playback->ring_count + 1);
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
	struct playback_sent *queued = playback_queued(playback);
	int64_t at_ms = queued->was_hurried ? queued->sent_ms + PLAYBACK_SILENCE_MS
					    : hurry_at_ms(playback, queued);

	if (clock.now_ms < at_ms)
		return at_ms;
	if (queued->was_hurried) {
		playback_set_displayed(playback, queued, /* is_assumed= */ true, content, clock,
				       output);
		return clock.now_ms;
	}
	if (queued->number >= 0) {
		output->immediate(output->context);
		queued->was_hurried = true;
		queued->sent_ms = clock.now_ms;
		return clock.now_ms + PLAYBACK_SILENCE_MS;
	}
	/* The panel has not confirmed the picture, and "immediate" with nothing queued does harm,
	 * so the picture is sent again with it. */
	if (!send(playback, &queued->item, true, mode, content, clock, output))
		return clock.now_ms + RETRY_MS;
	return clock.now_ms + PLAYBACK_SILENCE_MS;
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
	const struct playback_sent *queued = playback_queued(playback);
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
			playback_begin_turn(playback, &next, clock);
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

/* Makes an item of another device one that is not wanted, of the same duration. */
static void disown(struct playback_item *item)
{
	enum { NOWHERE = -2 };

	item->kind = PLAYBACK_INSTALLATION;
	item->position = NOWHERE;
}

/* If the panel has begun, or ceased, to follow: it still has pictures of another device, which are
 * replaced at once, and whose messages are taken. */
static void take_tag(struct playback *playback, uint16_t tag)
{
	if (playback->tag == tag)
		return;
	playback->tag = tag;
	playback->lead_seen = playback->push_sent = 0;
	playback->rotation_position = playback->position_before = playback->turns_seen = -1;
	for (unsigned i = 0; i < playback->ring_count; i++)
		disown(&playback->ring[i].item);
	if (playback->displayed.kind != PLAYBACK_NOTHING)
		disown(&playback->displayed);
}

/* Shows what the leader shows, if a turn has begun there. Returns false if the panel shows it
 * already, or has a push of its own. */
static bool follow(struct playback *playback, const struct display_mode *mode,
		   struct content *content, struct playback_clock clock,
		   const struct playback_output *output, int64_t *ret_ms)
{
	const struct content_lead *lead = &content->lead;
	const struct content_installation *installation = content_at(content, lead->position);
	struct playback_sent *queued = playback_queued(playback);
	unsigned sent = playback->last_serial;
	struct playback_item item;

	if (lead->since_us == playback->lead_seen || mode->kind != DISPLAY_MODE_ROTATION ||
	    !installation || !display_mode_shows(mode, installation) ||
	    (playback->displayed.kind == PLAYBACK_PUSH && clock.now_ms < playback->until_ms &&
	     playback_item_is_wanted(&playback->displayed, mode)))
		return false;
	item = playback_item_of(mode, installation);
	if (playback_item_is_same_picture(&playback->displayed, &item)) {
		playback->lead_seen = lead->since_us;
		if (lead->until_us > clock.wall_us)
			playback->until_ms = clock.now_ms + (lead->until_us - clock.wall_us) / 1000;
		return false;
	}
	if (queued && playback_item_is_same(&queued->item, &item) && queued->number >= 0) {
		/* The panel has it, and would show it a little later. */
		playback->lead_seen = lead->since_us;
		if (!queued->was_hurried)
			output->immediate(output->context);
		queued->was_hurried = true;
		queued->sent_ms = clock.now_ms;
		*ret_ms = clock.now_ms + PLAYBACK_SILENCE_MS;
		return true;
	}
	*ret_ms = send_next(playback, &item, true, mode, content, clock, output);
	if (playback->last_serial != sent)
		playback->lead_seen = lead->since_us;
	return true;
}

/* Returns when to look at the leader's turn again, if that has an end. */
static int64_t lead_end_ms(const struct content *content, struct playback_clock clock)
{
	int64_t until_us = content->lead.until_us;

	return until_us > clock.wall_us ? clock.now_ms + (until_us - clock.wall_us) / 1000 + 1
					: INT64_MAX;
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
	int64_t next_ms = INT64_MAX;
	int64_t turns;

	take_tag(playback, content->tag);
	turns = turns_due(playback, &mode);
	if (mode.kind != DISPLAY_MODE_DARK &&
	    !show_push(playback, content, &mode, clock, output, &next_ms) &&
	    !(turns > 0 && turn_on(playback, turns, &mode, content, clock, output, &next_ms)) &&
	    !(content->lead.position &&
	      follow(playback, &mode, content, clock, output, &next_ms))) {
		playback->turns_seen = content->turn_count;
		next_ms = update_rotation(playback, content, &mode, clock, output);
	}
	/* Send it unless it was sent with a picture. */
	if (mode.panel_level != playback->brightness_sent) {
		playback->brightness_sent = mode.panel_level;
		output->brightness(output->context, mode.panel_level);
	}
	if (content->lead.position && lead_end_ms(content, clock) < mode_ms)
		mode_ms = lead_end_ms(content, clock);
	return next_ms < mode_ms ? next_ms : mode_ms;
}
