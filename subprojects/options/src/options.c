#include "internal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int options_error_set(struct options_error *reterr, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reterr->text, sizeof(reterr->text), format, args);
	va_end(args);
	return -1;
}

void *options_grow(void *old, size_t size)
{
	void *memory = realloc(old, size);

	if (!memory)
		abort();
	return memory;
}

char *options_copy(const char *text, size_t length)
{
	char *copy = options_grow(NULL, length + 1);

	memcpy(copy, text, length);
	copy[length] = 0;
	return copy;
}

void options_init(struct options *options, const struct option_set *set)
{
	*options = (struct options){.set = set};
}

void options_finish(struct options *options)
{
	for (unsigned i = 0; i < options->given_count; i++)
		free(options->given[i].value);
	free(options->given);
	free((void *)options->list_values);
	free((void *)options->positionals);
	free(options->file);
	*options = (struct options){0};
}

const struct option *options_next(const struct options *options, const struct option *previous)
{
	const struct option *of_command = options->command ? options->command->options : NULL;
	const struct option *next = previous ? previous + 1 : options->set->options;
	bool is_in_set = true;

	for (const struct option *one = of_command; one && one->name; one++)
		is_in_set = is_in_set && one != previous;
	if (!next->name && is_in_set)
		next = of_command;
	return next && next->name ? next : NULL;
}

const struct option *options_find(const struct options *options, const char *name, size_t length)
{
	const struct option *one = options_next(options, NULL);

	while (one && (strlen(one->name) != length || memcmp(one->name, name, length) != 0))
		one = options_next(options, one);
	return one;
}

void options_add(struct options *options, const struct option *option, enum option_source source,
		 unsigned line, const char *value, size_t length)
{
	size_t size = (options->given_count + 1) * sizeof(*options->given);

	options->given = options_grow(options->given, size);
	options->given[options->given_count++] =
	    (struct option_given){option, source, line, options_copy(value, length)};
}

void options_set_default(struct options *options, const char *name, const char *value)
{
	const struct option *option = options_find(options, name, strlen(name));

	if (!option)
		abort();
	options_add(options, option, OPTION_DEFAULT, 0, value, strlen(value));
}

const struct option_given *options_find_given(const struct options *options, const char *name)
{
	const struct option_given *found = NULL;

	for (unsigned i = 0; i < options->given_count; i++) {
		const struct option_given *given = &options->given[i];

		if (strcmp(given->option->name, name) == 0 &&
		    (!found || given->source >= found->source))
			found = given;
	}
	return found;
}

const char *options_text(const struct options *options, const char *name)
{
	const struct option_given *given = options_find_given(options, name);

	return given ? given->value : NULL;
}

/* Returns the next value that counts, behind the i-th: the last one given, or for a list each value
 * of the strongest source. */
static const struct option_given *next_that_counts(const struct options *options,
						   const struct option_given *best, unsigned *i)
{
	bool is_list = best && best->option->type == OPTION_LIST;

	while (best && *i < options->given_count) {
		const struct option_given *given = &options->given[(*i)++];

		if (given == best ||
		    (is_list && given->option == best->option && given->source == best->source))
			return given;
	}
	return NULL;
}

bool options_differ(const struct options *left, const struct options *right, const char *name)
{
	const struct option_given *left_best = options_find_given(left, name);
	const struct option_given *right_best = options_find_given(right, name);
	const struct option_given *one, *other;
	unsigned i = 0, j = 0;

	do {
		one = next_that_counts(left, left_best, &i);
		other = next_that_counts(right, right_best, &j);
		if (one && other && strcmp(one->value, other->value) != 0)
			return true;
	} while (one && other);
	return one || other;
}

void options_variable(const struct option_set *set, const struct option *option,
		      char ret_name[static OPTIONS_VARIABLE_BYTES])
{
	snprintf(ret_name, OPTIONS_VARIABLE_BYTES, "%s%s", set->variable_prefix, option->name);
	for (char *c = ret_name; *c; c++)
		*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

int options_blame(const struct options *options, const struct option_given *given,
		  struct options_error *reterr, const char *format, ...)
{
	const char *name = given->option->name;
	char variable[OPTIONS_VARIABLE_BYTES], text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (given->source == OPTION_FILE)
		return options_error_set(reterr, "%s:%u: %s %s", options->file, given->line, name,
					 text);
	if (given->source != OPTION_VARIABLE)
		return options_error_set(reterr, "--%s %s", name, text);
	options_variable(options->set, given->option, variable);
	return options_error_set(reterr, "%s %s", variable, text);
}
