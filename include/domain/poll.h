/* Answers panels that poll, with one picture a request.
 *
 * A panel fetches the next picture while it shows the current one, so its time is counted in the
 * dwell times that it was given. An installation whose time is longer than one answer can say is
 * served again until its time is over. No dwell time reaches beyond the moment at which something
 * else has to be shown, or at another brightness. */
#pragma once

#include "domain/playback_item.h"

enum {
	POLL_DWELL_MAX_S = 299,
	/* Limit for a dark panel: a push that wakes it lapses after 60 s (domain/content.h). */
	POLL_DARK_MAX_S = 50,
	/* A panel that does not poll again within this time is offline. */
	POLL_AGAIN_MAX_S = POLL_DWELL_MAX_S + 60,
};

/* The place of a polling device in its rotation; it outlives the connection. At the start all is
 * zero, but position and turns_seen are -1. */
struct poll_cursor {
	int64_t position;     /* of the installation last served in the rotation; -1: none */
	int64_t push_seen;    /* generation of the push last served */
	int64_t remaining_s;  /* of the item served last */
	bool remains_of_push; /* that item was the push */
	int64_t turns_seen;   /* of the content's turn_count; -1: not known */
};

struct poll_answer {
	struct playback_item item; /* kind, position, generation: whose bytes to send */
	int brightness;
	int64_t dwell_s;
	bool is_push_displayed; /* the push is served for the first time */
};

struct poll_answer poll_next(struct poll_cursor *cursor, const struct content *content,
			     int64_t wall_us);
