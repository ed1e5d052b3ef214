#include "wire/url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <text/authority.h>

static const struct {
	const char *name;
	bool is_websocket;
	bool is_tls;
} schemes[] = {
    {"ws", true, false},
    {"wss", true, true},
    {"http", false, false},
    {"https", false, true},
};

static const char *const authority_faults[] = {
    [AUTHORITY_OPEN] = "']' is missing after the IPv6 address",
    [AUTHORITY_NO_HOST] = "the host is missing or too long",
    [AUTHORITY_MALFORMED] = "the host is malformed",
    [AUTHORITY_BAD_PORT] = "the port is not a number from 1 to 65535",
};

static const char *read_authority(struct str text, struct wire_url *url)
{
	uint16_t default_port = url->is_tls ? 443 : 80;
	struct authority authority;
	enum authority_fault fault = authority_read(text, &authority);
	int used;

	if (str_find(text, '@') < text.length)
		return "a user name in the URL is not supported";
	if (authority.host.length > WIRE_HOST_MAX)
		fault = AUTHORITY_NO_HOST;
	if (fault != AUTHORITY_FINE)
		return authority_faults[fault];
	memcpy(url->host, authority.host.data, authority.host.length);
	url->host[authority.host.length] = '\0';
	url->port = authority.port ? authority.port : default_port;
	used = snprintf(url->authority, sizeof(url->authority),
			authority.has_brackets ? "[%s]" : "%s", url->host);
	if (url->port != default_port)
		snprintf(url->authority + used, sizeof(url->authority) - (size_t)used, ":%u",
			 url->port);
	return NULL;
}

/* Whether the text can be in a request line and a header unescaped: no space, no control byte. */
static bool is_visible_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return true;
}

const char *wire_url_parse(const char *text, size_t length, struct wire_url *ret_url)
{
	const char *fault;
	size_t start = 0;
	size_t end;

	*ret_url = (struct wire_url){0};
	if (!is_visible_ascii(text, length))
		return "it has a space or a character that must be percent-encoded";
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]) && start == 0; i++) {
		size_t size = strlen(schemes[i].name);

		/* Letter case is ignored (RFC 3986 section 3.1). */
		if (length < size + 3 || strncasecmp(text, schemes[i].name, size) != 0 ||
		    memcmp(text + size, "://", 3) != 0)
			continue;
		ret_url->scheme = schemes[i].name;
		ret_url->is_websocket = schemes[i].is_websocket;
		ret_url->is_tls = schemes[i].is_tls;
		start = size + 3;
	}
	if (start == 0)
		return "it must start with ws://, wss://, http:// or https://";
	end = start;
	while (end < length && text[end] != '/' && text[end] != '?' && text[end] != '#')
		end++;
	fault = read_authority((struct str){text + start, end - start}, ret_url);
	if (fault)
		return fault;
	ret_url->target = text + end;
	ret_url->target_length = length - end;
	if (end < length && memchr(text + end, '#', length - end))
		return "a fragment (#) is not allowed here";
	return NULL;
}
