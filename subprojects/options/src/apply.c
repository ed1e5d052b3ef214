#include "internal.h"

#include <string.h>

/* Adds the table's default, or reports a missing required option. */
static int complete(struct options *options, const struct option *option,
		    struct options_error *reterr)
{
	if (options_find_given(options, option->name))
		return 0;
	if (option->is_required)
		return options_error_set(reterr, "%s needs --%s %s",
					 options->command ? options->command->name
							  : options->set->program,
					 option->name, option->argument);
	if (option->fallback)
		options_add(options, option, OPTION_DEFAULT, 0, option->fallback,
			    strlen(option->fallback));
	return 0;
}

static int apply(struct options *options, const struct option *option, void *target,
		 struct options_error *reterr)
{
	const struct option_given *best = options_find_given(options, option->name);
	struct option_list list = {.values = options->list_values + options->list_value_count};

	for (unsigned i = 0; best && i < options->given_count; i++) {
		struct option_given *given = &options->given[i];
		struct options_error why;

		if (given->option != option || given->source != best->source)
			continue;
		if (options_take(given, target, &why) < 0)
			return options_blame(options, given, reterr, "%s", why.text);
		options->list_values[options->list_value_count++] = given->value;
		if (++list.count > option->most && option->type == OPTION_LIST)
			return options_blame(options, given, reterr,
					     "can be given %llu times at most", option->most);
	}
	if (list.count > 0 && option->type == OPTION_LIST && option->size == sizeof(list))
		memcpy((char *)target + option->offset, &list, sizeof(list));
	return 0;
}

/* Counts the words that are not in brackets. */
static unsigned count_required(const char *text)
{
	unsigned count = 0;

	for (; text && *text; text += strcspn(text, " "), text += strspn(text, " "))
		count += *text != '[';
	return count;
}

int options_apply(struct options *options, void *target, struct options_error *reterr)
{
	const struct option_command *command = options->command;
	const struct option *one = NULL;

	if (command && options->positional_count < count_required(command->positionals))
		return options_error_set(reterr, "%s needs %s", command->name,
					 command->positionals);
	while ((one = options_next(options, one)))
		if (complete(options, one, reterr) < 0)
			return -1;
	options->list_values =
	    options_grow(NULL, (options->given_count + 1) * sizeof(*options->list_values));
	while ((one = options_next(options, one)))
		if (apply(options, one, target, reterr) < 0)
			return -1;
	return 0;
}
