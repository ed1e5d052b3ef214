#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/device.h"
#include "record/json.h"

/* Commands that change existing devices: update, remove. */

struct removed_row {
	struct id id;
	struct str name;
};

static const struct record_field removed_fields[] = {
    RECORD_ID(struct removed_row, id, .name = "id"),
    RECORD_STR(struct removed_row, name, .name = "name"),
};
static const struct record removed_record = RECORD(struct removed_row, removed_fields);

enum ctl_exit ctl_device_remove(struct ctl *ctl)
{
	struct inventory_device device = {0};
	struct ctl_request request = {.method = "DELETE"};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code == CTL_DONE)
		code = ctl_confirm(ctl, "This removes the device \"%.*s\" with its rotation.",
				   STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/devices/", device.id, "");
	request.sentences[0] = ctl_no_device(ctl);
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	if (code != CTL_DONE)
		return code;
	return ctl_print_row(ctl, &removed_record, &(struct removed_row){device.id, device.name});
}

/* ---- update: an option for most fields that a body of the pages may have ---- */

/* The table of options has checked the text. */
static void write_setting(const struct record_field *field, struct str text, struct buffer *json)
{
	buffer_append_str(json, buffer_length(json) ? STR(",") : STR("{"));
	json_write_str(json, str_from(field->body));
	buffer_append_char(json, ':');
	if (field->kind == RECORD_KIND_BOOL)
		buffer_append_str(json, str_equal(text, STR("on")) ? STR("true") : STR("false"));
	else if (field->kind == RECORD_KIND_CLOCK || field->kind == RECORD_KIND_STR)
		json_write_str(json, text);
	else
		buffer_printf(json, "%lld", strtoll(text.data, NULL, 10));
}

/* The body with what was given; data is NULL: nothing was. */
static struct str read_settings(struct ctl *ctl)
{
	struct buffer json = {0};
	struct str body = {0};

	for (unsigned i = 0; i < device_full_record.field_count; i++) {
		const struct record_field *field = &device_full_record.fields[i];
		char option[CTL_OPTION_BYTES];
		struct str text;

		if (!field->body)
			continue;
		ctl_option_of(str_from(field->body), option);
		text = ctl_value(ctl, option);
		if (text.data)
			write_setting(field, text, &json);
	}
	if (buffer_length(&json)) {
		buffer_append_char(&json, '}');
		body = arena_copy(&ctl->arena, buffer_view(&json));
	}
	buffer_finish(&json);
	return body;
}

enum ctl_exit ctl_device_update(struct ctl *ctl)
{
	struct inventory_device found = {0};
	struct device device = {0};
	struct ctl_request request = {.method = "PATCH", .body = read_settings(ctl)};
	enum ctl_exit code;

	if (!request.body.data)
		return ctl_fail(CTL_USAGE, "device update needs at least one setting, such as "
					   "--brightness 40; see displayctl --help");
	code = ctl_find_listed_device(ctl, ctl->positionals[0], &found);
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, remote_has_key_only(ctl) ? "/v1/devices/" : "/web/devices/",
				found.id, "");
	request.sentences[0] = ctl_no_device(ctl);
	code = ctl_ask_row(ctl, &request, &device_record, &device);
	return code == CTL_DONE ? ctl_print_row(ctl, &device_record, &device) : code;
}
