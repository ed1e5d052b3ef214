/* displayd --check-config: whether displayd could start with a configuration, as far as can be told
 * without starting. It opens the files that are named, as the user whom the service runs as if it
 * is the service's configuration, and looks at the sockets that the service manager gives. */
#pragma once

#include "main/config.h"

/* Refuses a variable that begins with DISPLAYD_ and means nothing. 0, or -1 with a reason. */
__attribute__((warn_unused_result)) int config_check_variables(const struct config *config,
							       struct options_error *reterr);

/* Writes each setting as a line of a configuration file, with where it comes from. An exit code; a
 * reason goes to stderr. */
int config_report(const struct config *config);
