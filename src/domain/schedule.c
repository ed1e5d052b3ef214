#include "domain/schedule.h"

/* 1 January 1970 was a Thursday. */
enum { DAY_S = DAY_MINUTES * 60, FIRST_WEEKDAY = 3 };

/* Upper bound of the time by which clocks are put back. */
enum { PUT_BACK_MAX_S = 3 * 3600, CHANGES_MAX = 4 };

int weekday_parse(struct str name)
{
	static const char *const names[WEEKDAYS] = {"monday", "tuesday",  "wednesday", "thursday",
						    "friday", "saturday", "sunday"};

	for (int i = 0; i < WEEKDAYS; i++) {
		if (str_equal(name, str_from(names[i])))
			return i;
	}
	return -1;
}

static int minute_of(int64_t local_s)
{
	return (int)(local_s % DAY_S / 60);
}

/* Finds out whether the local time comes twice, because clocks will be put back soon or were put
 * back recently. */
static void find_repetition(const struct zone *zone, int64_t wall_s, struct local_time *local)
{
	int64_t from_s = wall_s - PUT_BACK_MAX_S, until_s = wall_s + PUT_BACK_MAX_S;
	struct zone_change changes[CHANGES_MAX];
	unsigned count;

	if (!zone || zone_offset_s(zone, from_s) <= zone_offset_s(zone, until_s))
		return;
	count = zone_changes(zone, from_s, until_s, changes, CHANGES_MAX);
	for (unsigned i = 1; i < count; i++) {
		int64_t at_s = changes[i].at_s;
		int back_s = changes[i - 1].offset_s - changes[i].offset_s;

		if (wall_s < at_s - back_s || wall_s >= at_s + back_s)
			continue;
		local->repeated_from = (int16_t)minute_of(at_s + changes[i].offset_s);
		local->repeated_until = (int16_t)minute_of(at_s + changes[i - 1].offset_s);
		local->is_second = wall_s >= at_s;
	}
}

struct local_time local_time_at(const struct zone *zone, int64_t wall_us)
{
	int64_t wall_s = wall_us / 1000000;
	int64_t local_s = wall_s + zone_offset_s(zone, wall_s);
	struct local_time local = {
	    .second = (int32_t)(local_s % DAY_S),
	    .day = (int32_t)(local_s / DAY_S),
	    .weekday = (int32_t)((local_s / DAY_S + FIRST_WEEKDAY) % WEEKDAYS),
	};

	find_repetition(zone, wall_s, &local);
	return local;
}

int64_t local_time_until_s(struct local_time local, int minute)
{
	int64_t in_s = (int64_t)minute * 60 - local.second;

	return in_s > 0 ? in_s : in_s + DAY_S;
}

static bool is_between(int minute, int start_minute, int end_minute)
{
	minute = (minute + DAY_MINUTES) % DAY_MINUTES;
	if (start_minute < end_minute)
		return minute >= start_minute && minute < end_minute;
	return minute >= start_minute || minute < end_minute;
}

/* Whether hours have begun and not ended, although the clock was put back before them. */
static bool goes_on(struct local_time local, int start_minute, int end_minute)
{
	bool lasts_to_its_end = is_between(local.repeated_until - 1, start_minute, end_minute);

	if (local.repeated_from == local.repeated_until)
		return false;
	if (local.is_second)
		return lasts_to_its_end;
	return !lasts_to_its_end && is_between(local.repeated_from - 1, start_minute, end_minute) &&
	       is_between(local.repeated_from, start_minute, end_minute);
}

bool local_time_is_within(struct local_time local, int start_minute, int end_minute)
{
	return is_between(local.second / 60, start_minute, end_minute) ||
	       goes_on(local, start_minute, end_minute);
}

static bool recurs_on(const struct schedule *schedule, int day)
{
	int bit = day - schedule->recurs_from;

	return schedule->recurs_from == 0 ||
	       (bit >= 0 && bit < SCHEDULE_KNOWN_DAYS && schedule->recurs_on >> bit & 1);
}

bool schedule_is_on(const struct schedule *schedule, struct local_time local)
{
	int days_ago = 0;

	if (schedule->has_hours) {
		int minute = local.second / 60;

		if (!local_time_is_within(local, schedule->start_minute, schedule->end_minute))
			return false;
		/* The hours began yesterday, unless they began before clocks were put back. */
		if (schedule->start_minute >= schedule->end_minute &&
		    minute < schedule->start_minute &&
		    (!local.is_second || minute < schedule->end_minute))
			days_ago = 1;
	}
	return (schedule->days_off >> (local.weekday + WEEKDAYS - days_ago) % WEEKDAYS & 1) == 0 &&
	       recurs_on(schedule, local.day - days_ago);
}

int64_t schedule_next_s(const struct schedule *schedule, struct local_time local)
{
	int64_t next_s = local_time_until_s(local, 0);
	const int boundaries[] = {schedule->start_minute, schedule->end_minute};

	for (unsigned i = 0; schedule->has_hours && i < 2; i++) {
		int64_t in_s = local_time_until_s(local, boundaries[i]);

		if (in_s < next_s)
			next_s = in_s;
	}
	return next_s;
}
