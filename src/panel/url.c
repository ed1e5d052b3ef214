#include "url.h"

#include <stdio.h>

static const struct {
	struct str prefix;
	enum panel_scheme scheme;
	const char *port;
} schemes[] = {
    {{"ws://", 5}, PANEL_WS, "80"},
    {{"wss://", 6}, PANEL_WSS, "443"},
    {{"http://", 7}, PANEL_HTTP, "80"},
    {{"https://", 8}, PANEL_HTTPS, "443"},
};

/* What goes into a request line and a header unescaped: no space, no control byte. */
static bool is_visible_ascii(struct str text)
{
	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] <= ' ' || text.data[i] > '~')
			return false;
	return true;
}

static bool copy_text(struct str from, char *to, size_t to_size)
{
	if (from.length >= to_size)
		return false;
	if (from.data)
		memcpy(to, from.data, from.length);
	to[from.length] = '\0';
	return true;
}

static const char *read_port(struct str text, struct panel_url *url)
{
	unsigned long long port;

	if (!str_to_uint64(text, 65535, &port) || port == 0)
		return "the port is not a number from 1 to 65535";
	snprintf(url->port, sizeof(url->port), "%u", (unsigned)(uint16_t)port);
	return NULL;
}

static const char *read_authority(struct str text, const char *default_port, struct panel_url *url)
{
	struct str host = text;
	struct str port = {0};
	bool ipv6 = text.length > 0 && text.data[0] == '[';
	size_t end;
	const char *fault;

	if (str_find(text, '@') != text.length)
		return "a user name in the URL is not supported";
	if (ipv6) {
		end = str_find(text, ']');
		if (end == text.length)
			return "']' is missing behind the IPv6 address";
		host = (struct str){text.data + 1, end - 1};
		end++;
	} else {
		end = str_find(text, ':');
		host.length = end;
	}
	if (end < text.length) {
		if (text.data[end] != ':')
			return "the host is malformed";
		port = str_from_offset(text, end + 1);
	} else {
		port = str_from(default_port);
	}
	if (host.length == 0 || !copy_text(host, url->host, sizeof(url->host)))
		return "the host is missing or too long";
	fault = read_port(port, url);
	if (fault)
		return fault;
	snprintf(url->authority, sizeof(url->authority), "%s%.254s%s", ipv6 ? "[" : "", url->host,
		 ipv6 ? "]" : "");
	if (strcmp(url->port, default_port) != 0) {
		size_t used = strlen(url->authority);

		snprintf(url->authority + used, sizeof(url->authority) - used, ":%s", url->port);
	}
	return NULL;
}

static void append(char *text, size_t size, struct str piece)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%.*s", STR_ARG(piece));
}

/* The target without its key, and the key. */
static void split_target(struct str target, char *ret_rest, size_t rest_size, char *ret_key,
			 size_t key_size)
{
	size_t question = str_find(target, '?');
	struct str query = {0};
	struct str piece;
	const char *separator = "?";

	ret_rest[0] = ret_key[0] = '\0';
	append(ret_rest, rest_size, (struct str){target.data, question});
	if (question == target.length)
		return;
	query = str_from_offset(target, question + 1);
	while (str_next(&query, '&', &piece)) {
		if (str_starts_with(piece, STR("key="))) {
			ret_key[0] = '\0';
			append(ret_key, key_size, str_from_offset(piece, 4));
			continue;
		}
		append(ret_rest, rest_size, str_from(separator));
		append(ret_rest, rest_size, piece);
		separator = "&";
	}
}

static const char *read_rest(struct str text, size_t scheme, bool key_in_url, struct panel_url *url)
{
	size_t end = 0;
	struct str target;
	char full[PANEL_URL_MAX];
	char bare[PANEL_URL_MAX];
	const char *fault;

	while (end < text.length && text.data[end] != '/' && text.data[end] != '?')
		end++;
	fault = read_authority((struct str){text.data, end}, schemes[scheme].port, url);
	if (fault)
		return fault;
	target = str_from_offset(text, end);
	if (str_find(target, '#') != target.length)
		return "a fragment (#) has no meaning here";
	snprintf(full, sizeof(full), "%s%.*s", target.length && target.data[0] == '/' ? "" : "/",
		 STR_ARG(target));
	split_target(str_from(full), bare, sizeof(bare), url->bearer, sizeof(url->bearer));
	if (key_in_url)
		url->bearer[0] = '\0';
	snprintf(url->target, sizeof(url->target), "%s", key_in_url ? full : bare);
	snprintf(url->shown, sizeof(url->shown), "%.*s%.263s%.1700s",
		 STR_ARG(schemes[scheme].prefix), url->authority, bare);
	return NULL;
}

const char *panel_url_parse(const char *text, bool key_in_url, struct panel_url *ret_url)
{
	struct panel_url url = {0};
	struct str whole = str_from(text);
	const char *fault;

	if (whole.length >= 1500)
		return "it is too long";
	if (!is_visible_ascii(whole))
		return "it has a space or a character that must be percent-encoded";
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (!str_starts_with(whole, schemes[i].prefix))
			continue;
		url.scheme = schemes[i].scheme;
		fault = read_rest(str_from_offset(whole, schemes[i].prefix.length), i, key_in_url,
				  &url);
		if (!fault)
			*ret_url = url;
		return fault;
	}
	return "it must start with ws://, wss://, http:// or https://";
}
