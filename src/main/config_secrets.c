#include "main/config_secrets.h"
#include "main/secret_file.h"

#include <sodium.h>
#include <string.h>

/* file: NULL: there is no such secret. */
static int load(const char *what, const char *file, char ret_secret[static CONFIG_SECRET_BYTES],
		struct reason *reterr)
{
	ssize_t length;

	ret_secret[0] = '\0';
	if (!file)
		return 0;
	length = secret_file_read(what, file, ret_secret, CONFIG_SECRET_BYTES - 1, reterr);
	if (length < 0)
		return -1;
	if (length == 0 || length >= CONFIG_SECRET_BYTES || memchr(ret_secret, 0, (size_t)length))
		return reason_set(reterr, "%s, %s: must be one line of 1 to %d bytes", what, file,
				  CONFIG_SECRET_BYTES - 1);
	ret_secret[length] = '\0';
	return 0;
}

int config_load_secrets(const struct config *config, struct config_secrets *ret,
			struct reason *reterr)
{
	if (load("the password for the MQTT broker", config->mqtt_password_file, ret->mqtt_password,
		 reterr) == 0 &&
	    load("the secret for the identity provider", config->oidc_secret_file, ret->oidc_secret,
		 reterr) == 0)
		return 0;
	sodium_memzero(ret, sizeof(*ret));
	return -1;
}
