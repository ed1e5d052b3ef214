/* Settings that owners change of an entry of a rotation, and of the entry for the night. */
#pragma once

#include "domain/settings.h"
#include "record/record.h"

enum { DISPLAY_MIN_S = 5, DISPLAY_MAX_S = 86400 };

/* A body; what it does not name stays as it is. */
struct entry_change {
	bool is_enabled;
	bool is_pinned;
	const struct json_value *display;
	const struct json_value *hours;
	const struct json_value *weekdays;
	const struct json_value *name;
	const struct json_value *settings_value;
	/* After the check, where they were given: */
	int64_t display_s;		  /* 0: as the schedule interval says */
	int64_t start_minute, end_minute; /* both -1: the whole day */
	int64_t weekdays_on;		  /* bit 0: Monday; never 0 */
	struct str new_name;		  /* "": none of its own */
	bool sets_enabled, sets_pinned;
	struct settings settings;
};

extern const struct record entry_change_record;
/* The same body with the settings of an app. */
extern const struct record installation_change_record;

/* Reads an array of weekdays' names, "monday" to "sunday": bit 0 is Monday. False: it is empty, has
 * one twice, or something else. */
__attribute__((warn_unused_result)) bool weekdays_read(const struct json_value *value,
						       int64_t *ret_weekdays);

/* Body with settings of the night; what it does not name stays as it is. */
struct night_change {
	const struct json_value *installation;
	int64_t brightness; /* 0: it was not given */
	/* After the check, where it was given: */
	struct str installation_id; /* data is NULL: no entry */
};

extern const struct record night_change_record;
