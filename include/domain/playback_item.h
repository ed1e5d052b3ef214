/* An item: a picture that a panel is to show, and for how long. Items are compared without the
 * bytes of their pictures. */
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

enum { PLAYBACK_DWELL_MAX_S = 3600 }; /* the longest that the link can say */

struct playback_item {
	enum playback_kind kind;
	uint32_t loop_ms;	    /* of an animation */
	int64_t position;	    /* of the installation, also of a pushed one; else -1 */
	int64_t generation;	    /* of the installation's picture, or of the push */
	int64_t picture_generation; /* of the picture's bytes, where position is not -1 */
	int64_t stay_s;		    /* how long the panel is to show the picture */
};

/* An installation's picture, for its time in the rotation. */
struct playback_item playback_item_of(const struct content *content,
				      const struct content_installation *installation);
/* The push, for the time that it still has. */
struct playback_item playback_item_of_push(const struct content *content, int64_t wall_us);
/* The next installation after that position, see display_mode_next(); where there is none, the
 * built-in picture. pushed_position: of the installation that was pushed and has just had its first
 * display; where it is the next one, the one after it comes. -1: there is none. */
struct playback_item playback_item_next(const struct display_mode *mode, int64_t after_position,
					int64_t pushed_position);

/* Time that a panel plays the item: its dwell, and an animation to the end of its loop. */
int64_t playback_item_period_ms(const struct playback_item *item);

bool playback_item_is_same(const struct playback_item *a, const struct playback_item *b);
/* Whether both items show the same bytes: for example a push of an installation, and the same
 * installation in its turn. */
bool playback_item_is_same_picture(const struct playback_item *a, const struct playback_item *b);
/* Whether the item may stay on the screen for its time. It may when its picture was replaced in the
 * background. */
bool playback_item_is_wanted(const struct playback_item *item, const struct display_mode *mode);
