#include "app_settings.h"
#include "ctl/devices/settings_file.h"
#include "domain/form.h"

#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

static struct str name_of(const char *argument)
{
	struct str text = str_from(argument);

	return (struct str){text.data, str_find(text, '=')};
}

enum ctl_exit app_settings_read(struct ctl *ctl, struct app_settings *ret_settings)
{
	const struct options *options = &ctl->options;

	*ret_settings = (struct app_settings){0};
	for (unsigned i = 1; i < options->positional_count; i++) {
		const char *argument = options->positionals[i];
		size_t length = name_of(argument).length;

		if (length == 0 || length == strlen(argument))
			return ctl_fail(CTL_USAGE, "a setting must be KEY=VALUE, not %s", argument);
	}
	return settings_file_read(ctl, &ret_settings->of_file);
}

static bool is_argument(const struct options *options, struct str name)
{
	for (unsigned i = 1; i < options->positional_count; i++)
		if (str_equal(name_of(options->positionals[i]), name))
			return true;
	return false;
}

static void add(yyjson_mut_doc *config, struct str name, struct str value)
{
	yyjson_mut_obj_add(yyjson_mut_doc_get_root(config),
			   yyjson_mut_strncpy(config, name.data, name.length),
			   yyjson_mut_strncpy(config, value.data, value.length));
}

struct str app_settings_write(const struct app_settings *settings, struct ctl *ctl)
{
	const struct options *options = &ctl->options;
	yyjson_mut_doc *config = yyjson_mut_doc_new(NULL);
	size_t length = 0;
	struct str written;
	char *text;

	yyjson_mut_doc_set_root(config, yyjson_mut_obj(config));
	for (unsigned i = 0; i < settings->of_file.count; i++) {
		const struct setting *one = &settings->of_file.items[i];

		if (!one->is_removed && !is_argument(options, one->name))
			add(config, one->name, one->value);
	}
	for (unsigned i = 1; i < options->positional_count; i++) {
		struct str argument = str_from(options->positionals[i]);
		struct str name = name_of(argument.data);

		add(config, name, str_from_offset(argument, name.length + 1));
	}
	text = yyjson_mut_write(config, 0, &length);
	written = arena_copy(&ctl->arena, (struct str){text, length});
	free(text);
	yyjson_mut_doc_free(config);
	return written;
}

bool app_settings_want_look(const struct app_settings *settings, const struct options *options)
{
	return options->positional_count > 1 && !settings->has_looked;
}

void app_settings_warn(struct app_settings *settings, struct ctl *ctl, struct str schema)
{
	const struct options *options = &ctl->options;
	struct form form;
	struct str reason;

	/* An app that is being written may have a schema that is none, yet. */
	if (!schema.length ||
	    !form_read(arena_copy(&ctl->arena, schema), &ctl->arena, &form, &reason))
		return;
	settings->has_looked = true;
	for (unsigned i = 1; i < options->positional_count; i++) {
		struct str name = name_of(options->positionals[i]);
		const struct form_field *field = form_find(&form, name);

		if (field && field->is_secret)
			fprintf(stderr,
				"displayctl: the setting %.*s is secret, and others can read "
				"arguments; use --settings FILE\n",
				STR_ARG(name));
	}
}
