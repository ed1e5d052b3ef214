/* Playback decides what to send to one panel with a WebSocket, and when: the device link's rules as
 * a pure state machine.
 *
 * The panel holds one displayed and one queued picture. Playback remembers the pictures it has sent
 * and the panel's messages, and decides after every event what to send next:
 *
 *            picture sent                    "displaying" | assumed
 *   NOTHING -------------> QUEUED (in ring) -----------------------> DISPLAYED until its time
 *                            ^   ^               "queued" after all    |  |
 *                            |   +-------------------------------------+  |
 *                            +------- the next one is sent ---------------+
 *
 * Playback believes a panel that acknowledges ("queued", "displaying"). For a panel that never
 * does, it counts each picture that it sends as displayed, for the dwell time. The rotation
 * advances when an installation is displayed, never when it is sent. */
#pragma once

#include "domain/playback_item.h"

#include <stdbool.h>
#include <stdint.h>

/* A picture that was sent. */
struct playback_sent {
	struct playback_item item;
	uint32_t serial;  /* of this connection, from 1 */
	int32_t number;	  /* the panel's, from "queued"; -1: not yet known */
	bool was_hurried; /* "immediate" was sent for it */
	int64_t sent_ms;  /* when it, or its "immediate", was sent */
};

enum { PLAYBACK_RING = 4 }; /* the most pictures in the ring */

struct playback {
	int brightness_sent;  /* -1: none yet */
	bool says_queued;     /* the panel has sent "queued" on this connection */
	bool has_spoken;      /* the panel has sent "queued" or "displaying" */
	bool is_assumed;      /* the panel has not confirmed displayed */
	bool is_after_hurry;  /* "immediate" was sent for displayed */
	int32_t said_number;  /* of the "displaying" from which it was assumed; -1: none */
	int32_t last_number;  /* of the last "queued"; -1: none */
	uint32_t last_serial; /* of the picture that was sent last */
	uint32_t forgotten;   /* pictures that left the ring before their "queued" came */
	struct playback_item displayed;
	uint32_t displayed_serial;
	unsigned ring_count;
	int64_t taken_ms;	    /* when the panel took it */
	int64_t period_ms;	    /* how long the panel plays it before it looks at its queue */
	int64_t since_ms, until_ms; /* its turn; a single installation has one after another */
	/* Pictures that were sent, newest last. When the panel confirms that it displays one, that
	 * one and all before it leave. The newest one that is not displayed is the one that the
	 * panel has queued. NULL while the ring is empty, as it mostly is. */
	struct playback_sent *ring;
	/* Position of the installation last displayed in the rotation; -1: none. */
	int64_t rotation_position;
	int64_t position_before; /* the same before the displayed item counted */
	int64_t push_sent;	 /* generation of the push last sent */
	int64_t turns_seen;	 /* of the content's turn_count; -1: not yet looked at */
};

struct playback_clock {
	int64_t now_ms; /* monotonic */
	int64_t wall_us;
};

/* Output of playback. */
struct playback_output {
	/* The brightness without a picture. */
	void (*brightness)(void *context, int percent);
	/* Dwell, brightness (where it is not -1), the picture's bytes, then "immediate" where
	 * hurried. False: the bytes are not in memory, and nothing was sent. They are being
	 * fetched; call playback_update() when they are there. */
	bool (*picture)(void *context, const struct playback_item *item, int64_t dwell_s,
			int brightness, bool hurried);
	void (*immediate)(void *context);
	/* A push is displayed for the first time. */
	void (*push_displayed)(void *context, int64_t generation, int64_t wall_us);
	void *context;
};

/* rotation_position: of the installation that this device showed last; -1: the rotation begins at
 * the front. */
void playback_init(struct playback *playback, int64_t rotation_position);
/* Frees the ring. */
void playback_finish(struct playback *playback);

/* Decides what to send. Call it after every event, and at the time that it returned last (monotonic
 * milliseconds). content may change between calls; its push is marked there when it is displayed.
 */
int64_t playback_update(struct playback *playback, struct content *content,
			struct playback_clock clock, const struct playback_output *output);

/* Time at which the panel takes the next picture by itself, if one is queued: the turn is over and
 * an animation has come to the end of a loop. */
int64_t playback_turn_end_ms(const struct playback *playback);

/* Item that the panel shows after the displayed one; kind PLAYBACK_NOTHING if that one stays. */
struct playback_item playback_next(const struct playback *playback,
				   const struct display_mode *mode);

/* The panel has sent {"queued":number} or {"displaying":number}; call playback_update() afterwards.
 * Numbers that make no sense are ignored. */
void playback_on_queued(struct playback *playback, int64_t number, struct playback_clock clock);
void playback_on_displaying(struct playback *playback, int64_t number, struct content *content,
			    struct playback_clock clock, const struct playback_output *output);
