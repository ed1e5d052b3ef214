/* Report of a panel's firmware about itself after it has connected ("client_info"). The text is
 * untrusted: a value that is too long, has control characters or is of a wrong type counts as not
 * reported. */
#pragma once

#include "domain/device_reference.h"
#include "domain/firmware.h"
#include "record/json.h"

enum {
	PANEL_TEXT_LENGTH_MAX = 64, /* code points */
	PANEL_TEXT_BYTES_MAX = 4 * PANEL_TEXT_LENGTH_MAX,
};

struct panel_report {
	/* Empty or 0: not reported. */
	struct str firmware_version;
	struct str firmware_type;
	int64_t protocol_version;
	struct str hostname;
	struct str ssid;
	int64_t wifi_signal_dbm;
	struct str mac_address;
	struct str settings; /* JSON object, see domain/firmware.h */
};

/* client_info: a JSON value of any kind. Texts stay in its document, settings lie in the arena. */
void panel_report_read(const struct json_value *client_info, struct arena *arena,
		       struct panel_report *ret_report);

/* Makes the report of a panel that polls, which reports only the version of its firmware. Returns
 * false if the version is invalid.
 */
bool panel_report_of_version(struct str version, struct panel_report *ret_report);

/* Whether a panel follows orders to restart and to move to another address. */
enum panel_orders {
	PANEL_ORDERS_UNKNOWN, /* its firmware has not reported its version */
	PANEL_ORDERS_NONE,    /* the firmware is older than 1.4.8 */
	PANEL_ORDERS_TAKEN,
};

enum panel_orders panel_orders_of(struct str firmware_version);
/* The same for orders to fetch new firmware, which 1.4.6 takes already. */
enum panel_orders panel_updates_of(struct str firmware_version);

/* Whether nothing was reported. */
bool panel_report_is_empty(const struct panel_report *report);
/* Finds the MAC address in the report. Returns false if there is none, or if it is not the
 * burned-in address of a network card. */
bool panel_report_mac(const struct panel_report *report, uint8_t ret_mac[static MAC_BYTES]);
