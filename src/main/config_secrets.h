/* Secrets in files that the configuration names. The server keeps them in memory only. */
#pragma once

#include "main/config.h"
#include "main/reason.h"

enum { CONFIG_SECRET_BYTES = 512 };

struct config_secrets {
	char mqtt_password[CONFIG_SECRET_BYTES]; /* of --mqtt; empty: none */
	char oidc_secret[CONFIG_SECRET_BYTES];	 /* of --oidc; empty: none */
};

/* Reads the secrets of --mqtt-password-file and --oidc-secret-file. Returns 0, or -1 with the
 * reason; then nothing is in *ret. */
__attribute__((warn_unused_result)) int
config_load_secrets(const struct config *config, struct config_secrets *ret, struct reason *reterr);
