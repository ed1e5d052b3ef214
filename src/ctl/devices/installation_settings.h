/* Settings of an app, for commands that create or change an installation: KEY=VALUE of the
 * arguments, and --settings FILE, also for secret ones. The server checks them against the app's
 * form, and encrypts secret ones. */
#pragma once

#include "ctl/server/client.h"
#include "domain/settings.h"

/* Whether settings are given: arguments from index first, or --settings. */
bool installation_settings_are_given(const struct ctl *ctl, unsigned first);

/* Reads the settings as a JSON object, in the arena. Asks for the form of the app (ID or slug): no
 * argument may be secret. account: owner of the device. missing: message if there is no such app.
 * Returns CTL_DONE, or another code after printing the reason. */
enum ctl_exit installation_settings_read(struct ctl *ctl, unsigned first, struct str app,
					 struct str account, struct str missing,
					 struct str *ret_json);

/* Reads the settings KEY=VALUE of the arguments, from index first, into the arena. Returns
 * CTL_DONE, or another code after printing the reason. */
enum ctl_exit settings_arguments_read(struct ctl *ctl, unsigned first,
				      struct settings *ret_settings);
/* Reads the settings of the file of --settings ("-": standard input) into the arena; none without
 * the option. Returns CTL_DONE, or another code after printing the reason. */
enum ctl_exit settings_file_read(struct ctl *ctl, struct settings *ret_settings);
