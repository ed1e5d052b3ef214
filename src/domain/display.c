#include "domain/display.h"
#include "base/zones.h"
#include "domain/device.h"

enum {
	DIM_START_MINUTE = 21 * 60,
	DIM_END_MINUTE = 7 * 60,
	DIM_PERCENT = 30,
	QUARTER_S = 15 * 60,
};

/* How far it looks ahead: a week and a day. */
#define AHEAD_US (INT64_C(8) * 86400 * 1000000)

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

/* Windows of sleep, autoDim and dimming, by enum. */
enum { FIRST_WINDOWS = DISPLAY_BY_WINDOW };

/* All windows, at a moment. */
struct moment {
	const struct display_settings *settings;
	int64_t wall_us;
	struct local_time local;
	struct sun_day sun;
	struct plan_window first[FIRST_WINDOWS];
	int count;
};

static struct plan_window daily(bool is_on, int from, int to)
{
	return (struct plan_window){
	    .from = {PLAN_CLOCK, (int16_t)from},
	    .to = {PLAN_CLOCK, (int16_t)to},
	    .days_off = is_on ? 0 : WEEKDAYS_ALL,
	    .color_filter = COLOR_FILTER_INHERIT,
	};
}

static void set_first(struct moment *moment)
{
	const struct display_settings *settings = moment->settings;
	struct plan_window *sleep = &moment->first[DISPLAY_BY_SLEEP];
	struct plan_window *auto_dim = &moment->first[DISPLAY_BY_AUTO_DIM];
	struct plan_window *dim = &moment->first[DISPLAY_BY_DIM];

	*sleep = daily(settings->sleep_enabled, settings->sleep_start_minute,
		       settings->sleep_end_minute);
	sleep->says_dark = sleep->is_dark = true;
	*auto_dim = daily(settings->auto_dim, DIM_START_MINUTE, DIM_END_MINUTE);
	auto_dim->brightness_rule = PLAN_BRIGHTNESS_SHARE;
	auto_dim->brightness = DIM_PERCENT;
	*dim = daily(settings->dim_enabled, settings->dim_start_minute, settings->sleep_end_minute);
	dim->brightness_rule = PLAN_BRIGHTNESS_AT_MOST;
	dim->brightness = settings->dim_brightness;
	dim->color_filter = settings->dim_color_filter;
}

static void set_time(struct moment *moment, int64_t wall_us)
{
	const struct display_settings *settings = moment->settings;
	int32_t day = moment->local.day;

	moment->wall_us = wall_us;
	moment->local = local_time_at(settings->zone, wall_us);
	if (day != moment->local.day)
		moment->sun = plan_sun_at(settings->plan, settings->zone, moment->local.day);
}

static struct moment moment_at(const struct display_settings *settings, int64_t wall_us)
{
	struct moment moment = {
	    .settings = settings,
	    .local.day = INT32_MIN,
	    .count = FIRST_WINDOWS + (settings->plan ? (int)settings->plan->count : 0),
	};

	set_first(&moment);
	set_time(&moment, wall_us);
	return moment;
}

static const struct plan_window *window_of(const struct moment *moment, int i)
{
	return i < FIRST_WINDOWS ? &moment->first[i]
				 : &moment->settings->plan->windows[i - FIRST_WINDOWS];
}

static bool is_open(const struct moment *moment, int i)
{
	return plan_window_is_open(window_of(moment, i), &moment->sun, moment->local);
}

/* Whether what was set still counts. until_us 0: without an end. */
static bool counts(bool is_set, int64_t until_us, int64_t wall_us)
{
	return is_set && (until_us == 0 || wall_us < until_us);
}

bool sleep_setting_counts(const struct sleep_setting *set, int64_t wall_us)
{
	return counts(set->is_set, set->until_us, wall_us);
}

bool dim_setting_counts(const struct dim_setting *set, int64_t wall_us)
{
	return counts(set->is_set, set->until_us, wall_us);
}

static bool is_sleep_set(const struct moment *moment)
{
	return sleep_setting_counts(&moment->settings->sleep_set, moment->wall_us);
}

static bool is_dim_set(const struct moment *moment)
{
	return dim_setting_counts(&moment->settings->dim_set, moment->wall_us);
}

/* ---- what windows say, in their order ---- */

static void change_brightness(struct display_level *level, const struct plan_window *window, int by)
{
	int brightness = window->brightness;

	if (window->brightness_rule == PLAN_BRIGHTNESS_SHARE) {
		brightness = level->brightness * window->brightness / 100;
		brightness = brightness > 0 ? brightness : 1;
	}
	if (window->brightness_rule == PLAN_BRIGHTNESS_AT_MOST && brightness >= level->brightness)
		return;
	level->brightness = brightness;
	level->by.brightness = (int8_t)by;
}

static void apply(struct display_level *level, const struct plan_window *window, int by)
{
	if (window->says_dark) {
		level->is_asleep = window->is_dark;
		level->by.dark = (int8_t)by;
	}
	if (window->brightness_rule != PLAN_BRIGHTNESS_UNSAID)
		change_brightness(level, window, by);
	if (window->color_filter != COLOR_FILTER_INHERIT) {
		level->filter = window->color_filter;
		level->by.filter = (int8_t)by;
	}
	if (window->interval_s) {
		level->interval_s = window->interval_s;
		level->by.interval = (int8_t)by;
	}
	if (window->entry_position) {
		level->alone_position = window->entry_position;
		level->by.alone = (int8_t)by;
	}
}

static void leave_own(const struct display_settings *settings, struct plan_window *window)
{
	if (settings->plan_leaves_sleep)
		window->says_dark = false;
	if (settings->plan_leaves_brightness)
		window->brightness_rule = PLAN_BRIGHTNESS_UNSAID;
}

static void apply_windows(const struct moment *moment, struct display_level *level)
{
	bool is_dim_by_hand = is_dim_set(moment);

	for (int i = DISPLAY_BY_AUTO_DIM; i < moment->count; i++) {
		struct plan_window window;

		if ((i == DISPLAY_BY_DIM && is_dim_by_hand) || !is_open(moment, i))
			continue;
		window = *window_of(moment, i);
		if (i >= FIRST_WINDOWS)
			leave_own(moment->settings, &window);
		apply(level, &window, i);
		level->is_dimmed |= i == DISPLAY_BY_DIM;
	}
	if (is_dim_by_hand && moment->settings->dim_set.is_dimmed) {
		apply(level, &moment->first[DISPLAY_BY_DIM], DISPLAY_BY_ORDER);
		level->is_dimmed = true;
	}
}

/* Sleep comes first in the plan, but yields only to what was set by hand. The night's colours count
 * even if a push has woken the panel. */
static void apply_sleep(const struct moment *moment, struct display_level *level)
{
	const struct display_settings *settings = moment->settings;

	if (is_sleep_set(moment)) {
		level->is_asleep = level->is_night = settings->sleep_set.is_asleep;
		level->by.dark = DISPLAY_BY_ORDER;
	} else if (is_open(moment, DISPLAY_BY_SLEEP)) {
		level->is_asleep = level->is_night = true;
		level->by.dark = DISPLAY_BY_SLEEP;
	}
	if (level->is_night && settings->night_color_filter != COLOR_FILTER_INHERIT) {
		level->filter = settings->night_color_filter;
		level->by.filter = level->by.dark;
	}
}

/* ---- changes ---- */

static bool is_about(const struct plan_window *window, enum display_subject subject)
{
	if (window->days_off == WEEKDAYS_ALL)
		return false;
	if (subject == DISPLAY_DARKNESS)
		return window->says_dark;
	return subject == DISPLAY_ANY || window->brightness_rule != PLAN_BRIGHTNESS_UNSAID;
}

static uint32_t windows_about(const struct moment *moment, enum display_subject subject)
{
	uint32_t bits = 0;

	for (int i = 0; i < moment->count; i++)
		bits |= (uint32_t)is_about(window_of(moment, i), subject) << i;
	return bits;
}

/* Returns the time at which one of these windows can open or close next. Windows begin and end at
 * full minutes, and time zones change their offsets at full quarters of an hour: so the result is
 * the next boundary of a window, or the next quarter if that is earlier. */
static int64_t next_change_us(const struct moment *moment, uint32_t windows)
{
	int64_t wall_s = moment->wall_us / 1000000;
	int64_t next_s = QUARTER_S - wall_s % QUARTER_S;

	for (int i = 0; i < moment->count; i++) {
		const struct plan_window *window = window_of(moment, i);
		int64_t in_s;

		if (!(windows >> i & 1))
			continue;
		in_s = plan_window_next_s(window, &moment->sun, moment->local);
		if (in_s < next_s)
			next_s = in_s;
	}
	return (wall_s + next_s) * 1000000;
}

static uint32_t open_windows(const struct moment *moment, uint32_t windows)
{
	uint32_t open = 0;

	for (int i = 0; i < moment->count; i++) {
		if (windows >> i & 1)
			open |= (uint32_t)is_open(moment, i) << i;
	}
	return open;
}

static bool begins_anew(const struct moment *moment, uint32_t windows)
{
	struct local_time before = local_time_at(moment->settings->zone, moment->wall_us - 1000000);

	for (int i = 0; i < moment->count; i++) {
		if (windows >> i & 1 &&
		    plan_window_renews(window_of(moment, i), &moment->sun, before, moment->local))
			return true;
	}
	return false;
}

bool display_changes_at(const struct display_settings *settings, enum display_subject subject,
			int64_t wall_us, int64_t *ret_us)
{
	const int64_t until_us = wall_us + AHEAD_US;
	struct moment moment = moment_at(settings, wall_us);
	uint32_t windows = windows_about(&moment, subject);
	uint32_t open = open_windows(&moment, windows);

	while (windows && moment.wall_us < until_us) {
		set_time(&moment, next_change_us(&moment, windows));
		*ret_us = moment.wall_us;
		if (open_windows(&moment, windows) != open || begins_anew(&moment, windows))
			return true;
	}
	return false;
}

/* The database's constraints keep these numbers in the ranges of the smaller types. */
struct display_settings display_settings_of(const struct device *device,
					    const struct sleep_setting *sleep_set,
					    const struct dim_setting *dim_set,
					    const struct plan *plan)
{
	return (struct display_settings){
	    .zone = zones_find(device->timezone),
	    .plan = plan,
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
	    .panel_size = (uint8_t)panel_size_of(device->size),
	    .picture_limit_kb = (uint16_t)(device->picture_limit_bytes / 1000),
	    .color_filter = (uint8_t)color_filter_of(device->color_filter),
	    .night_color_filter = (uint8_t)color_filter_of(device->night_color_filter),
	    .dim_color_filter = (uint8_t)color_filter_of(device->dim_color_filter),
	};
}

/* Finds the time at which darkness can next change. Returns false if it does not. */
static bool darkness_changes_at(const struct display_settings *settings, int64_t wall_us,
				int64_t *ret_us)
{
	const struct sleep_setting *set = &settings->sleep_set;

	if (!counts(set->is_set, set->until_us, wall_us))
		return display_changes_at(settings, DISPLAY_DARKNESS, wall_us, ret_us);
	*ret_us = set->until_us;
	return set->until_us != 0;
}

bool display_wakes_at(const struct display_settings *settings, int64_t wall_us, int64_t *ret_us)
{
	const int64_t until_us = wall_us + AHEAD_US;
	bool is_asleep = display_level_at(settings, wall_us).is_asleep, was_asleep = is_asleep;

	*ret_us = wall_us;
	while (is_asleep && *ret_us < until_us && darkness_changes_at(settings, *ret_us, ret_us))
		is_asleep = display_level_at(settings, *ret_us).is_asleep;
	return was_asleep && !is_asleep;
}

/* until_us 0: without an end. */
static void end_at(struct display_level *level, int64_t until_us)
{
	if (until_us && until_us < level->valid_until_us)
		level->valid_until_us = until_us;
}

/* Whether no window and no order can change anything: most devices, whose polls shall cost little.
 */
static bool is_plain(const struct display_settings *settings)
{
	return !settings->plan && !settings->sleep_enabled && !settings->auto_dim &&
	       !settings->dim_enabled && !settings->sleep_set.is_set && !settings->dim_set.is_set;
}

/* Level without a plan, valid until the next quarter of an hour. */
static struct display_level plain_level(const struct display_settings *settings, int64_t wall_us)
{
	int64_t wall_s = wall_us / 1000000;

	return (struct display_level){
	    .brightness = settings->brightness,
	    .awake_brightness = settings->brightness,
	    .filter = settings->color_filter,
	    .interval_s = settings->schedule_interval_s,
	    .valid_until_us = (wall_s + QUARTER_S - wall_s % QUARTER_S) * 1000000,
	    .by = {DISPLAY_BY_DEVICE, DISPLAY_BY_DEVICE, DISPLAY_BY_DEVICE, DISPLAY_BY_DEVICE,
		   DISPLAY_BY_DEVICE},
	};
}

struct display_level display_level_at(const struct display_settings *settings, int64_t wall_us)
{
	struct display_level level = plain_level(settings, wall_us);
	struct moment moment;

	if (is_plain(settings))
		return level;
	moment = moment_at(settings, wall_us);
	level.valid_until_us = next_change_us(&moment, windows_about(&moment, DISPLAY_ANY));
	apply_windows(&moment, &level);
	apply_sleep(&moment, &level);
	if (settings->brightness == 0) {
		level.is_asleep = level.is_night = false;
		level.brightness = 0;
	}
	level.awake_brightness = level.brightness;
	if (level.is_asleep)
		level.brightness = 0;
	if (is_sleep_set(&moment))
		end_at(&level, settings->sleep_set.until_us);
	if (is_dim_set(&moment))
		end_at(&level, settings->dim_set.until_us);
	return level;
}
