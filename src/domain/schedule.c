#include "domain/schedule.h"

/* 1 January 1970 was a Thursday. */
enum { DAY_S = DAY_MINUTES * 60, FIRST_WEEKDAY = 3 };

struct local_time local_time_at(const struct zone *zone, int64_t wall_us)
{
	int64_t wall_s = wall_us / 1000000;
	int64_t local_s = wall_s + zone_offset_s(zone, wall_s);

	return (struct local_time){
	    .second = (int32_t)(local_s % DAY_S),
	    .weekday = (int32_t)((local_s / DAY_S + FIRST_WEEKDAY) % WEEKDAYS),
	};
}

int64_t local_time_until_s(struct local_time local, int minute)
{
	int64_t in_s = (int64_t)minute * 60 - local.second;

	return in_s > 0 ? in_s : in_s + DAY_S;
}

bool local_time_is_within(struct local_time local, int start_minute, int end_minute)
{
	int minute = local.second / 60;

	if (start_minute < end_minute)
		return minute >= start_minute && minute < end_minute;
	return minute >= start_minute || minute < end_minute;
}

bool schedule_is_on(const struct schedule *schedule, struct local_time local)
{
	int weekday = local.weekday;

	if (schedule->has_hours) {
		int minute = local.second / 60;

		if (!local_time_is_within(local, schedule->start_minute, schedule->end_minute))
			return false;
		/* Begun yesterday. */
		if (schedule->start_minute >= schedule->end_minute &&
		    minute < schedule->start_minute)
			weekday = (weekday + WEEKDAYS - 1) % WEEKDAYS;
	}
	return (schedule->days_off >> weekday & 1) == 0;
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
