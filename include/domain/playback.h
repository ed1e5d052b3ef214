/* Decides what to send to one panel with a WebSocket, and when, as a pure state machine.
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

/* Picture that was sent. */
struct playback_sent {
	struct playback_item item;
	uint32_t serial;  /* number of the picture on this connection, from 1 */
	int32_t number;	  /* the panel's number, from "queued"; -1: not yet known */
	bool was_hurried; /* "immediate" was sent for it */
	int64_t sent_ms;  /* when it, or its "immediate", was sent */
};

enum { PLAYBACK_RING = 4 }; /* maximum of pictures in the ring */

struct playback {
	int brightness_sent;  /* percentage for its board; -1: none yet */
	bool says_queued;     /* the panel has sent "queued" on this connection */
	bool has_spoken;      /* the panel has sent "queued" or "displaying" */
	bool is_assumed;      /* the panel has not confirmed what is in displayed */
	bool is_after_hurry;  /* "immediate" was sent for displayed */
	int32_t said_number;  /* number of the "displaying" from which displayed was assumed; -1:
				 none */
	int32_t last_number;  /* number of the last "queued"; -1: none */
	uint32_t last_serial; /* serial of the picture that was sent last */
	uint32_t forgotten;   /* pictures that left the ring before their "queued" came */
	struct playback_item displayed;
	uint32_t displayed_serial;
	unsigned ring_count;
	int64_t taken_ms;	    /* when the panel took it */
	int64_t period_ms;	    /* how long the panel plays it before it looks at its queue */
	int64_t since_ms, until_ms; /* its turn; a single installation has consecutive turns */
	/* Pictures that were sent, newest last. When the panel confirms that it displays a picture,
	 * that picture and all before it leave the ring. The newest picture that is not displayed
	 * is the one that the panel has queued. NULL while the ring is empty, as it mostly is. */
	struct playback_sent *ring;
	/* Creation number of the installation last displayed in the rotation; -1: none. */
	int64_t rotation_position;
	int64_t position_before; /* rotation_position before the displayed item counted */
	int64_t push_sent;	 /* generation of the push last sent */
	int64_t turns_seen;	 /* value of the content's turn_count; -1: not yet read */
	uint16_t tag;		 /* of the content of the last update */
	int64_t lead_seen;	 /* since_us of the last turn of the leader that was followed */
};

struct playback_clock {
	int64_t now_ms; /* monotonic */
	int64_t wall_us;
};

/* Output of playback. */
struct playback_output {
	/* Sends the brightness without a picture. */
	void (*brightness)(void *context, int percent);
	/* Sends the dwell time, the brightness (unless it is -1), the picture's bytes, then
	 * "immediate" if hurried. Returns false if the bytes are not in memory: nothing was sent,
	 * and they are being fetched; call playback_update() when they arrive. */
	bool (*picture)(void *context, const struct playback_item *item, int64_t dwell_s,
			int brightness, bool hurried);
	void (*immediate)(void *context);
	/* Called when a push is displayed for the first time. */
	void (*push_displayed)(void *context, int64_t generation, int64_t wall_us);
	void *context;
};

/* rotation_position: creation number of the installation that this device showed last; -1: begin
 * with the first. */
void playback_init(struct playback *playback, int64_t rotation_position);
/* Frees the ring. */
void playback_finish(struct playback *playback);

/* Decides what to send. Call it after every event, and at the time (monotonic milliseconds) that it
 * returned last. content may change between calls; its push is marked there when it is displayed.
 */
int64_t playback_update(struct playback *playback, struct content *content,
			struct playback_clock clock, const struct playback_output *output);

/* Time at which the panel takes the next picture by itself, if one is queued: the turn is over and
 * an animation has reached the end of a loop. */
int64_t playback_turn_end_ms(const struct playback *playback);

/* Item that the panel shows after the displayed one; kind PLAYBACK_NOTHING if the displayed one
 * stays. */
struct playback_item playback_next(const struct playback *playback,
				   const struct display_mode *mode);

/* The panel has sent {"queued":number} or {"displaying":number}; call playback_update() afterwards.
 * Numbers that make no sense are ignored. */
void playback_on_queued(struct playback *playback, int64_t number, struct playback_clock clock);
void playback_on_displaying(struct playback *playback, int64_t number, struct content *content,
			    struct playback_clock clock, const struct playback_output *output);
