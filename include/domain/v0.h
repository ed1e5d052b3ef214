/* Devices and installations in the form of /v0. Programs that use it are never changed, so their
 * bodies are read leniently: null and {} mean that a member was left out. A member without a
 * counterpart in displayd is a fault, since no request without effect is answered 200. */
#pragma once

#include "domain/device.h"
#include "domain/entry_change.h"
#include "domain/installation.h"

/* Length of a UUID without dashes. */
enum { V0_ENTRY_ID_LENGTH = 2 * ID_BYTES };

/* Whether an ID may be that of an app's installation without its dashes. */
bool v0_entry_id_is_bare(struct str id);

/* A device as /v0 shows it. A row has all members. */
struct v0_device {
	struct id id;
	struct str name;
	int64_t schedule_interval_s;
	int64_t brightness;
	bool auto_dim;
	bool sleep_enabled;
	struct str night_entry; /* ID of an entry; empty: none */
	int64_t sleep_start_minute;
	int64_t sleep_end_minute;
	int64_t night_brightness;
	bool is_asleep;	      /* now */
	int64_t set_until_us; /* until when it was set so; 0: it was not, or without an end */
	bool dim_enabled, is_dimmed;
	int64_t dim_until_us; /* until when it was set so; 0: it was not, or without an end */
	struct str dim_start; /* empty: not dimmed */
	int64_t dim_brightness;
	struct str pinned_entry; /* ID of an entry; empty: none */
	int64_t last_seen_us;	 /* 0: never */
	struct str firmware_version;
	struct str firmware_type;
	int64_t protocol_version;
	struct str mac_address;
	int64_t settings_revision; /* not shown */
	/* Members without a counterpart in displayd stay zero. */
	struct str no_text;
	bool is_never;
};

extern const struct record device_v0_record;

/* Members that only show, such as nightMode: a change may have them as they are shown. Those that
 * change by themselves, such as lastSeen, may have any value of their type. */
enum { V0_DEVICE_SHOWN = 8, V0_INSTALLATION_SHOWN = 5 };

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

extern const struct record v0_device_change_record;

/* Whether a body has members that only show, and whether it has others. present: bits of the
 * change's record. */
bool v0_device_change_shows(uint64_t present);
bool v0_device_change_sets(uint64_t present);
/* Adds a fault for each member that only shows and is not as the device shows it. */
void v0_device_change_check_shown(const struct v0_device_change *change,
				  const struct v0_device *device, struct faults *faults);

/* Bits of device_record that the change sets. present: bits of the change's own record. */
uint64_t v0_device_change_present(const struct v0_device_change *change, uint64_t present);

/* An installation as /v0 shows it. A row has all members. */
struct v0_installation {
	struct str id;
	struct str app_slug; /* data is NULL: it was pushed */
	bool is_enabled;
	bool is_pinned;
	bool is_pushed;
	int64_t render_interval_min; /* interval that its app recommends; 0: none */
	int64_t display_s;	     /* 0: as the schedule interval says */
	int64_t rendered_s;	     /* Unix time; 0: never */
	bool is_inactive;
	struct str start, end; /* times of day; empty: none */
	struct str days;       /* JSON */
	/* Members without a counterpart in displayd stay zero. */
	struct str no_text;
	int64_t no_number;
	bool is_never;
};

extern const struct record installation_v0_record;

/* Members of an installation that cannot be changed here: a change may name what is so. */
enum { V0_INSTALLATION_FIXED = 8 };

/* A change of an installation. Settings replace all stored ones. */
struct v0_installation_change {
	struct entry_change entry; /* hours: set by v0_set_hours() */
	const struct json_value *start, *end;
	const struct json_value *interval; /* must be the one that is shown */
	const struct json_value *fixed[V0_INSTALLATION_FIXED];
	const struct json_value *shown[V0_INSTALLATION_SHOWN];
	/* After the check, if they were given; -1: no start, or no end. */
	int64_t start_minute, end_minute;
};

extern const struct record v0_installation_change_record;

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

/* Settings of a panel's firmware: displayd has none of them, so each member is a fault. */
struct v0_firmware_change {
	bool is_empty;
};

extern const struct record v0_firmware_change_record;
