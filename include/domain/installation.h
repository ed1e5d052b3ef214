/* Installations: the pictures and apps of a device's rotation, as the public API shows them.
 *
 * An installation is an entry of a rotation. Its creation number (column position) is the
 * generation of the device when it was made, and never changes: rotation states name by it the
 * entry that a panel showed last. Its rank orders the rotation: it is the creation number until
 * somebody reorders the entries. */
#pragma once

#include "base/limits.h"
#include "record/record.h"

struct installation {
	struct str id;
	struct id app_id; /* zero for a pushed image */
	struct str app_name;
	int64_t created_at_us;
	bool is_pushed;
};

extern const struct record installation_record;

/* Options that the owner of an entry sets, in addition to the settings of an app. */
struct entry_options {
	struct str name; /* empty: none of its own */
	bool is_enabled;
	int64_t display_s;   /* 0: as the schedule interval says */
	struct str hours;    /* JSON; empty: the whole day */
	struct str weekdays; /* JSON */
	bool is_pinned;
};

extern const struct record entry_options_record;

/* Installation with everything that its owner sets. */
struct installation_detail {
	struct installation installation;
	struct entry_options options;
	struct str settings;   /* JSON: without secrets; data is NULL for a pushed image */
	struct str secrets;    /* JSON: names of secrets that have a value */
	int64_t expires_at_us; /* 0: never */
};

/* Answers only. */
extern const struct record installation_detail_record;

/* Returns a positive number that identifies these options, the settings with this hash and the end
 * (0: none). */
int64_t installation_revision(const struct entry_options *options, struct str settings_hash,
			      int64_t expires_at_us);

/* Rotation as the pages show it. */
struct rotation {
	struct str entries;   /* JSON */
	struct str temporary; /* JSON */
	struct str night_installation_id;
	int64_t night_brightness;
	bool is_asleep; /* the device, now */
};

extern const struct record rotation_record;

/* Names of the entries of several rotations, if they differ from the IDs. */
struct entry_names {
	struct str entries; /* JSON */
};

extern const struct record entry_names_record;

/* Body: all entries of a rotation, in their new order. */
struct rotation_order {
	const struct json_value *order;
	struct str ids[LIMIT_DEVICE_INSTALLATIONS]; /* after the check */
	unsigned count;				    /* after the check */
};

extern const struct record rotation_order_record;
