/* Hours and days in which an entry of a rotation is shown, in the local time of its device.
 * Pure.
 *
 * When clocks are put back, some local time comes twice. Hours that have begun continue through the
 * repeated time: hours from 2:30 to 3:30 begin at the first 2:30 and end at the only 3:30; hours
 * from 22:00 to 2:30 end at the second 2:30.
 *
 * Hours that cross midnight belong to the weekday on which they begin: 22:00 to 02:00 on Mondays
 * ends on Tuesdays. Hours with equal start and end last 24 hours. */
#pragma once

#include "base/zone.h"

#include <stdbool.h>
#include <stdint.h>
#include <text/str.h>

enum {
	SCHEDULE_KNOWN_DAYS = 15, /* of recurs_on: each costs the database */
	WEEKDAYS = 7,
	WEEKDAYS_ALL = (1 << WEEKDAYS) - 1, /* bit 0: Monday */
	DAY_MINUTES = 24 * 60,
};

/* All zero: always. */
struct schedule {
	bool has_hours;
	uint8_t days_off; /* bit 0: Monday */
	int16_t start_minute, end_minute;
	int32_t recurs_from; /* day since 1970 of bit 0 of recurs_on; 0: each day recurs */
	int64_t recurs_on;   /* the days of the entry's recurrence rule; later ones are not known */
};

struct local_time {
	int32_t second;	 /* of the day */
	int32_t weekday; /* 0: Monday */
	int32_t day;	 /* since 1970 */
	/* A local time that comes twice lies between these minutes of the day; equal: it does not.
	 */
	int16_t repeated_from, repeated_until;
	bool is_second; /* it comes for the second time */
};

/* Returns 0 for "monday"; -1 if it is not a weekday. */
int weekday_parse(struct str name);

/* zone: NULL is UTC. */
struct local_time local_time_at(const struct zone *zone, int64_t wall_us);

/* Whether the entry is shown at that time. */
bool schedule_is_on(const struct schedule *schedule, struct local_time local);

/* Returns the seconds until schedule_is_on() can change while the zone keeps its offset; at least
 * 1. */
int64_t schedule_next_s(const struct schedule *schedule, struct local_time local);

/* Returns the seconds until it is next so many minutes after midnight; at least 1.
 */
int64_t local_time_until_s(struct local_time local, int minute);

/* Whether a time of day lies between start and end. The end may be on the next day; if both are
 * equal, always true. */
bool local_time_is_within(struct local_time local, int start_minute, int end_minute);
