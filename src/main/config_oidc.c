#include "main/config_oidc.h"
#include "main/config_url.h"

#include <stdlib.h>
#include <string.h>
#include <text/address.h>
#include <wire/url.h>

enum { ISSUER_URL_MAX = 300 };

/* Whether the host of the URL is this machine. */
static bool is_here(char *url)
{
	static const struct network loopback = {
	    .address.bytes = {[10] = 0xff, [11] = 0xff, [12] = 127},
	    .bits = 104,
	};
	struct wire_url read;
	struct address address;

	if (wire_url_parse(url, strlen(url), &read))
		return false;
	return strcmp(read.host, "localhost") == 0 || strcmp(read.host, "::1") == 0 ||
	       (address_read(str_from(read.host), &address) && network_has(&loopback, &address));
}

int config_check_oidc(char *value, struct options_error *reterr)
{
	/* An issuer is compared byte by byte, so the value itself stays as it is. */
	char *copy = strdup(value);
	int rc = copy ? config_check_public_url(copy, reterr) : -1;
	bool is_safe = rc == 0 && (strncmp(copy, "https:", strlen("https:")) == 0 || is_here(copy));

	free(copy);
	if (rc < 0)
		return -1;
	if (strlen(value) > ISSUER_URL_MAX)
		return options_error_set(reterr, "is longer than %d characters", ISSUER_URL_MAX);
	if (!is_safe)
		return options_error_set(reterr,
					 "must start with https://, unless it is on this machine");
	return 0;
}

int config_check_oidc_settings(const struct config *config, struct options_error *reterr)
{
	const struct options *options = &config->options;
	const struct option_given *url = options_find_given(options, "oidc");
	const struct option_given *client = options_find_given(options, "oidc-client");
	const struct option_given *secret = options_find_given(options, "oidc-secret-file");

	if (url && !client)
		return options_blame(options, url, reterr, "needs an --oidc-client");
	if (client && !url)
		return options_blame(options, client, reterr, "needs an --oidc");
	if (secret && !url)
		return options_blame(options, secret, reterr, "needs an --oidc");
	return 0;
}
