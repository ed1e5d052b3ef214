/* The settings with which "app render" renders: of --settings FILE, and KEY=VALUE of the arguments,
 * which count if both have one. */
#pragma once

#include "ctl/ctl.h"
#include "domain/settings.h"

struct app_settings {
	struct settings of_arguments;
	struct str json; /* all of them; empty: one is not UTF-8 */
	bool has_looked; /* for secrets among the arguments */
};

/* CTL_DONE, or the reason was said. The file is read once: it may be a pipe. */
enum ctl_exit app_settings_read(struct ctl *ctl, struct app_settings *ret_settings);

/* Says which arguments are secret by the app's schema, JSON: others read arguments. Once. */
void app_settings_warn(struct app_settings *settings, struct ctl *ctl, struct str schema);
