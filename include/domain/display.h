/* Size of panels, and their brightness at each time of day. */
#pragma once

#include "base/zone.h"
#include "domain/brightness.h"
#include "domain/look.h"
#include "record/record.h"

#include <stdint.h>

/* Size of all panels, in pixels. Requests to renderers carry it, so renderers have none of their
 * own. DESIGN.md lists what changes for panels of another size. */
enum { DISPLAY_WIDTH = 64, DISPLAY_HEIGHT = 32 };

struct device;

/* Sleep or wakefulness that was set, which overrides the device's schedule. */
struct sleep_setting {
	bool is_set;
	bool is_asleep;
	int64_t until_us; /* wall clock; 0: no end */
};

extern const struct record sleep_setting_record;

/* Dimming that was set, or its end, which overrides the device's plan of dimming. */
struct dim_setting {
	bool is_set;
	bool is_dimmed;
	int64_t until_us; /* wall clock; 0: no end */
};

extern const struct record dim_setting_record;

struct display_settings {
	const struct zone *zone; /* NULL is UTC */
	int32_t schedule_interval_s;
	int16_t sleep_start_minute; /* of the local day; equal to the end: 24 hours */
	int16_t sleep_end_minute;
	int16_t brightness;	  /* 0 to 100 */
	int16_t dim_start_minute; /* to sleep_end_minute */
	int16_t dim_brightness;
	bool dim_enabled;
	bool auto_dim;
	bool sleep_enabled;
	struct sleep_setting sleep_set;
	struct dim_setting dim_set;
	struct brightness_curve curve;
	uint8_t color_filter, night_color_filter, dim_color_filter; /* enum color_filter */
};

/* Settings of a device's row. */
struct display_settings display_settings_of(const struct device *device,
					    const struct sleep_setting *sleep_set,
					    const struct dim_setting *dim_set);

struct display_level {
	int brightness; /* 0 to 100; 0: dark, and no picture is to be sent */
	bool is_asleep; /* dark only because of the sleep window, or of a sleep that was set */
	enum color_filter filter; /* of pictures without one of their own */
	int64_t valid_until_us;	  /* wall clock; at most a quarter of an hour away */
};

/* Finds the time at which the panel wakes, at most two days ahead. Returns false if it does not
 * sleep, or does not wake within that time. */
bool display_wakes_at(const struct display_settings *settings, int64_t wall_us, int64_t *ret_us);

/* Returns the brightness at that moment: 0 in the sleep window, 30 % of the set value (at least 1)
 * from 21:00 to 07:00 if auto_dim is on, and at most dim_brightness while it is dimmed. */
struct display_level display_level_at(const struct display_settings *settings, int64_t wall_us);
