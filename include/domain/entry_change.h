/* Changes of a rotation entry, and of the night entry, by their owners. */
#pragma once

#include "domain/settings.h"

/* The check of struct entry_change sets the members that are not from outside: present, the bits of
 * what the body has; display_s, 0: as the schedule interval says; start_minute and end_minute, both
 * -1: the whole day; weekdays_on, bit 0: Monday, never 0; new_name, "": none of its own. */
#include "domain/entry_change_records.h"

enum { DISPLAY_MIN_S = 5, DISPLAY_MAX_S = 86400 };

/* Reads an array of weekdays' names, "monday" to "sunday": bit 0 is Monday. Returns false if it is
 * empty, or has a repeated or invalid name. */
__attribute__((warn_unused_result)) bool weekdays_read(const struct json_value *value,
						       int64_t *ret_weekdays);

/* Works as weekdays_read(), as programs for tronbyt servers write them: in any case, and repeated.
 */
__attribute__((warn_unused_result)) bool weekdays_read_any(const struct json_value *value,
							   int64_t *ret_weekdays);
