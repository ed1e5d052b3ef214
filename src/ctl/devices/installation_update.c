#include "base/limits.h"
#include "ctl/ctl.h"
#include "ctl/server/remote.h"
#include "domain/entry_change.h"
#include "domain/schedule.h"
#include "installation_settings.h"

#include <stdlib.h>

/* ---- options ---- */

enum { JSON_BYTES = 128 };

/* Converts an option's value to JSON. Returns false if it is invalid. */
typedef bool read_option(struct str text, char ret_json[static JSON_BYTES]);

static bool read_display(struct str text, char ret_json[static JSON_BYTES])
{
	unsigned long long seconds;

	if (str_equal(text, STR("default")))
		return snprintf(ret_json, JSON_BYTES, "null");
	if (!str_to_uint64(text, DISPLAY_MAX_S, &seconds) || seconds < DISPLAY_MIN_S)
		return false;
	snprintf(ret_json, JSON_BYTES, "%llu", seconds);
	return true;
}

static bool read_hours(struct str text, char ret_json[static JSON_BYTES])
{
	enum { CLOCK_LENGTH = 5 };
	int64_t minutes;

	if (str_equal(text, STR("always")))
		return snprintf(ret_json, JSON_BYTES, "null");
	if (text.length != 2 * CLOCK_LENGTH + 1 || text.data[CLOCK_LENGTH] != '-' ||
	    !clock_parse((struct str){text.data, CLOCK_LENGTH}, &minutes) ||
	    !clock_parse(str_from_offset(text, CLOCK_LENGTH + 1), &minutes))
		return false;
	snprintf(ret_json, JSON_BYTES, "{\"start\":\"%.5s\",\"end\":\"%.5s\"}", text.data,
		 text.data + CLOCK_LENGTH + 1);
	return true;
}

static bool read_weekdays(struct str text, char ret_json[static JSON_BYTES])
{
	static const char *const names[WEEKDAYS] = {"monday", "tuesday",  "wednesday", "thursday",
						    "friday", "saturday", "sunday"};
	bool is_all = str_equal(text, STR("all")), is_there[WEEKDAYS] = {false};
	struct str name;
	size_t length = 0;

	while (!is_all && str_next(&text, ',', &name)) {
		int day = 0;

		while (day < WEEKDAYS && !(name.length == 3 && !memcmp(name.data, names[day], 3)))
			day++;
		if (day == WEEKDAYS)
			return false;
		is_there[day] = true;
	}
	for (int day = 0; day < WEEKDAYS; day++)
		if (is_all || is_there[day])
			length += (size_t)snprintf(ret_json + length, JSON_BYTES - length,
						   "%c\"%s\"", length ? ',' : '[', names[day]);
	return length && snprintf(ret_json + length, JSON_BYTES - length, "]");
}

static int installation_update_check(read_option *read, char *value, const char *fault,
				     struct options_error *reterr)
{
	char json[JSON_BYTES];

	return read(str_from(value), json) ? 0 : options_error_set(reterr, "%s", fault);
}

int ctl_check_display(char *value, struct options_error *reterr)
{
	return installation_update_check(
	    read_display, value, "must be a number of seconds from 5 to 86400, or default", reterr);
}

int ctl_check_hours(char *value, struct options_error *reterr)
{
	return installation_update_check(
	    read_hours, value, "must be two times of day such as 07:00-09:00, or always", reterr);
}

int ctl_check_weekdays(char *value, struct options_error *reterr)
{
	return installation_update_check(read_weekdays, value,
					 "must be weekdays such as mon,tue,sun, or all", reterr);
}

/* ---- create ---- */

enum ctl_exit ctl_installation_create(struct ctl *ctl)
{
	struct str app = ctl_lower(ctl, ctl_value(ctl, "app")), settings = {0};
	struct str missing =
	    ARENA_JOIN(&ctl->arena, STR("there is no app "), ctl_value(ctl, "app"),
		       STR(" that this device can install; an app of its owner must be deployed"));
	struct ctl_request request = {.method = "POST",
				      .sentences = {{404, PROBLEM_APP_NOT_FOUND, missing},
						    {409, PROBLEM_ENTRIES_TOO_MANY,
						     STR("the device has 100 entries already")}}};
	struct inventory_device device;
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl_value(ctl, "device"), &device);

	_Static_assert(LIMIT_DEVICE_INSTALLATIONS == 100, "the sentence has the limit");
	if (code == CTL_DONE && installation_settings_are_given(ctl, 0))
		code = installation_settings_read(ctl, 0, app, device.account, missing, &settings);
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/v1/devices/", device.id, "/installations");
	request.body = ctl_body(ctl, (const struct ctl_member[]){
					 {"app", app, false}, {"settings", settings, true}, {0}});
	return ctl_show(ctl, &request);
}

/* ---- update ---- */

/* Entry that is changed. */
struct entry {
	struct inventory_device device;
	struct str device_id;
	struct ctl_found found;
	struct str app; /* its ID; data NULL: a pushed picture */
};

/* Returns the member of the body that the option sets; without a value if the option was not given.
 * The value was checked. */
static struct ctl_member member_of(struct ctl *ctl, const char *name, const char *option,
				   read_option *read)
{
	struct str text = ctl_value(ctl, option);
	char json[JSON_BYTES];

	if (text.data && read(text, json))
		text = arena_copy(&ctl->arena, str_from(json));
	return (struct ctl_member){name, text, true};
}

/* Returns the body of the change of the night that the options request. night: what the device's
 * rotation says of it. */
static struct str night_of(struct ctl *ctl, const struct entry *entry, struct str present)
{
	struct str brightness = ctl_value(ctl, "night-brightness"), night = ctl_value(ctl, "night");
	bool is_on = str_equal(night, STR("on"));
	struct ctl_member id = {"installationId", {0}, false};

	if (brightness.data)
		brightness = arena_printf(&ctl->arena, "%lld", strtoll(brightness.data, NULL, 10));
	if (night.data && is_on != str_equal(present, entry->found.id))
		id = (struct ctl_member){"installationId", is_on ? entry->found.id : STR("null"),
					 !is_on};
	return ctl_body(ctl, CTL_MEMBERS(id, {"brightness", brightness, true}));
}

/* Sends a change, unless its body is empty. */
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

static enum ctl_exit change_entry(struct ctl *ctl, const struct entry *entry)
{
	struct str path = ctl_path(ctl, "/v1/devices/", entry->device.id, "/installations/");
	struct str settings = {0};
	enum ctl_exit code = CTL_DONE;

	if (installation_settings_are_given(ctl, 1))
		code = installation_settings_read(ctl, 1, entry->app, entry->device.account,
						  STR("the app is gone"), &settings);
	if (code != CTL_DONE)
		return code;
	return change(
	    ctl, ARENA_JOIN(&ctl->arena, path, entry->found.segment),
	    ctl_body_of_options(
		ctl, (const struct ctl_member[]){
			 member_of(ctl, "displaySeconds", "display-seconds", read_display),
			 member_of(ctl, "hours", "hours", read_hours),
			 member_of(ctl, "weekdays", "weekdays", read_weekdays),
			 {"settings", settings, true},
			 {0}}));
}

static enum ctl_exit change_night(struct ctl *ctl, const struct entry *entry)
{
	const struct ctl_request look = {
	    .path = ctl_path(ctl, "/v1/devices/", entry->device.id, "/rotation")};
	struct str rotation = {0}, night = {0};
	enum ctl_exit code = CTL_DONE;

	if (ctl_value(ctl, "night").data)
		code = ctl_ask_json(ctl, &look, &rotation);
	if (code != CTL_DONE)
		return code;
	if (rotation.data)
		night = ctl_json_text(ctl, ctl_json_part(ctl, rotation, "night"), "installationId");
	return change(ctl, ctl_path(ctl, "/web/devices/", entry->device.id, "/night"),
		      night_of(ctl, entry, night));
}

/* Finds the entry of the argument, which must be of an app if settings are given. */
static enum ctl_exit find_entry(struct ctl *ctl, struct entry *ret_entry)
{
	struct str id = ctl->positionals[0];
	enum ctl_exit code =
	    ctl_find_listed_device(ctl, ctl_value(ctl, "device"), &ret_entry->device);

	if (code != CTL_DONE)
		return code;
	ret_entry->device_id = ctl_id_text(ctl, ret_entry->device.id);
	code = ctl_find_installation(ctl, ret_entry->device_id, id, &ret_entry->found);
	if (code != CTL_DONE)
		return code;
	ret_entry->app = ctl_json_text(ctl, ret_entry->found.json, "appId");
	if (installation_settings_are_given(ctl, 1) && !ret_entry->app.data)
		return ctl_fail(CTL_NOT_FOUND, "the device has no installation %.*s of an app",
				STR_ARG(id));
	return CTL_DONE;
}

/* Whether an option other than --device was given. */
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
	struct entry entry = {0};
	enum ctl_exit code;

	if (!has_options(ctl) && !installation_settings_are_given(ctl, 1))
		return ctl_fail(CTL_USAGE, "installation update needs at least one option, such as "
					   "--hours 07:00-09:00; see displayctl --help");
	if (remote_has_key_only(ctl) &&
	    (ctl_value(ctl, "night").data || ctl_value(ctl, "night-brightness").data))
		return ctl_fail(CTL_REFUSED, "--night and --night-brightness need a session "
					     "(displayctl sign-in), not an API key");
	code = find_entry(ctl, &entry);
	if (code == CTL_DONE)
		code = change_entry(ctl, &entry);
	if (code == CTL_DONE)
		code = change_night(ctl, &entry);
	if (code == CTL_DONE)
		code = ctl_find_installation(ctl, entry.device_id, entry.found.id, &entry.found);
	return code == CTL_DONE ? ctl_print_json(ctl, entry.found.json) : code;
}
