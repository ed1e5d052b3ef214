/* At build time: write_manuals TEMPLATE DATE writes a manual page in mdoc(7) to standard output.
 * Lines of the template such as @OPTIONS@ are replaced by texts from the tables of options and
 * commands. */
#include "ctl/ctl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 76 };

/* ---- mdoc ---- */

/* Prints a word, escaped for the start and the middle of a line. Returns its width in the page. */
static size_t print_word(const char *word, size_t length, FILE *out)
{
	size_t printed = length;

	for (size_t i = 0; i < length; i++) {
		if (i == 0 && (word[i] == '.' || word[i] == '\''))
			printed += (size_t)fprintf(out, "\\&");
		if (word[i] == '\\')
			printed += (size_t)fprintf(out, "\\e") - 1;
		else if (word[i] == '-')
			printed += (size_t)fprintf(out, "\\-") - 1;
		else
			fputc(word[i], out);
	}
	return printed;
}

static bool ends_sentence(const char *text, size_t length)
{
	return length > 1 && strchr(".?!", text[length - 1]) && text[length] == ' ' &&
	       (isupper((unsigned char)text[length + 1]) || text[length + 1] == '"' ||
		isdigit((unsigned char)text[length + 1]) || text[length + 1] == '-');
}

/* Prints each sentence on a line of its own, wrapped at LINE_WIDTH. */
static void print_text(const char *text, FILE *out)
{
	size_t at = 0;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (at > 0 && at + 1 + length > LINE_WIDTH) {
			fputc('\n', out);
			at = 0;
		}
		if (at > 0)
			fputc(' ', out);
		at += print_word(text, length, out) + (at > 0);
		if (ends_sentence(text, length)) {
			fputc('\n', out);
			at = 0;
		}
		text += length + (text[length] == ' ');
	}
	if (at > 0)
		fputc('\n', out);
}

/* Quotes the argument of a macro: "|" and some other characters are delimiters in macros. */
static void print_argument(const char *text, FILE *out)
{
	fprintf(out, " Ar \"%s\"", text);
}

static void print_usage_option(const struct option *option, FILE *out)
{
	fprintf(out, "%sFl \\-%s", option->is_required ? "." : ".Op ", option->name);
	if (option->argument)
		print_argument(option->argument, out);
	if (option->type == OPTION_LIST)
		fputs(" ...", out);
	fputc('\n', out);
}

/* "APP VERSION [KEY=VALUE...]" */
static void print_positionals(const char *positionals, FILE *out)
{
	while (positionals && *positionals) {
		size_t length = strcspn(positionals, " ");
		bool is_open = *positionals == '[';

		fprintf(out, is_open ? ".Op Ar \"%.*s\"\n" : ".Ar \"%.*s\"\n",
			(int)(is_open ? length - 2 : length), positionals + is_open);
		positionals += length + strspn(positionals + length, " ");
	}
}

static void print_option(const struct option *option, const char *dashes, FILE *out)
{
	fputs(".It", out);
	if (option->letter || strcmp(option->name, "help") == 0)
		fprintf(out, " Fl %c ,", option->letter ? option->letter : 'h');
	fprintf(out, " %s%s", dashes, option->name);
	if (option->argument)
		print_argument(option->argument, out);
	fputc('\n', out);
	print_text(option->help, out);
	if (option->fallback) {
		char text[256];

		snprintf(text, sizeof(text), "Default: %s.", option->fallback);
		print_text(text, out);
	}
}

static void print_options(const struct option *options, FILE *out)
{
	fputs(".Bl -tag -width Ds\n", out);
	for (const struct option *one = options; one && one->name; one++)
		print_option(one, "Fl \\-", out);
	fputs(".El\n", out);
}

static void print_command(const struct option_command *command, FILE *out)
{
	fprintf(out, ".It Xo\n.Cm %s\n", command->name);
	print_positionals(command->positionals, out);
	for (const struct option *one = command->options; one && one->name; one++)
		print_usage_option(one, out);
	fputs(".Xc\n", out);
	print_text(command->help, out);
	if (command->options && command->options->name)
		print_options(command->options, out);
}

static bool has_topic(const struct option_command *command)
{
	for (const struct option_topic *one = ctl_option_set.topics; one->name; one++)
		if (options_is_of_topic(command, one))
			return true;
	return false;
}

static void print_topic(const struct option_topic *topic, FILE *out)
{
	fprintf(out, ".Ss %s\n", topic ? topic->name : "Other commands");
	if (topic)
		print_text(topic->help, out);
	fputs(".Bl -tag -width Ds\n", out);
	for (unsigned i = 0; i < ctl_command_count; i++) {
		const struct option_command *command = &ctl_commands[i].line;

		if (topic ? options_is_of_topic(command, topic) : !has_topic(command))
			print_command(command, out);
	}
	fputs(".El\n", out);
}

static void print_commands(FILE *out)
{
	for (const struct option_topic *one = ctl_option_set.topics; one->name; one++)
		print_topic(one, out);
	print_topic(NULL, out);
}

static void print_settings(FILE *out)
{
	fputs(".Bl -tag -width Ds\n", out);
	for (const struct option *one = config_set.options; one->name; one++)
		if (!one->argument_only)
			print_option(one, "Cm ", out);
	fputs(".El\n", out);
}

/* ---- templates ---- */

/* Writes a line of the template, or the text that replaces it. is_ctl: for displayctl, else
 * displayd. */
static void write_line(const char *line, bool is_ctl, const char *date, FILE *out)
{
	if (strcmp(line, "@OPTIONS@\n") == 0)
		print_options(is_ctl ? ctl_option_set.options : config_set.options, out);
	else if (strcmp(line, "@COMMANDS@\n") == 0)
		print_commands(out);
	else if (strcmp(line, "@SETTINGS@\n") == 0)
		print_settings(out);
	else if (strcmp(line, ".Dd @DATE@\n") == 0)
		fprintf(out, ".Dd %s\n", date);
	else
		fputs(line, out);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
	bool is_ctl = file && strstr(strrchr(argv[1], '/'), "/displayctl.");
	char line[512];

	if (!file) {
		fputs("usage: write_manuals TEMPLATE DATE\n", stderr);
		return 2;
	}
	while (fgets(line, sizeof(line), file))
		write_line(line, is_ctl, argv[2], stdout);
	fclose(file);
	return fflush(stdout) == 0 ? 0 : 1;
}
