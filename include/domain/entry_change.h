/* Changes of a rotation entry, and of the night entry, by their owners. */
#pragma once

#include "domain/entry_change_records.h"
#include "domain/settings.h"

enum { DISPLAY_MIN_S = 5, DISPLAY_MAX_S = 86400 };

/* Body; settings that it does not name stay as they are. */
struct entry_change {
	bool is_enabled;
	bool is_pinned;
	const struct json_value *display;
	const struct json_value *hours;
	const struct json_value *weekdays;
	struct str note;
	struct str color_filter;
	bool plays_whole;
	bool pins_itself;
	struct str recurrence_rule, recurrence_start;
	const struct json_value *name;
	const struct json_value *settings_value;
	/* After the check, if they were given: */
	int64_t display_s;		  /* 0: as the schedule interval says */
	int64_t start_minute, end_minute; /* both -1: the whole day */
	int64_t weekdays_on;		  /* bit 0: Monday; never 0 */
	struct str new_name;		  /* "": none of its own */
	bool sets_enabled, sets_pinned, sets_note, sets_color_filter, sets_plays_whole,
	    sets_pins_itself, sets_recurrence_rule, sets_recurrence_start;
	struct settings settings;
};

/* Reads an array of weekdays' names, "monday" to "sunday": bit 0 is Monday. Returns false if it is
 * empty, or has a repeated or invalid name. */
__attribute__((warn_unused_result)) bool weekdays_read(const struct json_value *value,
						       int64_t *ret_weekdays);

/* Works as weekdays_read(), as programs for tronbyt servers write them: in any case, and repeated.
 */
__attribute__((warn_unused_result)) bool weekdays_read_any(const struct json_value *value,
							   int64_t *ret_weekdays);
