/* Display mode: the rule that decides, at a moment, what a panel shows besides pushes. Only this
 * module decides which entries are skipped, for panels with a WebSocket and for panels that poll.
 * Pure.
 *
 *   DARK      brightness 0, a dark window of the plan, or the sleep window without a night entry
 *             that has a picture
 *   NIGHT     the sleep window: the night entry alone, at its own brightness; pushes wait
 *   PINNED    the pinned entry alone; without one, the entry that a window of the plan names
 *   PUSH      a push alone: it is held, or wakes the panel in the sleep window
 *   ROTATION  the entries that are enabled and in their hours, in turn; also while the pinned entry
 *             has no picture; only those that pin themselves, while one of them has a picture
 *
 * The night entry, the pinned entry and that of a window are shown regardless of their own hours,
 * even if they are disabled. */
#pragma once

#include "domain/content.h"

enum display_mode_kind {
	DISPLAY_MODE_DARK,
	DISPLAY_MODE_NIGHT,
	DISPLAY_MODE_PINNED,
	DISPLAY_MODE_PUSH,
	DISPLAY_MODE_ROTATION
};

struct display_mode {
	enum display_mode_kind kind;
	int brightness;		  /* percent; 0 if dark */
	int panel_level;	  /* percentage that the panel is sent for it */
	struct picture_look look; /* of pictures without a filter of their own */
	int32_t interval_s;	  /* length of turns without one of their own */
	int64_t wall_us;
	struct local_time local;
	int64_t valid_until_us; /* wall clock; at most a quarter of an hour away */
	const struct content *content;
	const struct content_installation *alone; /* NIGHT, PINNED; NULL: it has no picture */
	const struct content_installation *empty; /* empty entry that would be shown alone; mostly
						     NULL */
	bool is_narrowed;			  /* ROTATION: to entries that pin themselves */
};

/* Returns the display mode at this time. Valid until valid_until_us, or until the content changes.
 */
struct display_mode display_mode_at(const struct content *content, int64_t wall_us);

/* Returns the look of the entry's pictures; NULL: of a picture without an entry. */
struct picture_look display_mode_look(const struct display_mode *mode,
				      const struct content_installation *installation);

/* Whether a push interrupts the mode; else it waits. */
bool display_mode_takes_pushes(const struct display_mode *mode);

/* Whether the content has a push to show now. If the rotation was told to continue after the push,
 * the push is over, even on panels that have not shown it, unless the panel slept then. */
bool display_mode_has_push(const struct display_mode *mode);
/* Whether the entry is shown in its turn; otherwise it is skipped. */
bool display_mode_shows(const struct display_mode *mode,
			const struct content_installation *installation);
/* Whether the entry may have a turn now, even if it is empty: then it would be shown if it had a
 * picture. */
bool display_mode_has_turn(const struct display_mode *mode,
			   const struct content_installation *installation);
/* Returns the entry to show after the one with that creation number, see content_next(). NULL:
 * there is nothing to show. */
const struct content_installation *display_mode_next(const struct display_mode *mode,
						     int64_t after_position);
