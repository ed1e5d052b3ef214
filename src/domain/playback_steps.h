/* Pictures that a panel has, and its messages: the part of playback that does not decide. */
#pragma once

#include "domain/playback.h"

enum {
	/* This long after "immediate" an unconfirmed picture counts as displayed. */
	PLAYBACK_SILENCE_MS = 10 * 1000,
};

/* Returns the picture that is queued in the panel; NULL: none. */
struct playback_sent *playback_queued(struct playback *playback);
/* Makes the ring hold exactly count pictures. */
void playback_resize_ring(struct playback *playback, unsigned count);
/* Takes the oldest pictures out of the ring. */
void playback_drop_sent(struct playback *playback, unsigned count);
/* Notes that the turn of the item has begun. */
void playback_begin_turn(struct playback *playback, const struct playback_item *item,
			 struct playback_clock clock);
/* Notes that the panel displays the picture, which is in the ring. */
void playback_set_displayed(struct playback *playback, const struct playback_sent *sent,
			    bool is_assumed, struct content *content, struct playback_clock clock,
			    const struct playback_output *output);
