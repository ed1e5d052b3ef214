/* Reads variables and the configuration file. */
#include "internal.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

void options_read_variables(struct options *options)
{
	static const char separators[] = ", \t\n";

	for (const struct option *one = options->set->options; one->name; one++) {
		char name[OPTIONS_VARIABLE_BYTES];
		const char *value;

		options_variable(options->set, one, name);
		value = one->argument_only ? NULL : getenv(name);
		/* Compose files and service managers set empty variables to mean "not set". */
		if (!value || !value[0])
			continue;
		if (one->type != OPTION_LIST) {
			options_add(options, one, OPTION_VARIABLE, 0, value, strlen(value));
			continue;
		}
		while (*(value += strspn(value, separators))) {
			size_t length = strcspn(value, separators);

			options_add(options, one, OPTION_VARIABLE, 0, value, length);
			value += length;
		}
	}
}

static bool is_option_variable(const struct option_set *set, const char *name, size_t length)
{
	for (const struct option *one = set->options; one->name; one++) {
		char own[OPTIONS_VARIABLE_BYTES];

		options_variable(set, one, own);
		if (!one->argument_only && strlen(own) == length && memcmp(own, name, length) == 0)
			return true;
	}
	return false;
}

/* Patterns as fnmatch(3) has them. */
static bool fits(const char *pattern, const char *name, size_t length)
{
	char copy[OPTIONS_VARIABLE_BYTES];

	snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
	return length < sizeof(copy) && fnmatch(pattern, copy, 0) == 0;
}

static int fail_variable(const struct options *options, const char *name, size_t length,
			 struct options_error *reterr)
{
	size_t prefix = strlen(options->set->variable_prefix);
	char flag[OPTIONS_VARIABLE_BYTES] = "", variable[OPTIONS_VARIABLE_BYTES];
	const char *nearest;

	for (size_t i = prefix; i < length && i - prefix < sizeof(flag) - 1; i++)
		flag[i - prefix] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
	nearest = options_nearest(options, flag, strlen(flag));
	if (!nearest || options_find(options, nearest, strlen(nearest))->argument_only)
		return options_error_set(reterr, "there is no variable %.*s", (int)length, name);
	options_variable(options->set, options_find(options, nearest, strlen(nearest)), variable);
	return options_error_set(reterr, "there is no variable %.*s; did you mean %s?", (int)length,
				 name, variable);
}

int options_check_variables(const struct options *options, const char *const *others,
			    struct options_error *reterr)
{
	const char *prefix = options->set->variable_prefix;

	for (char **one = environ; *one; one++) {
		size_t length = strcspn(*one, "="), skipped = strlen(prefix);
		bool is_known = strncmp(*one, prefix, skipped) != 0 ||
				is_option_variable(options->set, *one, length);

		for (const char *const *other = others; !is_known && *other; other++)
			is_known = fits(*other, *one + skipped, length - skipped);
		if (!is_known)
			return fail_variable(options, *one, length, reterr);
	}
	return 0;
}

/* A view of a part of a line. */
struct piece {
	const char *text;
	size_t length;
};

static const struct piece nothing = {"", 0};

/* A carriage return counts, too: some editors write it before the line feed. */
static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct piece trim(const char *text, size_t length)
{
	while (length > 0 && is_space(*text)) {
		text++;
		length--;
	}
	while (length > 0 && is_space(text[length - 1]))
		length--;
	return (struct piece){text, length};
}

static int fail_line(const struct options *options, unsigned line, const char *what,
		     struct piece name, struct options_error *reterr)
{
	return options_error_set(reterr, "%s:%u: %s%s%.*s%s", options->file, line, what,
				 name.length ? " \"" : "", (int)name.length, name.text,
				 name.length ? "\"" : "");
}

static int fail_setting(const struct options *options, unsigned line, struct piece name,
			struct options_error *reterr)
{
	const char *nearest = options_nearest(options, name.text, name.length);

	if (!nearest || options_find(options, nearest, strlen(nearest))->argument_only)
		return fail_line(options, line, "there is no setting", name, reterr);
	return options_error_set(reterr, "%s:%u: there is no setting \"%.*s\"; did you mean %s?",
				 options->file, line, (int)name.length, name.text, nearest);
}

/* Whether the value has a comment behind #, ; or //: other programs allow that, this one does not.
 */
static bool has_comment(const struct option *option, struct piece value)
{
	bool is_word = option->type == OPTION_NUMBER || option->type == OPTION_ON_OFF ||
		       option->type == OPTION_CHOICE;

	for (size_t i = 0; i < value.length; i++) {
		const char *at = value.text + i;
		bool is_sign = *at == '#' || (*at == ';' && i > 0) ||
			       (*at == '/' && i > 0 && i + 1 < value.length && at[1] == '/');

		if (is_sign && (is_word || i == 0 || is_space(at[-1])))
			return true;
	}
	return false;
}

static bool is_quoted(struct piece value)
{
	char first = value.text[0];

	return value.length > 1 && (first == '"' || first == '\'') &&
	       value.text[value.length - 1] == first;
}

static int read_line(struct options *options, struct piece line, unsigned number,
		     struct options_error *reterr)
{
	const char *equals = memchr(line.text, '=', line.length);
	const struct option *option;
	struct piece name, value;

	if (memchr(line.text, 0, line.length))
		return fail_line(options, number, "holds a NUL byte", nothing, reterr);
	if (!equals)
		return fail_line(options, number, "must be \"name = value\"", nothing, reterr);
	name = trim(line.text, (size_t)(equals - line.text));
	value = trim(equals + 1, line.length - (size_t)(equals + 1 - line.text));
	option = options_find(options, name.text, name.length);
	if (!option || option->argument_only)
		return fail_setting(options, number, name, reterr);
	if (value.length == 0)
		return fail_line(options, number, "no value for", name, reterr);
	if (has_comment(option, value))
		return fail_line(
		    options, number,
		    "a comment needs a line of its own; there is one after the value of", name,
		    reterr);
	if (is_quoted(value))
		return fail_line(options, number, "write it without quotes: the value of", name,
				 reterr);
	for (unsigned i = 0; i < options->given_count && option->type != OPTION_LIST; i++) {
		const struct option_given *given = &options->given[i];

		if (given->option == option && given->source == OPTION_FILE)
			return options_error_set(reterr, "%s:%u: %s is already set on line %u",
						 options->file, number, option->name, given->line);
	}
	options_add(options, option, OPTION_FILE, number, value.text, value.length);
	return 0;
}

/* Returns the content of the file, which the caller frees; NULL: it cannot be read. */
static char *read_all(const char *path, size_t *ret_length, struct options_error *reterr)
{
	char *text = options_grow(NULL, OPTIONS_FILE_BYTES_MAX + 1);
	FILE *file;
	int error = 0;

	*ret_length = 0;
	errno = 0;
	file = fopen(path, "re");
	if (file)
		*ret_length = fread(text, 1, OPTIONS_FILE_BYTES_MAX + 1, file);
	if (!file || ferror(file))
		error = errno;
	if (file)
		fclose(file);
	if (error == 0 && *ret_length <= OPTIONS_FILE_BYTES_MAX)
		return text;
	free(text);
	if (error)
		options_error_set(reterr, "cannot read the configuration file %s: %s", path,
				  strerror(error));
	else
		options_error_set(reterr, "%s is longer than %d bytes: not a configuration file",
				  path, OPTIONS_FILE_BYTES_MAX);
	return NULL;
}

int options_read_file(struct options *options, const char *path, struct options_error *reterr)
{
	unsigned number = 0;
	size_t length;
	char *text = read_all(path, &length, reterr);
	const char *at = text, *end = text ? text + length : NULL;
	int rc = text ? 0 : -1;

	/* The mark that some editors put in front of UTF-8. */
	if (text && length >= strlen(BYTE_ORDER_MARK) &&
	    memcmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
		at += strlen(BYTE_ORDER_MARK);

	options->file = options_copy(path, strlen(path));
	while (rc == 0 && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((newline ? newline : end) - at);
		struct piece line = trim(at, size);

		number++;
		if (line.length > 0 && line.text[0] != '#')
			rc = read_line(options, line, number, reterr);
		at = newline ? newline + 1 : end;
	}
	free(text);
	return rc;
}
