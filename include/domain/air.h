/* What one WebSocket panel is told, and when: the device link's rules as a pure state machine.
 *
 * The panel holds one displayed and one queued picture. Air knows what it has sent, what the panel
 * said it displays, and decides after every event what is to be sent next:
 *
 *             picture sent                      "displaying" | assumed
 *   NOTHING --------------> QUEUED (in ring) --------------------------> DISPLAYED until its time
 *                             ^                                             |
 *                             +---- the next one is sent early enough ------+
 *
 * A panel that acknowledges ("queued", "displaying") is believed; one that never does is paced by
 * the dwell time: what is sent counts as displayed. The rotation advances when something is
 * displayed, never when it is sent. */
#pragma once

#include "domain/content.h"

#include <stdbool.h>
#include <stdint.h>

enum air_kind {
	AIR_NOTHING,
	AIR_BUILT_IN, /* the picture that says that there is nothing to show */
	AIR_ENTRY,
	AIR_PUSH,
};

/* Which picture: enough to tell it from any other, without holding its bytes. */
struct air_item {
	enum air_kind kind;
	int64_t position;	    /* of an entry, or of the entry that was pushed; else -1 */
	int64_t generation;	    /* of the entry's picture, or of the push */
	int64_t picture_generation; /* of the bytes that were sent, where position is not -1 */
	uint32_t loop_ms;
	int64_t stay_s; /* how long it is to be seen */
};

struct air_sent {
	struct air_item item;
	bool is_numbered;
	int64_t number; /* what the panel calls it, from "queued" */
};

enum { AIR_RING = 4 };

struct air {
	int brightness_sent;		/* -1: none yet */
	bool has_acknowledged;		/* "queued" or "displaying" was seen on this connection */
	struct air_item displayed;	/* as far as is known */
	int64_t since_ms, until_ms;	/* of displayed */
	struct air_item queued;		/* sent, and not displayed yet; kind AIR_NOTHING: none */
	bool was_hurried;		/* "immediate" was sent for queued */
	struct air_sent ring[AIR_RING]; /* the last ones sent, newest last */
	unsigned ring_count;
	int64_t rotation_position; /* of the entry last displayed in the rotation; -1: none */
	int64_t position_before;   /* the same before the displayed item counted */
	int64_t push_seen;	   /* generation of the push last displayed or replaced */
};

struct air_clock {
	int64_t now_ms; /* monotonic */
	int64_t wall_us;
};

/* What air does to the outside. */
struct air_output {
	void (*brightness)(void *context, int percent);
	/* Dwell, then the picture's bytes, then "immediate" where hurried. False: the bytes are not
	 * in memory; they are being fetched, and air_update() will be called when they have come.
	 */
	bool (*picture)(void *context, const struct air_item *item, int64_t dwell_s, bool hurried);
	void (*immediate)(void *context);
	/* A push is displayed for the first time. */
	void (*push_displayed)(void *context, int64_t generation, int64_t wall_us);
	void *context;
};

void air_init(struct air *air, int64_t rotation_position);

/* Decides what to send; called after every event and at the time that it returned last (monotonic
 * milliseconds). content may change between calls. */
int64_t air_update(struct air *air, struct content *content, struct air_clock clock,
		   const struct air_output *output);

/* The panel said {"queued":number} or {"displaying":number}; call air_update() afterwards. */
void air_on_queued(struct air *air, int64_t number);
void air_on_displaying(struct air *air, int64_t number, struct content *content,
		       struct air_clock clock, const struct air_output *output);
