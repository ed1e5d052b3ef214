#include "domain/regime.h"

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

struct regime regime_at(const struct content *content, int64_t wall_us)
{
	struct display_level level = display_level_at(&content->settings, wall_us);
	struct regime regime = {
	    .kind = REGIME_ROTATION,
	    .brightness = level.brightness,
	    .local = local_time_at(content->settings.zone, wall_us),
	    .valid_until_us = level.valid_until_us,
	    .content = content,
	};

	if (level.brightness > 0 && content->pinned_position != 0)
		set_alone(&regime, content_at(content, content->pinned_position));
	if (level.brightness > 0 && regime.alone) {
		regime.kind = REGIME_PINNED;
	} else if (level.brightness > 0) {
		regime.valid_until_us = next_change_us(&regime, wall_us, level.valid_until_us);
	} else {
		if (level.is_asleep)
			set_alone(&regime, content_at(content, content->night_position));
		regime.kind = regime.alone ? REGIME_NIGHT : REGIME_DARK;
		regime.brightness = regime.alone ? content->night_brightness : 0;
	}
	return regime;
}

bool regime_takes_pushes(const struct regime *regime)
{
	return regime->kind == REGIME_PINNED || regime->kind == REGIME_ROTATION;
}

bool regime_has_turn(const struct regime *regime, const struct content_installation *installation)
{
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
