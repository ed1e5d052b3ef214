#include "base/memory.h"
#include "ctl/ctl.h"

#include <panel/panel.h>

/* A command that is no operation of the API, and so is not in docs/api: its words, what it is
 * about, its help, what runs it, and its options. */
#define COMMAND(words, about, help_text, function, ...)                                            \
	{                                                                                          \
		.line = {.name = (words),                                                          \
			 .positionals = (about),                                                   \
			 .help = (help_text),                                                      \
			 .options = OPTIONS(__VA_ARGS__)},                                         \
		.run = (function)                                                                  \
	}

/* The same for one that cannot be undone: it asks, by ctl_confirm(), and --yes answers. */
#define COMMAND_ASKING(words, about, help_text, function, ...)                                     \
	COMMAND(words, about, help_text " Asks first.", function,                                  \
		OPTION(SWITCH, "yes", NULL,                                                        \
		       "Do not ask. Required if standard input is not a terminal, such as in "     \
		       "a script.") __VA_OPT__(, ) __VA_ARGS__)

static int run_panel(int argc, char **argv)
{
	return panel_main(argc, argv, ctl_mask);
}

const struct ctl_command ctl_commands[] = {
    {CTL_ACCOUNT_CREATE},
    {CTL_ACCOUNT_LIMIT},
    {CTL_ACCOUNT_LINK},
    {CTL_ACCOUNT_LIST},
    {CTL_ACCOUNT_PREVIEWS},
    {CTL_ACCOUNT_REMOVE},
    {CTL_ACCOUNT_RENAME},
    {CTL_ACCOUNT_SHOW},
    {CTL_APP_CREATE},
    {CTL_APP_DISABLE},
    {CTL_APP_ENABLE},
    COMMAND(
	"app import", "DIR",
	"Make or update public apps of an account from a checkout of the community's: each "
	"folder with a manifest.yaml is one. The running server loads each once in the sandbox, "
	"without network; those that load are approved at once, as their review says, the others "
	"are named. Each app is stored whole, or not at all. An import that was interrupted goes "
	"on when it is started again: what has not changed is not sent.",
	ctl_app_import,
	OPTION(TEXT, "account", "EMAIL", "Who owns the apps.", .is_required = true,
	       .check = ctl_check_account),
	OPTION(TEXT, "collection", "NAME",
	       "The collection that the apps belong to. It has slugs of its own: an import changes "
	       "no app of another one. Default: that of the last import from this folder, else "
	       "OWNER/NAME of the folder's Git repository, else the name of the folder.",
	       .check = ctl_check_name),
	OPTION(SWITCH, "dry-run", NULL, "Write nothing; say what would be done.")),
    {CTL_APP_LIST},
    COMMAND(
	"app new", "FOLDER",
	"Make a folder with a first app. In TypeScript it has the types of what apps import, and "
	"a tsconfig.json by which editors and tsc find them.",
	ctl_app_new,
	OPTION(CHOICE, "language", "typescript|starlark", "What its script is written in.",
	       .fallback = "typescript")),
    {CTL_APP_REMOVE},
    COMMAND(
	"app render", "PATH [KEY=VALUE...]",
	"Make the picture of an app, a script or its folder, with these settings, as a server "
	"does; needs no server. Plays it in the terminal.",
	ctl_app_render, OPTION(TEXT, "output", "FILE", "Write a WebP instead.", .letter = 'o'),
	OPTION(TEXT, "settings", "FILE",
	       "A JSON object of settings; - is standard input. For those that are secret: others "
	       "read arguments. KEY=VALUE counts where both have one."),
	OPTION(SWITCH, "watch", NULL, "Again whenever a file of the app is saved."),
	OPTION(SWITCH, "check", NULL,
	       "Show errors, the schema, time and memory, and no picture. Of an app in "
	       "TypeScript also errors of types, if there is a tsc."),
	OPTION(SWITCH, "no-network", NULL, "Refuse what the app asks the network for."),
	OPTION(LIST, "egress-allow", "CIDR",
	       "What it may reach beside public addresses. May be given several times.",
	       .most = CTL_EGRESS_MAX, .check = ctl_check_egress),
	OPTION(TEXT, "now", "TIME", "The app's clock, as 2026-07-01T12:34:56Z. Default: now.",
	       .check = ctl_check_time),
	OPTION(TEXT, "timezone", "ZONE", "Where the panel is.", .fallback = "UTC"),
	OPTION(TEXT, "locale", "LOCALE", "What its owner reads.", .fallback = "en"),
	OPTION(TEXT, "seed", "N", "Where random numbers start.", .fallback = "1",
	       .check = ctl_check_seed)),
    {CTL_APP_REVIEW},
    {CTL_APP_SHOW},
    COMMAND("app types", NULL,
	    "Print the types of what apps in TypeScript import, for an editor: panel.d.ts.",
	    ctl_app_types),
    COMMAND("backup", "FILE",
	    "Write a backup of the whole instance to a file; - is stdout. Accounts, devices, "
	    "pictures, apps, keys and the key for secret settings are in it as they are at one "
	    "moment, while the server runs: keep it as safe as the server. People sign in again "
	    "after it was restored.",
	    ctl_backup),
    COMMAND_ASKING(
	"database rekey", NULL,
	"Go on with the key for secret settings that is there now, or with a new one if none is: "
	"for a key that is lost for good. displayd must be stopped. Secret settings that another "
	"key has encrypted have to be entered again.",
	ctl_database_rekey),
    COMMAND("database show", NULL,
	    "Show the instance's PostgreSQL: where it is, its version and that of our schema, how "
	    "large it is and its largest tables, its connections, and whether a pooler stands "
	    "before it. Starts a private database that no server runs, and stops it again.",
	    ctl_database_show),
    COMMAND_ASKING(
	"database upgrade", NULL,
	"Move the private PostgreSQL to the newest version that is installed. displayd must be "
	"stopped, and the programs of both versions must be there. The old database is kept beside "
	"the new one, and is in force until that is whole.",
	ctl_database_upgrade,
	OPTION(CHOICE, "method", "auto|pg_upgrade|dump",
	       "pg_upgrade copies files; dump writes all rows anew, also into a database of the "
	       "same version, which gives room back. auto: the first, or else the second.",
	       .fallback = "auto")),
    {CTL_DEVICE_CREATE},
    {CTL_DEVICE_DISABLE},
    {CTL_DEVICE_ENABLE},
    {CTL_DEVICE_LIST},
    {CTL_DEVICE_MOVE},
    {CTL_DEVICE_REBOOT},
    {CTL_DEVICE_REKEY},
    {CTL_DEVICE_REMOVE},
    {CTL_DEVICE_SHOW},
    {CTL_DEVICE_UNALIAS},
    {CTL_DEVICE_UPDATE},
    COMMAND("export", "FILE",
	    "Write an account to a file; - is stdout. Its devices, rotations, apps, versions, "
	    "passkeys, and hashes of its keys and its password are in it; docs/export.md tells "
	    "more. An export that is interrupted leaves no file.",
	    ctl_export,
	    OPTION(TEXT, "account", "EMAIL", "Which account.", .is_required = true,
		   .check = ctl_check_account),
	    OPTION(TEXT, "pass-phrase-file", "FILE",
		   "Secret settings of apps go with it, encrypted with the first line of this "
		   "file; else they are left out.")),
    {.line = {.name = "help",
	      .positionals = "[NOUN] [VERB]",
	      .help = "Show the commands of a noun, or all about one command.",
	      .options = OPTIONS()},
     .run = ctl_help,
     .needs_no_place = true},
    COMMAND(
	"import tronbyt", "FILE...",
	"Bring devices from a tronbyt server: files that it has exported, of a device or of an "
	"account. Says what comes, and what does not and why; what came before stays as it is. "
	"Shows the URLs of the devices with their keys, once. In JSON an object, of several files "
	"an array of them.",
	ctl_import_tronbyt,
	OPTION(TEXT, "account", "EMAIL", "Whose devices they become.", .is_required = true,
	       .check = ctl_check_account),
	OPTION(SWITCH, "dry-run", NULL, "Say what would come, and change nothing."),
	OPTION(
	    SWITCH, "keep-addresses", NULL,
	    "Let the panels in at the addresses that they have now, so that the name or the port "
	    "of "
	    "the other server may point here. Whoever knows such an address sees the pictures.")),
    COMMAND(
	"import", "FILE",
	"Make the account of an export; - is stdin. Its keys and the URLs of its panels are good "
	"here, too. All of it or nothing: what is in the way is said. It gets no role, and its "
	"apps are private. Versions that were approved where it comes from are approved here, so "
	"you "
	"stand for them. An import that is interrupted is undone: start it again.",
	ctl_import,
	OPTION(TEXT, "email", "EMAIL", "Its address here. Default: as in the file.",
	       .check = ctl_check_account),
	OPTION(TEXT, "pass-phrase-file", "FILE", "The pass phrase of its secret settings."),
	OPTION(SWITCH, "public-apps", NULL, "Public apps stay public: for files that you trust."),
	OPTION(SWITCH, "skip-missing-apps", NULL,
	       "Leave out entries of other people's apps that are not here."),
	OPTION(SWITCH, "without-secrets", NULL, "Leave secret settings out.")),
    {CTL_INSTALLATION_CREATE},
    {CTL_INSTALLATION_LIST},
    {CTL_INSTALLATION_REMOVE},
    {CTL_INSTALLATION_SHOW},
    {CTL_INSTALLATION_UPDATE},
    {CTL_KEY_CREATE},
    {CTL_KEY_LIST},
    {CTL_KEY_REVOKE},
    {CTL_KEY_SHOW},
    COMMAND("migrate", NULL,
	    "Bring the database's tables up to date. Starts a private database that no server "
	    "runs, and stops it again.",
	    ctl_migrate),
    {CTL_MQTT_REMOVE},
    {CTL_MQTT_SHOW},
    {CTL_MQTT_UPDATE},
    {.line = {.name = "panel",
	      .help = "Be a panel in this terminal; see displayctl panel --help.",
	      .reads_itself = true},
     .run_apart = run_panel},
    {CTL_PUSH},
    COMMAND("reload", NULL,
	    "Have the running server read its configuration anew, and wait for what becomes of it. "
	    "No request is lost. A faulty configuration is refused, and the one before stays.",
	    ctl_reload),
    COMMAND("restore", "FILE",
	    "Put a backup into a new state directory or an empty database; - is stdin. A backup of "
	    "an older version is brought up to date. No server may run there. Where it fails or is "
	    "interrupted, all is as it was.",
	    ctl_restore,
	    OPTION(SWITCH, "replace", NULL, "Remove what is in the database now. Asks first."),
	    OPTION(SWITCH, "yes", NULL, "Do not ask.")),
    COMMAND("sign-in", "[LINK]",
	    "Sign in at --server URL with a password, or by a one-time link, which sets the "
	    "password: - asks for the link, or reads it from standard input. As an argument others "
	    "may see it in the list of processes before it is used, and the shell keeps it. The "
	    "session is kept in ~/.config/displayd, with an API key that ends with it.",
	    ctl_sign_in,
	    OPTION(TEXT, "email", "EMAIL", "Whose account. Default: it is asked for.",
		   .check = ctl_check_account),
	    OPTION(TEXT, "name", "NAME",
		   "The name that others see, for a link that makes an account.",
		   .check = ctl_check_name),
	    OPTION(TEXT, "password-file", "FILE",
		   "A file whose first line is the password. Default: it is asked for.")),
    COMMAND("sign-out", NULL, "End the session at --server URL and its API key.", ctl_sign_out),
    COMMAND("status", NULL,
	    "Show how the running server is: workers, database, panels, rates, queues, the slowest "
	    "routes and the last errors. Rates are of one second.",
	    ctl_status, OPTION(SWITCH, "watch", NULL, "Show it again every 2 s, until Ctrl-C.")),
    COMMAND(
	"upgrade", NULL,
	"Put the program that is installed now in the place of the running server's. No request "
	"is lost. Where the database has to be migrated it is a normal restart, and this says "
	"so.",
	ctl_upgrade),
    {CTL_VERSION_APPROVE},
    {CTL_VERSION_LIST},
    {CTL_VERSION_SHOW},
    {CTL_WEBHOOK_CREATE},
    {CTL_WEBHOOK_LIST},
    {CTL_WEBHOOK_REMOVE},
    {CTL_WEBHOOK_SHOW},
    {CTL_WEBHOOK_TEST},
    {CTL_WEBHOOK_UPDATE},
};
const unsigned ctl_command_count = array_length(ctl_commands);
