#include "base/memory.h"
#include "ctl/ctl.h"

#include <panel/panel.h>

/* Defines a command that is not an operation of the API, and so not in docs/api: its words,
 * positional arguments, help, function and options. */
#define COMMAND(words, about, help_text, function, ...)                                            \
	{                                                                                          \
		.line = {.name = (words),                                                          \
			 .positionals = (about),                                                   \
			 .help = (help_text),                                                      \
			 .options = OPTIONS(__VA_ARGS__)},                                         \
		.run = (function)                                                                  \
	}

/* Defines such a command that cannot be undone: it asks with ctl_confirm(), unless --yes is given.
 */
#define COMMAND_ASKING(words, about, help_text, function, ...)                                     \
	COMMAND(words, about, help_text " Asks first.", function,                                  \
		OPTION(SWITCH, "yes", NULL,                                                        \
		       "Skip the confirmation. Required if standard input is not a terminal.")     \
		    __VA_OPT__(, ) __VA_ARGS__)

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
    {CTL_APP_DEPLOY},
    {CTL_APP_DISABLE},
    {CTL_APP_ENABLE},
    COMMAND(
	"app import", "DIR",
	"Create or update public apps of an account from a checkout of the community's apps: each "
	"folder with a manifest.yaml is an app. The running server loads each once in the sandbox, "
	"without network. Apps that load are approved at once, as their review says; the others "
	"are listed. Each app is stored completely or not at all. Start an interrupted import "
	"again to continue it: unchanged apps are not sent.",
	ctl_app_import,
	OPTION(TEXT, "account", "EMAIL", "Owner of the apps.", .is_required = true,
	       .check = ctl_check_account),
	OPTION(TEXT, "collection", "NAME",
	       "Collection of the apps. Each has its own slugs: an import changes no app of "
	       "another collection. Default: the collection of the last import from this folder, "
	       "else OWNER/NAME of the folder's Git repository, else the name of the folder.",
	       .check = ctl_check_name),
	OPTION(SWITCH, "dry-run", NULL, "Change nothing; print what an import would do.")),
    {CTL_APP_LIST},
    COMMAND("app new", "FOLDER",
	    "Create a folder with a first app. For TypeScript it contains the types of the modules "
	    "that apps import, and a tsconfig.json so that editors and tsc find them.",
	    ctl_app_new,
	    OPTION(CHOICE, "language", "typescript|starlark", "Language of the script.",
		   .fallback = "typescript")),
    {CTL_APP_REMOVE},
    COMMAND("app render", "PATH [KEY=VALUE...]",
	    "Render an app (a script or its folder) with these settings, as a server does, and "
	    "play it in the terminal. Needs no server.",
	    ctl_app_render,
	    OPTION(TEXT, "output", "FILE", "Write a WebP file instead.", .letter = 'o'),
	    OPTION(TEXT, "settings", "FILE",
		   "File with a JSON object of settings; - is standard input. Use it for secret "
		   "settings: others can read arguments. KEY=VALUE wins over the file."),
	    OPTION(SWITCH, "watch", NULL, "Render again whenever a file of the app is saved."),
	    OPTION(SWITCH, "check", NULL,
		   "Show errors, the schema, time and memory instead of the picture. For an app in "
		   "TypeScript also type errors, if tsc is installed."),
	    OPTION(SWITCH, "no-network", NULL, "Reject the app's requests to the network."),
	    OPTION(LIST, "egress-allow", "CIDR",
		   "Address or network that the app may reach besides public addresses. May be "
		   "given several times.",
		   .most = CONFIG_EGRESS_MAX, .check = config_check_egress),
	    OPTION(TEXT, "now", "TIME",
		   "Time of the app's clock, such as 2026-07-01T12:34:56Z. Default: now.",
		   .check = ctl_check_time),
	    OPTION(TEXT, "timezone", "ZONE", "Time zone of the panel.", .fallback = "UTC"),
	    OPTION(TEXT, "locale", "LOCALE", "Language of the panel's owner.", .fallback = "en"),
	    OPTION(NUMBER, "seed", "N", "Seed of the random numbers.", .fallback = "1",
		   .most = INT64_MAX),
	    OPTION(CHOICE, "size", "64x32|128x64", "Pixels of the panel.", .fallback = "64x32")),
    {CTL_APP_REVIEW},
    {CTL_APP_SHOW},
    COMMAND(
	"app types", NULL,
	"Print panel.d.ts for an editor: the types of the modules that apps in TypeScript import.",
	ctl_app_types),
    {CTL_APP_UPLOAD},
    COMMAND(
	"backup", "FILE",
	"Write a backup of the whole instance to a file; - is stdout. The server may run. The "
	"backup contains the accounts, devices, pictures, apps, keys and the key for secret "
	"settings of one moment: keep it as safe as the server. After a restore people must "
	"sign in again.",
	ctl_backup,
	OPTION(TEXT, "pass-phrase-file", "FILE",
	       "File whose first line is a pass phrase. The backup is encrypted with it, in the "
	       "format of the program age.")),
    COMMAND_ASKING("database accept", NULL,
		   "Use the database that --database names now, if it is another one than before, "
		   "or an older copy of it. Only if it names several servers: displayd uses no "
		   "other database and no old primary by itself. Reload displayd afterwards.",
		   ctl_database_accept),
    COMMAND_ASKING("database rekey", NULL,
		   "Continue with the present key for secret settings, or with a new one if there "
		   "is none. Use it if the old key is lost for good. displayd must be stopped. "
		   "Secret settings encrypted with another key must be entered again.",
		   ctl_database_rekey),
    {CTL_COLLECTION_ADD},
    {CTL_COLLECTION_CONFIRM},
    {CTL_COLLECTION_LIST},
    {CTL_COLLECTION_REMOVE},
    {CTL_COLLECTION_SHOW},
    {CTL_COLLECTION_UPDATE},
    COMMAND("database show", NULL,
	    "Show the instance's PostgreSQL: its location, its version, the schema's version, its "
	    "size and largest tables, its connections, and whether a pooler is in front of it. "
	    "Starts a private database if no server runs it, and stops it again.",
	    ctl_database_show),
    COMMAND_ASKING("database upgrade", NULL,
		   "Move the private PostgreSQL to the newest installed version. displayd must be "
		   "stopped, and the programs of both versions must be installed. The old database "
		   "stays in use until the new one is complete, and is kept beside it.",
		   ctl_database_upgrade,
		   OPTION(CHOICE, "method", "auto|pg_upgrade|dump",
			  "pg_upgrade copies files; dump writes all rows again, also for the same "
			  "version, which frees disk space. auto tries pg_upgrade, then dump.",
			  .fallback = "auto")),
    {CTL_DEVICE_BRIGHTNESS},
    {CTL_DEVICE_CREATE},
    {CTL_DEVICE_DIM},
    {CTL_DEVICE_DISABLE},
    {CTL_DEVICE_ENABLE},
    {CTL_DEVICE_LIST},
    {CTL_DEVICE_FIRMWARE},
    {CTL_DEVICE_FIRMWARE_START},
    {CTL_DEVICE_FIRMWARE_UPDATE},
    {.line = {.name = "device flash-file",
	      .positionals = "IMAGE FILE",
	      .help = "Write a copy of a firmware image with a Wi-Fi network and the URL of a "
		      "device, to be flashed with esptool: an application, or a merged image for a "
		      "new board. Only you may read the file; - is stdout. Needs no server.",
	      .options = OPTIONS(
		  OPTION(TEXT, "ssid", "NAME", "Name of the Wi-Fi network.", .is_required = true),
		  OPTION(TEXT, "secrets", "FILE",
			 "File with two lines: the password of the network (empty: "
			 "none), and the URL of the device; - is standard input.",
			 .is_required = true))},
     .run = ctl_flash_file,
     .needs_no_place = true},
    {CTL_DEVICE_FOLLOW},
    {CTL_DEVICE_LEADER},
    {CTL_DEVICE_MOVE},
    {CTL_DEVICE_PLAN},
    {CTL_DEVICE_PLAN_SET},
    {CTL_DEVICE_REBOOT},
    {CTL_DEVICE_REKEY},
    {CTL_DEVICE_REMOVE},
    {CTL_DEVICE_SHOW},
    {CTL_DEVICE_SLEEP},
    {CTL_DEVICE_UNALIAS},
    {CTL_DEVICE_UNDIM},
    {CTL_DEVICE_UNFOLLOW},
    {CTL_DEVICE_UPDATE},
    {CTL_DEVICE_WAKE},
    COMMAND("export", "FILE",
	    "Write an account to a file; - is stdout. The file contains its devices, rotations, "
	    "apps, versions, passkeys, and hashes of its keys and its password; see "
	    "docs/export.md. An interrupted export leaves no file.",
	    ctl_export,
	    OPTION(TEXT, "account", "EMAIL", "Account to export.", .is_required = true,
		   .check = ctl_check_account),
	    OPTION(TEXT, "pass-phrase-file", "FILE",
		   "File whose first line is a pass phrase. Secret settings of apps are exported "
		   "encrypted with it; without it they are left out.")),
    {CTL_FIRMWARE_ADD},
    {CTL_FIRMWARE_FETCH},
    {CTL_FIRMWARE_LIST},
    {CTL_FIRMWARE_RELEASES},
    {CTL_FIRMWARE_REMOVE},
    {CTL_FIRMWARE_SOURCE},
    {CTL_FIRMWARE_STOP_UPDATES},
    {CTL_FIRMWARE_UPDATE_ALL},
    {CTL_FIRMWARE_UPDATES},
    {.line = {.name = "help",
	      .positionals = "[NOUN] [VERB]",
	      .help = "Show the commands of a noun, or the help of one command.",
	      .options = OPTIONS()},
     .run = ctl_help,
     .needs_no_place = true},
    COMMAND(
	"import tronbyt", "FILE...",
	"Import devices from files that a tronbyt server has exported, each of a device or of an "
	"account. Lists what is imported, and what is not, with the reason. Devices of an earlier "
	"import stay unchanged. Shows the URLs of the devices with their keys, once. Prints a JSON "
	"object for one file, an array for several.",
	ctl_import_tronbyt,
	OPTION(TEXT, "account", "EMAIL", "Owner of the imported devices.", .is_required = true,
	       .check = ctl_check_account),
	OPTION(SWITCH, "dry-run", NULL, "Change nothing; print what would be imported."),
	OPTION(SWITCH, "keep-addresses", NULL,
	       "Accept the panels at their present addresses too, so that the other server's name "
	       "or port can point here. Anyone who knows such an address can see the pictures. One "
	       "made from a name, such as /kitchen/, works only with the device's key of the other "
	       "server."),
	OPTION(SWITCH, "open-addresses", NULL,
	       "Accept addresses made from names without the key, too, while the server has one "
	       "account. Anyone who guesses such an address can see the pictures of the device.")),
    COMMAND(
	"import", "FILE",
	"Create the account of an export; - is stdin. Its keys and the URLs of its panels work "
	"here, too. Imports everything, or nothing and prints the reason. The account gets no "
	"role, and its apps are private. Versions approved on the other server are approved here: "
	"you answer for them. An interrupted import is undone: start it again.",
	ctl_import,
	OPTION(TEXT, "email", "EMAIL",
	       "E-mail address of the account here. Default: as in the file.",
	       .check = ctl_check_account),
	OPTION(TEXT, "pass-phrase-file", "FILE",
	       "File whose first line is the pass phrase of the secret settings."),
	OPTION(SWITCH, "public-apps", NULL,
	       "Keep public apps public. Use it only for files that you trust."),
	OPTION(SWITCH, "skip-missing-apps", NULL,
	       "Leave out rotation entries of other people's apps that this server does not have."),
	OPTION(SWITCH, "without-secrets", NULL, "Leave secret settings out.")),
    {CTL_INSTALLATION_COPY},
    {CTL_INSTALLATION_CREATE},
    {CTL_INSTALLATION_LIST},
    {CTL_INSTALLATION_MOVE},
    {CTL_INSTALLATION_REMOVE},
    {CTL_INSTALLATION_RETRY},
    {CTL_INSTALLATION_SHOW},
    {CTL_INSTALLATION_UPDATE},
    {CTL_KEY_CREATE},
    {CTL_KEY_LIST},
    {CTL_KEY_REVOKE},
    {CTL_KEY_SHOW},
    COMMAND("migrate", NULL,
	    "Update the tables of the database. Starts a private database if no server runs it, "
	    "and stops it again.",
	    ctl_migrate),
    {CTL_MQTT_REMOVE},
    {CTL_MQTT_SHOW},
    {CTL_MQTT_UPDATE},
    {.line = {.name = "panel",
	      .help = "Act as a panel in this terminal; see displayctl panel --help.",
	      .reads_itself = true},
     .run_apart = run_panel},
    {CTL_PUSH},
    COMMAND("reload", NULL,
	    "Reload the configuration of the running server, and wait for the outcome. No request "
	    "is lost. An invalid configuration is rejected, and the old one stays.",
	    ctl_reload),
    COMMAND(
	"restore", "FILE",
	"Restore a backup into a new state directory or an empty database; - is stdin. A "
	"backup of an older version is migrated. No server may run there. If the restore fails "
	"or is interrupted, nothing is changed.",
	ctl_restore,
	OPTION(TEXT, "pass-phrase-file", "FILE",
	       "File whose first line is the pass phrase of an encrypted backup. Default: asked "
	       "for."),
	OPTION(SWITCH, "replace", NULL, "Delete the present data of the database. Asks first."),
	OPTION(SWITCH, "yes", NULL, "Skip the confirmation of --replace.")),
    COMMAND("sign-in", "[LINK]",
	    "Sign in at --server URL with a password, or with a one-time link, which sets the "
	    "password. Give - to be asked for the link, or to read it from standard input: others "
	    "may see an argument in the list of processes, and the shell keeps it in its history. "
	    "The session is stored in ~/.config/displayd, with an API key that ends with it.",
	    ctl_sign_in,
	    OPTION(TEXT, "email", "EMAIL", "E-mail address of the account. Default: asked for.",
		   .check = ctl_check_account),
	    OPTION(TEXT, "name", "NAME", "Name that others see, for a link that makes an account."),
	    OPTION(TEXT, "password-file", "FILE",
		   "File whose first line is the password. Default: asked for.")),
    COMMAND("sign-out", NULL, "End the session at --server URL and its API key.", ctl_sign_out),
    COMMAND("status", NULL,
	    "Show the state of the running server: workers, database, panels, rates per second, "
	    "queues, the slowest routes and the last errors.",
	    ctl_status, OPTION(SWITCH, "watch", NULL, "Repeat every 2 s, until Ctrl-C.")),
    COMMAND("upgrade", NULL,
	    "Replace the running server by the installed program. No request is lost. If the "
	    "database must be migrated, the server restarts normally, and this command reports it.",
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
