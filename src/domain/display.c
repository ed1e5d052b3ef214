#include "domain/display.h"
#include "base/zones.h"
#include "domain/device.h"
#include "domain/schedule.h"

enum {
	DIM_START_MINUTE = 21 * 60,
	DIM_END_MINUTE = 7 * 60,
	DIM_PERCENT = 30,
	QUARTER_S = 15 * 60,
};

static const struct record_field sleep_setting_fields[] = {
    RECORD_BOOL(struct sleep_setting, is_set, .column = "is_sleep_set"),
    RECORD_BOOL(struct sleep_setting, is_asleep, .column = "is_set_asleep"),
    RECORD_TIMESTAMP(struct sleep_setting, until_us, .column = "sleep_set_until", .nullable = true),
};
const struct record sleep_setting_record = RECORD(struct sleep_setting, sleep_setting_fields);

static const struct record_field dim_setting_fields[] = {
    RECORD_BOOL(struct dim_setting, is_set, .column = "is_dim_set"),
    RECORD_BOOL(struct dim_setting, is_dimmed, .column = "is_set_dimmed"),
    RECORD_TIMESTAMP(struct dim_setting, until_us, .column = "dim_set_until", .nullable = true),
};
const struct record dim_setting_record = RECORD(struct dim_setting, dim_setting_fields);

/* Whether what was set still counts. until_us 0: without an end. */
static bool counts(bool is_set, int64_t until_us, int64_t wall_us)
{
	return is_set && (until_us == 0 || wall_us < until_us);
}

static bool is_sleep_set(const struct display_settings *settings, int64_t wall_us)
{
	return counts(settings->sleep_set.is_set, settings->sleep_set.until_us, wall_us);
}

static bool is_dim_set(const struct display_settings *settings, int64_t wall_us)
{
	return counts(settings->dim_set.is_set, settings->dim_set.until_us, wall_us);
}

static bool is_sleep_time(const struct display_settings *settings, struct local_time local,
			  int64_t wall_us)
{
	if (is_sleep_set(settings, wall_us))
		return settings->sleep_set.is_asleep;
	return settings->sleep_enabled && local_time_is_within(local, settings->sleep_start_minute,
							       settings->sleep_end_minute);
}

static bool is_dim_time(const struct display_settings *settings, struct local_time local,
			int64_t wall_us)
{
	if (is_dim_set(settings, wall_us))
		return settings->dim_set.is_dimmed;
	return settings->dim_enabled &&
	       local_time_is_within(local, settings->dim_start_minute, settings->sleep_end_minute);
}

static int brightness_at(const struct display_settings *settings, struct local_time local,
			 int64_t wall_us)
{
	int brightness = settings->brightness;

	if (is_sleep_time(settings, local, wall_us))
		return 0;
	if (settings->auto_dim && brightness > 0 &&
	    local_time_is_within(local, DIM_START_MINUTE, DIM_END_MINUTE)) {
		brightness = brightness * DIM_PERCENT / 100;
		brightness = brightness > 0 ? brightness : 1;
	}
	if (brightness > settings->dim_brightness && is_dim_time(settings, local, wall_us))
		brightness = settings->dim_brightness;
	return brightness;
}

/* The night's filter counts in the sleep window, even if a push has woken the panel. */
static enum color_filter filter_at(const struct display_settings *settings, struct local_time local,
				   int64_t wall_us)
{
	if (settings->night_color_filter != COLOR_FILTER_INHERIT &&
	    is_sleep_time(settings, local, wall_us))
		return settings->night_color_filter;
	if (settings->dim_color_filter != COLOR_FILTER_INHERIT &&
	    is_dim_time(settings, local, wall_us))
		return settings->dim_color_filter;
	return settings->color_filter;
}

/* Seconds until the brightness can change next. Windows start and end at full minutes, and time
 * zones change their offsets at full quarters of an hour: so the result is the next boundary of a
 * window, or the next quarter if that is earlier. */
static int64_t next_change_s(const struct display_settings *settings, struct local_time local,
			     int64_t wall_s)
{
	const int boundaries[] = {settings->sleep_start_minute, settings->sleep_end_minute,
				  DIM_START_MINUTE, DIM_END_MINUTE, settings->dim_start_minute};
	int64_t next_s = QUARTER_S - wall_s % QUARTER_S;

	for (unsigned i = 0; i < sizeof(boundaries) / sizeof(boundaries[0]); i++) {
		int64_t in_s = local_time_until_s(local, boundaries[i]);

		if (in_s < next_s)
			next_s = in_s;
	}
	return wall_s + next_s;
}

/* The database's constraints keep these numbers in the ranges of the smaller types. */
struct display_settings display_settings_of(const struct device *device,
					    const struct sleep_setting *sleep_set,
					    const struct dim_setting *dim_set)
{
	return (struct display_settings){
	    .zone = zones_find(device->timezone),
	    .schedule_interval_s = (int32_t)device->schedule_interval_s,
	    .sleep_start_minute = (int16_t)device->sleep_start_minute,
	    .sleep_end_minute = (int16_t)device->sleep_end_minute,
	    .brightness = (int16_t)device->brightness,
	    .dim_start_minute = (int16_t)device->dim_start_minute,
	    .dim_brightness = (int16_t)device->dim_brightness,
	    .dim_enabled = device->dim_enabled,
	    .auto_dim = device->auto_dim,
	    .sleep_enabled = device->sleep_enabled,
	    .sleep_set = *sleep_set,
	    .dim_set = *dim_set,
	    .curve = brightness_curve_of(device->board, device->brightness_curve),
	    .color_filter = (uint8_t)color_filter_of(device->color_filter),
	    .night_color_filter = (uint8_t)color_filter_of(device->night_color_filter),
	    .dim_color_filter = (uint8_t)color_filter_of(device->dim_color_filter),
	};
}

bool display_wakes_at(const struct display_settings *settings, int64_t wall_us, int64_t *ret_us)
{
	enum { CHANGES_MAX = 2 * 24 * 4 };
	struct display_level level = display_level_at(settings, wall_us);

	if (!level.is_asleep)
		return false;
	for (unsigned i = 0; level.is_asleep && i < CHANGES_MAX; i++) {
		*ret_us = level.valid_until_us;
		level = display_level_at(settings, level.valid_until_us);
	}
	return !level.is_asleep;
}

/* until_us 0: without an end. */
static void end_at(struct display_level *level, int64_t until_us)
{
	if (until_us && until_us < level->valid_until_us)
		level->valid_until_us = until_us;
}

struct display_level display_level_at(const struct display_settings *settings, int64_t wall_us)
{
	int64_t wall_s = wall_us / 1000000;
	struct local_time local = local_time_at(settings->zone, wall_us);
	struct display_level level = {
	    .brightness = brightness_at(settings, local, wall_us),
	    .is_asleep = settings->brightness > 0 && is_sleep_time(settings, local, wall_us),
	    .filter = filter_at(settings, local, wall_us),
	    .valid_until_us = next_change_s(settings, local, wall_s) * 1000000,
	};

	if (is_sleep_set(settings, wall_us))
		end_at(&level, settings->sleep_set.until_us);
	if (is_dim_set(settings, wall_us))
		end_at(&level, settings->dim_set.until_us);
	return level;
}
