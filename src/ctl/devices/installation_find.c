#include "ctl/ctl.h"
#include "ctl/server/remote.h"
#include "domain/installation.h"
#include "domain/schedule.h"
#include "installation_row.h"

#include <text/utf8.h>
#include <yyjson.h>

/* An entry in the server's answer; hours and weekdays are JSON. */
static const struct record_field entry_fields[] = {
    RECORD_STR(struct options_row, id, .name = "installationId"),
    RECORD_STR(struct options_row, kind, .name = "kind"),
    RECORD_ID(struct options_row, app_id, .name = "appId", .nullable = true),
    RECORD_STR(struct options_row, app_name, .name = "appName", .nullable = true),
    RECORD_TIMESTAMP(struct options_row, created_at_us, .name = "createdAt"),
    RECORD_BOOL(struct options_row, is_enabled, .name = "isEnabled"),
    RECORD_INT(struct options_row, display_s, .name = "displaySeconds", .nullable = true),
    RECORD_JSON(struct options_row, hours, .name = "hours"),
    RECORD_JSON(struct options_row, weekdays, .name = "weekdays"),
    RECORD_BOOL(struct options_row, is_pinned, .name = "isPinned"),
    RECORD_INT(struct options_row, picture_bytes, .name = "pictureBytes", .nullable = true),
    RECORD_STR(struct options_row, problem, .name = "problem", .nullable = true),
    RECORD_STR(struct options_row, cut, .name = "cut", .nullable = true),
};
static const struct record entry_record = RECORD(struct options_row, entry_fields);

/* Returns hours in the format of options: "07:00-09:00"; data is NULL for always. */
static struct str hours_of(struct ctl *ctl, struct str json)
{
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	yyjson_val *hours = yyjson_doc_get_root(document);
	const char *start = yyjson_get_str(yyjson_obj_get(hours, "start"));
	const char *end = yyjson_get_str(yyjson_obj_get(hours, "end"));
	struct str text = {0};

	if (start && end)
		text = arena_printf(&ctl->arena, "%s-%s", start, end);
	yyjson_doc_free(document);
	return text;
}

/* Returns weekdays in the format of options: "mon,sun"; data is NULL for all days. */
static struct str weekdays_of(struct ctl *ctl, struct str json)
{
	enum { SHORT_NAME = 3 };
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	yyjson_val *names = yyjson_doc_get_root(document), *name;
	struct str text = {0};
	size_t i, count;

	if (yyjson_arr_size(names) < WEEKDAYS) {
		yyjson_arr_foreach(names, i, count, name)
		{
			text =
			    arena_printf(&ctl->arena, "%.*s%s%.*s", STR_ARG(text),
					 text.length ? "," : "", SHORT_NAME, yyjson_get_str(name));
		}
	}
	yyjson_doc_free(document);
	return text;
}

/* Changes fields of the server's answer into the format that is printed. */
static void translate(struct ctl *ctl, struct options_row *options, struct str night)
{
	options->hours = hours_of(ctl, options->hours);
	options->weekdays = weekdays_of(ctl, options->weekdays);
	options->is_pushed = str_equal(options->kind, STR("push"));
	options->is_night = night.data && str_equal(night, options->id);
}

enum ctl_exit ctl_ask_rotation(struct ctl *ctl, struct id device_id, struct str device,
			       struct ctl_rows *ret_rows)
{
	const char *path = remote_has_session(ctl) ? "/web/devices/" : "/v1/devices/";
	const struct ctl_request request = {.path = ctl_path(ctl, path, device_id, "/rotation"),
					    .subject = device};
	struct rotation rotation = {0};
	enum ctl_exit code = ctl_ask_row(ctl, &request, &rotation_record, &rotation);

	if (code == CTL_DONE)
		code = ctl_read_rows(ctl, rotation.entries, &entry_record, ret_rows);
	for (unsigned i = 0; code == CTL_DONE && i < ret_rows->count; i++)
		translate(ctl, (struct options_row *)ret_rows->rows + i,
			  rotation.night_installation_id);
	return code;
}

struct str ctl_installation_path(struct ctl *ctl, struct id device_id, struct str id)
{
	return ARENA_JOIN(&ctl->arena, ctl_path(ctl, "/v1/devices/", device_id, "/installations/"),
			  ctl_encode(ctl, id));
}

enum ctl_exit ctl_find_installation(struct ctl *ctl, struct id device_id, struct str id,
				    bool must_be_app, const struct options_row **ret_options)
{
	const struct options_row *options;
	struct ctl_rows rows = {0};
	enum ctl_exit code;

	if (!utf8_is_valid(id))
		return ctl_fail(CTL_USAGE, "the installation's ID must be UTF-8");
	code = ctl_ask_rotation(ctl, device_id, ctl_value(ctl, "device"), &rows);
	options = rows.rows;
	for (unsigned i = 0; code == CTL_DONE && i < rows.count; i++) {
		if (str_equal(options[i].id, id) && !(must_be_app && options[i].is_pushed)) {
			*ret_options = &options[i];
			return CTL_DONE;
		}
	}
	if (code != CTL_DONE)
		return code;
	return ctl_fail(CTL_NOT_FOUND, "the device has no installation %.*s%s", STR_ARG(id),
			must_be_app ? " of an app" : "");
}
