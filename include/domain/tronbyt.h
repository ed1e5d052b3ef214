/* Reads the export of a tronbyt server: a device, or an account with its devices.
 *
 *   JSON --tronbyt_read()--> struct tronbyt_export: members with a counterpart here
 *                       `--> its notes: what has none, is too long, out of range or of another
 *                            type, and why
 *                       `--> faults: the file as a whole is no export
 *
 * Files of its version 1 have objects instead of arrays, 0 and 1, whole hours, and levels of
 * brightness. A device that cannot be imported does not stop the others. The file is untrusted.
 * Texts stay in the document or lie in the arena. */
#pragma once

#include "base/limits.h"
#include "domain/device_reference.h"
#include "domain/settings.h"
#include "record/record.h"

#include <stdarg.h>

enum {
	TRONBYT_DEVICES_MAX = 100,
	TRONBYT_ENTRIES_MAX = 2000, /* of all devices */
	TRONBYT_NOTES_MAX = 5000,   /* of all devices */
	TRONBYT_KEY_LENGTH_MAX = 256,
	TRONBYT_KEY_LENGTH_STRONG = 16, /* least length of a key that decides between devices */
	TRONBYT_LEVEL_MAX = 5,		/* of brightness */
};

/* Member that is not imported, or was changed. */
struct tronbyt_note {
	struct str device; /* its name */
	struct str entry;  /* data is NULL: it is about the device */
	struct str what;   /* in words */
	struct str why;
};

extern const struct record tronbyt_note_record;

/* Device of a report. */
struct tronbyt_shown {
	struct str former_id, name;
	struct id id; /* all zero: not made */
	struct str state;
	int64_t entries, entries_in_file;
	struct str alias, websocket_url, polling_url, key;
	bool alias_needs_key;
};

extern const struct record tronbyt_shown_record;

/* Notes of a device. */
struct tronbyt_notes {
	struct tronbyt_note *list;
	unsigned count;
	unsigned dropped; /* number of notes without room, which are not in the list */
	unsigned room;	  /* private */
};

struct tronbyt_entry {
	struct str former_id; /* ID at the other server; empty: none */
	struct str shown;     /* name for notes */
	struct str app;	      /* slug or name of its app, or folder of a user's own app */
	struct str path;      /* of the app's script; empty: none */
	struct str name;      /* empty: none of its own */
	struct str note;      /* empty: none, or it is the name */
	struct str color_filter;
	struct settings settings;
	bool is_enabled;
	bool plays_whole, pins_itself;
	struct str recurrence_rule, recurrence_start; /* "": none */
	bool is_pinned;
	bool is_night;
	int64_t display_s;		  /* 0: as the schedule interval says */
	int64_t start_minute, end_minute; /* both -1: the whole day */
	int64_t weekdays;		  /* bit 0: Monday; never 0 */
	int64_t order;
};

struct tronbyt_device {
	bool is_unusable; /* it has a name and former_id only */
	struct str former_id;
	struct str alias; /* address of its panel; data is NULL: it cannot be kept */
	bool is_guessable;
	struct str name;
	struct str timezone;
	struct str place; /* empty: none */
	struct str locale;
	struct str board; /* empty: the file has none */
	struct str size;  /* of its panel: that of the board */
	struct str brightness_curve;
	struct str color_filter, night_color_filter, dim_color_filter;
	struct str note; /* empty: none */
	struct str key;	 /* empty: none */
	bool needs_key;	 /* its panel showed the key there */
	int64_t brightness;
	int64_t schedule_interval_s;
	bool sleep_enabled;
	int64_t sleep_start_minute, sleep_end_minute;
	int64_t night_brightness;
	bool dim_enabled;
	int64_t dim_start_minute, dim_brightness;
	struct tronbyt_entry *entries; /* in their order */
	unsigned entry_count;
	unsigned entries_in_file; /* including those that cannot be imported */
	struct tronbyt_notes notes;
};

struct tronbyt_export {
	struct arena *arena; /* of notes */
	struct tronbyt_device *devices;
	unsigned device_count;
	unsigned note_count; /* in the lists of all devices, at most TRONBYT_NOTES_MAX */
	unsigned most_notes; /* private: no device has more */
};

/* Adds a note to a device of the export. If there are TRONBYT_NOTES_MAX, it takes the place of the
 * last note of the device that has most; that device is the given one if no other has more. So a
 * device loses notes only if it has more than its share. Copies only the text that the format
 * makes. */
__attribute__((format(printf, 5, 6))) void tronbyt_note(struct tronbyt_export *export,
							struct tronbyt_device *device,
							struct str entry, struct str what,
							const char *why, ...);
/* The same with the arguments of the format. */
__attribute__((format(printf, 5, 0))) void tronbyt_note_args(struct tronbyt_export *export,
							     struct tronbyt_device *device,
							     struct str entry, struct str what,
							     const char *why, va_list args);

/* Body: the export itself. */
struct tronbyt_body {
	const struct json_value *root;
	struct tronbyt_export export; /* after the check */
};

extern const struct record tronbyt_body_record;

/* Call it when it is known whether the night entry is imported. Without one a panel here is dark in
 * its sleep window, while the other server only dimmed it: so the device is dimmed instead, if
 * possible.
 */
void tronbyt_settle_night(struct tronbyt_export *export, struct tronbyt_device *device,
			  bool has_entry);

/* Reads an export. Texts lie in the arena of faults. If there are no faults, there is at least one
 * device. */
void tronbyt_read(const struct json_value *root, struct faults *faults,
		  struct tronbyt_export *ret_export);
