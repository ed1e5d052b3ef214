#include "manual.h"

#include <ctype.h>
#include <string.h>

enum { LINE_WIDTH = 76 };

/* ---- mdoc ---- */

/* A word of a text, safe at the start of a line and inside it. */
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

/* Sentences, each on a line of its own, broken before they are too long. */
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

/* An argument of a macro: in quotes, since "|" and the like are delimiters there. */
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

static void print_options(const struct option *options, bool with_settings, FILE *out)
{
	fputs(".Bl -tag -width Ds\n", out);
	for (const struct option *one = options; one && one->name; one++)
		if (with_settings || one->argument_only)
			print_option(one, "Fl \\-", out);
	fputs(".El\n", out);
}

static void print_head(const char *title, const char *section, const char *what, FILE *out)
{
	fprintf(out,
		".\\\" Made from the tables of options and commands.\n.Dd %s\n.Dt %s %s\n.Os\n",
		MANUAL_DATE, title, section);
	fputs(".Sh NAME\n.Nm ", out);
	for (const char *c = title; *c; c++)
		fputc(tolower((unsigned char)*c), out);
	fprintf(out, "\n.Nd %s\n", what);
}

/* ---- displayctl(1) ---- */

static void print_command(const struct option_command *command, FILE *out)
{
	fprintf(out, ".It Xo\n.Cm %s\n", command->name);
	print_positionals(command->positionals, out);
	for (const struct option *one = command->options; one && one->name; one++)
		print_usage_option(one, out);
	fputs(".Xc\n", out);
	print_text(command->help, out);
	if (command->options && command->options->name)
		print_options(command->options, true, out);
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

static const char ctl_synopsis[] =
    ".Sh SYNOPSIS\n"
    ".Nm\n"
    ".Op Fl \\-state\\-dir Ar DIR | Fl \\-database Ar URL | Fl \\-server Ar URL\n"
    ".Op Fl \\-json\n"
    ".Ar COMMAND ...\n"
    ".Nm\n"
    ".Cm help\n"
    ".Op Ar NOUN Op Ar VERB\n"
    ".Sh DESCRIPTION\n"
    ".Nm\n"
    "works beside a running\n"
    ".Xr displayd 8 ,\n"
    "on its database: the server whose state directory it is given, or that of\n"
    ".Fl \\-database .\n"
    "What it changes, panels show at once.\n"
    ".Pp\n"
    "With\n"
    ".Fl \\-server\n"
    "it asks the server of that URL instead, from any machine, by HTTPS or HTTP:\n"
    "as the account of an API key, which does what\n"
    ".Pa /v1\n"
    "does, or as who is signed in by\n"
    ".Cm sign\\-in .\n"
    "A key that is given goes before a session.\n"
    "Commands are about the things of that account then; those about accounts and\n"
    ".Cm app enable\n"
    "and\n"
    ".Cm disable\n"
    "need an administrator who is signed in,\n"
    ".Cm app review\n"
    "and\n"
    ".Cm version approve\n"
    "a reviewer.\n"
    "An administrator also lists devices and keys of another account by\n"
    ".Fl \\-account .\n"
    "The others, such as\n"
    ".Cm backup ,\n"
    "are done on the server's machine.\n"
    "Redirects are not followed.\n"
    ".Pp\n"
    "A session ends after 12 hours without use, and after 30 days.\n"
    ".Cm sign\\-in\n"
    "keeps it in a file of mode 600;\n"
    ".Cm push\n"
    "and what is about apps and installations goes by an API key named after the\n"
    "machine, which is made when it is needed, ends after 30 days, and is revoked by\n"
    ".Cm sign\\-out .\n"
    ".Pp\n"
    "A device is named by its ID, its serial number, its MAC address, or by its name\n"
    "where no other device has that.\n"
    "If devices of several accounts have a number, the answer lists their IDs.\n"
    "An account is named by its e\\-mail address.\n"
    ".Pp\n"
    "Lists are tables, cut to the width of the terminal; into a pipe they are written\n"
    "whole.\n"
    "With\n"
    ".Fl \\-json\n"
    "each command prints one object or array.\n"
    "Keys are shown once, when they are made.\n"
    ".Pp\n"
    "A command that cannot be undone asks first.\n"
    "Where standard input is no terminal it refuses, unless\n"
    ".Fl \\-yes\n"
    "is given.\n"
    ".Pp\n"
    "Behind\n"
    ".Ql \\-\\-\n"
    "no options follow: for versions named like one.\n"
    "No secret needs to stand in an argument, where others see it in the list of\n"
    "processes: a password of the database comes by a variable, the configuration\n"
    "file or\n"
    ".Ev PGPASSFILE ,\n"
    "the URL of a panel by\n"
    ".Cm panel Fl \\-url\\-file .\n"
    ".Pp\n"
    "The options of all commands are:\n";

static const char ctl_end[] =
    ".Sh ENVIRONMENT\n"
    ".Bl -tag -width Ds\n"
    ".It Ev DISPLAYD_STATE_DIR , DISPLAYD_DATABASE , DISPLAYD_PUBLIC_URL , DISPLAYD_CONFIG\n"
    "Serve as they do for\n"
    ".Xr displayd 8 .\n"
    ".It Ev DISPLAYD_SERVER\n"
    "The URL of\n"
    ".Fl \\-server ,\n"
    "where neither that nor\n"
    ".Fl \\-state\\-dir\n"
    "or\n"
    ".Fl \\-database\n"
    "is given.\n"
    ".It Ev DISPLAYD_API_KEY\n"
    "The API key for it, where there is no\n"
    ".Fl \\-key\\-file .\n"
    ".It Ev DISPLAYD_PANEL_URL\n"
    "The URL of the panel that\n"
    ".Cm panel\n"
    "is.\n"
    ".El\n"
    ".Sh FILES\n"
    ".Bl -tag -width Ds\n"
    ".It Pa ~/.config/displayd/sessions\n"
    "Who is signed in, a file for each server;\n"
    ".Ev XDG_CONFIG_HOME\n"
    "stands for\n"
    ".Pa ~/.config .\n"
    ".It Pa /usr/share/doc/displayd/docs/operate.md\n"
    "For operators: backups, upgrades, limits, and what to do about each message.\n"
    ".It Pa /usr/share/doc/displayd/docs/export.md\n"
    "What\n"
    ".Cm export\n"
    "writes.\n"
    ".El\n"
    ".Sh EXIT STATUS\n"
    ".Bl -tag -width Ds -compact\n"
    ".It 0\n"
    "Done.\n"
    ".It 1\n"
    "Failed.\n"
    ".It 2\n"
    "Wrong usage, or an invalid value.\n"
    ".It 3\n"
    "Not found.\n"
    ".It 4\n"
    "Refused: it exists already, a rule stands against it, or nobody has said yes.\n"
    ".It 5\n"
    "The server or its database cannot be reached, is not migrated, or has no room.\n"
    ".El\n"
    ".Sh EXAMPLES\n"
    "An account, a device and a picture on it:\n"
    ".Bd -literal -offset indent\n"
    "displayctl account create ada@example.org \\-\\-name Ada\n"
    "displayctl device create \\-\\-account ada@example.org \\-\\-name Kitchen\n"
    "displayctl push Kitchen picture.png \\-\\-duration 30\n"
    ".Ed\n"
    ".Pp\n"
    "Many devices, of a file whose first line is name,serial:\n"
    ".Bd -literal -offset indent\n"
    "displayctl device create \\-\\-account ada@example.org \\-\\-from in.csv >urls.csv\n"
    ".Ed\n"
    ".Pp\n"
    "From another machine, as who is signed in there:\n"
    ".Bd -literal -offset indent\n"
    "export DISPLAYD_SERVER=https://panels.example.org\n"
    "displayctl sign\\-in \\-\\-email ada@example.org\n"
    "displayctl push Kitchen picture.png\n"
    ".Ed\n"
    ".Sh SEE ALSO\n"
    ".Xr displayd.conf 5 ,\n"
    ".Xr displayd 8\n";

void manual_displayctl(FILE *out)
{
	print_head("DISPLAYCTL", "1", "manages accounts, devices, keys and apps of displayd", out);
	fputs(ctl_synopsis, out);
	print_options(ctl_option_set.options, true, out);
	fputs(".Sh COMMANDS\n", out);
	for (const struct option_topic *one = ctl_option_set.topics; one->name; one++)
		print_topic(one, out);
	print_topic(NULL, out);
	fputs(ctl_end, out);
}

/* ---- displayd(8) ---- */

static const char server_description[] =
    ".Sh SYNOPSIS\n"
    ".Nm\n"
    ".Op Ar OPTION ...\n"
    ".Sh DESCRIPTION\n"
    ".Nm\n"
    "is a server for small LED displays: programs push pictures over an HTTP API,\n"
    "people use its pages, and panels show what is theirs.\n"
    "It keeps all of it in PostgreSQL: a private one that it makes and runs in its\n"
    "state directory, or that of\n"
    ".Fl \\-database .\n"
    ".Pp\n"
    "Each setting has a flag, a variable\n"
    ".Pf ( Fl \\-rate\\-limit :\n"
    ".Ev DISPLAYD_RATE_LIMIT )\n"
    "and a line in the configuration file, see\n"
    ".Xr displayd.conf 5 .\n"
    "Flags win over variables, and variables over the file.\n"
    "Empty variables count as not set.\n"
    ".Pp\n"
    "There is no default account:\n"
    ".Cm displayctl account link\n"
    "makes a link for the first one.\n"
    ".Pp\n"
    "The options are these, and all settings:\n";

static const char server_end[] =
    ".Sh SIGNALS\n"
    ".Bl -tag -width Ds\n"
    ".It Dv SIGTERM , SIGINT\n"
    "Let requests at work finish, then end; a second one ends at once.\n"
    ".It Dv SIGHUP\n"
    "Read the configuration anew.\n"
    "No request is lost; a faulty configuration is refused, and the log says why.\n"
    ".Cm displayctl reload\n"
    "sends it, and waits for the outcome.\n"
    ".It Dv SIGUSR2\n"
    "Put the program that is installed now in the place of this one.\n"
    "No request is lost.\n"
    ".Cm displayctl upgrade\n"
    "sends it, and waits for the outcome.\n"
    ".El\n"
    ".Sh FILES\n"
    ".Bl -tag -width Ds\n"
    ".It Pa /etc/displayd/displayd.conf\n"
    "The configuration of the service.\n"
    "It is read wherever the state directory is that of the service, unless another\n"
    "one is named.\n"
    "A\n"
    ".Cm state\\-dir\n"
    "in it does not count.\n"
    ".It Pa /var/lib/displayd\n"
    "The state directory of the service, and of root.\n"
    ".It Pa secret\\-key\n"
    "In the state directory: the key of secret settings of apps.\n"
    ".It Pa /usr/share/doc/displayd\n"
    "README.md and all documents, where a package or an installation with the prefix\n"
    "/usr has put them:\n"
    ".Pa /usr/share/doc/displayd/docs/operate.md\n"
    "is for operators,\n"
    ".Pa /usr/share/doc/displayd/docs/deploy\n"
    "has configurations of proxies,\n"
    ".Pa /usr/share/doc/displayd/share/prometheus/displayd.rules.yml\n"
    "alerts and\n"
    ".Pa /usr/share/doc/displayd/share/grafana/displayd.json\n"
    "a dashboard.\n"
    ".El\n"
    ".Sh EXIT STATUS\n"
    ".Bl -tag -width Ds -compact\n"
    ".It 0\n"
    "Ended as asked.\n"
    ".It 1\n"
    "Failed.\n"
    ".It 2\n"
    "The configuration is wrong.\n"
    ".It 3\n"
    "Cannot listen.\n"
    ".It 4\n"
    "The state directory cannot be used, or is in use.\n"
    ".It 5\n"
    "There is no database.\n"
    ".It 6\n"
    "A migration failed.\n"
    ".It 7\n"
    "The database is newer than this displayd.\n"
    ".It 8\n"
    "Workers crash before they are ready, again and again.\n"
    ".El\n"
    ".Sh SEE ALSO\n"
    ".Xr displayctl 1 ,\n"
    ".Xr displayd.conf 5\n";

void manual_displayd(FILE *out)
{
	print_head("DISPLAYD", "8", "a server for small LED displays", out);
	fputs(server_description, out);
	print_options(config_set.options, true, out);
	fputs(server_end, out);
}

/* ---- displayd.conf(5) ---- */

static const char settings_description[] =
    ".Sh DESCRIPTION\n"
    "Lines of\n"
    ".Dq name = value\n"
    "are settings of\n"
    ".Xr displayd 8 .\n"
    "A\n"
    ".Ql #\n"
    "at the start of a line begins a comment.\n"
    "What may be given several times is a line each.\n"
    "A variable of the environment or a flag wins over a line here.\n"
    ".Pp\n"
    ".Dl displayd \\-\\-config FILE \\-\\-check\\-config\n"
    ".Pp\n"
    "checks the file, and shows each setting with where it comes from.\n"
    "Without\n"
    ".Fl \\-config ,\n"
    "as root, it is the file of the service.\n"
    ".Pp\n"
    "The settings are:\n"
    ".Bl -tag -width Ds\n";

static const char settings_end[] = ".El\n"
				   ".Sh FILES\n"
				   ".Bl -tag -width Ds\n"
				   ".It Pa /etc/displayd/displayd.conf\n"
				   "That of the service.\n"
				   ".It Pa /usr/share/doc/displayd/docs/operate.md\n"
				   "For operators.\n"
				   ".It Pa /usr/share/doc/displayd/docs/deploy\n"
				   "Configurations of proxies that go with it.\n"
				   ".El\n"
				   ".Sh EXAMPLES\n"
				   ".Bd -literal -offset indent\n"
				   "# for panels in this network\n"
				   "listen = 192.168.1.5:8080\n"
				   "public\\-url = https://panels.example.org\n"
				   ".Ed\n"
				   ".Sh SEE ALSO\n"
				   ".Xr displayctl 1 ,\n"
				   ".Xr displayd 8\n";

void manual_settings(FILE *out)
{
	print_head("DISPLAYD.CONF", "5", "settings of displayd", out);
	fputs(settings_description, out);
	for (const struct option *one = config_set.options; one->name; one++)
		if (!one->argument_only)
			print_option(one, "Cm ", out);
	fputs(settings_end, out);
}
