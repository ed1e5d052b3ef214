#include "domain/device.h"
#include "base/utf8.h"
#include "base/zones.h"

static const struct record_field device_fields[] = {
    RECORD_ID(struct device, id, .name = "id", .column = "id"),
    RECORD_ID(struct device, account_id, .column = "account_id"),
    RECORD_STR(struct device, name, .name = "name", .column = "name"),
    RECORD_INT(struct device, brightness, .name = "brightness", .column = "brightness"),
    RECORD_INT(struct device, volume, .name = "volume", .column = "volume"),
    RECORD_TIMESTAMP(struct device, last_online_us, .name = "lastOnline",
		     .column = "last_online_at"),
    RECORD_BOOL(struct device, auto_dim, .name = "autoDim", .column = "auto_dim"),
    RECORD_STR(struct device, timezone, .name = "timezone", .column = "timezone"),
    RECORD_INT(struct device, schedule_interval_s, .name = "scheduleInterval",
	       .column = "schedule_interval_s"),
    RECORD_OPEN(.name = "sleep"),
    RECORD_BOOL(struct device, sleep_enabled, .name = "enabled", .column = "sleep_enabled"),
    RECORD_CLOCK(struct device, sleep_start_minute, .name = "start",
		 .column = "sleep_start_minute"),
    RECORD_CLOCK(struct device, sleep_end_minute, .name = "end", .column = "sleep_end_minute"),
    RECORD_CLOSE(),
    RECORD_INT(struct device, generation, .column = "generation"),
};
const struct record device_record = RECORD(device_fields);

const char *device_name_check(struct str name)
{
	bool has_visible = false;

	while (name.length) {
		uint32_t c = utf8_next(&name);

		if (utf8_is_control(c))
			return "must not contain control characters";
		has_visible |= !utf8_is_space(c);
	}
	return has_visible ? NULL : "must have a character that is not white space";
}

static const char *timezone_check(struct str name)
{
	return zones_find(name) ? NULL : "must be the name of a time zone";
}

static void device_change_check(void *body, uint64_t seen, struct faults *faults)
{
	(void)body;
	/* A body of unknown fields only has been told so already. */
	if (seen == 0 && faults->count == 0)
		faults_add(faults, (struct str){0}, "must have at least one field to change");
}

static const struct record_field device_change_fields[] = {
    [DEVICE_FIELD_NAME] = RECORD_STR(struct device_change, name, .name = "name", .minimum = 1,
				     .maximum = DEVICE_NAME_LENGTH_MAX, .check = device_name_check),
    [DEVICE_FIELD_BRIGHTNESS] = RECORD_INT(struct device_change, brightness, .name = "brightness",
					   .minimum = 0, .maximum = 100),
    [DEVICE_FIELD_VOLUME] =
	RECORD_INT(struct device_change, volume, .name = "volume", .minimum = 0, .maximum = 100),
    [DEVICE_FIELD_AUTO_DIM] = RECORD_BOOL(struct device_change, auto_dim, .name = "autoDim"),
    [DEVICE_FIELD_TIMEZONE] =
	RECORD_STR(struct device_change, timezone, .name = "timezone", .check = timezone_check),
    [DEVICE_FIELD_SCHEDULE_INTERVAL] =
	RECORD_INT(struct device_change, schedule_interval_s, .name = "scheduleInterval",
		   .minimum = SCHEDULE_INTERVAL_MIN_S, .maximum = SCHEDULE_INTERVAL_MAX_S),
    [DEVICE_FIELD_SLEEP_ENABLED] =
	RECORD_BOOL(struct device_change, sleep_enabled, .name = "sleepEnabled"),
    [DEVICE_FIELD_SLEEP_START] =
	RECORD_CLOCK(struct device_change, sleep_start_minute, .name = "sleepStart"),
    [DEVICE_FIELD_SLEEP_END] =
	RECORD_CLOCK(struct device_change, sleep_end_minute, .name = "sleepEnd"),
};
const struct record device_change_record =
    RECORD(device_change_fields, .check = device_change_check);
