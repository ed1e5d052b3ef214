#include "domain/device.h"
#include "base/utf8.h"
#include "base/zones.h"

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
	return zones_find(name) ? NULL : DEVICE_TIMEZONE_FAULT;
}

static void change_check(void *body, uint64_t seen, struct faults *faults)
{
	(void)body;
	/* A body that has only unknown fields has a fault for each already. */
	if (seen == 0 && faults->count == 0)
		faults_add(faults, (struct str){0}, "must have at least one field to change");
}

static const struct record_field device_fields[] = {
    RECORD_ID(struct device, id, .name = "id", .column = "id"),
    RECORD_ID(struct device, account_id, .column = "account_id"),
    RECORD_STR(struct device, name, .name = "name", .body = "name", .column = "name", .minimum = 1,
	       .maximum = DEVICE_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_INT2(struct device, brightness, .name = "brightness", .body = "brightness",
		.column = "brightness", .minimum = 0, .maximum = 100),
    RECORD_INT2(struct device, volume, .name = "volume", .body = "volume", .column = "volume",
		.minimum = 0, .maximum = 100),
    RECORD_TIMESTAMP(struct device, last_online_us, .name = "lastOnline",
		     .column = "last_online_at", .is_past = true),
    RECORD_BOOL(struct device, auto_dim, .name = "autoDim", .body = "autoDim",
		.column = "auto_dim"),
    RECORD_STR(struct device, timezone, .name = "timezone", .body = "timezone",
	       .column = "timezone", .check = timezone_check),
    RECORD_INT4(struct device, schedule_interval_s, .name = "scheduleInterval",
		.body = "scheduleInterval", .column = "schedule_interval_s",
		.minimum = SCHEDULE_INTERVAL_MIN_S, .maximum = SCHEDULE_INTERVAL_MAX_S),
    RECORD_OPEN(.name = "sleep"),
    RECORD_BOOL(struct device, sleep_enabled, .name = "enabled", .body = "sleepEnabled",
		.column = "sleep_enabled"),
    RECORD_CLOCK(struct device, sleep_start_minute, .name = "start", .body = "sleepStart",
		 .column = "sleep_start_minute"),
    RECORD_CLOCK(struct device, sleep_end_minute, .name = "end", .body = "sleepEnd",
		 .column = "sleep_end_minute"),
    RECORD_CLOSE(),
    RECORD_INT8(struct device, generation, .column = "generation"),
    RECORD_INT8(struct device, settings_revision, .column = "settings_revision"),
};
const struct record device_record = RECORD(struct device, device_fields, .check = change_check);
