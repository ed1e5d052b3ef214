/* Settings of "app render": of --settings FILE, and KEY=VALUE of the arguments, which override the
 * file. */
#pragma once

#include "ctl/ctl.h"
#include "domain/settings.h"

struct app_settings {
	struct settings of_arguments;
	struct str json; /* all settings */
	bool has_looked; /* whether arguments were checked for secrets */
};

/* Reads the settings, once: the file may be a pipe. Returns CTL_DONE, or another code after
 * printing the reason. */
enum ctl_exit app_settings_read(struct ctl *ctl, struct app_settings *ret_settings);

/* Prints which arguments are secret by the app's schema, JSON, once: others can read arguments. */
void app_settings_warn(struct app_settings *settings, struct ctl *ctl, struct str schema);
