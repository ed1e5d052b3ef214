#include "base/require.h"
#include "ctl/ctl.h"
#include "domain/entry_change.h"
#include "domain/schedule.h"
#include "installation_row.h"
#include "installation_settings.h"

static const struct record_field options_fields[] = {
    RECORD_STR(struct options_row, id, .name = "id", .column = "id"),
    RECORD_BOOL(struct options_row, is_pushed, .column = "is_pushed"),
    RECORD_OPEN(.name = "app", .nullable = true, .offset = offsetof(struct options_row, is_pushed)),
    RECORD_ID(struct options_row, app_id, .name = "id", .column = "app_id", .nullable = true),
    RECORD_STR(struct options_row, app_name, .name = "name", .column = "app_name",
	       .nullable = true),
    RECORD_CLOSE(),
    RECORD_TIMESTAMP(struct options_row, created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_BOOL(struct options_row, is_enabled, .name = "enabled", .column = "is_enabled"),
    RECORD_INT4(struct options_row, display_s, .name = "displaySeconds", .column = "display_s",
		.nullable = true),
    RECORD_STR(struct options_row, hours, .name = "hours", .column = "hours", .nullable = true),
    RECORD_STR(struct options_row, weekdays, .name = "weekdays", .column = "weekdays",
	       .nullable = true),
    RECORD_BOOL(struct options_row, is_pinned, .name = "pinned", .column = "is_pinned"),
    RECORD_BOOL(struct options_row, is_night, .name = "night", .column = "is_night"),
};
const struct record installation_options_record = RECORD(struct options_row, options_fields);

/* ---- options ---- */

static bool read_display(struct str text, int64_t *ret_s)
{
	unsigned long long seconds;

	*ret_s = 0;
	if (str_equal(text, STR("default")))
		return true;
	if (!str_to_uint64(text, DISPLAY_MAX_S, &seconds) || seconds < DISPLAY_MIN_S)
		return false;
	*ret_s = (int64_t)seconds;
	return true;
}

static bool read_hours(struct str text, int64_t *ret_start, int64_t *ret_end)
{
	enum { CLOCK_LENGTH = 5 };

	*ret_start = *ret_end = -1;
	if (str_equal(text, STR("always")))
		return true;
	return text.length == 2 * CLOCK_LENGTH + 1 && text.data[CLOCK_LENGTH] == '-' &&
	       clock_parse((struct str){text.data, CLOCK_LENGTH}, ret_start) &&
	       clock_parse(str_from_offset(text, CLOCK_LENGTH + 1), ret_end);
}

/* -1: it is none. */
static int short_weekday(struct str name)
{
	static const char *const names[WEEKDAYS] = {"mon", "tue", "wed", "thu",
						    "fri", "sat", "sun"};

	for (int i = 0; i < WEEKDAYS; i++) {
		if (str_equal(name, str_from(names[i])))
			return i;
	}
	return -1;
}

static bool read_weekdays(struct str text, int64_t *ret_weekdays)
{
	struct str name;

	*ret_weekdays = str_equal(text, STR("all")) ? WEEKDAYS_ALL : 0;
	while (*ret_weekdays != WEEKDAYS_ALL && str_next(&text, ',', &name)) {
		int weekday = short_weekday(name);

		if (weekday < 0)
			return false;
		*ret_weekdays |= 1 << weekday;
	}
	return *ret_weekdays != 0;
}

/* 0, or -1 with what is wrong. */
static int tell(bool is_good, const char *fault, struct options_error *reterr)
{
	return is_good ? 0 : options_error_set(reterr, "%s", fault);
}

int ctl_check_display(char *value, struct options_error *reterr)
{
	int64_t seconds;

	return tell(read_display(str_from(value), &seconds),
		    "must be a number of seconds from 5 to 86400, or default", reterr);
}

int ctl_check_hours(char *value, struct options_error *reterr)
{
	int64_t start, end;

	return tell(read_hours(str_from(value), &start, &end),
		    "must be two times of day such as 07:00-09:00, or always", reterr);
}

int ctl_check_weekdays(char *value, struct options_error *reterr)
{
	int64_t weekdays;

	return tell(read_weekdays(str_from(value), &weekdays),
		    "must be weekdays such as mon,tue,sun, or all", reterr);
}

/* ---- update ---- */

/* An option that is on or off. False: it was not given. */
static bool read_switch(const struct ctl *ctl, const char *name, bool *ret_on)
{
	struct str text = ctl_value(ctl, name);

	*ret_on = str_equal(text, STR("on"));
	return text.data != NULL;
}

/* The table of options has checked the texts. False: nothing is to be changed. */
static bool read_change(const struct ctl *ctl, struct rotation_entry_update_parameters *change)
{
	struct str display = ctl_value(ctl, "display-seconds");
	struct str hours = ctl_value(ctl, "hours");
	struct str weekdays = ctl_value(ctl, "weekdays");
	struct str brightness = ctl_value(ctl, "night-brightness");
	int64_t seconds = 0, start = 0, end = 0, days = 0;

	change->sets_enabled = read_switch(ctl, "enabled", &change->is_enabled);
	change->sets_pinned = read_switch(ctl, "pinned", &change->is_pinned);
	change->sets_night = read_switch(ctl, "night", &change->is_night);
	change->sets_display = display.data != NULL;
	change->sets_hours = hours.data != NULL;
	change->sets_weekdays = weekdays.data != NULL;
	require((!display.data || read_display(display, &seconds)) &&
		(!hours.data || read_hours(hours, &start, &end)) &&
		(!weekdays.data || read_weekdays(weekdays, &days)));
	change->display_s = (int32_t)seconds;
	change->start_minute = (int16_t)start;
	change->end_minute = (int16_t)end;
	change->weekdays = (int16_t)days;
	change->night_brightness =
	    brightness.data ? (int16_t)strtol(brightness.data, NULL, 10) : (int16_t)0;
	return change->sets_enabled || change->sets_pinned || change->sets_night || display.data ||
	       hours.data || weekdays.data || brightness.data;
}

/* The hint is lost if this fails; the servers' sweep finds the change later. */
static enum ctl_exit tell_and_print(struct ctl *ctl, struct id device_id, int64_t generation,
				    struct str id)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_device_tell(
	    ctl_new_query(ctl),
	    &(struct device_tell_parameters){.id = device_id, .generation = generation}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	statement_installation_options(
	    ctl_new_query(ctl),
	    &(struct installation_options_parameters){.device_id = device_id, .id = id}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE || rows.count == 0)
		return code;
	return ctl_print_row(ctl, &installation_options_record, rows.rows);
}

/* is_all: nothing else is to be changed. */
static enum ctl_exit set_settings(struct ctl *ctl, const struct device *device, struct str id,
				  bool is_all)
{
	struct installation_settings settings;
	const struct rotation_entry_update_row *row;
	struct ctl_rows rows;
	enum ctl_exit code = installation_settings_read(ctl, 1, device, STR(""), id,
							/* is_new= */ false, &settings);

	if (code != CTL_DONE)
		return code;
	statement_rotation_entry_update(ctl_new_query(ctl),
					&(struct rotation_entry_update_parameters){
					    .device_id = device->id,
					    .id = id,
					    .settings = settings.stored.open,
					    .secret_settings = settings.stored.sealed,
					    .settings_hash = settings.stored.hash,
					    .seen_hash = settings.seen_hash,
					    .version_id = settings.version_id,
					},
					NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_REFUSED, "the settings or the app's version were changed "
					     "meanwhile; try again");
	row = rows.rows;
	return is_all ? tell_and_print(ctl, device->id, row->generation, id) : CTL_DONE;
}

enum ctl_exit ctl_installation_update(struct ctl *ctl)
{
	struct rotation_entry_update_parameters change = {.id = ctl->positionals[0]};
	const struct rotation_entry_update_row *row;
	struct device device;
	struct ctl_rows rows;
	bool has_settings = installation_settings_are_given(ctl, 1);
	bool has_options = read_change(ctl, &change);
	enum ctl_exit code;

	if (!has_options && !has_settings)
		return ctl_fail(CTL_USAGE, "installation update needs at least one option, such as "
					   "--hours 07:00-09:00; see displayctl --help");
	code = ctl_find_device(ctl, ctl_value(ctl, "device"), &device);
	if (code != CTL_DONE)
		return code;
	if (has_settings)
		code = set_settings(ctl, &device, change.id, !has_options);
	if (code != CTL_DONE || !has_options)
		return code;
	change.device_id = device.id;
	statement_rotation_entry_update(ctl_new_query(ctl), &change, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "the device has no installation %.*s",
				STR_ARG(change.id));
	row = rows.rows;
	return tell_and_print(ctl, device.id, row->generation, change.id);
}
