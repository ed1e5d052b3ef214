#include "base/memory.h"
#include "ctl/ctl.h"

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

const struct ctl_command ctl_commands[] = {
    COMMAND("account create", "EMAIL", "Make an account.", ctl_account_create,
	    OPTION(TEXT, "name", "NAME", "A name that others see.", .fallback = "Anonymous",
		   .check = ctl_check_name)),
    COMMAND("account list", NULL, "List all accounts.", ctl_account_list),
    COMMAND("account remove", "EMAIL",
	    "Remove an account with its devices, keys and apps. Asks first.", ctl_account_remove,
	    OPTION(SWITCH, "yes", NULL, "Do not ask.")),
    COMMAND("app create", NULL, "Make an app. It is private unless said otherwise.", ctl_app_create,
	    OPTION(TEXT, "account", "EMAIL", "Who owns it.", .is_required = true,
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
    COMMAND("app list", NULL, "List all apps, or those of an account.", ctl_app_list,
	    OPTION(TEXT, "account", "EMAIL", "Whose apps.")),
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
    COMMAND("device create", NULL, "Register a device; shows its URLs with their key, once.",
	    ctl_device_create,
	    OPTION(TEXT, "account", "EMAIL", "Who owns it.", .is_required = true,
		   .check = ctl_check_account),
	    OPTION(TEXT, "name", "NAME", "Its name for people.", .is_required = true,
		   .check = ctl_check_device_name),
	    OPTION(TEXT, "serial", "SERIAL", "Its serial number.", .check = ctl_check_serial),
	    OPTION(TEXT, "mac", "MAC", "Its hardware address.", .check = ctl_check_mac)),
    COMMAND("device list", NULL, "List an account's devices.", ctl_device_list,
	    OPTION(TEXT, "account", "EMAIL", "Whose devices.", .is_required = true)),
    COMMAND("device remove", "DEVICE",
	    "Remove a device (ID, serial number or MAC) with its rotation. Asks first.",
	    ctl_device_remove, OPTION(SWITCH, "yes", NULL, "Do not ask.")),
    COMMAND("device update", "DEVICE", "Change a device's settings. Its panel follows at once.",
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
	    OPTION(TEXT, "sleep-end", "HH:mm", "When it comes back.", .check = ctl_check_clock)),
    COMMAND("installation create", NULL, "Install an app on a device, at the end of its rotation.",
	    ctl_installation_create,
	    OPTION(TEXT, "device", "DEVICE", "ID, serial number or MAC.", .is_required = true),
	    OPTION(TEXT, "app", "APP", "ID or slug.", .is_required = true)),
    COMMAND("installation list", NULL, "List what is in a device's rotation.",
	    ctl_installation_list,
	    OPTION(TEXT, "device", "DEVICE", "ID, serial number or MAC.", .is_required = true)),
    COMMAND("key create", NULL, "Make an API key; shows it, once.", ctl_key_create,
	    OPTION(TEXT, "account", "EMAIL", "Whose key.", .is_required = true,
		   .check = ctl_check_account),
	    OPTION(TEXT, "name", "NAME", "What it is for.", .fallback = "displayctl",
		   .check = ctl_check_name)),
    COMMAND("key list", NULL, "List an account's API keys.", ctl_key_list,
	    OPTION(TEXT, "account", "EMAIL", "Whose keys.", .is_required = true,
		   .check = ctl_check_account)),
    COMMAND("key revoke", "ID", "End an API key. All servers refuse it within a second.",
	    ctl_key_revoke),
    COMMAND("migrate", NULL,
	    "Bring the database's tables up to date. Starts a private database that no server "
	    "runs, and stops it again.",
	    ctl_migrate),
    {.line = {.name = "panel",
	      .help = "Be a panel in this terminal; see displayctl panel --help.",
	      .reads_itself = true},
     .run_apart = panel_main},
};
const unsigned ctl_command_count = array_length(ctl_commands);
