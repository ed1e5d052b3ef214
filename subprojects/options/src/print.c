/* Prints the help and the values that are in force. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 92, OPTION_WIDTH = 28, COMMAND_INDENT = 6, BRIEF_WIDTH = 40 };

/* Prints sentences from a column on, wrapped at the width. The cursor is in that column.
 */
static void print_wrapped(const char *text, unsigned column, FILE *out)
{
	unsigned at = column;

	while (*text) {
		unsigned length = (unsigned)strcspn(text, " ");

		if (at > column && at + 1 + length > LINE_WIDTH) {
			fprintf(out, "\n%*s", (int)column, "");
			at = column;
		}
		if (at > column)
			fputc(' ', out);
		fwrite(text, 1, length, out);
		at += length + (at > column);
		text += length + (text[length] == ' ');
	}
}

static void print_option(const struct option *option, FILE *out)
{
	const char own[] = {'-', option->letter, ',', ' ', 0};
	const char *letter = strcmp(option->name, "help") == 0 ? "-h, " : "";
	char text[1024];
	int width;

	if (option->heading)
		fprintf(out, "\n%s\n", option->heading);
	width = fprintf(out, "  %s--%s%s%s", option->letter ? own : letter, option->name,
			option->argument ? " " : "", option->argument ? option->argument : "");
	if (width >= OPTION_WIDTH)
		width = fprintf(out, "\n") - 1;
	fprintf(out, "%*s", OPTION_WIDTH - width, "");
	snprintf(text, sizeof(text), "%s%s%s%s", option->help, option->fallback ? " Default: " : "",
		 option->fallback ? option->fallback : "", option->fallback ? "." : "");
	print_wrapped(text, OPTION_WIDTH, out);
	fputc('\n', out);
}

static void print_usage(const struct option_command *command, FILE *out)
{
	fputs(command->name, out);
	if (command->positionals)
		fprintf(out, " %s", command->positionals);
	for (const struct option *one = command->options; one && one->name; one++)
		fprintf(out, " %s--%s%s%s%s%s", one->is_required ? "" : "[", one->name,
			one->argument ? " " : "", one->argument ? one->argument : "",
			one->is_required ? "" : "]", one->type == OPTION_LIST ? "..." : "");
	if (command->reads_itself)
		fputs(" ...", out);
	fputc('\n', out);
}

static void print_command(const struct option_set *set, const struct option_command *command,
			  FILE *out)
{
	fprintf(out, "usage: %s ", set->program);
	print_usage(command, out);
	fputc('\n', out);
	print_wrapped(command->help, 0, out);
	fputs(command->options ? "\n\n" : "\n", out);
	for (const struct option *one = command->options; one && one->name; one++)
		print_option(one, out);
	fprintf(out, "\nOptions of all commands: %s --help\n", set->program);
}

static void print_in_list(const struct option_command *command, FILE *out)
{
	fputs("  ", out);
	print_usage(command, out);
	fprintf(out, "%*s", COMMAND_INDENT, "");
	print_wrapped(command->help, COMMAND_INDENT, out);
	fputc('\n', out);
}

/* Prints the command's words and the first sentence of its help. */
static void print_briefly(const struct option_command *command, FILE *out)
{
	int width = fprintf(out, "  %s%s%s", command->name, command->positionals ? " " : "",
			    command->positionals ? command->positionals : "");
	const char *end = strstr(command->help, ". ");
	char text[512];

	if (width >= BRIEF_WIDTH)
		width = fprintf(out, "\n") - 1;
	fprintf(out, "%*s", BRIEF_WIDTH - width, "");
	snprintf(text, sizeof(text), "%.*s",
		 end ? (int)(end - command->help) + 1 : (int)strlen(command->help), command->help);
	print_wrapped(text, BRIEF_WIDTH, out);
	fputc('\n', out);
}

static bool has_topic(const struct option_set *set, const struct option_command *command)
{
	for (const struct option_topic *one = set->topics; one && one->name; one++)
		if (options_is_of_topic(command, one))
			return true;
	return false;
}

/* Prints all commands topic by topic, and at last those without a topic. */
static void print_overview(const struct option_set *set, FILE *out)
{
	for (const struct option_topic *one = set->topics; one && one->name; one++) {
		fprintf(out, "\n%s - %s\n", one->name, one->help);
		for (unsigned i = 0; set->command(i); i++)
			if (options_is_of_topic(set->command(i), one))
				print_briefly(set->command(i), out);
	}
	fputc('\n', out);
	for (unsigned i = 0; set->command(i); i++)
		if (!has_topic(set, set->command(i)))
			print_briefly(set->command(i), out);
}

void options_print_topic(const struct option_set *set, const struct option_topic *topic, FILE *out)
{
	fprintf(out, "%s - %s\n", topic->name, topic->help);
	for (unsigned i = 0; set->command(i); i++) {
		if (!options_is_of_topic(set->command(i), topic))
			continue;
		fputc('\n', out);
		print_in_list(set->command(i), out);
	}
	fprintf(out, "\nMore of one command: %s COMMAND --help\n", set->program);
}

void options_print_help(const struct option_set *set, const struct option_command *command,
			FILE *out)
{
	if (command) {
		print_command(set, command, out);
		return;
	}
	fputs(set->intro, out);
	if (set->topics)
		print_overview(set, out);
	for (unsigned i = 0; !set->topics && set->command && set->command(i); i++)
		print_in_list(set->command(i), out);
	for (const struct option *one = set->options; one->name; one++)
		print_option(one, out);
	if (set->notes)
		fputs(set->notes, out);
}

static void print_value(const struct option_given *given, FILE *out)
{
	if (given->option->show)
		given->option->show(given->value, out);
	else
		fputs(given->value, out);
}

/* Prints a line for each value of a list, else one line. */
static void print_values(const struct options *options, const struct option_given *best, FILE *out)
{
	const struct option *option = best->option;

	for (unsigned i = 0; i < options->given_count; i++) {
		const struct option_given *given = &options->given[i];

		if (given->option != option || given->source != best->source ||
		    (given != best && option->type != OPTION_LIST))
			continue;
		fprintf(out, "%s%s = ", best->source == OPTION_DEFAULT ? "#" : "", option->name);
		print_value(given, out);
		fputc('\n', out);
	}
}

static void print_source(const struct options *options, const struct option_given *given, FILE *out)
{
	char variable[OPTIONS_VARIABLE_BYTES];

	if (!given || given->source == OPTION_DEFAULT) {
		fputs("# default", out);
	} else if (given->source == OPTION_FILE) {
		fprintf(out, "# %s:%u", options->file, given->line);
	} else if (given->source == OPTION_VARIABLE) {
		options_variable(options->set, given->option, variable);
		fprintf(out, "# %s", variable);
	} else {
		fprintf(out, "# --%s", given->option->name);
	}
	fputc('\n', out);
}

void options_print(const struct options *options, FILE *out)
{
	for (const struct option *one = options->set->options; one->name; one++) {
		const struct option_given *given = options_find_given(options, one->name);

		if (one->argument_only)
			continue;
		print_source(options, given, out);
		if (given)
			print_values(options, given, out);
		else
			fprintf(out, "#%s = %s\n", one->name, one->absent ? one->absent : "");
	}
}
