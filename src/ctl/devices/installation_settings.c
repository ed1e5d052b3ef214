#include "installation_settings.h"
#include "ctl/shell/input.h"
#include "domain/settings.h"
#include "record/json.h"

#include <sodium.h>
#include <text/utf8.h>
#include <yyjson.h>

enum { FILE_BYTES_MAX = 256 * 1024 };

enum ctl_exit settings_file_read(struct ctl *ctl, struct settings *ret_settings)
{
	struct arena *arena = &ctl->arena;
	const char *path = ctl_value(ctl, "settings").data;
	struct json_document document = {0};
	struct buffer text = {0};
	struct faults faults;
	struct str reason;
	enum ctl_exit code;

	*ret_settings = (struct settings){0};
	if (!path)
		return CTL_DONE;
	faults_init(&faults, arena);
	code = ctl_read_file("--settings: ", path, FILE_BYTES_MAX, &text);
	if (code == CTL_DONE &&
	    (buffer_length(&text) > FILE_BYTES_MAX ||
	     !json_parse(arena_copy(arena, buffer_view(&text)), arena, &document, &reason) ||
	     !json_is_object(document.root)))
		code = ctl_fail(
		    CTL_USAGE, "--settings: %s must hold a JSON object such as {\"name\": \"Ada\"}",
		    path);
	if (code == CTL_DONE)
		settings_read(document.root, &faults, ret_settings);
	for (unsigned i = 0; i < faults.count; i++)
		code = ctl_fail(CTL_USAGE, "the setting %.*s %.*s", STR_ARG(faults.list[i].name),
				STR_ARG(faults.list[i].detail));
	json_document_finish(&document);
	sodium_memzero((void *)(uintptr_t)buffer_view(&text).data, buffer_length(&text));
	buffer_finish(&text);
	return code;
}

bool installation_settings_are_given(const struct ctl *ctl, unsigned first)
{
	return ctl->options.positional_count > first || ctl_value(ctl, "settings").data;
}

enum ctl_exit settings_arguments_read(struct ctl *ctl, unsigned first,
				      struct settings *ret_settings)
{
	const struct options *options = &ctl->options;
	unsigned count = options->positional_count - first;

	if (count > SETTINGS_MAX)
		return ctl_fail(CTL_USAGE, "more than %d settings", SETTINGS_MAX);
	ret_settings->items = arena_zalloc(&ctl->arena, (count + 1) * sizeof(struct setting));
	for (unsigned i = 0; i < count; i++) {
		struct str text = str_from(options->positionals[first + i]);
		size_t sign = str_find(text, '=');
		struct str name = arena_copy(&ctl->arena, (struct str){text.data, sign});

		if (sign == 0 || sign == text.length)
			return ctl_fail(CTL_USAGE, "a setting must be KEY=VALUE%s",
					sign ? "" : "; the key is missing");
		if (!utf8_is_valid(text))
			return ctl_fail(CTL_USAGE, "settings must be UTF-8");
		if (settings_find(ret_settings, name))
			return ctl_fail(CTL_USAGE, "the setting %.*s is given twice",
					STR_ARG(name));
		ret_settings->items[ret_settings->count++] =
		    (struct setting){.name = name, .value = str_from_offset(text, sign + 1)};
	}
	return CTL_DONE;
}

/* Rejects settings that the form lacks, which the server would ignore; and secret settings among
 * the arguments, which others can read. */
static enum ctl_exit installation_settings_check(yyjson_val *form, const struct settings *settings,
						 bool are_arguments)
{
	yyjson_val *fields = yyjson_obj_get(form, "properties");
	bool has_more = !yyjson_is_false(yyjson_obj_get(form, "additionalProperties"));
	enum ctl_exit code = CTL_DONE;

	for (unsigned i = 0; i < settings->count; i++) {
		struct str name = settings->items[i].name;
		yyjson_val *field = yyjson_obj_getn(fields, name.data, name.length);

		if (!field && !has_more)
			code = ctl_fail(CTL_USAGE, "the app has no setting %.*s", STR_ARG(name));
		else if (are_arguments && yyjson_get_bool(yyjson_obj_get(field, "writeOnly")))
			return ctl_fail(CTL_USAGE,
					"the setting %.*s is secret, and others can read "
					"arguments; use --settings FILE",
					STR_ARG(name));
	}
	return code;
}

static enum ctl_exit ask_form(struct ctl *ctl, struct str app, struct str account,
			      struct str missing, struct str *ret_form)
{
	const struct ctl_request request = {
	    .path = ARENA_JOIN(&ctl->arena, STR("/v1/apps/"), ctl_encode(ctl, app), STR("/schema")),
	    .account = account,
	    .sentences = {{404, NULL, missing}},
	};

	return ctl_ask_json(ctl, &request, ret_form);
}

static void write_setting(const struct setting *setting, struct buffer *json)
{
	buffer_append_str(json, buffer_length(json) ? STR(",") : STR("{"));
	json_write_str(json, setting->name);
	buffer_append_char(json, ':');
	if (setting->is_removed)
		buffer_append_str(json, STR("null"));
	else
		json_write_str(json, setting->value);
}

/* Returns all settings as JSON; arguments override the file. */
static struct str join(struct ctl *ctl, const struct settings *of_file,
		       const struct settings *of_arguments)
{
	struct buffer json = {0};
	struct str text;

	for (unsigned i = 0; i < of_arguments->count; i++)
		write_setting(&of_arguments->items[i], &json);
	for (unsigned i = 0; i < of_file->count; i++)
		if (!settings_find(of_arguments, of_file->items[i].name))
			write_setting(&of_file->items[i], &json);
	buffer_append_str(&json, buffer_length(&json) ? STR("}") : STR("{}"));
	text = arena_copy(&ctl->arena, buffer_view(&json));
	buffer_finish(&json);
	return text;
}

enum ctl_exit installation_settings_read(struct ctl *ctl, unsigned first, struct str app,
					 struct str account, struct str missing,
					 struct str *ret_json)
{
	struct settings of_file = {0}, of_arguments = {0};
	struct str json = {0};
	yyjson_doc *form;
	enum ctl_exit code = settings_file_read(ctl, &of_file);

	if (code == CTL_DONE)
		code = settings_arguments_read(ctl, first, &of_arguments);
	if (code == CTL_DONE && !ctl_is_segment(app))
		return ctl_fail(CTL_NOT_FOUND, "%.*s", STR_ARG(missing));
	if (code == CTL_DONE)
		code = ask_form(ctl, app, account, missing, &json);
	if (code != CTL_DONE)
		return code;
	form = yyjson_read(json.data, json.length, 0);
	code = installation_settings_check(yyjson_doc_get_root(form), &of_arguments, true);
	if (code == CTL_DONE)
		code = installation_settings_check(yyjson_doc_get_root(form), &of_file, false);
	yyjson_doc_free(form);
	if (code == CTL_DONE)
		*ret_json = join(ctl, &of_file, &of_arguments);
	return code;
}
