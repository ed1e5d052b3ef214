/* Plan of a device: windows of its week, and what holds in them. Pure.
 *
 * For each property the latest window of the list that is open and says something about it decides.
 * A window of two clock times is as the hours of an entry (domain/schedule.h): it may cross
 * midnight, belongs to the weekday on which it begins, and stays over a change of the clock.
 *
 * Windows by the sun: sunrise to sunset lies within a day, sunset to sunrise crosses midnight. With
 * one clock time, a window crosses midnight from sunset to a time before noon, from sunrise to one
 * before 03:00, from a time after noon to sunrise, and from 21:00 or later to sunset; one that does
 * not, and whose end is not after its beginning, is left out on that day ("sunrise to 08:00" in
 * winter). While the sun does not set, sunrise is the beginning of the day and sunset its end;
 * while it does not rise, both are at noon; offsets then do not count. Without a place the sun
 * rises at 06:00 and sets at 18:00. */
#pragma once

#include "base/arena.h"
#include "domain/look.h"
#include "domain/schedule.h"
#include "domain/sun.h"
#include "record/fault.h"
#include "record/json.h"

enum {
	PLAN_WINDOWS_MAX = 16,
	PLAN_OFFSET_MAX_MIN = 240,
	PLAN_TEXT_MAX = 16384, /* bytes of a stored plan */
};

enum plan_time_kind { PLAN_CLOCK, PLAN_SUNRISE, PLAN_SUNSET };

struct plan_time {
	uint8_t kind;	/* enum plan_time_kind */
	int16_t minute; /* of the day; or from sunrise or sunset */
};

enum plan_brightness {
	PLAN_BRIGHTNESS_UNSAID,
	PLAN_BRIGHTNESS_SET,
	PLAN_BRIGHTNESS_SHARE,	 /* percent of what it is without the window, at least 1 */
	PLAN_BRIGHTNESS_AT_MOST, /* the lower one */
};

struct plan_window {
	struct plan_time from, to;
	uint8_t days_off; /* bit 0: Monday; WEEKDAYS_ALL: never open */
	bool says_dark, is_dark;
	uint8_t brightness_rule; /* enum plan_brightness */
	uint8_t color_filter;	 /* enum color_filter; COLOR_FILTER_INHERIT: unsaid */
	int16_t brightness;	 /* percent */
	int32_t interval_s;	 /* 0: unsaid */
	int64_t entry_position;	 /* of the entry shown alone, see struct content; 0: unsaid */
	struct str entry_id;	 /* empty: unsaid; valid as long as the arena of plan_read() */
};

struct plan {
	unsigned count;
	bool has_sun; /* a window needs sunrise or sunset */
	bool has_place;
	struct sun_place place;
	struct plan_window windows[PLAN_WINDOWS_MAX];
};

/* Sunrise and sunset of the local day of the plan's place. plan: NULL is none. */
struct sun_day plan_sun_at(const struct plan *plan, const struct zone *zone, int32_t day);

/* The same at that time, also if no window needs it. */
struct sun_day plan_sun_today(const struct plan *plan, const struct zone *zone, int64_t wall_us);

/* Whether the window is open. sun: of the same local day. */
bool plan_window_is_open(const struct plan_window *window, const struct sun_day *sun,
			 struct local_time local);
/* Returns the seconds until plan_window_is_open() can change within the local day, while the zone
 * keeps its offset; at least 1. */
int64_t plan_window_next_s(const struct plan_window *window, const struct sun_day *sun,
			   struct local_time local);
/* Whether a window of 24 hours begins anew at this second. before: the local time a second earlier,
 * since clocks that are put forward leave out the minute at which it would. */
bool plan_window_renews(const struct plan_window *window, const struct sun_day *sun,
			struct local_time before, struct local_time local);

/* Reads the windows of a body, an array of objects. Each fault is at its place below
 * "/windows". Texts lie in the arena. Returns whether there was none. */
bool plan_read(const struct json_value *windows, struct faults *faults, struct plan *ret_plan);
/* Reads a stored plan; empty: no windows. place: of the device, JSON, or empty. */
void plan_parse(struct str text, struct str place, struct arena *arena, struct plan *ret_plan);
/* Checks a stored plan that came with an import. Returns NULL, or the fault ("must ..."). */
const char *plan_text_check(struct str text);
/* Writes the windows as JSON, in the form that the API shows, and that is stored. */
void plan_write(const struct plan *plan, struct buffer *json);
/* Returns that text in the arena; empty without windows. */
struct str plan_text(const struct plan *plan, struct arena *arena);
