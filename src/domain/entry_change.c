#include "domain/entry_change.h"
#include "base/limits.h"
#include "domain/device.h"
#include "domain/schedule.h"

#include <text/utf8.h>

static bool read_display(const struct json_value *value, int64_t *ret_s)
{
	*ret_s = 0;
	return json_is_null(value) || (json_get_integer(value, ret_s) && *ret_s >= DISPLAY_MIN_S &&
				       *ret_s <= DISPLAY_MAX_S);
}

static bool read_clock(const struct json_value *value, int64_t *ret_minute)
{
	struct str text;

	return json_get_str(value, &text) && clock_parse(text, ret_minute);
}

static bool read_hours(const struct json_value *value, struct entry_change *change)
{
	unsigned count;

	change->start_minute = change->end_minute = -1;
	if (json_is_null(value))
		return true;
	return json_get_object(value, &count) && count == 2 &&
	       read_clock(json_member(value, "start"), &change->start_minute) &&
	       read_clock(json_member(value, "end"), &change->end_minute);
}

/* Returns the number of the weekday, or -1. */
static int read_weekday(const struct json_value *value, bool ignores_case)
{
	char lower[16];
	struct str name;

	if (!json_get_str(value, &name))
		return -1;
	if (!ignores_case || name.length > sizeof(lower))
		return weekday_parse(name);
	for (size_t i = 0; i < name.length; i++)
		lower[i] = name.data[i] >= 'A' && name.data[i] <= 'Z'
			       ? (char)(name.data[i] - 'A' + 'a')
			       : name.data[i];
	return weekday_parse((struct str){lower, name.length});
}

static bool read_weekdays(const struct json_value *value, bool is_lenient, int64_t *ret_weekdays)
{
	int64_t weekdays = 0;
	unsigned count;

	if (!json_get_array(value, &count) || count == 0 || count > WEEKDAYS)
		return false;
	for (unsigned i = 0; i < count; i++) {
		int weekday = read_weekday(json_array_item(value, i), is_lenient);

		if (weekday < 0 || (!is_lenient && weekdays >> weekday & 1))
			return false;
		weekdays |= 1 << weekday;
	}
	*ret_weekdays = weekdays;
	return true;
}

bool weekdays_read(const struct json_value *value, int64_t *ret_weekdays)
{
	return read_weekdays(value, false, ret_weekdays);
}

bool weekdays_read_any(const struct json_value *value, int64_t *ret_weekdays)
{
	return read_weekdays(value, true, ret_weekdays);
}

/* null: named by its app, or its ID. */
static bool read_name(const struct json_value *value, struct str *ret_name)
{
	*ret_name = STR("");
	return json_is_null(value) ||
	       (json_get_str(value, ret_name) && utf8_length(*ret_name) <= LIMIT_INSTALLATION_ID &&
		!device_name_check(*ret_name));
}

static void check_any(uint64_t seen, struct faults *faults)
{
	/* A body that has only unknown fields has a fault for each already. */
	if (seen == 0 && faults->count == 0)
		faults_add(faults, (struct str){0}, "must have at least one field to change");
}

void entry_change_check(void *body, uint64_t seen, struct faults *faults)
{
	struct entry_change *change = body;

	check_any(seen, faults);
	settings_read(change->settings_value, faults, &change->settings);
	change->present = seen;
	if (change->display && !read_display(change->display, &change->display_s))
		faults_add(faults, STR("displaySeconds"),
			   "must be null or an integer from %d to %d", DISPLAY_MIN_S,
			   DISPLAY_MAX_S);
	if (change->hours && !read_hours(change->hours, change))
		faults_add(faults, STR("hours"),
			   "must be null or an object with start and end, times of day as HH:mm");
	if (change->weekdays && !weekdays_read(change->weekdays, &change->weekdays_on))
		faults_add(
		    faults, STR("weekdays"),
		    "must be an array of at least one weekday, monday to sunday, none of them "
		    "twice");
	if (change->name && !read_name(change->name, &change->new_name))
		faults_add(faults, STR("name"),
			   "must be null or 1 to %d characters, one of them visible",
			   LIMIT_INSTALLATION_ID);
}

void night_change_check(void *body, uint64_t seen, struct faults *faults)
{
	struct night_change *change = body;
	struct str id;

	check_any(seen, faults);
	if (!change->installation || json_is_null(change->installation))
		return;
	if (json_get_str(change->installation, &id) && id.length > 0 &&
	    id.length <= 4 * LIMIT_INSTALLATION_ID && str_find(id, '\0') == id.length)
		change->installation_id = id;
	else
		faults_add(faults, STR("installationId"),
			   "must be null or the ID of an entry of the rotation");
}
