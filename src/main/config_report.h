/* displayd --check-config: checks whether displayd could start with a configuration, as far as
 * possible without starting. It opens the named files, as the service's user if it is the service's
 * configuration, and checks the sockets that the service manager gives. */
#pragma once

#include "main/config.h"

/* Refuses unknown variables that begin with DISPLAYD_. Returns 0, or -1 with a reason. */
__attribute__((warn_unused_result)) int config_check_variables(const struct config *config,
							       struct options_error *reterr);

/* Opens the files that the configuration names, except certificates. Returns 0, or -1 with a
 * reason. */
__attribute__((warn_unused_result)) int config_check_files(const struct config *config,
							   struct reason *reterr);

/* Writes each setting as a line of a configuration file, with its source. Returns an exit code;
 * reasons go to stderr. */
int config_report(const struct config *config);
