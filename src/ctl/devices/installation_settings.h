/* The settings of an app's installation, as the pages take them: held to the app's form, those that
 * are secret encrypted (domain/settings.h, domain/secret_settings.h).
 *
 *   KEY=VALUE ..., --settings FILE -> installation_settings_read() -> what a statement stores
 *
 * A secret comes by the file alone: arguments are read by others. */
#pragma once

#include "ctl/ctl.h"
#include "domain/device.h"
#include "domain/stored_settings.h"

struct installation_settings {
	struct stored_settings stored;
	struct str seen_hash; /* of the settings that were there */
	struct id version_id;
};

/* Whether any are given: KEY=VALUE from that positional on, or a file. */
bool installation_settings_are_given(const struct ctl *ctl, unsigned first);

/* installation_id: what the settings are for; is_new: it is not there yet, and app says of what it
 * will be one (ID or slug), else app is empty. Settings that are not given stay as they are. In the
 * arena. CTL_DONE, or the reason was said. */
enum ctl_exit installation_settings_read(struct ctl *ctl, unsigned first,
					 const struct device *device, struct str app,
					 struct str installation_id, bool is_new,
					 struct installation_settings *ret);
