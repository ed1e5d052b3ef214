/* The app, and its version, that the arguments of a command name. */
#pragma once

#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "domain/app.h"

/* Sets the path "/web/admin/apps/APP" of the first argument, and what follows. no_app: the sentence
 * if there is no such app. CTL_DONE, or the reason was said. */
enum ctl_exit ctl_name_app(struct ctl *ctl, const char *rest, struct str no_app,
			   struct ctl_request *request);
/* Such a sentence: "there is no app APP". */
struct str ctl_no_app(struct ctl *ctl);

/* Finds the version that the second argument names. *ret_path: that of the app's versions.
 * CTL_DONE, or the reason was said, by one of these sentences. */
enum ctl_exit ctl_find_version(struct ctl *ctl, struct str no_app, struct str no_version,
			       struct app_version *ret_version, struct str *ret_path);
