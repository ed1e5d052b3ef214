/* Finds the app and the version that the arguments of a command name. */
#pragma once

#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "domain/app.h"

/* Sets the request's path to ROOT/apps/APP of the first argument, followed by rest; root:
 * "/web/admin" or "/v1". no_app: message if there is no such app. */
enum ctl_exit ctl_name_app(struct ctl *ctl, const char *root, const char *rest, struct str no_app,
			   struct ctl_request *request);
/* Returns the message "there is no app APP". */
struct str ctl_no_app(struct ctl *ctl);

/* Finds the version that the second argument names. *ret_path: path of the app's versions. no_app,
 * no_version: messages if either is missing. */
enum ctl_exit ctl_find_version(struct ctl *ctl, struct str no_app, struct str no_version,
			       struct app_version *ret_version, struct str *ret_path);
