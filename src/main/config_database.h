/* Setting "database": libpq parses it, and its password is never shown. */
#pragma once

#include "options/options.h"

/* Functions of type option_check and option_show. */
int config_check_database(char *value, struct options_error *reterr);
void config_show_database(const char *value, FILE *out);
