#include "domain/regime.h"

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
static int64_t next_change_us(const struct regime *regime, int64_t wall_us, int64_t until_us)
{
	const struct content *content = regime->content;

	for (unsigned i = 0; i < content->installation_count; i++) {
		const struct schedule *schedule = &content->installations[i].schedule;
		int64_t at_us;

		if (!schedule->has_hours && !schedule->days_off)
			continue;
		at_us = (wall_us / 1000000 + schedule_next_s(schedule, regime->local)) * 1000000;
		if (at_us < until_us)
			until_us = at_us;
	}
	return until_us;
}

/* The one entry that is shown, or that would be if it were not blank. */
static void set_alone(struct regime *regime, const struct content_installation *installation)
{
	if (installation && installation->is_blank)
		regime->blank = installation;
	else
		regime->alone = installation;
}

static const struct content_installation *present_at(const struct content *content,
						     int64_t position, int64_t wall_us)
{
	const struct content_installation *installation =
	    position ? content_at(content, position) : NULL;

	return installation && !content_is_expired(installation, wall_us) ? installation : NULL;
}

/* Whether the push is shown alone, awake or asleep. */
static bool shows_push(const struct content *content, const struct display_level *level,
		       int64_t wall_us)
{
	bool is_alone = level->is_asleep ? content->push.is_waking
					 : level->brightness > 0 && content->push.is_held;

	return is_alone && content_push_is_due(content, wall_us);
}

static void set_push(struct regime *regime)
{
	const struct content *content = regime->content;
	int64_t end_us = content_push_end_us(content);

	regime->kind = REGIME_PUSH;
	if (regime->brightness == 0)
		regime->brightness = content->settings.brightness;
	if (end_us < regime->valid_until_us)
		regime->valid_until_us = end_us;
}

struct regime regime_at(const struct content *content, int64_t wall_us)
{
	struct display_level level = display_level_at(&content->settings, wall_us);
	struct regime regime = {
	    .kind = REGIME_ROTATION,
	    .brightness = level.brightness,
	    .wall_us = wall_us,
	    .local = local_time_at(content->settings.zone, wall_us),
	    .valid_until_us = level.valid_until_us,
	    .content = content,
	};

	regime.valid_until_us = next_end_us(content, wall_us, level.valid_until_us);
	if (shows_push(content, &level, wall_us)) {
		set_push(&regime);
		return regime;
	}
	if (level.brightness > 0)
		set_alone(&regime, present_at(content, content->pinned_position, wall_us));
	if (level.brightness > 0 && regime.alone) {
		regime.kind = REGIME_PINNED;
	} else if (level.brightness > 0) {
		regime.valid_until_us = next_change_us(&regime, wall_us, regime.valid_until_us);
	} else {
		if (level.is_asleep && content->night_brightness > 0)
			set_alone(&regime, present_at(content, content->night_position, wall_us));
		regime.kind = regime.alone ? REGIME_NIGHT : REGIME_DARK;
		regime.brightness = regime.alone ? content->night_brightness : 0;
	}
	return regime;
}

bool regime_takes_pushes(const struct regime *regime)
{
	return regime->kind != REGIME_DARK && regime->kind != REGIME_NIGHT;
}

/* Whether the rotation was told to go on after the push, at a time when that had an effect. */
static bool ends_push(const struct content *content)
{
	return content->push.created_us < content->turned_us &&
	       regime_at(content, content->turned_us).kind == REGIME_ROTATION;
}

bool regime_has_push(const struct regime *regime)
{
	const struct content *content = regime->content;

	return regime_takes_pushes(regime) && content_push_is_due(content, regime->wall_us) &&
	       (regime->kind != REGIME_ROTATION || !ends_push(content));
}

bool regime_has_turn(const struct regime *regime, const struct content_installation *installation)
{
	if (content_is_expired(installation, regime->wall_us))
		return false;
	if (regime->kind != REGIME_ROTATION || installation == regime->blank)
		return installation == (regime->blank ? regime->blank : regime->alone);
	return !installation->is_disabled && schedule_is_on(&installation->schedule, regime->local);
}

bool regime_shows(const struct regime *regime, const struct content_installation *installation)
{
	return !installation->is_blank && regime_has_turn(regime, installation);
}

const struct content_installation *regime_next(const struct regime *regime, int64_t after_position)
{
	const struct content *content = regime->content;
	const struct content_installation *next;

	if (regime->kind != REGIME_ROTATION)
		return regime->alone;
	for (unsigned i = 0; i < content->installation_count; i++) {
		next = content_next(content, after_position);
		if (regime_shows(regime, next))
			return next;
		after_position = next->position;
	}
	return NULL;
}
