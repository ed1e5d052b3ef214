/* Item: a picture for a panel, and the time to show it. Items are compared without the bytes of
 * their pictures. */
#pragma once

#include "domain/display_mode.h"

#include <stdbool.h>
#include <stdint.h>

enum playback_kind {
	PLAYBACK_NOTHING,
	PLAYBACK_BUILT_IN, /* the built-in picture "nothing to show" */
	PLAYBACK_INSTALLATION,
	PLAYBACK_PUSH,
};

enum { PLAYBACK_DWELL_MAX_S = 3600 }; /* longest dwell time in the device's protocol */

struct playback_item {
	enum playback_kind kind;
	uint32_t loop_ms;	    /* duration of one loop of an animation */
	int64_t position;	    /* creation number of the installation, also of a pushed one;
				       else -1 */
	int64_t generation;	    /* generation of the installation's picture, or of the push */
	int64_t picture_generation; /* generation of the picture's bytes, unless position is -1 */
	int64_t stay_s;		    /* time for which the panel shows the picture */
	struct picture_look look;
	bool may_be_early; /* see content_installation; and it need not be shown whole */
};

/* Makes an item of an installation's picture, for its time in the rotation. */
struct playback_item playback_item_of(const struct display_mode *mode,
				      const struct content_installation *installation);
/* Makes an item of the built-in picture "nothing to show". */
struct playback_item playback_item_built_in(const struct display_mode *mode);
/* Makes an item of the push, for its remaining time. */
struct playback_item playback_item_of_push(const struct display_mode *mode);
/* Makes an item of the next installation after that creation number, see display_mode_next(); if
 * there is none, of the built-in picture. pushed_position: creation number of a pushed installation
 * that was just displayed for the first time: if it would be next, it is skipped once. -1: none. */
struct playback_item playback_item_next(const struct display_mode *mode, int64_t after_position,
					int64_t pushed_position);

/* Returns the time for which a panel plays the item: its dwell time, and an animation to the end of
 * its loop. */
int64_t playback_item_period_ms(const struct playback_item *item);

bool playback_item_is_same(const struct playback_item *a, const struct playback_item *b);
/* Whether both items show the same bytes: for example a push of an installation, and the same
 * installation in its turn. */
bool playback_item_is_same_picture(const struct playback_item *a, const struct playback_item *b);
/* Whether the displayed item would look different if it was sent now, as *ret_now, which is else
 * untouched: a filter counts at once, as brightness does. */
bool playback_item_looks_old(const struct playback_item *displayed, const struct display_mode *mode,
			     struct playback_item *ret_now);
/* Whether a panel may display next at any time of the turn of displayed: it is of the same app.
 * The caller has checked that the pictures differ. */
bool playback_item_may_replace(const struct playback_item *next,
			       const struct playback_item *displayed);
/* Whether the item may stay on the screen for its time. It may even if its picture was replaced in
 * the background. */
bool playback_item_is_wanted(const struct playback_item *item, const struct display_mode *mode);
