#include "domain/playback_item.h"

/* A panel shows the built-in picture for this time and then looks again. */
enum { BUILT_IN_STAY_S = 15 };

struct playback_item playback_item_of(const struct display_mode *mode,
				      const struct content_installation *installation)
{
	return (struct playback_item){
	    .kind = PLAYBACK_INSTALLATION,
	    .position = installation->position,
	    .generation = installation->picture_generation,
	    .picture_generation = installation->picture_generation,
	    .loop_ms = installation->picture.loop_ms,
	    .stay_s = content_stay_s(installation, mode->interval_s, installation->picture.loop_ms),
	    .look = display_mode_look(mode, installation),
	    .may_be_early =
		installation->may_be_early && !installation->is_whole && !installation->plays_whole,
	};
}

struct playback_item playback_item_built_in(const struct display_mode *mode)
{
	return (struct playback_item){.kind = PLAYBACK_BUILT_IN,
				      .position = -1,
				      .stay_s = BUILT_IN_STAY_S,
				      .look = {.size = mode->look.size}};
}

struct playback_item playback_item_of_push(const struct display_mode *mode)
{
	const struct content *content = mode->content;
	const struct content_push *push = &content->push;
	const struct content_installation *installation =
	    push->is_installation ? content_at(content, push->installation_position) : NULL;

	return (struct playback_item){
	    .kind = PLAYBACK_PUSH,
	    .position = installation ? installation->position : -1,
	    .generation = push->generation,
	    .picture_generation = installation ? installation->picture_generation : 0,
	    .loop_ms = installation ? installation->picture.loop_ms : push->picture.loop_ms,
	    .look = display_mode_look(mode, installation),
	    .stay_s = content_push_rest_s(content, mode->wall_us),
	};
}

struct playback_item playback_item_next(const struct display_mode *mode, int64_t after_position,
					int64_t pushed_position)
{
	const struct content_installation *installation = display_mode_next(mode, after_position);

	if (mode->kind == DISPLAY_MODE_PUSH)
		return playback_item_of_push(mode);

	if (installation && installation->position == pushed_position)
		installation = display_mode_next(mode, pushed_position);
	if (!installation)
		return playback_item_built_in(mode);
	return playback_item_of(mode, installation);
}

int64_t playback_item_period_ms(const struct playback_item *item)
{
	int64_t dwell_s = item->stay_s < PLAYBACK_DWELL_MAX_S ? item->stay_s : PLAYBACK_DWELL_MAX_S;
	int64_t dwell_ms = dwell_s * 1000;

	if (item->loop_ms == 0)
		return dwell_ms;
	return (dwell_ms + item->loop_ms - 1) / item->loop_ms * item->loop_ms;
}

bool playback_item_is_same(const struct playback_item *a, const struct playback_item *b)
{
	return a->kind == b->kind && a->position == b->position && a->generation == b->generation &&
	       picture_look_is_same(a->look, b->look);
}

bool playback_item_is_same_picture(const struct playback_item *a, const struct playback_item *b)
{
	if (!picture_look_is_same(a->look, b->look))
		return false;
	if (a->kind == PLAYBACK_BUILT_IN || b->kind == PLAYBACK_BUILT_IN)
		return a->kind == b->kind;
	if (a->kind == PLAYBACK_PUSH && b->kind == PLAYBACK_PUSH && a->generation == b->generation)
		return a->picture_generation == b->picture_generation;
	return a->position != -1 && a->position == b->position &&
	       a->picture_generation == b->picture_generation;
}

bool playback_item_may_replace(const struct playback_item *next,
			       const struct playback_item *displayed)
{
	return next->may_be_early && displayed->kind == PLAYBACK_INSTALLATION &&
	       displayed->position == next->position;
}

bool playback_item_is_wanted(const struct playback_item *item, const struct display_mode *mode)
{
	const struct content *content = mode->content;
	const struct content_installation *installation;

	switch (item->kind) {
	case PLAYBACK_BUILT_IN:
		return mode->kind != DISPLAY_MODE_PUSH && !display_mode_next(mode, item->position);
	case PLAYBACK_INSTALLATION:
		installation = content_at(content, item->position);
		return installation && display_mode_shows(mode, installation);
	case PLAYBACK_PUSH:
		return display_mode_takes_pushes(mode) &&
		       content->push.generation == item->generation &&
		       content_push_has_picture(content, mode->wall_us);
	default:
		return false;
	}
}

bool playback_item_looks_old(const struct playback_item *displayed, const struct display_mode *mode,
			     struct playback_item *ret_now)
{
	const struct content *content = mode->content;
	const struct content_installation *installation = content_at(content, displayed->position);

	struct playback_item now;

	if (displayed->kind == PLAYBACK_PUSH && content_push_is_due(content, mode->wall_us))
		now = playback_item_of_push(mode);
	else if (displayed->kind == PLAYBACK_INSTALLATION && installation)
		now = playback_item_of(mode, installation);
	else if (displayed->kind == PLAYBACK_BUILT_IN)
		now = playback_item_built_in(mode);
	else
		return false;
	if (picture_look_is_same(displayed->look, now.look) ||
	    !playback_item_is_wanted(displayed, mode))
		return false;
	*ret_now = now;
	return true;
}
