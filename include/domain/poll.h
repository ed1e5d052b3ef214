/* Answers panels that poll, with one picture a request.
 *
 * A panel fetches the next picture while it shows the current one, so its time is counted in the
 * dwell times that it was given. An installation whose time exceeds the longest dwell time is
 * served again until its time is over. No dwell time extends beyond the moment at which the picture
 * or the brightness must change. */
#pragma once

#include "domain/playback_item.h"

enum {
	POLL_DWELL_MAX_S = 299,
	/* Limit for a dark panel: a push that wakes it lapses after 60 s (domain/content.h). */
	POLL_DARK_MAX_S = 50,
	/* A panel that does not poll again within this time is offline. */
	POLL_AGAIN_MAX_S = POLL_DWELL_MAX_S + 60,
};

/* Rotation state of a polling device, which outlives the connection. Initially all zero, except
 * that position and turns_seen are -1. */
struct poll_cursor {
	int64_t position;     /* creation number of the installation last served in the rotation;
				 -1: none */
	int64_t push_seen;    /* generation of the push last served */
	int64_t remaining_s;  /* remaining time of the item served last */
	bool remains_of_push; /* that item was the push */
	int64_t turns_seen;   /* value of the content's turn_count; -1: not known */
};

struct poll_answer {
	struct playback_item item; /* kind, position, generation: the picture to send */
	int brightness;
	int64_t dwell_s;
	bool is_push_displayed; /* the push is served for the first time */
};

struct poll_answer poll_next(struct poll_cursor *cursor, const struct content *content,
			     int64_t wall_us);
