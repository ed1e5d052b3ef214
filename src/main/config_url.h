/* Settings that are URLs. Scheme and host are put in lower case. */
#pragma once

#include <options/options.h>

/* Checks an origin, "https://panels.example.org": neither a path nor the scheme's default port. */
int config_check_origin(char *value, struct options_error *reterr);
/* Checks a public URL, and removes slashes from its end. */
int config_check_public_url(char *value, struct options_error *reterr);
