#include "player.h"

#include "memory.h"

#include <string.h>

/* Frames that are later than this are skipped: the panel was stopped or the machine slept. */
enum { LATE_MS = 1000 };

void player_init(struct player *player, const struct player_events *events, void *context)
{
	*player = (struct player){.events = events, .context = context};
}

void player_reset(struct player *player)
{
	free(player->current.data);
	free(player->queued.data);
	picture_close(player->picture);
	player_init(player, player->events, player->context);
}

void player_finish(struct player *player)
{
	player_reset(player);
}

uint32_t player_queue(struct player *player, const uint8_t *data, size_t size, uint32_t dwell_s)
{
	free(player->queued.data);
	player->queued = (struct player_picture){
	    .data = memory_zalloc(size),
	    .size = size,
	    .dwell_ms = (dwell_s ? dwell_s : 1) * 1000,
	    .counter = ++player->counter,
	};
	if (size > 0)
		memcpy(player->queued.data, data, size);
	if (player->state != PLAYER_PLAYING)
		player->interrupted = true;
	return player->counter;
}

bool player_interrupt(struct player *player, uint64_t now_ms)
{
	if (player->queued.data) {
		player->interrupted = true;
		return true;
	}
	if (player->state == PLAYER_PLAYING &&
	    now_ms - player->taken_ms >= PLAYER_IMMEDIATE_BLIND_MS)
		player->state = PLAYER_FROZEN;
	return false;
}

static void player_fail(struct player *player, const char *fault)
{
	picture_close(player->picture);
	player->picture = NULL;
	player->state = PLAYER_EMPTY;
	if (player->queued.data)
		player->interrupted = true;
	player->events->on_failed(player->context, player->current.counter, fault);
}

static void show_next_frame(struct player *player)
{
	struct pixels pixels;
	uint32_t duration_ms;

	if (!picture_next_frame(player->picture, &pixels, &duration_ms)) {
		player_fail(player, "cannot decode a frame");
		return;
	}
	player->next_ms += duration_ms;
	player->events->on_frame(player->context, &pixels, player->frame++);
}

static void take_queued(struct player *player, uint64_t now_ms)
{
	const char *fault;

	picture_close(player->picture);
	free(player->current.data);
	player->current = player->queued;
	player->queued = (struct player_picture){0};
	player->interrupted = false;
	player->taken_ms = player->period_ms = player->next_ms = now_ms;
	player->frame = 0;
	player->state = PLAYER_PLAYING;
	/* The firmware reports this before it decodes the data, and so does this player. */
	player->events->on_displaying(player->context, &player->current);
	player->picture = picture_open(player->current.data, player->current.size, &fault);
	if (!player->picture) {
		player_fail(player, fault);
		return;
	}
	show_next_frame(player);
	if (player->state == PLAYER_PLAYING && picture_frame_count(player->picture) == 1)
		player->next_ms = now_ms + player->current.dwell_ms;
}

/* The last frame's time is over. */
static void end_loop(struct player *player, uint64_t now_ms)
{
	bool is_still = picture_frame_count(player->picture) == 1;

	if (now_ms - player->period_ms >= player->current.dwell_ms) {
		if (player->queued.data) {
			take_queued(player, now_ms);
			return;
		}
		player->period_ms = now_ms;
	}
	if (is_still) {
		player->next_ms = player->period_ms + player->current.dwell_ms;
		return;
	}
	picture_rewind(player->picture);
	player->frame = 0;
	show_next_frame(player);
}

static void step(struct player *player, uint64_t now_ms)
{
	if (now_ms - player->next_ms > LATE_MS)
		player->next_ms = now_ms;
	if (picture_has_more_frames(player->picture))
		show_next_frame(player);
	else
		end_loop(player, now_ms);
}

void player_advance(struct player *player, uint64_t now_ms)
{
	if (player->interrupted && player->queued.data)
		take_queued(player, now_ms);
	player->interrupted = player->interrupted && player->queued.data;
	while (player->state == PLAYER_PLAYING && player->next_ms <= now_ms)
		step(player, now_ms);
}

uint64_t player_next_ms(const struct player *player)
{
	if (player->interrupted && player->queued.data)
		return 1; /* long past: due now */
	return player->state == PLAYER_PLAYING ? player->next_ms : PLAYER_NEVER;
}
