#include "domain/panel_report.h"
#include "base/memory.h"
#include "domain/device.h"
#include "record/record.h"

#include <text/utf8.h>

#define TEXT(member, name_text)                                                                    \
	RECORD_STR(struct panel_report, member, .body = (name_text), .minimum = 1,                 \
		   .maximum = PANEL_TEXT_LENGTH_MAX, .check = device_name_check)

static const struct record_field fields[] = {
    TEXT(firmware_version, "firmware_version"),
    TEXT(firmware_type, "firmware_type"),
    RECORD_INT(struct panel_report, protocol_version, .body = "protocol_version", .minimum = 0,
	       .maximum = 1000 * 1000),
    TEXT(hostname, "hostname"),
    TEXT(ssid, "ssid"),
    RECORD_INT(struct panel_report, wifi_signal_dbm, .body = "rssi", .minimum = -150,
	       .maximum = -1),
    TEXT(mac_address, "mac"),
};
static const struct record record = RECORD(struct panel_report, fields);

/* Returns the settings as JSON; an empty text if there are none. */
static struct str read_settings(const struct json_value *client_info, struct arena *arena)
{
	struct buffer json = {0};
	struct str settings = {0};

	firmware_settings_read(client_info, &json);
	if (buffer_length(&json) > strlen("{}"))
		settings = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	return settings;
}

void panel_report_read(const struct json_value *client_info, struct arena *arena,
		       struct panel_report *ret_report)
{
	struct faults ignored;
	uint64_t present;

	*ret_report = (struct panel_report){0};
	faults_init(&ignored, arena);
	if (json_is_object(client_info))
		record_read_json(&record, client_info, ret_report, &present, &ignored);
	ret_report->settings = read_settings(client_info, arena);
}

bool panel_report_of_version(struct str version, struct panel_report *ret_report)
{
	*ret_report = (struct panel_report){.firmware_version = version};
	return version.length && utf8_is_valid(version) &&
	       utf8_length(version) <= PANEL_TEXT_LENGTH_MAX && !device_name_check(version);
}

/* Takes a number and a following dot from the front of the text. Returns false if there is no
 * number. */
static bool next_number(struct str *rest, unsigned *ret_number)
{
	enum { NUMBER_MAX = 100 * 1000 };
	size_t digits = 0;

	*ret_number = 0;
	while (digits < rest->length && rest->data[digits] >= '0' && rest->data[digits] <= '9' &&
	       *ret_number < NUMBER_MAX)
		*ret_number = 10 * *ret_number + (unsigned)(rest->data[digits++] - '0');
	*rest = str_from_offset(
	    *rest, digits + (digits < rest->length && rest->data[digits] == '.' ? 1 : 0));
	return digits > 0;
}

/* Compares a version with the first one of some ability. */
static enum panel_orders compare(struct str firmware_version, const unsigned first[static 3])
{
	struct str rest = firmware_version;
	unsigned number;

	if (rest.length && (rest.data[0] == 'v' || rest.data[0] == 'V'))
		rest = str_from_offset(rest, 1);
	for (unsigned i = 0; i < 3; i++) {
		if (!next_number(&rest, &number) && i == 0)
			return PANEL_ORDERS_UNKNOWN;
		if (number != first[i])
			return number > first[i] ? PANEL_ORDERS_TAKEN : PANEL_ORDERS_NONE;
	}
	return PANEL_ORDERS_TAKEN;
}

enum panel_orders panel_orders_of(struct str firmware_version)
{
	return compare(firmware_version, (const unsigned[]){1, 4, 8});
}

enum panel_orders panel_updates_of(struct str firmware_version)
{
	return compare(firmware_version, (const unsigned[]){1, 4, 6});
}

bool panel_report_is_empty(const struct panel_report *report)
{
	return !report->firmware_version.length && !report->firmware_type.length &&
	       !report->protocol_version && !report->hostname.length && !report->ssid.length &&
	       !report->wifi_signal_dbm && !report->mac_address.length && !report->settings.length;
}

bool panel_report_mac(const struct panel_report *report, uint8_t ret_mac[static MAC_BYTES])
{
	static const uint8_t zero[MAC_BYTES];

	/* The lowest bit of the first byte marks group addresses (IEEE 802). */
	return mac_parse(report->mac_address, ret_mac) && !(ret_mac[0] & 1) &&
	       memcmp(ret_mac, zero, MAC_BYTES) != 0;
}
