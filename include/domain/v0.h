/* Devices and installations in the form of /v0. Programs that use it are never changed, so their
 * bodies are read leniently: null and {} mean that a member was left out. A member without a
 * counterpart in displayd is a fault, since no request without effect is answered 200. */
#pragma once

#include "domain/device.h"
#include "domain/display.h"
#include "domain/entry_change.h"
#include "domain/installation.h"
#include "domain/v0_records.h"

/* Length of a UUID without dashes. */
enum { V0_ENTRY_ID_LENGTH = 2 * ID_BYTES };

/* Whether an ID may be that of an app's installation without its dashes. */
bool v0_entry_id_is_bare(struct str id);

/* Members that only show, such as nightMode: a change may have them as they are shown. Those that
 * change by themselves, such as lastSeen, may have any value of their type. */
enum { V0_DEVICE_SHOWN = 7, V0_INSTALLATION_SHOWN = 11 };

/* Adds darkness that windows of the device's plan cause: what the database says of the sleep window
 * and of orders by hand stays. */
void v0_device_add_level(struct v0_device *shown, struct display_level level);

/* A change of a device. */
struct v0_device_change {
	struct device settings; /* first member: record_present_as() compares offsets */
	struct str dim_start;	/* empty: no longer dimmed */
	struct str pinned_entry;
	struct str night_entry;
	int64_t night_brightness;
	bool is_asleep, is_dimmed;
	const struct json_value *shown[V0_DEVICE_SHOWN];
	/* After the check: */
	bool sets_dim, sets_pinned, sets_night, sets_night_brightness, sets_asleep, sets_dimmed;
};

/* Whether a body has members that only show, and whether it has others. present: bits of the
 * change's record. */
bool v0_device_change_shows(uint64_t present);
bool v0_device_change_sets(uint64_t present);
/* Adds a fault for each member that only shows and is not as the device shows it. */
void v0_device_change_check_shown(const struct v0_device_change *change,
				  const struct v0_device *device, struct faults *faults);

/* Bits of device_record that the change sets. present: bits of the change's own record. */
uint64_t v0_device_change_present(const struct v0_device_change *change, uint64_t present);

/* A change of an installation. Settings replace all stored ones. */
struct v0_installation_change {
	struct entry_change entry; /* hours: set by v0_set_hours() */
	const struct json_value *start, *end;
	const struct json_value *filter, *whole;
	const struct json_value *interval; /* must be the one that is shown */
	const struct json_value *shown[V0_INSTALLATION_SHOWN];
	/* After the check, if they were given; -1: no start, or no end. */
	int64_t start_minute, end_minute;
};

/* Whether a body has members that only show. present: bits of the change's record. */
bool v0_installation_change_shows(uint64_t present);
/* Adds a fault for each member that only shows and is not as the installation shows it. */
void v0_installation_change_check_shown(const struct v0_installation_change *change,
					const struct v0_installation *installation,
					struct faults *faults);

/* Whether the change depends on the stored hours. */
bool v0_needs_hours(const struct v0_installation_change *change);
/* Sets the entry's hours from the change and the stored hours: JSON, or empty. A missing start or
 * end is midnight. */
void v0_set_hours(struct v0_installation_change *change, struct str hours, struct arena *arena);
