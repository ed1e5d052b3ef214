#include "app_settings.h"
#include "ctl/devices/installation_settings.h"
#include "domain/form.h"

#include <stdio.h>
#include <text/utf8.h>

/* Adds a setting, or replaces an earlier one of the same name. */
static void add(struct settings *settings, struct setting one)
{
	struct setting *known = (struct setting *)settings_find(settings, one.name);

	*(known ? known : &settings->items[settings->count++]) = one;
}

enum ctl_exit app_settings_read(struct ctl *ctl, struct app_settings *ret_settings)
{
	const struct options *options = &ctl->options;
	struct settings *arguments = &ret_settings->of_arguments, all;
	bool is_text = true;
	enum ctl_exit code;

	*ret_settings = (struct app_settings){0};
	arguments->items =
	    arena_zalloc(&ctl->arena, options->positional_count * sizeof(struct setting));
	for (unsigned i = 1; i < options->positional_count; i++) {
		struct str text = str_from(options->positionals[i]);
		size_t length = str_find(text, '=');

		if (length == 0 || length == text.length)
			return ctl_fail(CTL_USAGE, "a setting must be KEY=VALUE, not %s",
					text.data);
		is_text = is_text && utf8_is_valid(text);
		add(arguments, (struct setting){.name = {text.data, length},
						.value = str_from_offset(text, length + 1)});
	}
	code = settings_file_read(ctl, &all);
	if (code != CTL_DONE || !is_text)
		return code;
	settings_merge(&all, arguments, &ctl->arena, &all);
	ret_settings->json = settings_to_text(&all, &ctl->arena);
	return CTL_DONE;
}

void app_settings_warn(struct app_settings *settings, struct ctl *ctl, struct str schema)
{
	struct form form;
	struct str reason;

	/* Ignore an invalid schema: the app may be unfinished. */
	if (!schema.length ||
	    !form_read(arena_copy(&ctl->arena, schema), &ctl->arena, &form, &reason))
		return;
	settings->has_looked = true;
	for (unsigned i = 0; i < settings->of_arguments.count; i++) {
		struct str name = settings->of_arguments.items[i].name;
		const struct form_field *field = form_find(&form, name);

		if (field && field->is_secret)
			fprintf(stderr,
				"displayctl: the setting %.*s is secret, and others can read "
				"arguments; use --settings FILE\n",
				STR_ARG(name));
	}
}
