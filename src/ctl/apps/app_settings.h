/* The settings with which "app render" renders: of --settings FILE, and KEY=VALUE of the arguments,
 * which count if both have one. */
#pragma once

#include "ctl/ctl.h"
#include "domain/settings.h"

struct app_settings {
	struct settings of_file;
	bool has_looked; /* for secrets among the arguments */
};

/* CTL_DONE, or the reason was said. The file is read once: it may be a pipe. */
enum ctl_exit app_settings_read(struct ctl *ctl, struct app_settings *ret_settings);

/* All of them, as JSON in the arena. Empty: one is not UTF-8. */
struct str app_settings_write(const struct app_settings *settings, struct ctl *ctl);

/* Whether to ask for the app's schema, and show it to app_settings_warn(). */
bool app_settings_want_look(const struct app_settings *settings, const struct options *options);

/* Says which arguments are secret by the app's schema, JSON: others read arguments. Once. */
void app_settings_warn(struct app_settings *settings, struct ctl *ctl, struct str schema);
