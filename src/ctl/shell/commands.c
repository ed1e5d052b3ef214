#include "base/memory.h"
#include "ctl/ctl.h"
#include "domain/push.h"

#include <panel/panel.h>

/* A command's words, what it is about, its help, what runs it, and its options. */
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
		       "Do not ask. Needed where nobody can be asked, such as in a script.")       \
		    __VA_OPT__(, ) __VA_ARGS__)

#define SETTINGS_OPTION                                                                            \
	OPTION(                                                                                    \
	    TEXT, "settings", "FILE",                                                              \
	    "A JSON object of settings, for secret ones, too; - is standard input. null gives a "  \
	    "secret up.")

#define WEBHOOK_ACCOUNT                                                                            \
	OPTION(TEXT, "account", "EMAIL", "Whose webhooks.", .is_required = true,                   \
	       .check = ctl_check_account)

#define WEBHOOK_EVENTS                                                                             \
	OPTION(LIST, "event", "EVENT",                                                             \
	       "An event that it wants: online, pushed, changed or failed; may be given several "  \
	       "times. Of a new webhook by default all.",                                          \
	       .most = 4)

static int run_panel(int argc, char **argv)
{
	return panel_main(argc, argv, ctl_mask);
}

const struct ctl_command ctl_commands[] = {
    COMMAND("account create", "EMAIL", "Make an account.", ctl_account_create,
	    OPTION(TEXT, "name", "NAME", "A name that others see.", .fallback = "Anonymous",
		   .check = ctl_check_name)),
    COMMAND(
	"account limit", "EMAIL BYTES",
	"Set how many bytes pushed pictures, drafts and versions of an account may take together; "
	"\"default\" is the larger of 256 MiB and 256 KiB a device. What it has stays.",
	ctl_account_limit),
    COMMAND("account link", "[EMAIL]",
	    "Make a link for a browser, to be used once: it sets the password of this account, or "
	    "makes it. While there is no account at all, it makes the first one, an administrator.",
	    ctl_account_link,
	    OPTION(CHOICE, "role", "administrator|reviewer",
		   "A role that the account gets, too. While nobody reviews, an administrator gets "
		   "both.")),
    COMMAND("account list", NULL, "List all accounts.", ctl_account_list),
    COMMAND("account previews", "EMAIL ADDRESSES",
	    "Set which addresses an account's previews of deployed apps, its webhooks and its MQTT "
	    "connection reach: \"public\" ones only, or \"local\" ones, too, as far as displayd's "
	    "--egress-allow opens them.",
	    ctl_account_previews),
    COMMAND_ASKING("account remove", "EMAIL",
		   "Remove an account with its devices, keys and apps. The server goes on if this "
		   "is interrupted.",
		   ctl_account_remove),
    COMMAND("account rename", "EMAIL NAME", "Give an account another name, which others see.",
	    ctl_account_rename),
    COMMAND("account show", "EMAIL", "Show an account and what it owns.", ctl_account_show),
    COMMAND("app create", NULL, "Make an app. It is private unless said otherwise.", ctl_app_create,
	    OPTION(TEXT, "account", "EMAIL", "Who owns it. Needed without --server.",
		   .check = ctl_check_account),
	    OPTION(TEXT, "name", "NAME", "Its name for people.", .is_required = true,
		   .check = ctl_check_name),
	    OPTION(TEXT, "slug", "SLUG", "Its name in URLs: lower-case letters, digits, dashes.",
		   .is_required = true, .check = ctl_check_slug),
	    OPTION(TEXT, "description", "TEXT", "What it shows.", .check = ctl_check_description),
	    OPTION(CHOICE, "visibility", "private|public|legacy", "Who can install it.",
		   .fallback = "private")),
    COMMAND("app disable", "APP", "Take an app (ID or slug) out of the list; it renders no more.",
	    ctl_app_disable),
    COMMAND("app enable", "APP", "Undo app disable.", ctl_app_enable),
    COMMAND(
	"app import", "DIR",
	"Make or update public apps of an account from a checkout of the community's: each "
	"folder with a manifest.yaml is one. Each is loaded once in the sandbox, without "
	"network; those that load are approved at once, as their review says, the others are "
	"named. An import that was interrupted goes on when it is started again.",
	ctl_app_import,
	OPTION(TEXT, "account", "EMAIL", "Who owns the apps.", .is_required = true,
	       .check = ctl_check_account),
	OPTION(TEXT, "collection", "NAME",
	       "The collection that the apps belong to. It has slugs of its own: an import changes "
	       "no app of another one. Default: that of the last import from this folder, else "
	       "OWNER/NAME of the folder's Git repository, else the name of the folder.",
	       .check = ctl_check_name),
	OPTION(SWITCH, "dry-run", NULL, "Write nothing; say what would be done.")),
    COMMAND("app list", NULL, "List all apps, or those of an account.", ctl_app_list,
	    OPTION(TEXT, "account", "EMAIL", "Whose apps."),
	    OPTION(SWITCH, "broken", NULL, "Also those that their collection calls broken.")),
    COMMAND(
	"app new", "FOLDER",
	"Make a folder with a first app. In TypeScript it has the types of what apps import, and "
	"a tsconfig.json by which editors and tsc find them.",
	ctl_app_new,
	OPTION(CHOICE, "language", "typescript|starlark", "What its script is written in.",
	       .fallback = "typescript")),
    COMMAND_ASKING(
	"app remove", "APP",
	"Remove an app (ID or slug) with its versions, also from all rotations. The server goes on "
	"with what is left of it.",
	ctl_app_remove),
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
    COMMAND(
	"app review", "APP VERSION approve|request-changes|reject",
	"Review a version that awaits it. Approval publishes it.", ctl_app_review,
	OPTION(TEXT, "summary", "TEXT", "What the author reads first.", .check = ctl_check_remark),
	OPTION(TEXT, "reason", "TEXT", "Why it is rejected.", .check = ctl_check_remark),
	OPTION(TEXT, "author", "NAME", "Who has reviewed it.", .fallback = "reviewer",
	       .check = ctl_check_name),
	OPTION(LIST, "comment", "TEXT", "A comment; may be given several times.",
	       .most = CTL_COMMENTS_MAX, .check = ctl_check_remark),
	OPTION(LIST, "line", "N", "The line that the --comment before it is about.",
	       .most = CTL_COMMENTS_MAX, .check = ctl_check_line)),
    COMMAND("app show", "APP", "Show an app (ID or slug) and how much it is used.", ctl_app_show),
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
    COMMAND("device create", NULL,
	    "Register a device, or all of a file; shows their URLs with their keys, once.",
	    ctl_device_create,
	    OPTION(TEXT, "account", "EMAIL", "Who owns it. Needed, unless the file says it.",
		   .check = ctl_check_account),
	    OPTION(TEXT, "name", "NAME", "Its name for people. Needed, unless there is a file.",
		   .check = ctl_check_device_name),
	    OPTION(TEXT, "from", "FILE",
		   "Comma-separated values: the first line names the columns, of name, serial, mac "
		   "and account; the others are devices, at most 10,000. - is standard input. All "
		   "are made, or none. The URLs come as comma-separated values, too."),
	    OPTION(TEXT, "serial", "SERIAL", "Its serial number.", .check = ctl_check_serial),
	    OPTION(TEXT, "mac", "MAC", "Its hardware address.", .check = ctl_check_mac)),
    COMMAND("device disable", "DEVICE",
	    "Let the panel of a device in no more, until device enable. What it shows stays "
	    "stored.",
	    ctl_device_disable),
    COMMAND("device enable", "DEVICE", "Undo device disable.", ctl_device_enable),
    COMMAND("device list", NULL, "List all devices, or those of an account.", ctl_device_list,
	    OPTION(TEXT, "account", "EMAIL", "Whose devices.", .check = ctl_check_account)),
    COMMAND("device move", "DEVICE",
	    "Lead the panel of an imported device from its former address to the device's own. The "
	    "former address ends when the panel has come to the new one.",
	    ctl_device_move),
    COMMAND("device reboot", "DEVICE",
	    "Have the panel of a device start again: at once, or with its next poll.",
	    ctl_device_reboot),
    COMMAND_ASKING("device rekey", "DEVICE",
		   "Give a device a new key; shows its URLs, once. The old key opens nothing from "
		   "now on.",
		   ctl_device_rekey),
    COMMAND_ASKING("device remove", "DEVICE", "Remove a device with its rotation.",
		   ctl_device_remove),
    COMMAND("device show", "DEVICE",
	    "Show a device: its settings, and what its panel told of itself. DEVICE is an ID, a "
	    "serial number, a MAC address, or a name that no other device has.",
	    ctl_device_show),
    COMMAND_ASKING(
	"device unalias", "DEVICE",
	"End the former address of an imported device: a panel that still comes to it is "
	"refused.",
	ctl_device_unalias),
    COMMAND(
	"device update", "DEVICE", "Change a device's settings. Its panel follows at once.",
	ctl_device_update,
	OPTION(TEXT, "name", "NAME", "Its name for people.", .check = ctl_check_device_name),
	OPTION(NUMBER, "brightness", "0-100", "Percent; 0 is off.", .most = 100),
	OPTION(NUMBER, "volume", "0-100", "Percent.", .most = 100),
	OPTION(ON_OFF, "auto-dim", "on|off", "Dim the panel where it is dark."),
	OPTION(TEXT, "timezone", "ZONE", "Where it is, such as Europe/Zagreb.",
	       .check = ctl_check_timezone),
	OPTION(NUMBER, "schedule-interval", "SECONDS", "How long each picture is shown.",
	       .least = SCHEDULE_INTERVAL_MIN_S, .most = SCHEDULE_INTERVAL_MAX_S),
	OPTION(ON_OFF, "sleep", "on|off", "Be dark between sleep-start and sleep-end."),
	OPTION(TEXT, "sleep-start", "HH:mm", "When it goes dark.", .check = ctl_check_clock),
	OPTION(TEXT, "sleep-end", "HH:mm", "When it comes back.", .check = ctl_check_clock),
	OPTION(ON_OFF, "dim", "on|off",
	       "Be no brighter than dim-brightness between dim-start and sleep-end."),
	OPTION(TEXT, "dim-start", "HH:mm", "When it is dimmed.", .check = ctl_check_clock),
	OPTION(NUMBER, "dim-brightness", "0-100", "Percent; 0 is off.", .most = 100),
	OPTION(ON_OFF, "allows-own-key", "on|off",
	       "Let programs use the key of its URLs at /v0, to push to it, and to list and remove "
	       "its entries.")),
    COMMAND("export", "FILE",
	    "Write an account to a file; - is stdout. Its devices, rotations, apps, versions, "
	    "passkeys, and hashes of its keys and its password are in it; docs/export.md tells "
	    "more.",
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
	"stand for them.",
	ctl_import,
	OPTION(TEXT, "email", "EMAIL", "Its address here. Default: as in the file.",
	       .check = ctl_check_account),
	OPTION(TEXT, "pass-phrase-file", "FILE", "The pass phrase of its secret settings."),
	OPTION(SWITCH, "public-apps", NULL, "Public apps stay public: for files that you trust."),
	OPTION(SWITCH, "skip-missing-apps", NULL,
	       "Leave out entries of other people's apps that are not here."),
	OPTION(SWITCH, "without-secrets", NULL, "Leave secret settings out.")),
    COMMAND(
	"installation create", "[KEY=VALUE...]",
	"Install an app on a device, at the end of its rotation, with these settings of its form.",
	ctl_installation_create,
	OPTION(TEXT, "device", "DEVICE", "ID, serial number, MAC or name.", .is_required = true),
	OPTION(TEXT, "app", "APP", "ID or slug.", .is_required = true), SETTINGS_OPTION),
    COMMAND(
	"installation list", NULL, "List what is in a device's rotation.", ctl_installation_list,
	OPTION(TEXT, "device", "DEVICE", "ID, serial number, MAC or name.", .is_required = true)),
    COMMAND_ASKING(
	"installation remove", "INSTALLATION", "Take an entry out of a rotation.",
	ctl_installation_remove,
	OPTION(TEXT, "device", "DEVICE", "ID, serial number, MAC or name.", .is_required = true)),
    COMMAND(
	"installation show", "INSTALLATION",
	"Show an entry of a rotation with its settings, but not those that are secret.",
	ctl_installation_show,
	OPTION(TEXT, "device", "DEVICE", "ID, serial number, MAC or name.", .is_required = true)),
    COMMAND(
	"installation update", "INSTALLATION [KEY=VALUE...]",
	"Change when and for how long an installation is shown, and settings of its app. The panel "
	"follows at once.",
	ctl_installation_update,
	OPTION(TEXT, "device", "DEVICE", "ID, serial number, MAC or name.", .is_required = true),
	OPTION(ON_OFF, "enabled", "on|off", "Whether it has turns in the rotation."),
	OPTION(TEXT, "display-seconds", "SECONDS",
	       "How long each of its turns is, 5 to 86400; default: the device's "
	       "schedule-interval.",
	       .check = ctl_check_display),
	OPTION(TEXT, "hours", "HH:mm-HH:mm",
	       "When it is shown, in the device's time zone; always: all day.",
	       .check = ctl_check_hours),
	OPTION(TEXT, "weekdays", "DAYS", "On which its hours begin, such as mon,tue,sun, or all.",
	       .check = ctl_check_weekdays),
	OPTION(ON_OFF, "pinned", "on|off", "Nothing else is shown until it is unpinned."),
	OPTION(ON_OFF, "night", "on|off", "Show it alone in the device's sleep window."),
	OPTION(NUMBER, "night-brightness", "1-100", "Percent, in the sleep window.", .least = 1,
	       .most = 100),
	SETTINGS_OPTION),
    COMMAND("key create", NULL, "Make an API key; shows it, once.", ctl_key_create,
	    OPTION(TEXT, "account", "EMAIL", "Whose key. Needed without --server.",
		   .check = ctl_check_account),
	    OPTION(TEXT, "name", "NAME", "What it is for.", .fallback = "displayctl",
		   .check = ctl_check_name),
	    OPTION(CHOICE, "scope", "push|devices|all",
		   "What it may do: show pictures; also read and change devices and entries; also "
		   "submit and deploy apps.",
		   .fallback = "all"),
	    OPTION(LIST, "device", "DEVICE",
		   "A device that it is for; may be given several times. Default: all.",
		   .most = LIMIT_KEY_DEVICES),
	    OPTION(TEXT, "ends-at", "TIME",
		   "When it ends, as 2027-01-31T12:00:00Z. Default: never.",
		   .check = ctl_check_time)),
    COMMAND("key list", NULL, "List an account's API keys.", ctl_key_list,
	    OPTION(TEXT, "account", "EMAIL", "Whose keys. Needed without --server.",
		   .check = ctl_check_account)),
    COMMAND_ASKING(
	"key revoke", "KEY",
	"End an API key: its ID, name or first characters. All servers refuse it within a second.",
	ctl_key_revoke, OPTION(TEXT, "account", "EMAIL", "Whose key.", .check = ctl_check_account)),
    COMMAND("key show", "KEY", "Show an API key, but not the secret: ID, name or first characters.",
	    ctl_key_show,
	    OPTION(TEXT, "account", "EMAIL", "Whose key.", .check = ctl_check_account)),
    COMMAND("migrate", NULL,
	    "Bring the database's tables up to date. Starts a private database that no server "
	    "runs, and stops it again.",
	    ctl_migrate),
    COMMAND("mqtt remove", NULL, "End an account's connection to its MQTT broker.", ctl_mqtt_remove,
	    OPTION(TEXT, "account", "EMAIL", "Whose connection.", .is_required = true,
		   .check = ctl_check_account)),
    COMMAND("mqtt show", NULL, "Show an account's connection to its MQTT broker, and its state.",
	    ctl_mqtt_show,
	    OPTION(TEXT, "account", "EMAIL", "Whose connection.", .is_required = true,
		   .check = ctl_check_account)),
    COMMAND("mqtt update", NULL,
	    "Connect an account to an MQTT broker, instead of the one it has. The broker needs a "
	    "public address, or one that --egress-allow names.",
	    ctl_mqtt_update,
	    OPTION(TEXT, "account", "EMAIL", "Whose connection.", .is_required = true,
		   .check = ctl_check_account),
	    OPTION(TEXT, "url", "URL", "mqtt://HOST[:PORT], or with TLS mqtts://HOST[:PORT].",
		   .is_required = true),
	    OPTION(TEXT, "username", "NAME", "The user there."),
	    OPTION(TEXT, "password-file", "FILE",
		   "The password, as the text of a file; - is standard input.")),
    {.line = {.name = "panel",
	      .help = "Be a panel in this terminal; see displayctl panel --help.",
	      .reads_itself = true},
     .run_apart = run_panel},
    COMMAND("push", "DEVICE FILE",
	    "Show a picture (PNG, GIF or WebP; - is standard input) on a device at once. For some "
	    "seconds, or with "
	    "--installation as an entry of its rotation, which the next push of that ID replaces.",
	    ctl_push,
	    OPTION(NUMBER, "duration", "SECONDS", "5, 10, 15, 30, 35, 40 or 45. Default: 5.",
		   .most = 45),
	    OPTION(TEXT, "installation", "ID", "A name for the entry."),
	    OPTION(SWITCH, "background", NULL, "Wait for its turn in the rotation."),
	    OPTION(NUMBER, "expires-in", "SECONDS",
		   "Remove the entry after this time: 60 to 2592000 (30 days).", .least = 60,
		   .most = PUSH_EXPIRES_MAX_S),
	    OPTION(SWITCH, "wake", NULL, "Show it although the panel sleeps."),
	    OPTION(SWITCH, "hold", NULL,
		   "Show it until another picture is pushed, or DELETE "
		   "/v1/devices/ID/temporary ends it.")),
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
    COMMAND(
	"version approve", "APP VERSION",
	"Publish a version that awaits its review, as app review does.", ctl_version_approve,
	OPTION(TEXT, "summary", "TEXT", "What the author reads first.", .check = ctl_check_remark),
	OPTION(TEXT, "author", "NAME", "Who has reviewed it.", .fallback = "reviewer",
	       .check = ctl_check_name)),
    COMMAND("version list", "APP", "List the versions of an app (ID or slug), newest first.",
	    ctl_version_list),
    COMMAND("version show", "APP VERSION", "Show a version of an app: its review, and its script.",
	    ctl_version_show, OPTION(SWITCH, "script", NULL, "Print the script and nothing else.")),
    COMMAND("webhook create", "URL",
	    "Send events of an account's devices to a URL; shows the secret that messages are "
	    "signed with, once.",
	    ctl_webhook_create, WEBHOOK_ACCOUNT, WEBHOOK_EVENTS),
    COMMAND("webhook list", NULL,
	    "List an account's webhooks, and what came of the last message to each.",
	    ctl_webhook_list, WEBHOOK_ACCOUNT),
    COMMAND_ASKING("webhook remove", "WEBHOOK", "Remove a webhook (ID), and what waits for it.",
		   ctl_webhook_remove, WEBHOOK_ACCOUNT),
    COMMAND("webhook test", "WEBHOOK",
	    "Send an event \"test\" to a webhook (ID) now, and show what came of it.",
	    ctl_webhook_test, WEBHOOK_ACCOUNT),
    COMMAND("webhook update", "WEBHOOK", "Change a webhook (ID); what is not given stays.",
	    ctl_webhook_update, WEBHOOK_ACCOUNT, OPTION(TEXT, "url", "URL", "Where messages go."),
	    WEBHOOK_EVENTS,
	    OPTION(ON_OFF, "enabled", "on|off", "Whether messages are sent to it.")),
};
const unsigned ctl_command_count = array_length(ctl_commands);
