/* The setting "database": libpq reads it, and its password is shown to nobody. */
#pragma once

#include "options/options.h"

/* An option_check and an option_show. */
int config_check_database(char *value, struct options_error *reterr);
void config_show_database(const char *value, FILE *out);
