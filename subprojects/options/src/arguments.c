/* The command line. */
#include "internal.h"

#include <string.h>

struct reader {
	struct options *options;
	struct options_error *reterr;
	char *const *argv;
	int argc;
	int at;		    /* the next argument */
	bool options_ended; /* "--" was read: no options follow */
};

static int fail_unknown_option(const struct reader *reader, const char *argument)
{
	const struct options *options = reader->options;
	size_t length = strcspn(argument, "=");
	const char *nearest = length > 2 && strncmp(argument, "--", 2) == 0
				  ? options_nearest(options, argument + 2, length - 2)
				  : NULL;
	const char *command = options->command ? options->command->name : NULL;

	if (nearest)
		return options_error_set(reader->reterr,
					 "there is no option %.*s; did you mean --%s?", (int)length,
					 argument, nearest);
	return options_error_set(reader->reterr, "there is no option %.*s; see %s%s%s --help",
				 (int)length, argument, options->set->program, command ? " " : "",
				 command ? command : "");
}

/* "--session-pooler" alone means on. */
static bool is_bare_on_off(const struct reader *reader, const struct option *option)
{
	const char *next = reader->at < reader->argc ? reader->argv[reader->at] : "";

	return option->type == OPTION_ON_OFF && (!next[0] || next[0] == '-');
}

static int take_option(struct reader *reader, const struct option *option, const char *value)
{
	struct options *options = reader->options;
	const struct option_given *before = options_find_given(options, option->name);

	if (option->type == OPTION_SWITCH && value)
		return options_error_set(reader->reterr, "--%s takes no value", option->name);
	if (option->type == OPTION_SWITCH || (is_bare_on_off(reader, option) && !value))
		value = "on";
	else if (!value && reader->at < reader->argc)
		value = reader->argv[reader->at++];
	if (!value || (!value[0] && !options->set->takes_empty))
		return options_error_set(reader->reterr, "--%s needs a value: %s", option->name,
					 option->argument);
	if (before && before->source == OPTION_ARGUMENT && options->set->takes_once &&
	    option->type != OPTION_LIST && option->type != OPTION_SWITCH)
		return options_error_set(reader->reterr, "--%s is given twice", option->name);
	options_add(options, option, OPTION_ARGUMENT, 0, value, strlen(value));
	return 0;
}

static const struct option *find_letter(const struct options *options, char letter)
{
	const struct option *option = NULL;

	while ((option = options_next(options, option)) && option->letter != letter)
		;
	return option;
}

/* Reads "--name", "--name=value" or "-h"; the value may be the next argument. */
static int read_option(struct reader *reader)
{
	const char *argument = reader->argv[reader->at++];
	const char *name = strncmp(argument, "--", 2) == 0 ? argument + 2
			   : strcmp(argument, "-h") == 0   ? "help"
							   : "";
	size_t length = strcspn(name, "=");
	const char *value = name[length] == '=' ? name + length + 1 : NULL;
	const struct option *option = options_find(reader->options, name, length);

	if (!option && argument[0] == '-' && argument[1] && !argument[2])
		option = find_letter(reader->options, argument[1]);

	return option ? take_option(reader, option, value) : fail_unknown_option(reader, argument);
}

/* Compares the words of the command's name with the arguments. Returns the number of words, 0 if
 * they differ. */
static int match_command(const char *name, const struct reader *reader)
{
	int count = 0;

	while (*name) {
		size_t length = strcspn(name, " ");
		const char *argument =
		    reader->at + count < reader->argc ? reader->argv[reader->at + count] : "";

		if (strlen(argument) != length || memcmp(argument, name, length) != 0)
			return 0;
		name += length;
		name += strspn(name, " ");
		count++;
	}
	return count;
}

/* Whether a topic's name stands alone or before an option: then the caller lists its commands. */
static bool is_topic_alone(const struct reader *reader)
{
	return reader->at + 1 >= reader->argc || reader->argv[reader->at + 1][0] == '-';
}

static int read_command(struct reader *reader)
{
	struct options *options = reader->options;

	for (unsigned i = 0; options->set->command(i); i++) {
		int words = match_command(options->set->command(i)->name, reader);

		if (words == 0)
			continue;
		options->command = options->set->command(i);
		reader->at += words;
		options->rest = reader->at - 1;
		return 0;
	}
	options->topic = options_find_topic(options->set, reader->argv[reader->at]);
	if (!options->topic || !is_topic_alone(reader))
		return options_fail_command(
		    options->set, reader->argv[reader->at],
		    reader->at + 1 < reader->argc ? reader->argv[reader->at + 1] : "",
		    reader->reterr);
	reader->at++;
	return 0;
}

static int read_positional(struct reader *reader)
{
	struct options *options = reader->options;
	const char *argument = reader->argv[reader->at++];
	const char *names = options->command ? options->command->positionals : NULL;
	unsigned count = options->positional_count + 1;

	for (unsigned i = 1; names && i < count; i++) {
		const char *next = strchr(names, ' ');

		if (!next && strstr(names, "..."))
			break; /* the last one takes all that follow */
		names = next ? next + 1 : NULL;
	}
	if (!names)
		return options_error_set(reader->reterr, "%s does not take %s; see %s --help",
					 options->command ? options->command->name
							  : options->set->program,
					 argument, options->set->program);
	options->positionals =
	    options_grow((void *)options->positionals, count * sizeof(*options->positionals));
	((const char **)options->positionals)[options->positional_count++] = argument;
	return 0;
}

int options_read_arguments(struct options *options, int argc, char *const argv[],
			   struct options_error *reterr)
{
	struct reader reader = {options, reterr, argv, argc, 1, false};
	int rc = 0;

	while (rc == 0 && reader.at < argc) {
		const char *argument = argv[reader.at];

		if (!reader.options_ended && strcmp(argument, "--") == 0) {
			reader.options_ended = true;
			reader.at++;
		} else if (!reader.options_ended && argument[0] == '-' && argument[1]) {
			/* "-" alone is a file: stdin or stdout. */
			rc = read_option(&reader);
		} else if (options->set->command && !options->command && !options->topic) {
			rc = read_command(&reader);
		} else {
			rc = read_positional(&reader);
		}
		if (options->command && options->command->reads_itself)
			break;
	}
	return rc;
}
