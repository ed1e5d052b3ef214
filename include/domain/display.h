/* Size of panels, and what a device's plan says at each time: darkness, brightness, colours, entry
 * and interval.
 *
 * Sleep, autoDim and dimming are the first windows of the plan, the device's own windows follow.
 * What was set by hand (struct sleep_setting, struct dim_setting) counts more. Sleep yields only to
 * it: no later window lights the panel, or changes the night's colours. A device whose brightness
 * is 0 stays dark. */
#pragma once

#include "base/zone.h"
#include "domain/brightness.h"
#include "domain/look.h"
#include "domain/plan.h"
#include "record/record.h"

#include <stdint.h>

/* Pixels of the smallest panels, for which all apps are drawn: larger ones get them doubled unless
 * an app supports more. Requests to renderers carry the size, so renderers have none of their own.
 */
enum { DISPLAY_WIDTH = 64, DISPLAY_HEIGHT = 32 };

struct device;

/* Sleep or wakefulness that was set, which overrides the device's schedule. */
struct sleep_setting {
	bool is_set;
	bool is_asleep;
	int64_t until_us; /* wall clock; 0: no end */
};

extern const struct record sleep_setting_record;

/* Dimming that was set, or its end, which overrides the device's window of dimming. */
struct dim_setting {
	bool is_set;
	bool is_dimmed;
	int64_t until_us; /* wall clock; 0: no end */
};

extern const struct record dim_setting_record;

/* Whether sleep and dimming that were set, or their ends, still count. */
bool sleep_setting_counts(const struct sleep_setting *set, int64_t wall_us);
bool dim_setting_counts(const struct dim_setting *set, int64_t wall_us);

struct display_settings {
	const struct zone *zone; /* NULL is UTC */
	const struct plan *plan; /* own windows; NULL: none */
	int32_t schedule_interval_s;
	int16_t sleep_start_minute; /* of the local day; equal to the end: 24 hours */
	int16_t sleep_end_minute;
	int16_t brightness;	  /* 0 to 100 */
	int16_t dim_start_minute; /* to sleep_end_minute */
	int16_t dim_brightness;
	bool dim_enabled;
	bool auto_dim;
	bool sleep_enabled;
	/* Windows of a plan that is the leader's leave what a follower has of its own. */
	bool plan_leaves_sleep, plan_leaves_brightness;
	struct sleep_setting sleep_set;
	struct dim_setting dim_set;
	struct brightness_curve curve;
	uint8_t panel_size;					    /* enum panel_size */
	uint16_t picture_limit_kb;				    /* see struct picture_look */
	uint8_t color_filter, night_color_filter, dim_color_filter; /* enum color_filter */
};

/* Settings of a device's row. plan: its own windows, which must live as long; NULL: none. */
struct display_settings display_settings_of(const struct device *device,
					    const struct sleep_setting *sleep_set,
					    const struct dim_setting *dim_set,
					    const struct plan *plan);

/* Source of a property: the device's setting, an order by hand, or a window: its number in the
 * plan. */
enum {
	DISPLAY_BY_ORDER = -2,
	DISPLAY_BY_DEVICE = -1,
	DISPLAY_BY_SLEEP = 0,
	DISPLAY_BY_AUTO_DIM,
	DISPLAY_BY_DIM,
	DISPLAY_BY_WINDOW, /* the first of its own windows; the others follow */
};

struct display_level {
	int brightness;		  /* 0 to 100; 0: dark, and no picture is to be sent */
	int awake_brightness;	  /* 0 to 100: while it is not asleep */
	bool is_asleep;		  /* dark only because of a window, or of a sleep that was set */
	bool is_night;		  /* asleep because of the sleep window, or by hand */
	bool is_dimmed;		  /* by the window of dimming, or by hand */
	enum color_filter filter; /* of pictures without one of their own */
	int32_t interval_s;	  /* length of turns */
	int64_t alone_position;	  /* entry that a window shows alone, see struct content; 0: none */
	int64_t valid_until_us;	  /* wall clock; at most a quarter of an hour away */
	struct {
		int8_t dark, brightness, filter, interval, alone; /* DISPLAY_BY_... */
	} by;
};

/* Finds the time at which the panel wakes, at most eight days ahead. Returns false if it does
 * not sleep, or does not wake within that time. *ret_us is set in each case. */
bool display_wakes_at(const struct display_settings *settings, int64_t wall_us, int64_t *ret_us);

/* Returns what the plan says at that moment: brightness 0 in the sleep window, 30 % of the set
 * value (at least 1) from 21:00 to 07:00 if auto_dim is on, at most dim_brightness while it is
 * dimmed, and what its own windows say. */
struct display_level display_level_at(const struct display_settings *settings, int64_t wall_us);

/* Subject of an order by hand, or of a change. */
enum display_subject { DISPLAY_ANY, DISPLAY_DARKNESS, DISPLAY_BRIGHTNESS };

/* Finds the time at which a window that says something about the subject next begins or ends, at
 * most eight days ahead: an order lasts until then. Returns false if there is none. */
bool display_changes_at(const struct display_settings *settings, enum display_subject subject,
			int64_t wall_us, int64_t *ret_us);
