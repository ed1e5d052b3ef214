/* Devices, as the public API shows them. */
#pragma once

#include "record/record.h"

enum {
	DEVICE_NAME_LENGTH_MAX = 25,
	SCHEDULE_INTERVAL_MIN_S = 15,
	SCHEDULE_INTERVAL_MAX_S = 86400,
};

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
};

/* A row has the columns in the order of the struct. */
extern const struct record device_record;

/* NULL, or what is wrong with a name that has the right length. */
const char *device_name_check(struct str name);
