#include "app_settings.h"
#include "ctl/devices/settings_file.h"
#include "domain/form.h"
#include "render/config_zone.h"

#include <stdio.h>
#include <stdlib.h>

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
			return ctl_fail(CTL_USAGE, "a setting is KEY=VALUE, not %s", argument);
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

static void add(yyjson_mut_doc *head, yyjson_mut_val *config, struct str name, struct str value)
{
	yyjson_mut_obj_add(config, yyjson_mut_strncpy(head, name.data, name.length),
			   yyjson_mut_strncpy(head, value.data, value.length));
}

void app_settings_add(const struct app_settings *settings, const struct options *options,
		      yyjson_mut_doc *head)
{
	yyjson_mut_val *config = yyjson_mut_obj(head);

	for (unsigned i = 0; i < settings->of_file.count; i++) {
		const struct setting *one = &settings->of_file.items[i];

		if (!one->is_removed && !is_argument(options, one->name))
			add(head, config, one->name, one->value);
	}
	for (unsigned i = 1; i < options->positional_count; i++) {
		struct str argument = str_from(options->positionals[i]);
		struct str name = name_of(argument.data);

		add(head, config, name, str_from_offset(argument, name.length + 1));
	}
	if (!yyjson_mut_obj_get(config, CONFIG_ZONE))
		config_set_zone(head, config, str_from(options_text(options, "timezone")));
	yyjson_mut_obj_add_val(head, yyjson_mut_doc_get_root(head), "config", config);
}

bool app_settings_want_look(const struct app_settings *settings, const struct options *options)
{
	return options->positional_count > 1 && !settings->has_looked;
}

void app_settings_warn(struct app_settings *settings, struct ctl *ctl, yyjson_val *schema)
{
	const struct options *options = &ctl->options;
	char *text = yyjson_is_obj(schema) ? yyjson_val_write(schema, 0, NULL) : NULL;
	struct form form;
	struct str reason;

	/* An app that is being written may have a schema that is none, yet. */
	if (text &&
	    form_read(arena_copy(&ctl->arena, str_from(text)), &ctl->arena, &form, &reason)) {
		settings->has_looked = true;
		for (unsigned i = 1; i < options->positional_count; i++) {
			struct str name = name_of(options->positionals[i]);
			const struct form_field *field = form_find(&form, name);

			if (field && field->is_secret)
				fprintf(stderr,
					"displayctl: the setting %.*s is secret, and others read "
					"arguments: give it by --settings FILE\n",
					STR_ARG(name));
		}
	}
	free(text);
}
