#include "domain/plan.h"

/* Clock times of windows by the sun that cross midnight, see the header. */
enum {
	MORNING_MINUTE = 12 * 60, /* before: sunset to it crosses; from here on: it to sunrise */
	NIGHT_MINUTE = 3 * 60,	  /* before: sunrise to it crosses */
	LATE_MINUTE = 21 * 60,	  /* from here on: it to sunset crosses */
	NO_PLACE_SUNRISE = 6 * 60,
	NO_PLACE_SUNSET = 18 * 60,
};

static const struct sun_day without_place = {NO_PLACE_SUNRISE, NO_PLACE_SUNSET, true};

struct sun_day plan_sun_at(const struct plan *plan, const struct zone *zone, int32_t day)
{
	return plan && plan->has_sun && plan->has_place ? sun_day_at(plan->place, zone, day)
							: without_place;
}

struct sun_day plan_sun_today(const struct plan *plan, const struct zone *zone, int64_t wall_us)
{
	return plan->has_place ? sun_day_at(plan->place, zone, local_time_at(zone, wall_us).day)
			       : without_place;
}

static bool crosses_midnight(const struct plan_window *window)
{
	struct plan_time from = window->from, to = window->to;

	if (from.kind == to.kind)
		return from.minute >= to.minute;
	if (from.kind == PLAN_CLOCK)
		return from.minute >= (to.kind == PLAN_SUNRISE ? MORNING_MINUTE : LATE_MINUTE);
	if (to.kind == PLAN_CLOCK)
		return to.minute < (from.kind == PLAN_SUNSET ? MORNING_MINUTE : NIGHT_MINUTE);
	return from.kind == PLAN_SUNSET;
}

static int minute_of(struct plan_time time, const struct sun_day *sun)
{
	int minute;

	if (time.kind == PLAN_CLOCK)
		return time.minute;
	minute = (time.kind == PLAN_SUNRISE ? sun->sunrise : sun->sunset) +
		 (sun->has_both ? time.minute : 0);
	if (minute < 0)
		return 0;
	return minute > DAY_MINUTES ? DAY_MINUTES : minute;
}

/* Finds the hours of the window on that day. Returns false if it is left out. */
static bool find_hours(const struct plan_window *window, const struct sun_day *sun,
		       struct schedule *ret_hours)
{
	int from = minute_of(window->from, sun), to = minute_of(window->to, sun);

	if (window->days_off == WEEKDAYS_ALL)
		return false;
	if (crosses_midnight(window)) {
		/* It does not end before it begins again: 24 hours. */
		if (to > from)
			to = from;
	} else if (to <= from) {
		return false;
	}
	*ret_hours = (struct schedule){
	    .has_hours = true,
	    .days_off = window->days_off,
	    .start_minute = (int16_t)from,
	    .end_minute = (int16_t)to,
	};
	return true;
}

bool plan_window_is_open(const struct plan_window *window, const struct sun_day *sun,
			 struct local_time local)
{
	struct schedule hours;

	return find_hours(window, sun, &hours) && schedule_is_on(&hours, local);
}

int64_t plan_window_next_s(const struct plan_window *window, const struct sun_day *sun,
			   struct local_time local)
{
	struct schedule hours = {0};

	(void)find_hours(window, sun, &hours);
	return schedule_next_s(&hours, local);
}

bool plan_window_renews(const struct plan_window *window, const struct sun_day *sun,
			struct local_time before, struct local_time local)
{
	struct schedule hours;
	int start_s;

	if (!find_hours(window, sun, &hours) || hours.start_minute != hours.end_minute ||
	    !schedule_is_on(&hours, local))
		return false;
	start_s = hours.start_minute * 60;
	return local.second >= start_s && (before.day != local.day || before.second < start_s);
}
