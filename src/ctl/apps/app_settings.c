#include "app_settings.h"
#include "ctl/devices/installation_settings.h"
#include "domain/form.h"

#include <stdio.h>

enum ctl_exit app_settings_read(struct ctl *ctl, struct app_settings *ret_settings)
{
	struct settings all;
	enum ctl_exit code;

	*ret_settings = (struct app_settings){0};
	code = settings_arguments_read(ctl, 1, &ret_settings->of_arguments);
	if (code == CTL_DONE)
		code = settings_file_read(ctl, &all);
	if (code != CTL_DONE)
		return code;
	settings_merge(&all, &ret_settings->of_arguments, &ctl->arena, &all);
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
