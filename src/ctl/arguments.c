#include "base/memory.h"
#include "ctl/ctl.h"

static const struct option_command *find_command(unsigned i)
{
	return i < ctl_command_count ? &ctl_commands[i].line : NULL;
}

/* The first ones say where; displayd's own code reads their values. */
enum { PLACE_COUNT = 4 };
static const struct option general[] = {
    OPTION(TEXT, "state-dir", "DIR", "The state directory of the server beside which it works.",
	   .heading = "Options:"),
    OPTION(TEXT, "database", "URL", "The database, where the server uses one of its own choice."),
    OPTION(TEXT, "public-url", "URL",
	   "What a device's URLs start with. Default: what the running server says in its state "
	   "directory."),
    OPTION(TEXT, "config", "FILE", "displayd's configuration file, for these three."),
    OPTION(SWITCH, "json", NULL, "Print one JSON object or array.", OPTION_INTO(struct ctl, json)),
    OPTION(SWITCH, "help", NULL, "Show this text, or that of a command, and exit."),
    {0},
};

static const struct option_set set = {
    .program = "displayctl",
    .intro = "displayctl - manages displayd's accounts, devices, keys and apps\n\n"
	     "usage: displayctl [--state-dir DIR | --database URL] [--json] COMMAND ...\n\n"
	     "Commands:\n",
    .notes =
	"\nBehind \"--\" no options follow: for versions named like one. The variables\n"
	"DISPLAYD_STATE_DIR, DISPLAYD_DATABASE, DISPLAYD_PUBLIC_URL and DISPLAYD_CONFIG serve as\n"
	"they do for displayd. Reasons go to stderr.\n"
	"\nExit codes: 0 done, 1 failed, 2 wrong usage or an invalid value, 3 not found,\n"
	"4 refused (exists already, or a rule stands against it), 5 the database cannot be\n"
	"reached or is not migrated.\n",
    .options = general,
    .command = find_command,
    .takes_empty = true,
    .takes_once = true,
};

/* As displayd reads its own. */
static enum ctl_exit read_places(struct ctl *ctl, char *program)
{
	char *places[1 + PLACE_COUNT] = {program};
	struct options_error why;
	int count = 1;

	for (unsigned i = 0; i < ctl->options.given_count; i++) {
		const struct option_given *given = &ctl->options.given[i];

		if (given->option >= general && given->option < general + PLACE_COUNT)
			places[count++] =
			    (char *)(uintptr_t)arena_printf(&ctl->arena, "--%s=%s",
							    given->option->name, given->value)
				.data;
	}
	if (config_read(&ctl->config, count, places, &why) < 0)
		return ctl_fail(CTL_USAGE, "%s", why.text);
	return CTL_DONE;
}

enum ctl_exit ctl_read_arguments(struct ctl *ctl, int argc, char **argv, bool *ret_help)
{
	struct options *options = &ctl->options;
	struct options_error why;

	options_init(options, &set);
	if (options_read_arguments(options, argc, argv, &why) < 0)
		return ctl_fail(CTL_USAGE, "%s", why.text);
	if (options->command)
		ctl->command = container_of(options->command, struct ctl_command, line);
	*ret_help = options_find_given(options, "help") != NULL;
	if (*ret_help)
		return CTL_DONE;
	if (!ctl->command)
		return ctl_fail(CTL_USAGE, "which command? See displayctl --help");
	if (ctl->command->run_apart)
		return CTL_DONE;
	if (options_apply(options, ctl, &why) < 0)
		return ctl_fail(CTL_USAGE, "%s", why.text);
	for (unsigned i = 0; i < options->positional_count && i < CTL_POSITIONALS_MAX; i++)
		ctl->positionals[i] = str_from(options->positionals[i]);
	return read_places(ctl, argv[0]);
}

struct str ctl_value(const struct ctl *ctl, const char *name)
{
	return str_from(options_text(&ctl->options, name));
}
