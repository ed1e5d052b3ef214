#include "domain/display_mode.h"

/* Time at which the next entry expires, if that is earlier. */
static int64_t next_end_us(const struct content *content, int64_t wall_us, int64_t until_us)
{
	for (unsigned i = 0; content->has_ends && i < content->installation_count; i++) {
		int64_t end_us = content->installations[i].expires_us;

		if (end_us > wall_us && end_us < until_us)
			until_us = end_us;
	}
	return until_us;
}

/* Time at which an entry can come or go next, with the rule that display_level_at() has for changes
 * of the zone's offset. */
static int64_t next_change_us(const struct display_mode *mode, int64_t wall_us, int64_t until_us)
{
	const struct content *content = mode->content;

	for (unsigned i = 0; i < content->installation_count; i++) {
		const struct schedule *schedule = &content->installations[i].schedule;
		int64_t at_us;

		if (!schedule->has_hours && !schedule->days_off && !schedule->recurs_from)
			continue;
		at_us = (wall_us / 1000000 + schedule_next_s(schedule, mode->local)) * 1000000;
		if (at_us < until_us)
			until_us = at_us;
	}
	return until_us;
}

/* Sets the single entry that is shown, or that would be if it were not empty. */
static void set_alone(struct display_mode *mode, const struct content_installation *installation)
{
	if (installation && installation->is_empty)
		mode->empty = installation;
	else
		mode->alone = installation;
}

static const struct content_installation *present_at(const struct content *content,
						     int64_t position, int64_t wall_us)
{
	const struct content_installation *installation =
	    position ? content_at(content, position) : NULL;

	return installation && !content_is_expired(installation, wall_us) ? installation : NULL;
}

/* Entry that is pinned, or else that of the plan. */
static const struct content_installation *
entry_alone(const struct content *content, const struct display_level *level, int64_t wall_us)
{
	return present_at(content, content->pinned_position, wall_us)
		   ?: present_at(content, level->alone_position, wall_us);
}

/* Whether the push is shown alone, awake or asleep. */
static bool shows_push(const struct content *content, const struct display_level *level,
		       int64_t wall_us)
{
	bool is_alone = level->is_asleep ? content->push.is_waking
					 : level->brightness > 0 && content->push.is_held;

	return is_alone && content_push_is_due(content, wall_us);
}

static void set_push(struct display_mode *mode)
{
	const struct content *content = mode->content;
	int64_t end_us = content_push_end_us(content);

	mode->kind = DISPLAY_MODE_PUSH;
	if (mode->brightness == 0)
		mode->brightness = content->settings.brightness;
	if (end_us < mode->valid_until_us)
		mode->valid_until_us = end_us;
}

/* Whether the entry is enabled and in its hours. */
static bool is_on(const struct display_mode *mode, const struct content_installation *installation)
{
	return !installation->is_disabled && schedule_is_on(&installation->schedule, mode->local);
}

static bool has_one_that_pins_itself(const struct display_mode *mode)
{
	const struct content *content = mode->content;

	for (unsigned i = 0; i < content->installation_count; i++) {
		const struct content_installation *installation = &content->installations[i];

		if (installation->pins_itself && !installation->is_empty &&
		    !content_is_expired(installation, mode->wall_us) && is_on(mode, installation))
			return true;
	}
	return false;
}

static struct display_mode mode_at(const struct content *content, int64_t wall_us)
{
	struct display_level level = display_level_at(&content->settings, wall_us);
	struct display_mode mode = {
	    .kind = DISPLAY_MODE_ROTATION,
	    .brightness = level.brightness,
	    .look = {.filter = (uint8_t)level.filter},
	    .interval_s = level.interval_s,
	    .wall_us = wall_us,
	    .local = local_time_at(content->settings.zone, wall_us),
	    .valid_until_us = level.valid_until_us,
	    .content = content,
	};

	mode.valid_until_us = next_end_us(content, wall_us, level.valid_until_us);
	if (shows_push(content, &level, wall_us)) {
		set_push(&mode);
		return mode;
	}
	if (level.brightness > 0)
		set_alone(&mode, entry_alone(content, &level, wall_us));
	if (level.brightness > 0 && mode.alone) {
		mode.kind = DISPLAY_MODE_PINNED;
	} else if (level.brightness > 0) {
		mode.valid_until_us = next_change_us(&mode, wall_us, mode.valid_until_us);
		mode.is_narrowed = has_one_that_pins_itself(&mode);
	} else {
		if (level.is_night && content->night_brightness > 0)
			set_alone(&mode, present_at(content, content->night_position, wall_us));
		mode.kind = mode.alone ? DISPLAY_MODE_NIGHT : DISPLAY_MODE_DARK;
		mode.brightness = mode.alone ? content->night_brightness : 0;
	}
	return mode;
}

struct display_mode display_mode_at(const struct content *content, int64_t wall_us)
{
	struct display_mode mode = mode_at(content, wall_us);

	mode.panel_level = brightness_sent(&content->settings.curve, mode.brightness);
	mode.look.size = content->settings.panel_size;
	mode.look.limit_kb = content->settings.picture_limit_kb;
	mode.look.dark = (uint8_t)brightness_too_bright(&content->settings.curve, mode.brightness);
	return mode;
}

struct picture_look display_mode_look(const struct display_mode *mode,
				      const struct content_installation *installation)
{
	struct picture_look look = mode->look;

	if (installation && installation->color_filter != COLOR_FILTER_INHERIT)
		look.filter = installation->color_filter;
	return look;
}

bool display_mode_takes_pushes(const struct display_mode *mode)
{
	return mode->kind != DISPLAY_MODE_DARK && mode->kind != DISPLAY_MODE_NIGHT;
}

/* Whether the rotation was told to continue after the push, at a time when that had an effect. */
static bool ends_push(const struct content *content)
{
	return content->push.created_us < content->turned_us &&
	       display_mode_at(content, content->turned_us).kind == DISPLAY_MODE_ROTATION;
}

bool display_mode_has_push(const struct display_mode *mode)
{
	const struct content *content = mode->content;

	return display_mode_takes_pushes(mode) && content_push_is_due(content, mode->wall_us) &&
	       (mode->kind != DISPLAY_MODE_ROTATION || !ends_push(content));
}

bool display_mode_has_turn(const struct display_mode *mode,
			   const struct content_installation *installation)
{
	if (content_is_expired(installation, mode->wall_us))
		return false;
	if (mode->kind != DISPLAY_MODE_ROTATION || installation == mode->empty)
		return installation == (mode->empty ? mode->empty : mode->alone);
	return is_on(mode, installation) && (installation->pins_itself || !mode->is_narrowed);
}

bool display_mode_shows(const struct display_mode *mode,
			const struct content_installation *installation)
{
	return !installation->is_empty && display_mode_has_turn(mode, installation);
}

const struct content_installation *display_mode_next(const struct display_mode *mode,
						     int64_t after_position)
{
	const struct content *content = mode->content;
	const struct content_installation *next;

	if (mode->kind != DISPLAY_MODE_ROTATION)
		return mode->alone;
	for (unsigned i = 0; i < content->installation_count; i++) {
		next = content_next(content, after_position);
		if (display_mode_shows(mode, next))
			return next;
		after_position = next->position;
	}
	return NULL;
}
