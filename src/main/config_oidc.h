/* The settings of the sign-in by OpenID Connect: --oidc and related ones. */
#pragma once

#include "main/config.h"

/* Checks the URL of an issuer. */
int config_check_oidc(char *value, struct options_error *reterr);
/* Returns 0, or -1 with a reason: a setting lacks another one that it needs. */
__attribute__((warn_unused_result)) int config_check_oidc_settings(const struct config *config,
								   struct options_error *reterr);
