#include "domain/v0.h"
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

static const struct record_field device_fields[] = {
    RECORD_ID(struct v0_device, id, .name = "id", .column = "id"),
    RECORD_STR(struct v0_device, no_text, .name = "type", .nullable = true, .none = "other"),
    RECORD_STR(struct v0_device, name, .name = "displayName", .column = "name"),
    RECORD_STR(struct v0_device, no_text, .name = "notes", .nullable = true, .none = ""),
    RECORD_INT4(struct v0_device, schedule_interval_s, .name = "intervalSec",
		.column = "schedule_interval_s"),
    RECORD_INT2(struct v0_device, brightness, .name = "brightness", .column = "brightness"),
    RECORD_BOOL(struct v0_device, auto_dim, .name = "autoDim", .column = "auto_dim"),
    RECORD_OPEN(.name = "nightMode"),
    RECORD_BOOL(struct v0_device, sleep_enabled, .name = "enabled", .column = "sleep_enabled"),
    RECORD_BOOL(struct v0_device, is_asleep, .name = "active", .column = "is_asleep"),
    RECORD_TIMESTAMP(struct v0_device, set_until_us, .name = "overrideUntil",
		     .column = "asleep_until", .nullable = true),
    RECORD_STR(struct v0_device, night_entry, .name = "app", .column = "night_entry"),
    RECORD_CLOCK(struct v0_device, sleep_start_minute, .name = "startTime",
		 .column = "sleep_start_minute"),
    RECORD_CLOCK(struct v0_device, sleep_end_minute, .name = "endTime",
		 .column = "sleep_end_minute"),
    RECORD_INT2(struct v0_device, night_brightness, .name = "brightness",
		.column = "night_brightness"),
    RECORD_CLOSE(),
    RECORD_OPEN(.name = "dimMode"),
    RECORD_BOOL(struct v0_device, dim_enabled, .name = "enabled", .column = "dim_enabled"),
    RECORD_BOOL(struct v0_device, is_dimmed, .name = "active", .column = "is_dimmed"),
    RECORD_TIMESTAMP(struct v0_device, dim_until_us, .name = "overrideUntil",
		     .column = "dimmed_until", .nullable = true),
    RECORD_STR(struct v0_device, dim_start, .name = "startTime", .column = "dim_start",
	       .nullable = true),
    RECORD_INT2(struct v0_device, dim_brightness, .name = "brightness", .column = "dim_brightness"),
    RECORD_CLOSE(),
    RECORD_STR(struct v0_device, pinned_entry, .name = "pinnedApp", .column = "pinned_entry"),
    RECORD_OPEN(.name = "interstitial"),
    RECORD_BOOL(struct v0_device, is_never, .name = "enabled"),
    RECORD_STR(struct v0_device, no_text, .name = "app", .nullable = true, .none = ""),
    RECORD_CLOSE(),
    RECORD_TIMESTAMP(struct v0_device, last_seen_us, .name = "lastSeen", .column = "last_seen_at",
		     .nullable = true, .is_past = true),
    RECORD_OPEN(.name = "info"),
    RECORD_STR(struct v0_device, firmware_version, .name = "firmwareVersion",
	       .column = "firmware_version", .nullable = true, .none = ""),
    RECORD_STR(struct v0_device, firmware_type, .name = "firmwareType", .column = "firmware_type",
	       .nullable = true, .none = ""),
    RECORD_INT4(struct v0_device, protocol_version, .name = "protocolVersion",
		.column = "protocol_version", .nullable = true),
    RECORD_STR(struct v0_device, mac_address, .name = "macAddress", .column = "mac_text",
	       .nullable = true, .none = ""),
    RECORD_CLOSE(),
    RECORD_INT8(struct v0_device, settings_revision, .column = "settings_revision"),
};
const struct record device_v0_record = RECORD(struct v0_device, device_fields);

/* Whether the value, as JSON, is one of these, separated by spaces. */
static bool is_one_of(const struct json_value *value, const char *words)
{
	struct str rest = str_from(words), word;
	struct buffer json = {0};
	bool is = false;

	json_write_value(&json, value);
	while (!is && str_next(&rest, ' ', &word))
		is = str_equal(word, buffer_view(&json));
	buffer_finish(&json);
	return is;
}

/* A member without a counterpart here: only what GET returns for it is accepted. */
struct fixed_member {
	const char *name, *words;
};

static void check_fixed(const struct json_value *const *values, const struct fixed_member *members,
			size_t count, struct faults *faults)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] && !is_one_of(values[i], members[i].words))
			faults_add(faults, str_from(members[i].name),
				   "cannot be changed here, must be %s or left out",
				   members[i].words);
}

static const char *dim_start_check(struct str text)
{
	int64_t minute;

	return text.length == 0 || clock_parse(text, &minute)
		   ? NULL
		   : "must be a time of day from 00:00 to 23:59 as HH:mm, or empty";
}

enum {
	FIELD_DIM_START,
	FIELD_PINNED,
	FIELD_NIGHT,
	FIELD_NIGHT_BRIGHTNESS,
	FIELD_ASLEEP,
	FIELD_DIMMED,
	FIELD_SHOWN, /* the first of those that only show */
	FIELD_SHOWN_END = FIELD_SHOWN + V0_DEVICE_SHOWN
};

#define SHOWN_BITS (((UINT64_C(1) << V0_DEVICE_SHOWN) - 1) << FIELD_SHOWN)

bool v0_device_change_shows(uint64_t present)
{
	return present & SHOWN_BITS;
}

bool v0_device_change_sets(uint64_t present)
{
	return present & ~SHOWN_BITS;
}

#define PERCENT .minimum = 0, .maximum = 100
#define SHOWN(name) .body = name, .is_alias = true
#define ENTRY_ID .minimum = 0, .maximum = LIMIT_INSTALLATION_ID

static void device_change_check(void *body, uint64_t seen, struct faults *faults)
{
	struct v0_device_change *change = body;

	(void)faults;
	change->sets_dim = seen >> FIELD_DIM_START & 1;
	change->sets_pinned = seen >> FIELD_PINNED & 1;
	change->sets_night = seen >> FIELD_NIGHT & 1;
	change->sets_night_brightness = seen >> FIELD_NIGHT_BRIGHTNESS & 1;
	change->sets_asleep = seen >> FIELD_ASLEEP & 1;
	change->sets_dimmed = seen >> FIELD_DIMMED & 1;
	change->settings.dim_enabled =
	    clock_parse(change->dim_start, &change->settings.dim_start_minute);
}

static const struct record_field device_change_fields[] = {
    [FIELD_DIM_START] = RECORD_STR(struct v0_device_change, dim_start, .body = "dimModeStartTime",
				   .check = dim_start_check),
    [FIELD_PINNED] =
	RECORD_STR(struct v0_device_change, pinned_entry, .body = "pinnedApp", ENTRY_ID),
    [FIELD_NIGHT] =
	RECORD_STR(struct v0_device_change, night_entry, .body = "nightModeApp", ENTRY_ID),
    [FIELD_NIGHT_BRIGHTNESS] = RECORD_INT2(struct v0_device_change, night_brightness,
					   .body = "nightModeBrightness", PERCENT),
    [FIELD_ASLEEP] = RECORD_BOOL(struct v0_device_change, is_asleep, .body = "nightModeActive"),
    [FIELD_DIMMED] = RECORD_BOOL(struct v0_device_change, is_dimmed, .body = "dimModeActive"),
    [FIELD_SHOWN] = RECORD_ANY(struct v0_device_change, shown[0], SHOWN("id")),
    RECORD_ANY(struct v0_device_change, shown[1], SHOWN("type")),
    RECORD_ANY(struct v0_device_change, shown[2], SHOWN("notes")),
    RECORD_ANY(struct v0_device_change, shown[3], SHOWN("nightMode")),
    RECORD_ANY(struct v0_device_change, shown[4], SHOWN("dimMode")),
    RECORD_ANY(struct v0_device_change, shown[5], SHOWN("interstitial")),
    RECORD_ANY(struct v0_device_change, shown[6], SHOWN("lastSeen")),
    RECORD_ANY(struct v0_device_change, shown[7], SHOWN("info")),
    RECORD_STR(struct v0_device_change, settings.name, .body = "displayName", .minimum = 1,
	       .maximum = DEVICE_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_INT4(struct v0_device_change, settings.schedule_interval_s, .body = "intervalSec",
		.minimum = SCHEDULE_INTERVAL_MIN_S, .maximum = SCHEDULE_INTERVAL_MAX_S),
    RECORD_INT2(struct v0_device_change, settings.brightness, .body = "brightness", PERCENT),
    RECORD_BOOL(struct v0_device_change, settings.auto_dim, .body = "autoDim"),
    RECORD_BOOL(struct v0_device_change, settings.sleep_enabled, .body = "nightModeEnabled"),
    RECORD_CLOCK(struct v0_device_change, settings.sleep_start_minute,
		 .body = "nightModeStartTime"),
    RECORD_CLOCK(struct v0_device_change, settings.sleep_end_minute, .body = "nightModeEndTime"),
    RECORD_INT2(struct v0_device_change, settings.dim_brightness, .body = "dimModeBrightness",
		PERCENT),
};
const struct record v0_device_change_record =
    RECORD(struct v0_device_change, device_change_fields, .empty_is_absent = true,
	   .check = device_change_check);

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

static const struct record_field installation_fields[] = {
    RECORD_STR(struct v0_installation, id, .name = "id", .column = "id"),
    RECORD_STR(struct v0_installation, app_slug, .name = "appID", .column = "app_slug",
	       .nullable = true, .none = "pushed"),
    RECORD_BOOL(struct v0_installation, is_enabled, .name = "enabled", .column = "is_enabled"),
    RECORD_BOOL(struct v0_installation, is_pinned, .name = "pinned", .column = "is_pinned"),
    RECORD_BOOL(struct v0_installation, is_pushed, .name = "pushed", .column = "is_pushed"),
    RECORD_INT4(struct v0_installation, render_interval_min, .name = "renderIntervalMin",
		.column = "render_interval_min"),
    RECORD_INT4(struct v0_installation, display_s, .name = "displayTimeSec", .column = "display_s"),
    RECORD_INT8(struct v0_installation, rendered_s, .name = "lastRenderAt", .column = "rendered_s"),
    RECORD_BOOL(struct v0_installation, is_inactive, .name = "isInactive", .column = "is_inactive"),
    RECORD_STR(struct v0_installation, start, .name = "startTime", .column = "start_time"),
    RECORD_STR(struct v0_installation, end, .name = "endTime", .column = "end_time"),
    RECORD_JSON(struct v0_installation, days, .name = "days", .column = "days"),
    RECORD_BOOL(struct v0_installation, is_never, .name = "useCustomRecurrence"),
    RECORD_STR(struct v0_installation, no_text, .name = "recurrenceType", .nullable = true,
	       .none = "daily"),
    RECORD_INT(struct v0_installation, no_number, .name = "recurrenceInterval"),
    RECORD_STR(struct v0_installation, no_text, .name = "recurrencePattern", .nullable = true),
    RECORD_STR(struct v0_installation, no_text, .name = "recurrenceStartDate", .nullable = true,
	       .none = ""),
    RECORD_STR(struct v0_installation, no_text, .name = "recurrenceEndDate", .nullable = true,
	       .none = ""),
    RECORD_BOOL(struct v0_installation, is_never, .name = "autoPin"),
    RECORD_STR(struct v0_installation, no_text, .name = "colorFilter", .nullable = true,
	       .none = "none"),
    RECORD_STR(struct v0_installation, no_text, .name = "showFullAnimation", .nullable = true,
	       .none = "auto"),
};
const struct record installation_v0_record = RECORD(struct v0_installation, installation_fields);

static const struct fixed_member installation_fixed[V0_INSTALLATION_FIXED] = {
    {"useCustomRecurrence", "false"},
    {"recurrenceType", "\"daily\""},
    {"recurrenceInterval", "0 1"},
    {"recurrenceStartDate", "\"\""},
    {"recurrenceEndDate", "\"\""},
    {"autoPin", "false"},
    {"colorFilter", "\"none\" \"inherit\" \"\""},
    {"showFullAnimation", "\"auto\""},
};

enum { FIELD_ENABLED, FIELD_ENTRY_PINNED, FIELD_ENTRY_SHOWN };

bool v0_installation_change_shows(uint64_t present)
{
	return present >> FIELD_ENTRY_SHOWN & ((UINT64_C(1) << V0_INSTALLATION_SHOWN) - 1);
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

static void installation_change_check(void *body, uint64_t seen, struct faults *faults)
{
	struct v0_installation_change *change = body;
	struct entry_change *entry = &change->entry;

	entry->sets_enabled = seen >> FIELD_ENABLED & 1;
	entry->sets_pinned = seen >> FIELD_ENTRY_PINNED & 1;
	check_fixed(change->fixed, installation_fixed, array_length(installation_fixed), faults);
	settings_read_any(entry->settings_value, STR("config"), faults, &entry->settings);
	if (entry->display && !read_display(entry->display, &entry->display_s))
		faults_add(faults, STR("displayTimeSec"), "must be 0 or an integer from %d to %d",
			   DISPLAY_MIN_S, DISPLAY_MAX_S);
	read_clock(change->start, "startTime", &change->start_minute, faults);
	read_clock(change->end, "endTime", &change->end_minute, faults);
	if (entry->weekdays)
		read_days(entry, faults);
}

static const struct record_field installation_change_fields[] = {
    [FIELD_ENABLED] =
	RECORD_BOOL(struct v0_installation_change, entry.is_enabled, .body = "enabled"),
    [FIELD_ENTRY_PINNED] =
	RECORD_BOOL(struct v0_installation_change, entry.is_pinned, .body = "pinned"),
    [FIELD_ENTRY_SHOWN] = RECORD_ANY(struct v0_installation_change, shown[0], SHOWN("id")),
    RECORD_ANY(struct v0_installation_change, shown[1], SHOWN("appID")),
    RECORD_ANY(struct v0_installation_change, shown[2], SHOWN("pushed")),
    RECORD_ANY(struct v0_installation_change, shown[3], SHOWN("lastRenderAt")),
    RECORD_ANY(struct v0_installation_change, shown[4], SHOWN("isInactive")),
    RECORD_ANY(struct v0_installation_change, entry.display, .body = "displayTimeSec"),
    RECORD_ANY(struct v0_installation_change, start, .body = "startTime"),
    RECORD_ANY(struct v0_installation_change, end, .body = "endTime"),
    RECORD_ANY(struct v0_installation_change, entry.weekdays, .body = "days"),
    RECORD_ANY(struct v0_installation_change, entry.settings_value, .body = "config"),
    RECORD_ANY(struct v0_installation_change, interval, .body = "renderIntervalMin"),
    RECORD_ANY(struct v0_installation_change, fixed[0], .body = "useCustomRecurrence"),
    RECORD_ANY(struct v0_installation_change, fixed[1], .body = "recurrenceType"),
    RECORD_ANY(struct v0_installation_change, fixed[2], .body = "recurrenceInterval"),
    RECORD_ANY(struct v0_installation_change, fixed[3], .body = "recurrenceStartDate"),
    RECORD_ANY(struct v0_installation_change, fixed[4], .body = "recurrenceEndDate"),
    RECORD_ANY(struct v0_installation_change, fixed[5], .body = "autoPin"),
    RECORD_ANY(struct v0_installation_change, fixed[6], .body = "colorFilter"),
    RECORD_ANY(struct v0_installation_change, fixed[7], .body = "showFullAnimation"),
};
const struct record v0_installation_change_record =
    RECORD(struct v0_installation_change, installation_change_fields, .empty_is_absent = true,
	   .check = installation_change_check);

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

/* ---- firmware ---- */

const struct record v0_firmware_change_record = {
    .size = sizeof(struct v0_firmware_change),
    .empty_is_absent = true,
};
