/* The settings that are URLs. A scheme or host in capitals is put in lower case. */
#pragma once

#include <options/options.h>

/* "https://panels.example.org": neither a path nor the scheme's own port. */
int config_check_origin(char *value, struct options_error *reterr);
/* Cuts slashes off its end. */
int config_check_public_url(char *value, struct options_error *reterr);
