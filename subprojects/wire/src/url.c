#include "wire/url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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

static const char *read_port(const char *text, size_t length, uint16_t *ret_port)
{
	unsigned port = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || port > 65535)
			return "the port is not a number from 1 to 65535";
		port = port * 10 + (unsigned)(text[i] - '0');
	}
	if (port == 0 || port > 65535)
		return "the port is not a number from 1 to 65535";
	*ret_port = (uint16_t)port;
	return NULL;
}

static const char *read_authority(const char *text, size_t length, struct wire_url *url)
{
	bool is_ipv6 = length > 0 && text[0] == '[';
	const char *host = text + is_ipv6;
	const char *host_end = memchr(text, is_ipv6 ? ']' : ':', length);
	const char *end = text + length;
	uint16_t default_port = url->is_tls ? 443 : 80;
	const char *fault = NULL;
	size_t host_length;
	int used;

	if (length > 0 && memchr(text, '@', length))
		return "a user name in the URL is not supported";
	if (is_ipv6 && !host_end)
		return "']' is missing behind the IPv6 address";
	host_length = (size_t)((host_end ? host_end : end) - host);
	if (host_length == 0 || host_length > WIRE_HOST_MAX)
		return "the host is missing or too long";
	memcpy(url->host, host, host_length);
	url->host[host_length] = '\0';
	if (is_ipv6)
		host_end = host_end + 1 < end ? host_end + 1 : NULL;
	if (host_end && *host_end != ':')
		return "the host is malformed";
	url->port = default_port;
	if (host_end)
		fault = read_port(host_end + 1, (size_t)(end - host_end - 1), &url->port);
	used = snprintf(url->authority, sizeof(url->authority), is_ipv6 ? "[%s]" : "%s", url->host);
	if (url->port != default_port)
		snprintf(url->authority + used, sizeof(url->authority) - (size_t)used, ":%u",
			 url->port);
	return fault;
}

/* Whether the text goes into a request line and a header unescaped: no space, no control byte. */
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

		/* RFC 3986 section 3.1: in any case. */
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
	fault = read_authority(text + start, end - start, ret_url);
	if (fault)
		return fault;
	ret_url->target = text + end;
	ret_url->target_length = length - end;
	if (end < length && memchr(text + end, '#', length - end))
		return "a fragment (#) has no meaning here";
	return NULL;
}
