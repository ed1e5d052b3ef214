/* Which picture a panel is to show, and for how long: told from any other without its bytes. The
 * one place that decides what comes next, for panels with a WebSocket and for panels that poll. */
#pragma once

#include "domain/content.h"

#include <stdbool.h>
#include <stdint.h>

enum playback_kind {
	PLAYBACK_NOTHING,
	PLAYBACK_BUILT_IN, /* the picture that says that there is nothing to show */
	PLAYBACK_INSTALLATION,
	PLAYBACK_PUSH,
};

struct playback_item {
	enum playback_kind kind;
	uint32_t loop_ms;	    /* of an animation */
	int64_t position;	    /* of an installation, or of the one that was pushed; else -1 */
	int64_t generation;	    /* of the installation's picture, or of the push */
	int64_t picture_generation; /* of the bytes that were sent, where position is not -1 */
	int64_t stay_s;		    /* how long the picture is to be seen */
};

/* An installation's picture, for its time in the rotation. */
struct playback_item playback_item_of(const struct content *content,
				      const struct content_installation *installation);
/* The push, for the time that it still has. */
struct playback_item playback_item_of_push(const struct content *content, int64_t wall_us);
/* The installation behind that position, see content_next(); the built-in picture where there is no
 * installation. */
struct playback_item playback_item_next(const struct content *content, int64_t after_position);

bool playback_item_is_same(const struct playback_item *a, const struct playback_item *b);
/* Whether both are the same bytes: an installation that was pushed has just been seen, for
 * example. */
bool playback_item_is_same_picture(const struct playback_item *a, const struct playback_item *b);
/* Whether the item has a right to be seen for its time. A picture that was replaced in the
 * background has. */
bool playback_item_is_wanted(const struct playback_item *item, const struct content *content);
