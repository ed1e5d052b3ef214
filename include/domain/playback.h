/* What one WebSocket panel is told, and when: the device link's rules as a pure state machine.
 *
 * The panel holds one displayed and one queued picture. Playback knows what it has sent, what the
 * panel said of it, and decides after every event what is to be sent next:
 *
 *            picture sent                    "displaying" | assumed
 *   NOTHING -------------> QUEUED (in ring) -----------------------> DISPLAYED until its time
 *                            ^   ^               "queued" after all    |  |
 *                            |   +-------------------------------------+  |
 *                            +------- the next one is sent ---------------+
 *
 * A panel that acknowledges ("queued", "displaying") is believed; a panel that never does is timed
 * by the dwell time: what is sent counts as displayed. The rotation advances when something is
 * displayed, never when it is sent. */
#pragma once

#include "domain/playback_item.h"

#include <stdbool.h>
#include <stdint.h>

/* A picture that was sent. */
struct playback_sent {
	struct playback_item item;
	uint32_t serial;  /* of this connection, from 1 */
	int32_t number;	  /* what the panel calls it, from "queued"; -1: it has not said */
	bool was_hurried; /* "immediate" was sent for it */
	int64_t sent_ms;  /* it, or its "immediate" */
};

enum { PLAYBACK_RING = 4 }; /* at most */

struct playback {
	int brightness_sent;  /* -1: none yet */
	bool says_queued;     /* "queued" was seen on this connection */
	bool has_spoken;      /* that, or "displaying" */
	bool is_assumed;      /* displayed was not confirmed */
	bool is_after_hurry;  /* displayed came by "immediate" */
	int32_t said_number;  /* in the "displaying" by which it was assumed; -1: none */
	int32_t last_number;  /* in the last "queued"; -1: none */
	uint32_t last_serial; /* given to what was sent last */
	uint32_t forgotten;   /* sent, and out of the ring before "queued" came for it */
	struct playback_item displayed;
	uint32_t displayed_serial;
	int64_t taken_ms;	    /* when the panel took it */
	int64_t period_ms;	    /* how long it plays that before it looks at its queue */
	int64_t since_ms, until_ms; /* its turn; an item that stays alone has several */
	/* Sent, newest last. What was displayed for sure leaves, and all before it. The newest one
	 * that is not displayed is what the panel has queued. NULL while there are none, which is
	 * the most common state of all. */
	struct playback_sent *ring;
	unsigned ring_count;
	int64_t
	    rotation_position;	 /* of the installation last displayed in the rotation; -1: none */
	int64_t position_before; /* the same before the displayed item counted */
	int64_t push_sent;	 /* generation of the push last sent */
};

struct playback_clock {
	int64_t now_ms; /* monotonic */
	int64_t wall_us;
};

/* What playback does to the outside. */
struct playback_output {
	/* Alone, at once. */
	void (*brightness)(void *context, int percent);
	/* Dwell, brightness (where it is not -1), the picture's bytes, then "immediate" where
	 * hurried. False: the bytes are not in memory and nothing was sent; they are being fetched,
	 * and playback_update() is to be called when they have come. */
	bool (*picture)(void *context, const struct playback_item *item, int64_t dwell_s,
			int brightness, bool hurried);
	void (*immediate)(void *context);
	/* A push is displayed for the first time. */
	void (*push_displayed)(void *context, int64_t generation, int64_t wall_us);
	void *context;
};

/* rotation_position: of the installation that this device showed last; -1: the rotation starts
 * anew. */
void playback_init(struct playback *playback, int64_t rotation_position);
/* Frees what playback has of its own. */
void playback_finish(struct playback *playback);

/* Decides what to send; to be called after every event and at the time that it returned last
 * (monotonic milliseconds). content may change between calls; a push that is displayed is marked
 * there. */
int64_t playback_update(struct playback *playback, struct content *content,
			struct playback_clock clock, const struct playback_output *output);

/* The panel said {"queued":number} or {"displaying":number}; call playback_update() afterwards. Any
 * number: what makes no sense is ignored. */
void playback_on_queued(struct playback *playback, int64_t number, struct playback_clock clock);
void playback_on_displaying(struct playback *playback, int64_t number, struct content *content,
			    struct playback_clock clock, const struct playback_output *output);
