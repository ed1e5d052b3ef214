/* What a panel that polls is given, one picture a request.
 *
 * It fetches the next picture while the current one shows, so time is counted in what was served:
 * an installation whose time is longer than the link can say is served again until its time is up.
 */
#pragma once

#include "domain/playback_item.h"

enum { POLL_DWELL_MAX_S = 299 };

/* Where a polling device is; survives the connection. Zeroed but for position -1 at the start. */
struct poll_cursor {
	int64_t position;     /* of the installation last served in the rotation; -1: none */
	int64_t push_seen;    /* generation of the push last served */
	int64_t remaining_s;  /* of what was served last */
	bool remains_of_push; /* whether that was the push */
};

struct poll_answer {
	struct playback_item item; /* kind, position, generation: whose bytes to send */
	int brightness;
	int64_t dwell_s;
	bool is_push_displayed; /* the push is served for the first time */
};

struct poll_answer poll_next(struct poll_cursor *cursor, const struct content *content,
			     int64_t wall_us);
