#include "domain/display.h"
#include "base/zones.h"
#include "domain/device.h"

enum {
	DAY_MINUTES = 24 * 60,
	DIM_START_MINUTE = 21 * 60,
	DIM_END_MINUTE = 7 * 60,
	DIM_PERCENT = 30,
	QUARTER_S = 15 * 60,
};

/* Where start and end are equal, the window is the whole day. */
static bool is_within(int64_t minute, int64_t start, int64_t end)
{
	if (start < end)
		return minute >= start && minute < end;
	return minute >= start || minute < end;
}

static int brightness_at(const struct display_settings *settings, int64_t minute)
{
	int brightness = settings->brightness;

	if (settings->sleep_enabled &&
	    is_within(minute, settings->sleep_start_minute, settings->sleep_end_minute))
		return 0;
	if (settings->auto_dim && brightness > 0 &&
	    is_within(minute, DIM_START_MINUTE, DIM_END_MINUTE)) {
		brightness = brightness * DIM_PERCENT / 100;
		return brightness > 0 ? brightness : 1;
	}
	return brightness;
}

/* When the brightness can change next. Windows start and end at full minutes, and time zones change
 * their offsets at full quarters of an hour: so it is the next boundary of a window, or the next
 * quarter where that is earlier. */
static int64_t next_change_s(const struct display_settings *settings, int64_t local_s,
			     int64_t wall_s)
{
	const int64_t boundaries[] = {settings->sleep_start_minute, settings->sleep_end_minute,
				      DIM_START_MINUTE, DIM_END_MINUTE};
	int64_t second = local_s % (DAY_MINUTES * 60);
	int64_t next_s = QUARTER_S - wall_s % QUARTER_S;

	for (unsigned i = 0; i < sizeof(boundaries) / sizeof(boundaries[0]); i++) {
		int64_t in_s = boundaries[i] * 60 - second;

		if (in_s <= 0)
			in_s += DAY_MINUTES * 60;
		if (in_s < next_s)
			next_s = in_s;
	}
	return wall_s + next_s;
}

/* The database's constraints keep these numbers in the ranges of the smaller types. */
struct display_settings display_settings_of(const struct device *device)
{
	return (struct display_settings){
	    .zone = zones_find(device->timezone),
	    .schedule_interval_s = (int32_t)device->schedule_interval_s,
	    .sleep_start_minute = (int16_t)device->sleep_start_minute,
	    .sleep_end_minute = (int16_t)device->sleep_end_minute,
	    .brightness = (int16_t)device->brightness,
	    .auto_dim = device->auto_dim,
	    .sleep_enabled = device->sleep_enabled,
	};
}

struct display_level display_level_at(const struct display_settings *settings, int64_t wall_us)
{
	int64_t wall_s = wall_us / 1000000;
	int64_t local_s = wall_s + zone_offset_s(settings->zone, wall_s);

	return (struct display_level){
	    .brightness = brightness_at(settings, local_s / 60 % DAY_MINUTES),
	    .valid_until_us = next_change_s(settings, local_s, wall_s) * 1000000,
	};
}
