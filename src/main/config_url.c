#include "main/config_url.h"
#include "main/config.h"

#include <ctype.h>
#include <string.h>
#include <wire/url.h>

/* Puts scheme and host in lower case, as browsers send them. */
static int read_http_url(char *value, struct wire_url *ret_url, struct options_error *reterr)
{
	const char *fault = wire_url_parse(value, strlen(value), ret_url);

	if (!ret_url->scheme || ret_url->is_websocket)
		return options_error_set(reterr, "must start with http:// or https://");
	if (fault)
		return options_error_set(reterr, "is not a valid URL: %s", fault);
	for (char *c = value; c < ret_url->target; c++)
		*c = (char)tolower((unsigned char)*c);
	(void)wire_url_parse(value, strlen(value), ret_url);
	return 0;
}

/* Browsers send an origin in one form only, without the scheme's own port, and it is compared byte
 * for byte. */
int config_check_origin(char *value, struct options_error *reterr)
{
	char origin[sizeof("https://") + WIRE_AUTHORITY_BYTES];
	struct wire_url url;
	bool is_plain = true;

	if (read_http_url(value, &url, reterr) < 0)
		return -1;
	for (const char *c = url.host; *c; c++)
		is_plain &=
		    islower((unsigned char)*c) || isdigit((unsigned char)*c) || strchr(".-:", *c);
	snprintf(origin, sizeof(origin), "%s://%s", url.scheme, url.authority);
	if (!is_plain || strcmp(value, origin) != 0)
		return options_error_set(reterr,
					 "must be an origin such as https://panels.example.org, "
					 "with neither a path nor the scheme's own port");
	return 0;
}

int config_check_public_url(char *value, struct options_error *reterr)
{
	size_t length = strlen(value);
	struct wire_url url;

	if (read_http_url(value, &url, reterr) < 0)
		return -1;
	if (length > CONFIG_PUBLIC_URL_BYTES)
		return options_error_set(reterr, "is longer than %d characters",
					 CONFIG_PUBLIC_URL_BYTES);
	if (strpbrk(value, "\"<>\\^`{|}"))
		return options_error_set(reterr,
					 "contains a character that is not allowed in a URL");
	if (strpbrk(value, "?@"))
		return options_error_set(reterr, "must have neither a user nor a query");
	while (value[length - 1] == '/')
		value[--length] = 0;
	return 0;
}
