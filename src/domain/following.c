#include "domain/following.h"

static struct display_settings settings_of(const struct display_settings *leader,
					   const struct display_settings *own,
					   struct follower_options options)
{
	struct display_settings settings = *leader;

	settings.curve = own->curve;
	settings.panel_size = own->panel_size;
	settings.picture_limit_kb = own->picture_limit_kb;
	if (options.own_brightness) {
		settings.brightness = own->brightness;
		settings.auto_dim = own->auto_dim;
		settings.dim_enabled = own->dim_enabled;
		settings.dim_start_minute = own->dim_start_minute;
		settings.dim_brightness = own->dim_brightness;
		settings.dim_set = own->dim_set;
		settings.plan_leaves_brightness = true;
	}
	if (options.own_sleep) {
		settings.sleep_enabled = own->sleep_enabled;
		settings.sleep_start_minute = own->sleep_start_minute;
		settings.sleep_end_minute = own->sleep_end_minute;
		settings.sleep_set = own->sleep_set;
		settings.plan_leaves_sleep = true;
	}
	return settings;
}

uint16_t following_tag(struct id leader_id)
{
	const uint8_t *last = leader_id.bytes + ID_BYTES - 2;

	return (uint16_t)(last[0] << 8 | last[1] | 1);
}

static bool has_own_push(const struct content *leader, const struct content *own, int64_t wall_us)
{
	return content_push_is_due(own, wall_us) &&
	       (own->push.created_us >= leader->push.created_us ||
		!content_push_is_due(leader, wall_us));
}

struct content following_content(const struct content *leader, const struct content *own,
				 struct follower_options options, int64_t wall_us)
{
	struct content content = *leader;

	content.tag = options.tag;
	content.settings = settings_of(&leader->settings, &own->settings, options);
	if (has_own_push(leader, own, wall_us)) {
		content.push = own->push;
		content.push.picture = *content_push_picture(own);
		content.push.is_installation = false;
		content.push.installation_position = -1;
	} else if (content.push.generation) {
		content.push.generation |= (int64_t)options.tag << CONTENT_TAG_SHIFT;
	}
	return content;
}

struct content_lead following_turn(const struct content *content, int64_t wall_us)
{
	struct display_mode mode = display_mode_at(content, wall_us);
	const struct content_installation *installation;
	int64_t cycle_s = 0, since_s;

	if (mode.kind != DISPLAY_MODE_ROTATION)
		return (struct content_lead){0};
	for (unsigned i = 0; i < content->installation_count; i++) {
		installation = &content->installations[i];
		if (display_mode_shows(&mode, installation))
			cycle_s += content_stay_s(installation, mode.interval_s,
						  installation->picture.loop_ms);
	}
	if (cycle_s == 0)
		return (struct content_lead){0};
	since_s = wall_us / 1000000 / cycle_s * cycle_s;
	installation = display_mode_next(&mode, -1);
	for (;;) {
		int64_t until_s = since_s + content_stay_s(installation, mode.interval_s,
							   installation->picture.loop_ms);

		if (until_s * 1000000 > wall_us)
			return (struct content_lead){.position = installation->position,
						     .since_us = since_s * 1000000,
						     .until_us = until_s * 1000000};
		since_s = until_s;
		installation = display_mode_next(&mode, installation->position);
	}
}
