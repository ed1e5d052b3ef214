#include "base/memory.h"
#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/server/remote.h"
#include "ctl/server/text.h"
#include "record/json.h"

#include <stdlib.h>
#include <text/utf8.h>

static const struct option_command *find_command(unsigned i)
{
	return i < ctl_command_count ? &ctl_commands[i].line : NULL;
}

/* Options of which server to use come first: displayd's own code reads their values. */
enum { PLACE_COUNT = 4 };
static const struct option general[] = {
    OPTION(TEXT, "state-dir", "DIR", "State directory of the server to manage.",
	   .heading = "Options:"),
    OPTION(TEXT, "database", "URL", "Database URL, if the server runs with --database."),
    OPTION(TEXT, "public-url", "URL",
	   "Start of the URLs of devices. Default: that of the running server, from its state "
	   "directory."),
    OPTION(TEXT, "config", "FILE",
	   "Configuration file of displayd, for these three options. Default: that of the service, "
	   "if the state directory is the service's."),
    OPTION(TEXT, "server", "URL",
	   "Ask this server instead, such as https://panels.example.org, with an API key or the "
	   "session of sign-in. Default: the variable DISPLAYD_SERVER."),
    OPTION(TEXT, "key-file", "FILE",
	   "File whose first line is the API key, for its owner only (mode 600); - is standard "
	   "input. Default: the variable DISPLAYD_API_KEY."),
    OPTION(TEXT, "ca-file", "FILE",
	   "File with certificates (PEM) of the authorities to trust for --server. Default: the "
	   "system's."),
    OPTION(SWITCH, "json", NULL, "Print one JSON object or array.", OPTION_INTO(struct ctl, json)),
    OPTION(SWITCH, "help", NULL, "Show this text, or the help of a noun or a command, and exit."),
    OPTION(SWITCH, "version", NULL, "Show the version and exit."),
    {0},
};

static const struct option_topic topics[] = {
    {"account", "Owners of devices, keys and apps."},
    {"device", "Displays of an account."},
    {"installation", "Entries of a device's rotation: apps and pushed pictures."},
    {"key", "API keys for programs."},
    {"mqtt", "MQTT broker of an account, where Home Assistant finds its devices."},
    {"webhook", "URLs to which the server sends events of an account's devices."},
    {"app", "Scripts that draw pictures for devices."},
    {"version", "Submitted versions of an app."},
    {"collection", "Collections of apps that the server fetches, by ID."},
    {"firmware", "Images of panels' firmware, by board."},
    {"database", "PostgreSQL database with all data of the instance."},
    {0},
};

static const struct option_synonym synonyms[] = {
    {"add", "create"},
    {"change", "update"},
    {"delete", "remove"},
    {"edit", "update"},
    {"get", "show"},
    {"info", "show"},
    {"ls", "list"},
    {"make", "create"},
    {"new", "create"},
    {"rm", "remove"},
    {"set", "update"},
    {"user", "account"},
    {"view", "show"},
    {"cat", "show"},
    {"panel", "device"},
    {"display", "device"},
    {0},
};

const struct option_set ctl_option_set = {
    .program = "displayctl",
    .intro =
	"displayctl - manages displayd's accounts, devices, keys and apps\n\n"
	"usage: displayctl [--state-dir DIR | --database URL | --server URL] [--json] COMMAND ...\n"
	"       displayctl help NOUN\n",
    .notes =
	"\nArguments after \"--\" are not options, even if they begin with \"-\". The variables\n"
	"DISPLAYD_STATE_DIR, DISPLAYD_DATABASE, DISPLAYD_PUBLIC_URL and DISPLAYD_CONFIG work as\n"
	"for displayd. Errors go to stderr.\n"
	"\npush, and commands about accounts, apps (except app import), devices, firmware,\n"
	"installations, keys, MQTT, versions and webhooks, ask the running server of the state\n"
	"directory and ignore --database.\n"
	"\nExit codes: 0 done, 1 failed, 2 wrong usage or an invalid value, 3 not found,\n"
	"4 refused (exists already, forbidden by a database constraint, or not confirmed),\n"
	"5 no server is running, or the database is unreachable, not migrated or full.\n",
    .options = general,
    .command = find_command,
    .topics = topics,
    .synonyms = synonyms,
    .takes_empty = true,
    .takes_once = true,
};

/* Rejects a password in the URL: other users can read the list of processes, and the shell keeps
 * its history. Other ways to pass it exist. */
static enum ctl_exit check_database(const char *url)
{
	PQconninfoOption *parsed = PQconninfoParse(url, NULL);
	bool has_password = false;

	/* libpq marks password fields with "*". */
	for (const PQconninfoOption *one = parsed; one && one->keyword; one++)
		has_password |= one->val && one->val[0] && one->dispchar[0] == '*';
	PQconninfoFree(parsed);
	if (has_password)
		return ctl_fail(
		    CTL_USAGE,
		    "--database contains a password, which others can read in the list of "
		    "processes: use DISPLAYD_DATABASE, the file of --config, or PGPASSFILE");
	return CTL_DONE;
}

/* Reads these options with displayd's code, its variables and its configuration file. */
static enum ctl_exit read_places(struct ctl *ctl, char *program)
{
	char *places[1 + PLACE_COUNT] = {program};
	const char *database = options_text(&ctl->options, "database");
	enum ctl_exit code = database ? check_database(database) : CTL_DONE;
	struct options_error why;
	int count = 1;

	if (code != CTL_DONE)
		return code;
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

/* Requires --account on the server's machine. Over --server the caller's account is used. */
static enum ctl_exit check_account(const struct ctl *ctl)
{
	if (!ctl->command->is_of_account || ctl_value(ctl, "account").data)
		return CTL_DONE;
	return ctl_fail(CTL_USAGE, "%s needs --account EMAIL", ctl->command->line.name);
}

/* Checks that options that set a member of a request's body are UTF-8, as JSON must be. The server
 * checks the rest. */
static enum ctl_exit check_texts(const struct ctl *ctl)
{
	const struct option *options = ctl->command->line.options;
	const char *const *members = ctl->command->members;

	for (unsigned i = 0; members && options[i].name; i++)
		if (members[i] && !utf8_is_valid(ctl_value(ctl, options[i].name)))
			return ctl_fail(CTL_USAGE, "--%s must be UTF-8", options[i].name);
	return CTL_DONE;
}

/* Returns the wish of --help or --version, which need no command, else CTL_COMMAND. */
static enum ctl_wish find_wish(const struct options *options)
{
	if (options_find_given(options, "help"))
		return CTL_HELP;
	return options_find_given(options, "version") ? CTL_VERSION : CTL_COMMAND;
}

/* Finds the server that the command uses. */
static enum ctl_exit read_server(struct ctl *ctl, char *program)
{
	enum ctl_exit code = ctl->command->needs_no_place ? CTL_DONE : remote_read(ctl);

	if (code != CTL_DONE || ctl->remote || ctl->command->needs_no_place)
		return code;
	code = read_places(ctl, program);
	return code == CTL_DONE ? check_account(ctl) : code;
}

enum ctl_exit ctl_read_arguments(struct ctl *ctl, int argc, char **argv, enum ctl_wish *ret_wish)
{
	struct options *options = &ctl->options;
	struct options_error why;

	options_init(options, &ctl_option_set);
	if (options_read_arguments(options, argc, argv, &why) < 0)
		return ctl_fail(CTL_USAGE, "%s", why.text);
	if (options->command)
		ctl->command = container_of(options->command, struct ctl_command, line);
	*ret_wish = argc == 1 ? CTL_HELP : find_wish(options);
	if (*ret_wish != CTL_COMMAND)
		return CTL_DONE;
	if (options->topic && options_fail_topic(&ctl_option_set, options->topic, &why) < 0)
		return ctl_fail(CTL_USAGE, "%s", why.text);
	if (!ctl->command)
		return ctl_fail(CTL_USAGE, "no command is given; see displayctl --help");
	if (ctl->command->run_apart)
		return CTL_DONE;
	if (options_apply(options, ctl, &why) < 0)
		return ctl_fail(CTL_USAGE, "%s", why.text);
	for (unsigned i = 0; i < options->positional_count && i < CTL_POSITIONALS_MAX; i++)
		ctl->positionals[i] = str_from(options->positionals[i]);
	return check_texts(ctl) == CTL_DONE ? read_server(ctl, argv[0]) : CTL_USAGE;
}

struct str ctl_value(const struct ctl *ctl, const char *name)
{
	return str_from(options_text(&ctl->options, name));
}

/* ---- bodies, from the options of the command ---- */

/* Returns the texts of an option that may be given several times, as a JSON array; data is NULL if
 * it was not given. */
static struct str list_of(struct ctl *ctl, const struct option *option)
{
	struct buffer json = {0};
	struct str text = {0};

	for (unsigned i = 0; i < ctl->options.given_count; i++) {
		const struct option_given *given = &ctl->options.given[i];

		if (given->option != option)
			continue;
		buffer_append_char(&json, buffer_length(&json) ? ',' : '[');
		json_write_str(&json, str_from(given->value));
	}
	if (buffer_length(&json)) {
		buffer_append_char(&json, ']');
		text = arena_copy(&ctl->arena, buffer_view(&json));
	}
	buffer_finish(&json);
	return text;
}

/* Returns the member that this option sets. Its value was checked by the table of options. absent:
 * JSON of the member without the option; NULL: there is none. */
static struct ctl_member member_of(struct ctl *ctl, const struct option *option, const char *name,
				   const char *absent)
{
	struct str text = ctl_value(ctl, option->name);

	if (!text.data && absent)
		return (struct ctl_member){name, str_from(absent), true};
	if (option->type == OPTION_LIST)
		return (struct ctl_member){name, list_of(ctl, option), true};
	if (!text.data || option->type == OPTION_TEXT || option->type == OPTION_CHOICE)
		return (struct ctl_member){name, text, false};
	if (option->type == OPTION_NUMBER)
		text = arena_printf(&ctl->arena, "%lld", strtoll(text.data, NULL, 10));
	else
		text = str_equal(text, STR("off")) ? STR("false") : STR("true");
	return (struct ctl_member){name, text, true};
}

struct str ctl_body_of_options(struct ctl *ctl, const struct ctl_member *more)
{
	enum { MEMBERS_MAX = 40 };
	const struct option *options = ctl->command->line.options;
	const char *const *absent = ctl->command->absent;
	struct ctl_member members[MEMBERS_MAX + 1];
	unsigned count = 0;

	for (unsigned i = 0; options[i].name; i++) {
		if (!ctl->command->members[i])
			continue;
		require(count < MEMBERS_MAX);
		members[count++] = member_of(ctl, &options[i], ctl->command->members[i],
					     absent ? absent[i] : NULL);
	}
	for (; more && more->name; more++) {
		require(count < MEMBERS_MAX);
		members[count++] = *more;
	}
	members[count] = (struct ctl_member){0};
	return ctl_body(ctl, members);
}

/* Whether the member has the option's name: "expiresIn" is --expires-in. */
static bool is_named(const char *option, struct str member)
{
	size_t i = 0;

	for (; *option; option++)
		if (*option != '-' && (i == member.length || (member.data[i++] | 0x20) != *option))
			return false;
	return i == member.length;
}

struct str ctl_option_of(const struct ctl *ctl, struct str member)
{
	const struct option *options = ctl->command->line.options;
	const char *const *members = ctl->command->members;

	for (unsigned i = 0; members && options[i].name; i++)
		if (members[i] && str_equal(member, str_from(members[i])))
			return str_from(options[i].name);
	for (unsigned i = 0; options[i].name; i++)
		if (is_named(options[i].name, member))
			return str_from(options[i].name);
	return (struct str){0};
}

const char *ctl_last_argument(const struct ctl *ctl)
{
	const char *names = ctl->command->line.positionals, *space = strrchr(names, ' ');

	return space ? space + 1 : names;
}
