#include "base/memory.h"
#include "ctl/ctl.h"
#include "panel/panel.h"

const struct ctl_command ctl_commands[] = {
    {.name = "account create",
     .positional = "EMAIL",
     .options = {{"name", "NAME", false}},
     .help = "Make an account. NAME is shown to others.",
     .run = ctl_account_create},
    {.name = "device create",
     .options = {{"account", "EMAIL", true},
		 {"name", "NAME", true},
		 {"serial", "SERIAL", false},
		 {"mac", "MAC", false}},
     .help = "Register a device; shows its URLs with their key, once.",
     .run = ctl_device_create},
    {.name = "key create",
     .options = {{"account", "EMAIL", true}, {"name", "NAME", false}},
     .help = "Make an API key; shows it, once.",
     .run = ctl_key_create},
    {.name = "key list",
     .options = {{"account", "EMAIL", true}},
     .help = "List an account's API keys.",
     .run = ctl_key_list},
    {.name = "key revoke",
     .positional = "ID",
     .help = "End an API key. All servers refuse it within a second.",
     .run = ctl_key_revoke},
    {.name = "migrate",
     .help = "Bring the database's tables up to date. Starts a private\n"
	     "database that no server runs, and stops it again.",
     .run = ctl_migrate},
    {.name = "panel",
     .help = "Be a panel in this terminal; see displayctl panel --help.",
     .run_apart = panel_main},
};
const unsigned ctl_command_count = array_length(ctl_commands);
