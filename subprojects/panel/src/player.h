/* Plays a panel's two pictures, as firmware v1.4 to v1.6.6 does. Pure: time is passed in as a
 * number, results go to callbacks.
 *
 *             first binary                 immediate, nothing queued
 *   EMPTY --------------------> PLAYING --------------------------> FROZEN
 *     ^   data that is no WebP   |  ^ |                               |
 *     +--------------------------+  | +-- end of its time: queued one  |
 *                                   |     or the same once more        |
 *                                   +----------------------------------+
 *                                            next binary
 *
 * The time of a picture is its dwell; an animation is never cut at it, so its time ends with the
 * first loop that ends at or after the dwell. A picture that arrives when a repetition has begun
 * waits for the end of that repetition. `immediate` shows the queued picture now. */
#pragma once

#include "picture.h"

enum player_state { PLAYER_EMPTY, PLAYER_PLAYING, PLAYER_FROZEN };

enum {
	PLAYER_NEVER = 0,
	/* The firmware checks `immediate` ten times a second. An `immediate` this soon after a
	 * change of pictures still finds the new one queued in the firmware, so it has no effect
	 * here. */
	PLAYER_IMMEDIATE_BLIND_MS = 100,
};

struct player_picture {
	uint8_t *data; /* owned; NULL: none */
	size_t size;
	uint32_t dwell_ms;
	uint32_t counter;
};

struct player_events {
	/* Called when a queued picture is displayed, before it is decoded. picture is valid during
	 * the call. */
	void (*on_displaying)(void *context, const struct player_picture *picture);
	/* Called for each of its frames when it is due. frame 0 begins the picture, or a repetition
	 * of it. */
	void (*on_frame)(void *context, const struct pixels *pixels, uint32_t frame);
	/* Called if the queued picture cannot be shown; the panel keeps the last one. */
	void (*on_failed)(void *context, uint32_t counter, const char *fault);
};

struct player {
	const struct player_events *events;
	void *context;
	enum player_state state;
	uint32_t counter; /* number of the newest queued picture, from 1 */
	struct player_picture current;
	struct player_picture queued;
	struct picture *picture; /* decoder of current */
	bool interrupted;	 /* show the queued picture at the next advance */
	uint64_t taken_ms;	 /* when the current picture was displayed */
	uint64_t period_ms;	 /* when its current repetition began */
	uint64_t next_ms;	 /* when its next frame is due */
	uint32_t frame;
};

void player_init(struct player *player, const struct player_events *events, void *context);
/* Drops all pictures and restarts the count, as a reboot does. */
void player_reset(struct player *player);
void player_finish(struct player *player);

/* Queues a picture, in place of the picture that was queued. Copies data, which may be NULL if
 * size is 0. dwell_s 0 counts as 1. Returns the panel's count for it. */
uint32_t player_queue(struct player *player, const uint8_t *data, size_t size, uint32_t dwell_s);

/* Handles `immediate`. Returns false if nothing is queued. */
bool player_interrupt(struct player *player, uint64_t now_ms);

/* Does what is due. Call it at the time that player_next_ms() returns, and after the calls above.
 */
void player_advance(struct player *player, uint64_t now_ms);

/* Returns the time when something is due next; PLAYER_NEVER: not before a picture is queued. */
uint64_t player_next_ms(const struct player *player);
