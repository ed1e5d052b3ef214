#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/server/remote.h"
#include "domain/entry_change.h"
#include "domain/schedule.h"
#include "installation_row.h"
#include "installation_settings.h"

#include <stdlib.h>

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

/* JSON of values that the table of options has checked; data is NULL: not given. */

static struct str display_of(struct ctl *ctl, struct str text)
{
	int64_t seconds;

	if (!text.data)
		return text;
	require(read_display(text, &seconds));
	return seconds ? arena_printf(&ctl->arena, "%lld", (long long)seconds) : STR("null");
}

static struct str hours_of(struct ctl *ctl, struct str text)
{
	int64_t start, end;

	if (!text.data)
		return text;
	require(read_hours(text, &start, &end));
	if (start < 0)
		return STR("null");
	return arena_printf(&ctl->arena, "{\"start\":\"%.5s\",\"end\":\"%.5s\"}", text.data,
			    text.data + text.length - 5);
}

static struct str weekdays_of(struct ctl *ctl, struct str text)
{
	static const char *const names[WEEKDAYS] = {"monday", "tuesday",  "wednesday", "thursday",
						    "friday", "saturday", "sunday"};
	struct str json = STR("["), comma = STR("");
	int64_t days;

	if (!text.data)
		return text;
	require(read_weekdays(text, &days));
	for (int i = 0; i < WEEKDAYS; i++) {
		if (!(days >> i & 1))
			continue;
		json =
		    ARENA_JOIN(&ctl->arena, json, comma, STR("\""), str_from(names[i]), STR("\""));
		comma = STR(",");
	}
	return ARENA_JOIN(&ctl->arena, json, STR("]"));
}

/* Returns what the options change of the night. */
static struct str night_of(struct ctl *ctl, const struct options_row *options)
{
	struct str brightness = ctl_value(ctl, "night-brightness"), night = ctl_value(ctl, "night");
	bool is_on = str_equal(night, STR("on"));
	struct ctl_member id = {"installationId", {0}, false};

	if (brightness.data)
		brightness = arena_printf(&ctl->arena, "%lld", strtoll(brightness.data, NULL, 10));
	if (night.data && is_on != options->is_night)
		id = (struct ctl_member){"installationId", is_on ? options->id : STR("null"),
					 !is_on};
	return ctl_body(ctl,
			(const struct ctl_member[]){id, {"brightness", brightness, true}, {0}});
}

/* Sends a change, unless there is none. */
static enum ctl_exit change(struct ctl *ctl, struct str path, struct str body)
{
	const struct ctl_request request = {
	    .method = "PATCH",
	    .path = path,
	    .body = body,
	    .sentences = {{404, NULL, STR("the installation is gone")}},
	};

	return str_equal(body, STR("{}")) ? CTL_DONE : ctl_ask_row(ctl, &request, NULL, NULL);
}

static enum ctl_exit change_entry(struct ctl *ctl, const struct inventory_device *device,
				  const struct options_row *options)
{
	struct str path =
	    ARENA_JOIN(&ctl->arena, ctl_path(ctl, "/v1/devices/", device->id, "/installations/"),
		       ctl_encode(ctl, options->id));
	char app[ID_TEXT_LENGTH + 1];
	struct str settings = {0};
	enum ctl_exit code = CTL_DONE;

	id_format(options->app_id, app);
	if (installation_settings_are_given(ctl, 1))
		code = installation_settings_read(ctl, 1, str_from(app), device->account,
						  STR("the app is gone"), &settings);
	if (code != CTL_DONE)
		return code;
	return change(ctl, path,
		      ctl_body_of_options(
			  ctl, (const struct ctl_member[]){
				   {"displaySeconds",
				    display_of(ctl, ctl_value(ctl, "display-seconds")), true},
				   {"hours", hours_of(ctl, ctl_value(ctl, "hours")), true},
				   {"weekdays", weekdays_of(ctl, ctl_value(ctl, "weekdays")), true},
				   {"settings", settings, true},
				   {0}}));
}

static enum ctl_exit change_night(struct ctl *ctl, const struct inventory_device *device,
				  const struct options_row *options)
{
	return remote_has_key_only(ctl)
		   ? CTL_DONE
		   : change(ctl, ctl_path(ctl, "/web/devices/", device->id, "/night"),
			    night_of(ctl, options));
}

/* Whether there is an option beside --device. */
static bool has_options(const struct ctl *ctl)
{
	const struct option *options = ctl->command->line.options;
	bool has_any = false;

	for (unsigned i = 0; options[i].name; i++)
		has_any |= !options[i].is_required && ctl_value(ctl, options[i].name).data != NULL;
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
		return ctl_fail(CTL_REFUSED, "--night and --night-brightness need a session "
					     "(displayctl sign-in), not an API key");
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
