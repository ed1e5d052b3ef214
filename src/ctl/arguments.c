#include "base/memory.h"
#include "ctl/ctl.h"

/* Flags before or behind the command that say where; displayd's own code reads their values. */
static const char *const place_flags[] = {"state-dir", "database", "public-url", "config"};

struct reader {
	struct ctl *ctl;
	int argc;
	char **argv;
	int at; /* next argument */
	bool help;
	bool options_ended;	 /* "--" was there: what follows are no flags */
	char *places[1 + 2 * 8]; /* displayd's arguments */
	int place_count;
};

/* "--name", "--name=value"; the value may be the next argument. -1: another flag, 0: no value, 1.
 */
static int take_value(struct reader *reader, const char *name, char **ret_value)
{
	char *argument = reader->argv[reader->at];
	size_t length = strlen(name);

	if (strncmp(argument, "--", 2) != 0 || strncmp(argument + 2, name, length) != 0)
		return -1;
	if (argument[2 + length] == '=') {
		*ret_value = argument + 2 + length + 1;
		reader->at++;
		return 1;
	}
	if (argument[2 + length] != 0)
		return -1;
	reader->at++;
	if (reader->at == reader->argc)
		return 0;
	*ret_value = reader->argv[reader->at++];
	return 1;
}

/* 1: taken, 0: not one of them, -1: a fault was said. */
static int read_place(struct reader *reader)
{
	for (size_t i = 0; i < array_length(place_flags); i++) {
		char *value, *flag;
		int rc = take_value(reader, place_flags[i], &value);

		if (rc < 0)
			continue;
		if (rc == 0 || reader->place_count + 2 > (int)array_length(reader->places)) {
			ctl_fail(CTL_USAGE, "--%s needs a value, once", place_flags[i]);
			return -1;
		}
		flag = (char *)(uintptr_t)arena_printf(&reader->ctl->arena, "--%s", place_flags[i])
			   .data;
		reader->places[reader->place_count++] = flag;
		reader->places[reader->place_count++] = value;
		return 1;
	}
	return 0;
}

static int read_general(struct reader *reader)
{
	const char *argument = reader->argv[reader->at];

	if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
		reader->help = true;
	else if (strcmp(argument, "--json") == 0)
		reader->ctl->json = true;
	else
		return read_place(reader);
	reader->at++;
	return 1;
}

static bool is_switch(const char *argument, const char *name)
{
	return strncmp(argument, "--", 2) == 0 && strcmp(argument + 2, name) == 0;
}

static int take_repeated(struct ctl *ctl, const struct ctl_option *option, const char *value)
{
	if (ctl->repeated_count == CTL_REPEATED_MAX) {
		ctl_fail(CTL_USAGE, "--%s is given too often", option->name);
		return -1;
	}
	ctl->repeated[ctl->repeated_count++] =
	    (struct ctl_repeated){.name = option->name, .value = str_from(value)};
	return 1;
}

static int read_command_option(struct reader *reader)
{
	struct ctl *ctl = reader->ctl;

	for (size_t i = 0; i < CTL_OPTIONS_MAX && ctl->command->options[i].name; i++) {
		const struct ctl_option *option = &ctl->command->options[i];
		char *value;
		int rc;

		if (!option->argument) {
			if (!is_switch(reader->argv[reader->at], option->name))
				continue;
			reader->at++;
			ctl->values[i] = STR("yes");
			return 1;
		}
		rc = take_value(reader, option->name, &value);
		if (rc < 0)
			continue;
		if (rc > 0 && option->repeats)
			return take_repeated(ctl, option, value);
		if (rc == 0 || ctl->values[i].data) {
			ctl_fail(CTL_USAGE, "--%s needs a value, once", option->name);
			return -1;
		}
		ctl->values[i] = str_from(value);
		return 1;
	}
	return 0;
}

/* Words of the table's name against arguments: how many there are, 0 where they differ. */
static int match_command(const struct ctl_command *command, char **argv, int argc)
{
	struct str rest = str_from(command->name), word;
	int count = 0;

	while (str_next(&rest, ' ', &word)) {
		if (count == argc || !str_equal(word, str_from(argv[count])))
			return 0;
		count++;
	}
	return count;
}

static bool find_command(struct reader *reader)
{
	for (unsigned i = 0; i < ctl_command_count; i++) {
		int words = match_command(&ctl_commands[i], reader->argv + reader->at,
					  reader->argc - reader->at);

		if (words == 0)
			continue;
		reader->ctl->command = &ctl_commands[i];
		reader->at += words;
		return true;
	}
	return false;
}

static unsigned positional_names(const struct ctl_command *command)
{
	struct str rest = str_from(command->positional), name;
	unsigned count = 0;

	while (str_next(&rest, ' ', &name))
		count++;
	return count;
}

/* 1: taken, 0: no flag, -1: a fault was said. */
static int read_flag(struct reader *reader)
{
	int rc;

	if (reader->options_ended)
		return 0;
	if (strcmp(reader->argv[reader->at], "--") == 0) {
		reader->options_ended = true;
		reader->at++;
		return 1;
	}
	rc = read_general(reader);
	return rc ? rc : read_command_option(reader);
}

static enum ctl_exit check_complete(const struct ctl *ctl)
{
	if (ctl->positional_count < positional_names(ctl->command))
		return ctl_fail(CTL_USAGE, "%s needs %s", ctl->command->name,
				ctl->command->positional);
	for (size_t i = 0; i < CTL_OPTIONS_MAX && ctl->command->options[i].name; i++)
		if (ctl->command->options[i].required && !ctl->values[i].data)
			return ctl_fail(CTL_USAGE, "%s needs --%s %s", ctl->command->name,
					ctl->command->options[i].name,
					ctl->command->options[i].argument);
	return CTL_DONE;
}

/* Everything behind the command. */
static enum ctl_exit read_rest(struct reader *reader)
{
	struct ctl *ctl = reader->ctl;

	while (reader->at < reader->argc) {
		char *argument = reader->argv[reader->at];
		int rc = read_flag(reader);

		if (rc < 0)
			return CTL_USAGE;
		if (rc > 0)
			continue;
		if ((argument[0] == '-' && !reader->options_ended) ||
		    ctl->positional_count == positional_names(ctl->command))
			return ctl_fail(CTL_USAGE, "%s does not take %s; see displayctl --help",
					ctl->command->name, argument);
		ctl->positionals[ctl->positional_count++] = str_from(argument);
		reader->at++;
	}
	return reader->help ? CTL_DONE : check_complete(ctl);
}

/* Up to the command; *ret_found: there is one. */
static enum ctl_exit read_start(struct reader *reader, bool *ret_found)
{
	int rc;

	*ret_found = false;
	while (reader->at < reader->argc && reader->argv[reader->at][0] == '-') {
		rc = read_general(reader);
		if (rc < 0)
			return CTL_USAGE;
		if (rc == 0)
			return ctl_fail(CTL_USAGE, "there is no option %s; see displayctl --help",
					reader->argv[reader->at]);
	}
	if (reader->at == reader->argc)
		return reader->help ? CTL_DONE
				    : ctl_fail(CTL_USAGE, "which command? See displayctl --help");
	if (!find_command(reader))
		return ctl_fail(CTL_USAGE, "there is no command %s; see displayctl --help",
				reader->argv[reader->at]);
	*ret_found = true;
	return CTL_DONE;
}

static enum ctl_exit read_places(struct reader *reader)
{
	struct options_error why;

	if (config_read(&reader->ctl->config, reader->place_count, reader->places, &why) < 0)
		return ctl_fail(CTL_USAGE, "%s", why.text);
	return CTL_DONE;
}

enum ctl_exit ctl_read_arguments(struct ctl *ctl, int argc, char **argv, bool *ret_help,
				 int *ret_apart)
{
	struct reader reader = {.ctl = ctl, .argc = argc, .argv = argv, .at = 1};
	enum ctl_exit code;
	bool found;

	reader.places[reader.place_count++] = argv[0];
	code = read_start(&reader, &found);
	if (code == CTL_DONE && found && ctl->command->run_apart && !reader.help) {
		/* Its name is its argv[0]. */
		*ret_apart = reader.at - 1;
		return CTL_DONE;
	}
	if (code == CTL_DONE && found)
		code = read_rest(&reader);
	*ret_help = reader.help;
	if (code == CTL_DONE && !reader.help)
		code = read_places(&reader);
	return code;
}

struct str ctl_value(const struct ctl *ctl, const char *name)
{
	for (size_t i = 0; i < CTL_OPTIONS_MAX && ctl->command->options[i].name; i++)
		if (strcmp(ctl->command->options[i].name, name) == 0)
			return ctl->values[i];
	return (struct str){0};
}

static void print_option(const struct ctl_option *option, struct buffer *text)
{
	buffer_printf(text, option->required ? " --%s" : " [--%s", option->name);
	if (option->argument)
		buffer_printf(text, " %s", option->argument);
	if (!option->required)
		buffer_append_char(text, ']');
	if (option->repeats)
		buffer_append_str(text, STR("..."));
}

static void print_command(const struct ctl_command *command, struct buffer *text)
{
	struct str rest = str_from(command->help), line;

	buffer_printf(text, "  %s", command->name);
	if (command->positional)
		buffer_printf(text, " %s", command->positional);
	for (size_t i = 0; i < CTL_OPTIONS_MAX && command->options[i].name; i++)
		print_option(&command->options[i], text);
	if (command->run_apart)
		buffer_append_str(text, STR(" ..."));
	buffer_append_char(text, '\n');
	while (str_next(&rest, '\n', &line))
		buffer_printf(text, "      %.*s\n", STR_ARG(line));
}

void ctl_print_help(struct buffer *text)
{
	buffer_append_str(
	    text,
	    STR("displayctl - manages displayd's accounts, devices, keys and apps\n\n"
		"usage: displayctl [--state-dir DIR | --database URL] [--json] COMMAND ...\n\n"
		"Commands:\n"));
	for (unsigned i = 0; i < ctl_command_count; i++)
		print_command(&ctl_commands[i], text);
	buffer_append_str(
	    text,
	    STR("\nOptions:\n"
		"  --state-dir DIR     The state directory of the server beside which it works.\n"
		"  --database URL      The database, where the server uses one of its own choice.\n"
		"  --public-url URL    What a device's URLs start with. Default: what the running\n"
		"                      server says in its state directory.\n"
		"  --config FILE       displayd's configuration file, for these three.\n"
		"  --json              Print one JSON object or array.\n"
		"  --                  What follows are no options: for versions named like one.\n"
		"  --help              Show this text and exit.\n"
		"\nThe variables DISPLAYD_STATE_DIR, DISPLAYD_DATABASE, DISPLAYD_PUBLIC_URL and\n"
		"DISPLAYD_CONFIG serve as they do for displayd. Reasons go to stderr.\n"
		"\nExit codes: 0 done, 1 failed, 2 wrong usage or an invalid value, 3 not found,\n"
		"4 refused (exists already, or a rule stands against it), 5 the database cannot "
		"be\n"
		"reached or is not migrated.\n"));
}
