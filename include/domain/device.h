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
	int64_t generation; /* not shown */
};

/* A row has the columns in the order of the struct. */
extern const struct record device_record;

/* The body of a change: what is absent stays as it is. Bits of what is present: enum device_field.
 */
struct device_change {
	struct str name;
	int64_t brightness;
	int64_t volume;
	bool auto_dim;
	struct str timezone;
	int64_t schedule_interval_s;
	bool sleep_enabled;
	int64_t sleep_start_minute;
	int64_t sleep_end_minute;
};

enum device_field {
	DEVICE_FIELD_NAME,
	DEVICE_FIELD_BRIGHTNESS,
	DEVICE_FIELD_VOLUME,
	DEVICE_FIELD_AUTO_DIM,
	DEVICE_FIELD_TIMEZONE,
	DEVICE_FIELD_SCHEDULE_INTERVAL,
	DEVICE_FIELD_SLEEP_ENABLED,
	DEVICE_FIELD_SLEEP_START,
	DEVICE_FIELD_SLEEP_END,
};

extern const struct record device_change_record;

/* NULL, or what is wrong with a name that has the right length. */
const char *device_name_check(struct str name);
