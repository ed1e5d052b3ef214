#include "domain/v0.h"
#include "domain/look.h"
#include "domain/schedule.h"

bool v0_entry_id_is_bare(struct str id)
{
	for (size_t i = 0; i < id.length; i++) {
		char c = id.data[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
			return false;
	}
	return id.length == V0_ENTRY_ID_LENGTH;
}

/* ---- devices ---- */

void v0_device_add_level(struct v0_device *shown, struct display_level level)
{
	if (!level.is_asleep)
		return;
	shown->is_asleep = true;
	shown->is_dimmed = false;
}

const char *v0_dim_start_check(struct str text)
{
	int64_t minute;

	return text.length == 0 || clock_parse(text, &minute)
		   ? NULL
		   : "must be a time of day from 00:00 to 23:59 as HH:mm, or empty";
}

#define SHOWN_BITS (((UINT64_C(1) << V0_DEVICE_SHOWN) - 1) << V0_DEVICE_CHANGE_SHOWN_0_FIELD)

bool v0_device_change_shows(uint64_t present)
{
	return present & SHOWN_BITS;
}

bool v0_device_change_sets(uint64_t present)
{
	return present & ~SHOWN_BITS;
}

void v0_device_change_check(void *body, uint64_t seen, struct faults *faults)
{
	struct v0_device_change *change = body;

	(void)faults;
	change->sets_dim = seen >> V0_DEVICE_CHANGE_DIM_START_FIELD & 1;
	change->sets_pinned = seen >> V0_DEVICE_CHANGE_PINNED_ENTRY_FIELD & 1;
	change->sets_night = seen >> V0_DEVICE_CHANGE_NIGHT_ENTRY_FIELD & 1;
	change->sets_night_brightness = seen >> V0_DEVICE_CHANGE_NIGHT_BRIGHTNESS_FIELD & 1;
	change->sets_asleep = seen >> V0_DEVICE_CHANGE_IS_ASLEEP_FIELD & 1;
	change->sets_dimmed = seen >> V0_DEVICE_CHANGE_IS_DIMMED_FIELD & 1;
	change->settings.dim_enabled =
	    clock_parse(change->dim_start, &change->settings.dim_start_minute);
}

/* Members that dimModeStartTime sets. */
static const struct record_field dim_fields[] = {
    RECORD_BOOL(struct v0_device_change, settings.dim_enabled, .body = "dimEnabled"),
    RECORD_CLOCK(struct v0_device_change, settings.dim_start_minute, .body = "dimStart"),
};
static const struct record dim_record = RECORD(struct v0_device_change, dim_fields);

uint64_t v0_device_change_present(const struct v0_device_change *change, uint64_t present)
{
	uint64_t dim = change->sets_dim ? change->settings.dim_enabled ? 3 : 1 : 0;

	return record_present_as(&v0_device_change_record, present, &device_record) |
	       record_present_as(&dim_record, dim, &device_record);
}

/* ---- installations ---- */

bool v0_installation_change_shows(uint64_t present)
{
	return present >> V0_INSTALLATION_CHANGE_SHOWN_0_FIELD &
	       ((UINT64_C(1) << V0_INSTALLATION_SHOWN) - 1);
}

static bool read_display(const struct json_value *value, int64_t *ret_s)
{
	return json_get_integer(value, ret_s) &&
	       (*ret_s == 0 || (*ret_s >= DISPLAY_MIN_S && *ret_s <= DISPLAY_MAX_S));
}

/* Reads a time of day; "" clears it. */
static void read_clock(const struct json_value *value, const char *name, int64_t *ret_minute,
		       struct faults *faults)
{
	struct str text = {0};

	*ret_minute = -1;
	if (value &&
	    (!json_get_str(value, &text) || (text.length && !clock_parse(text, ret_minute))))
		faults_add(faults, str_from(name),
			   "must be a time of day from 00:00 to 23:59 as HH:mm, or empty");
}

/* An empty list means each day. */
static void read_days(struct entry_change *entry, struct faults *faults)
{
	unsigned count;

	if (json_get_array(entry->weekdays, &count) && count == 0)
		entry->weekdays_on = WEEKDAYS_ALL;
	else if (!weekdays_read_any(entry->weekdays, &entry->weekdays_on))
		faults_add(faults, STR("days"),
			   "must be an array of at most 7 weekdays, monday to sunday");
}

/* Reads a filter's name; "" stands for inherit. */
static void read_filter(const struct json_value *value, struct entry_change *entry,
			struct faults *faults)
{
	const char *fault = "must be a string";

	if (json_get_str(value, &entry->color_filter)) {
		if (entry->color_filter.length == 0)
			entry->color_filter = STR("inherit");
		fault = color_filter_check_inherited(entry->color_filter);
	}
	if (fault)
		faults_add(faults, STR("colorFilter"), "%s", fault);
	entry->present |= 1 << ENTRY_CHANGE_COLOR_FILTER_FIELD;
}

/* An animation that is cut short although its app wants it whole has no counterpart here. */
static void read_whole(const struct json_value *value, struct entry_change *entry,
		       struct faults *faults)
{
	struct str text = {0};

	json_get_str(value, &text);
	entry->present |= 1 << ENTRY_CHANGE_PLAYS_WHOLE_FIELD;
	entry->plays_whole = str_equal(text, STR("true"));
	if (!entry->plays_whole && !str_equal(text, STR("auto")))
		faults_add(faults, STR("showFullAnimation"), "must be \"true\" or \"auto\"");
}

void v0_installation_change_check(void *body, uint64_t seen, struct faults *faults)
{
	struct v0_installation_change *change = body;
	struct entry_change *entry = &change->entry;

	entry->present = (seen >> V0_INSTALLATION_CHANGE_ENTRY_IS_ENABLED_FIELD & 1)
			     << ENTRY_CHANGE_IS_ENABLED_FIELD |
			 (seen >> V0_INSTALLATION_CHANGE_ENTRY_IS_PINNED_FIELD & 1)
			     << ENTRY_CHANGE_IS_PINNED_FIELD |
			 (seen >> V0_INSTALLATION_CHANGE_ENTRY_PINS_ITSELF_FIELD & 1)
			     << ENTRY_CHANGE_PINS_ITSELF_FIELD;
	settings_read_any(entry->settings_value, STR("config"), faults, &entry->settings);
	if (entry->display && !read_display(entry->display, &entry->display_s))
		faults_add(faults, STR("displayTimeSec"), "must be 0 or an integer from %d to %d",
			   DISPLAY_MIN_S, DISPLAY_MAX_S);
	if (change->filter)
		read_filter(change->filter, entry, faults);
	if (change->whole)
		read_whole(change->whole, entry, faults);
	read_clock(change->start, "startTime", &change->start_minute, faults);
	read_clock(change->end, "endTime", &change->end_minute, faults);
	if (entry->weekdays)
		read_days(entry, faults);
}

bool v0_needs_hours(const struct v0_installation_change *change)
{
	return !change->start != !change->end;
}

/* Returns the start or end of the stored hours. */
static int64_t hours_member(const struct json_value *hours, const char *name)
{
	struct str text;
	int64_t minute;

	return json_get_str(json_member(hours, name), &text) && clock_parse(text, &minute) ? minute
											   : -1;
}

static void keep_hours(struct v0_installation_change *change, struct str hours, struct arena *arena)
{
	struct json_document document = {0};
	struct str reason;

	if (json_parse(hours, arena, &document, &reason)) {
		if (!change->start)
			change->start_minute = hours_member(document.root, "start");
		if (!change->end)
			change->end_minute = hours_member(document.root, "end");
	}
	json_document_finish(&document);
}

void v0_set_hours(struct v0_installation_change *change, struct str hours, struct arena *arena)
{
	struct entry_change *entry = &change->entry;

	if (!change->start && !change->end)
		return;
	if (v0_needs_hours(change) && hours.length)
		keep_hours(change, hours, arena);
	entry->hours = change->start ?: change->end;
	entry->start_minute = change->start_minute;
	entry->end_minute = change->end_minute;
	if (entry->start_minute < 0 && entry->end_minute < 0)
		return;
	if (entry->start_minute < 0)
		entry->start_minute = 0;
	if (entry->end_minute < 0)
		entry->end_minute = 0;
}
