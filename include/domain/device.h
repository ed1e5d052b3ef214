/* Devices, as the public API shows and changes them. A new setting is a property in docs/api;
 * DESIGN.md lists what else it needs.
 *
 * A device is what a person owns, a panel is its display. The generation of a device grows with
 * every change that its panel can see; workers compare it to learn whether they have the newest
 * content. */
#pragma once

#include "domain/device_records.h"
#include "domain/panel_size.h"

enum {
	DEVICE_NAME_LENGTH_MAX = 25,
	NOTE_LENGTH_MAX = 1000, /* of a device, an entry */
	SCHEDULE_INTERVAL_MIN_S = 15,
	SCHEDULE_INTERVAL_MAX_S = 86400,
};

#define DEVICE_TIMEZONE_FAULT                                                                      \
	"must be the name of a time zone, such as Europe/Zagreb (upper and lower case count)"

/* Checks a name that has the right length. Returns NULL, or the fault ("must ..."). */
const char *device_name_check(struct str name);
/* Checks a language by the form of BCP 47, as device_name_check(). */
const char *device_locale_check(struct str locale);
/* Check a time zone, a serial number and a MAC address, as device_name_check(). */
const char *device_timezone_check(struct str name);
const char *device_serial_check(struct str serial);
const char *device_mac_check(struct str mac);
/* Smallest limit of picture bytes: each panel takes such a picture. */
enum { DEVICE_PICTURE_LIMIT_MIN = 60000 };
/* Whether a panel's limit of picture bytes may be set to this value. */
bool device_picture_limit_is_valid(int64_t bytes);
#define DEVICE_PICTURE_LIMIT_FAULT "must be 60000, 220000 or 460000"
