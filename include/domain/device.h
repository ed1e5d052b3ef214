/* Devices, as the public API shows and changes them. A new setting is a member and a line in the
 * record's table; DESIGN.md lists what else it needs. */
#pragma once

#include "record/record.h"

enum {
	DEVICE_NAME_LENGTH_MAX = 25,
	SCHEDULE_INTERVAL_MIN_S = 15,
	SCHEDULE_INTERVAL_MAX_S = 86400,
};

#define DEVICE_TIMEZONE_FAULT                                                                      \
	"must be the name of a time zone, such as Europe/Zagreb (upper and lower case count)"

struct device {
	struct id id;
	struct id account_id; /* not shown */
	struct str name;
	int64_t brightness;
	int64_t volume;
	int64_t last_online_us;
	bool auto_dim;
	struct str timezone;
	int64_t schedule_interval_s;
	bool sleep_enabled;
	int64_t sleep_start_minute;
	int64_t sleep_end_minute;
	int64_t generation;	   /* not shown */
	int64_t settings_revision; /* not shown but as the first half of the entity tag */
};

/* A row has all members. A body changes the settings that it names and leaves the others as they
 * are. */
extern const struct record device_record;

/* Checks a name that has the right length. NULL: it is good; else the fault ("must ..."). */
const char *device_name_check(struct str name);
