/* Settings of an app, for the commands that make or change an installation: KEY=VALUE of the
 * arguments, and --settings FILE for secret ones, too. The server checks them against the app's
 * form, and encrypts what is secret. */
#pragma once

#include "ctl/server/client.h"
#include "domain/settings.h"

/* Whether settings are given: arguments from this one on, or --settings. */
bool installation_settings_are_given(const struct ctl *ctl, unsigned first);

/* Reads the settings: a JSON object. Asks for the form of the app (ID or slug): no argument may be
 * secret. account: of the device. missing: sentence for an app that is not there. CTL_DONE,
 * or the reason was said. */
enum ctl_exit installation_settings_read(struct ctl *ctl, unsigned first, struct str app,
					 struct str account, struct str missing,
					 struct str *ret_json);

/* Reads the settings of the file that --settings names, "-" for standard input; none without it. In
 * the arena. CTL_DONE, or the reason was said. */
enum ctl_exit settings_file_read(struct ctl *ctl, struct settings *ret_settings);
