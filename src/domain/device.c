#include "domain/device.h"
#include "base/utf8.h"

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
