#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/server/remote.h"
#include "domain/entry_change.h"
#include "domain/schedule.h"
#include "installation_row.h"
#include "installation_settings.h"
#include "record/json.h"

#define KEYED_FIELDS                                                                               \
	RECORD_STR(struct options_row, id, .name = "id"),                                          \
	    RECORD_BOOL(struct options_row, is_pushed),                                            \
	    RECORD_OPEN(.name = "app", .nullable = true,                                           \
			.offset = offsetof(struct options_row, is_pushed)),                        \
	    RECORD_ID(struct options_row, app_id, .name = "id", .nullable = true),                 \
	    RECORD_STR(struct options_row, app_name, .name = "name", .nullable = true),            \
	    RECORD_CLOSE(),                                                                        \
	    RECORD_TIMESTAMP(struct options_row, created_at_us, .name = "createdAt"),              \
	    RECORD_BOOL(struct options_row, is_enabled, .name = "enabled"),                        \
	    RECORD_INT4(struct options_row, display_s, .name = "displaySeconds",                   \
			.nullable = true),                                                         \
	    RECORD_STR(struct options_row, hours, .name = "hours", .nullable = true),              \
	    RECORD_STR(struct options_row, weekdays, .name = "weekdays", .nullable = true),        \
	    RECORD_BOOL(struct options_row, is_pinned, .name = "pinned")

static const struct record_field keyed_fields[] = {KEYED_FIELDS};
static const struct record keyed_record = RECORD(struct options_row, keyed_fields);

static const struct record_field options_fields[] = {
    KEYED_FIELDS,
    RECORD_BOOL(struct options_row, is_night, .name = "night"),
};
static const struct record options_record = RECORD(struct options_row, options_fields);

const struct record *installation_options_record(const struct ctl *ctl)
{
	return remote_has_key_only(ctl) ? &keyed_record : &options_record;
}

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

static void add(struct buffer *json, const char *name)
{
	buffer_append_str(json, buffer_length(json) ? STR(",") : STR("{"));
	json_write_str(json, str_from(name));
	buffer_append_char(json, ':');
}

static void add_switch(const struct ctl *ctl, const char *option, const char *name,
		       struct buffer *json)
{
	bool is_on;

	if (!read_switch(ctl, option, &is_on))
		return;
	add(json, name);
	buffer_append_str(json, is_on ? STR("true") : STR("false"));
}

static void add_hours(struct str text, struct buffer *json)
{
	int64_t start, end;

	add(json, "hours");
	require(read_hours(text, &start, &end));
	if (start < 0)
		buffer_append_str(json, STR("null"));
	else
		buffer_printf(json, "{\"start\":\"%.5s\",\"end\":\"%.5s\"}", text.data,
			      text.data + text.length - 5);
}

static void add_weekdays(struct str text, struct buffer *json)
{
	static const char *const names[WEEKDAYS] = {"monday", "tuesday",  "wednesday", "thursday",
						    "friday", "saturday", "sunday"};
	const char *comma = "";
	int64_t days;

	add(json, "weekdays");
	require(read_weekdays(text, &days));
	buffer_append_char(json, '[');
	for (int i = 0; i < WEEKDAYS; i++) {
		if (!(days >> i & 1))
			continue;
		buffer_printf(json, "%s\"%s\"", comma, names[i]);
		comma = ",";
	}
	buffer_append_char(json, ']');
}

/* Appends what the options change of the entry. The table of options has checked the texts. */
static void add_options(const struct ctl *ctl, struct buffer *json)
{
	struct str display = ctl_value(ctl, "display-seconds");
	struct str hours = ctl_value(ctl, "hours"), weekdays = ctl_value(ctl, "weekdays");
	int64_t seconds;

	add_switch(ctl, "enabled", "isEnabled", json);
	add_switch(ctl, "pinned", "isPinned", json);
	if (display.data) {
		add(json, "displaySeconds");
		require(read_display(display, &seconds));
		if (seconds)
			buffer_printf(json, "%lld", (long long)seconds);
		else
			buffer_append_str(json, STR("null"));
	}
	if (hours.data)
		add_hours(hours, json);
	if (weekdays.data)
		add_weekdays(weekdays, json);
}

/* Appends what the options change of the night. */
static void add_night(const struct ctl *ctl, const struct options_row *options, struct buffer *json)
{
	struct str brightness = ctl_value(ctl, "night-brightness");
	bool is_on, is_given = read_switch(ctl, "night", &is_on);

	if (is_given && is_on != options->is_night) {
		add(json, "installationId");
		if (is_on)
			json_write_str(json, options->id);
		else
			buffer_append_str(json, STR("null"));
	}
	if (brightness.data) {
		add(json, "brightness");
		buffer_printf(json, "%lld", strtoll(brightness.data, NULL, 10));
	}
}

/* Sends a change, unless there is none. */
static enum ctl_exit change(struct ctl *ctl, struct str path, struct buffer *json)
{
	struct ctl_request request = {
	    .method = "PATCH",
	    .path = path,
	    .sentences = {{404, NULL, STR("the installation is gone")}},
	};

	if (buffer_length(json) == 0)
		return CTL_DONE;
	buffer_append_char(json, '}');
	request.body = arena_copy(&ctl->arena, buffer_view(json));
	return ctl_ask_row(ctl, &request, NULL, NULL);
}

static enum ctl_exit change_entry(struct ctl *ctl, const struct inventory_device *device,
				  const struct options_row *options)
{
	struct str path =
	    ARENA_JOIN(&ctl->arena, ctl_path(ctl, "/v1/devices/", device->id, "/installations/"),
		       ctl_encode(ctl, options->id));
	char app[ID_TEXT_LENGTH + 1];
	struct buffer json = {0};
	struct str settings = {0};
	enum ctl_exit code = CTL_DONE;

	add_options(ctl, &json);
	id_format(options->app_id, app);
	if (installation_settings_are_given(ctl, 1))
		code = installation_settings_read(ctl, 1, str_from(app), device->account,
						  STR("the app is gone"), &settings);
	if (settings.data) {
		add(&json, "settings");
		buffer_append_str(&json, settings);
	}
	if (code == CTL_DONE)
		code = change(ctl, path, &json);
	buffer_finish(&json);
	return code;
}

static enum ctl_exit change_night(struct ctl *ctl, const struct inventory_device *device,
				  const struct options_row *options)
{
	struct buffer json = {0};
	enum ctl_exit code;

	if (remote_has_key_only(ctl))
		return CTL_DONE;
	add_night(ctl, options, &json);
	code = change(ctl, ctl_path(ctl, "/web/devices/", device->id, "/night"), &json);
	buffer_finish(&json);
	return code;
}

static bool has_options(const struct ctl *ctl)
{
	static const char *const names[] = {"enabled",	       "pinned", "night",
					    "display-seconds", "hours",	 "weekdays",
					    "night-brightness"};
	bool has_any = false;

	for (unsigned i = 0; i < array_length(names); i++)
		has_any |= ctl_value(ctl, names[i]).data != NULL;
	return has_any;
}

enum ctl_exit ctl_installation_update(struct ctl *ctl)
{
	const struct options_row *options = NULL;
	struct inventory_device device;
	struct str id = ctl->positionals[0];
	bool has_settings = installation_settings_are_given(ctl, 1);
	enum ctl_exit code;

	if (!has_options(ctl) && !has_settings)
		return ctl_fail(CTL_USAGE, "installation update needs at least one option, such as "
					   "--hours 07:00-09:00; see displayctl --help");
	if (remote_has_key_only(ctl) &&
	    (ctl_value(ctl, "night").data || ctl_value(ctl, "night-brightness").data))
		return ctl_fail(CTL_REFUSED, "--night and --night-brightness need somebody who is "
					     "signed in: an API key does not do");
	code = ctl_find_listed_device(ctl, ctl_value(ctl, "device"), &device);
	if (code == CTL_DONE)
		code = ctl_find_installation(ctl, device.id, id, has_settings, &options);
	if (code == CTL_DONE)
		code = change_entry(ctl, &device, options);
	if (code == CTL_DONE)
		code = change_night(ctl, &device, options);
	if (code == CTL_DONE)
		code = ctl_find_installation(ctl, device.id, id, has_settings, &options);
	return code == CTL_DONE ? ctl_print_row(ctl, installation_options_record(ctl), options)
				: code;
}
