/* Devices, as the public API shows and changes them. A new setting is a member and a line in the
 * record's table; DESIGN.md lists what else it needs.
 *
 * A device is what a person owns, a panel is its display. The generation of a device grows with
 * every change that its panel can see; workers compare it to learn whether they have the newest
 * content. */
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
	/* Members that the public API does not have: */
	int64_t picture_limit_bytes; /* limit of the panel's board */
	struct str locale;	     /* locale of its apps */
	bool dim_enabled;	     /* from dim_start_minute to the end of its sleep window */
	int64_t dim_start_minute;
	int64_t dim_brightness;
	bool allows_own_key;	   /* the key of its URLs may use /v0 for this device */
	int64_t generation;	   /* not shown */
	int64_t settings_revision; /* shown only as the first half of the entity tag */
};

/* A row has all members. A body changes the settings that it names and leaves the others as they
 * are. */
extern const struct record device_record;
/* Members that the public API shows in lists; the others of such a row stay 0. So lists are small,
 * and their entity tags stay if nothing that they show has changed. */
extern const struct record device_shown_record;
/* All members, as the owner's pages show them: with those that the public API does not have. */
extern const struct record device_full_record;

/* Members of a device that only the owner's pages show. */
struct device_more {
	bool is_disabled;
	int64_t created_at_us;
	int64_t connected_at_us;  /* first connection of its panel; 0: none yet */
	struct str serial_number; /* empty: none */
	struct str mac_address;	  /* empty: none */
	struct str alias;	  /* former address of an imported device; empty: none */
	bool is_moving;		  /* its panel was sent another address */
	bool is_untold;		  /* its panel has not reported anything about itself */
	/* Values that the panel has reported, all untrusted; empty or 0: not reported. */
	struct str firmware_version;
	struct str firmware_type;
	int64_t protocol_version;
	struct str hostname;
	struct str ssid;
	int64_t wifi_signal_dbm;
	int64_t told_at_us;
};

/* A row has all members. An answer has them after those of the device. */
extern const struct record device_more_record;

/* New device. Members that a body leaves out are empty. */
struct device_creation {
	struct str name;
	struct str timezone;
	struct str serial_number;
	struct str mac_address;
};

extern const struct record device_creation_record;

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
