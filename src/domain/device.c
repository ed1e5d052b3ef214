#include "domain/device.h"
#include "base/zones.h"
#include "domain/device_reference.h"

#include <text/utf8.h>

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

#define LOCALE_FAULT "must be a language such as en or pt-BR"

const char *device_timezone_check(struct str name)
{
	return zones_find(name) ? NULL : DEVICE_TIMEZONE_FAULT;
}

/* Checks the form of BCP 47: a language, and subtags that distinguish its kinds. */
const char *device_locale_check(struct str locale)
{
	size_t part = 0;

	for (unsigned i = 0; locale.length || i == 0; i++) {
		size_t least = 2, most = i ? 8 : 3;

		part = str_find(locale, '-');
		if (i > 3 || part < least || part > most || part + 1 == locale.length)
			return LOCALE_FAULT;
		for (size_t j = 0; j < part; j++) {
			char c = locale.data[j];

			if (!((c >= 'a' && c <= 'z') ||
			      (i && ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))))
				return LOCALE_FAULT;
		}
		locale = str_from_offset(locale, part + (part < locale.length));
	}
	return NULL;
}

bool device_picture_limit_is_valid(int64_t bytes)
{
	return bytes == DEVICE_PICTURE_LIMIT_MIN || bytes == 220000 || bytes == 460000;
}

static void change_check(void *body, uint64_t seen, struct faults *faults)
{
	const struct device *change = body;
	int64_t limit = change->picture_limit_bytes;

	if (limit && !device_picture_limit_is_valid(limit))
		faults_add(faults, STR("pictureLimitBytes"), DEVICE_PICTURE_LIMIT_FAULT);
	/* A body that has only unknown fields has a fault for each already. */
	if (seen == 0 && faults->count == 0)
		faults_add(faults, (struct str){0}, "must have at least one field to change");
}

#define NAME_RULES .minimum = 1, .maximum = DEVICE_NAME_LENGTH_MAX, .check = device_name_check
#define BRIGHTNESS_RULES .minimum = 0, .maximum = 100

#define DEVICE_SHOWN_FIELDS                                                                        \
	RECORD_ID(struct device, id, .name = "id", .column = "id"),                                \
	    RECORD_STR(struct device, name, .name = "name", .body = "name", .column = "name",      \
		       NAME_RULES),                                                                \
	    RECORD_INT2(struct device, brightness, .name = "brightness", .body = "brightness",     \
			.column = "brightness", BRIGHTNESS_RULES),                                 \
	    RECORD_INT2(struct device, volume, .name = "volume", .body = "volume",                 \
			.column = "volume", .minimum = 0, .maximum = 100),                         \
	    RECORD_TIMESTAMP(struct device, last_online_us, .name = "lastOnline",                  \
			     .column = "last_online_at", .is_past = true),                         \
	    RECORD_BOOL(struct device, auto_dim, .name = "autoDim", .body = "autoDim",             \
			.column = "auto_dim"),                                                     \
	    RECORD_STR(struct device, timezone, .name = "timezone", .body = "timezone",            \
		       .column = "timezone", .check = device_timezone_check),                      \
	    RECORD_INT4(struct device, schedule_interval_s, .name = "scheduleInterval",            \
			.body = "scheduleInterval", .column = "schedule_interval_s",               \
			.minimum = SCHEDULE_INTERVAL_MIN_S, .maximum = SCHEDULE_INTERVAL_MAX_S),   \
	    RECORD_OPEN(.name = "sleep"),                                                          \
	    RECORD_BOOL(struct device, sleep_enabled, .name = "enabled", .body = "sleepEnabled",   \
			.column = "sleep_enabled"),                                                \
	    RECORD_CLOCK(struct device, sleep_start_minute, .name = "start", .body = "sleepStart", \
			 .column = "sleep_start_minute"),                                          \
	    RECORD_CLOCK(struct device, sleep_end_minute, .name = "end", .body = "sleepEnd",       \
			 .column = "sleep_end_minute"),                                            \
	    RECORD_CLOSE()

static const struct record_field device_shown_fields[] = {DEVICE_SHOWN_FIELDS};
const struct record device_shown_record = RECORD(struct device, device_shown_fields);

static const struct record_field device_fields[] = {
    DEVICE_SHOWN_FIELDS,
    RECORD_ID(struct device, account_id, .column = "account_id"),
    RECORD_INT4(struct device, picture_limit_bytes, .name = "pictureLimitBytes",
		.body = "pictureLimitBytes", .column = "picture_limit_bytes",
		.minimum = DEVICE_PICTURE_LIMIT_MIN, .maximum = 460000, .is_private = true),
    RECORD_STR(struct device, locale, .name = "locale", .body = "locale", .column = "locale",
	       .check = device_locale_check, .is_private = true),
    RECORD_BOOL(struct device, dim_enabled, .name = "dimEnabled", .body = "dimEnabled",
		.column = "dim_enabled", .is_private = true),
    RECORD_CLOCK(struct device, dim_start_minute, .name = "dimStart", .body = "dimStart",
		 .column = "dim_start_minute", .is_private = true),
    RECORD_INT2(struct device, dim_brightness, .name = "dimBrightness", .body = "dimBrightness",
		.column = "dim_brightness", .minimum = 0, .maximum = 100, .is_private = true),
    RECORD_BOOL(struct device, allows_own_key, .name = "allowsOwnKey", .body = "allowsOwnKey",
		.column = "allows_own_key", .is_private = true),
    RECORD_INT8(struct device, generation, .column = "generation"),
    RECORD_INT8(struct device, settings_revision, .column = "settings_revision"),
};
const struct record device_record = RECORD(struct device, device_fields, .check = change_check);
const struct record device_full_record =
    RECORD(struct device, device_fields, .check = change_check, .has_private = true);

static const struct record_field device_more_fields[] = {
    RECORD_BOOL(struct device_more, is_disabled, .name = "isDisabled", .column = "is_disabled"),
    RECORD_TIMESTAMP(struct device_more, created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_TIMESTAMP(struct device_more, connected_at_us, .name = "connectedAt",
		     .column = "connected_at", .nullable = true, .is_past = true),
    RECORD_STR(struct device_more, serial_number, .name = "serialNumber", .column = "serial",
	       .nullable = true),
    RECORD_STR(struct device_more, mac_address, .name = "macAddress", .column = "mac_text",
	       .nullable = true),
    RECORD_STR(struct device_more, alias, .name = "alias", .column = "alias", .nullable = true),
    RECORD_BOOL(struct device_more, is_moving, .name = "isMoving", .column = "is_moving"),
    RECORD_BOOL(struct device_more, is_untold, .column = "is_untold"),
    RECORD_OPEN(.name = "panel", .nullable = true,
		.offset = offsetof(struct device_more, is_untold)),
    RECORD_STR(struct device_more, firmware_version, .name = "firmwareVersion",
	       .column = "firmware_version", .nullable = true),
    RECORD_STR(struct device_more, firmware_type, .name = "firmwareType", .column = "firmware_type",
	       .nullable = true),
    RECORD_INT4(struct device_more, protocol_version, .name = "protocolVersion",
		.column = "protocol_version", .nullable = true),
    RECORD_STR(struct device_more, hostname, .name = "hostname", .column = "hostname",
	       .nullable = true),
    RECORD_STR(struct device_more, ssid, .name = "ssid", .column = "ssid", .nullable = true),
    RECORD_INT4(struct device_more, wifi_signal_dbm, .name = "wifiSignal", .column = "wifi_signal",
		.nullable = true),
    RECORD_TIMESTAMP(struct device_more, told_at_us, .name = "toldAt", .column = "told_at",
		     .is_past = true),
    RECORD_CLOSE(),
};
const struct record device_more_record = RECORD(struct device_more, device_more_fields);

const char *device_serial_check(struct str serial)
{
	return serial_is_valid(serial)
		   ? NULL
		   : "must have 1 to 32 letters, digits, \"-\" or \"_\", and must not look like a "
		     "MAC address or an ID";
}

const char *device_mac_check(struct str mac)
{
	uint8_t bytes[MAC_BYTES];

	return mac_parse(mac, bytes) ? NULL : "must be a MAC address such as 08:00:2b:01:02:03";
}

static const struct record_field device_creation_fields[] = {
    RECORD_STR(struct device_creation, name, .body = "name", .required = true, NAME_RULES),
    RECORD_STR(struct device_creation, timezone, .body = "timezone", .required = true,
	       .check = device_timezone_check),
    RECORD_STR(struct device_creation, serial_number, .body = "serialNumber", .minimum = 1,
	       .maximum = SERIAL_LENGTH_MAX, .check = device_serial_check),
    RECORD_STR(struct device_creation, mac_address, .body = "macAddress", .minimum = 2 * MAC_BYTES,
	       .maximum = MAC_TEXT_LENGTH, .check = device_mac_check),
};
const struct record device_creation_record = RECORD(struct device_creation, device_creation_fields);
