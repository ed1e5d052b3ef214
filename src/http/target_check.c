/* Checks target and authority of requests (RFC 9112 section 3.2), more strictly than wire/url.h
 * does for clients: that accepts any visible character in a host and no empty port, while here the
 * grammar of RFC 3986 section 3.2.2 applies, so that no proxy in front can read another host than
 * the server does. */
#include "base/hex.h"
#include "http/head_check.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Excludes the comma, which the grammar allows and which two joined Host fields would show. */
static bool is_name_char(char c)
{
	bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

	return is_letter || is_digit(c) || (c && strchr("-._~!$&'()*+;=", c));
}

/* reg-name or IPv4address */
static bool is_host_name(struct str name)
{
	for (size_t i = 0; i < name.length; i++) {
		if (name.data[i] == '%') {
			if (name.length - i < 3 || hex_digit(name.data[i + 1]) < 0 ||
			    hex_digit(name.data[i + 2]) < 0)
				return false;
			i += 2;
		} else if (!is_name_char(name.data[i])) {
			return false;
		}
	}
	return name.length > 0;
}

/* Whether the text between brackets has only hexadecimal digits, colons and dots. The server does
 * not connect to it, so its exact form does not matter. */
static bool is_ip_literal(struct str address)
{
	for (size_t i = 0; i < address.length; i++) {
		char c = address.data[i];

		if (hex_digit(c) < 0 && c != ':' && c != '.')
			return false;
	}
	return address.length >= 2 && str_find(address, ':') < address.length;
}

bool host_is_valid(struct str host)
{
	size_t end;
	unsigned long long port;

	if (host.length && host.data[0] == '[') {
		end = str_find(host, ']');
		if (end == host.length || !is_ip_literal((struct str){host.data + 1, end - 1}))
			return false;
		end++;
	} else {
		end = str_find(host, ':');
		if (!is_host_name((struct str){host.data, end}))
			return false;
	}
	if (end == host.length)
		return true;
	if (host.data[end] != ':')
		return false;
	host = str_from_offset(host, end + 1);
	return host.length == 0 || (host.length <= 5 && str_to_uint64(host, 65535, &port));
}

/* Splits "/path?query". */
static void split_path(struct str target, struct str *ret_path, struct str *ret_query)
{
	size_t end = str_find(target, '?');

	*ret_path = (struct str){target.data, end};
	*ret_query = (struct str){0};
	if (end < target.length)
		*ret_query = str_from_offset(target, end + 1);
}

/* Bytes of "http://" or "https://" at the front; 0 without either. */
static size_t scheme_length(struct str target)
{
	static const struct str schemes[] = {{"http://", 7}, {"https://", 8}};

	for (size_t i = 0; i < 2; i++) {
		if (str_starts_with_ignore_case(target, schemes[i]))
			return schemes[i].length;
	}
	return 0;
}

static struct http_protocol_error check_absolute(struct str method, struct str target,
						 struct str host, struct str *ret_path,
						 struct str *ret_query)
{
	struct str rest = str_from_offset(target, scheme_length(target));
	size_t end = 0;
	struct str authority;

	while (end < rest.length && rest.data[end] != '/' && rest.data[end] != '?')
		end++;
	authority = (struct str){rest.data, end};
	if (!host_is_valid(authority))
		return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
					   "the request target is malformed");
	/* By RFC 9112 section 3.2.2 the target wins; here two different names are an error. */
	if (host.data && !str_equal_ignore_case(authority, host))
		return HTTP_PROTOCOL_ERROR(
		    PROBLEM_REQUEST_MALFORMED,
		    "the request target and the Host field name different hosts");
	split_path(str_from_offset(rest, end), ret_path, ret_query);
	if (ret_path->length == 0)
		*ret_path =
		    str_equal(method, STR("OPTIONS")) && !ret_query->data ? STR("*") : STR("/");
	return HTTP_NO_ERROR;
}

struct http_protocol_error target_check(struct str method, struct str target, struct str host,
					struct str *ret_path, struct str *ret_query)
{
	bool is_star = str_equal(target, STR("*"));

	if (str_equal(method, STR("CONNECT")))
		return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED, "CONNECT is not supported");
	if (is_star && str_equal(method, STR("OPTIONS"))) {
		*ret_path = target;
		*ret_query = (struct str){0};
		return HTTP_NO_ERROR;
	}
	if (target.length && target.data[0] == '/') {
		split_path(target, ret_path, ret_query);
		return HTTP_NO_ERROR;
	}
	if (scheme_length(target))
		return check_absolute(method, target, host, ret_path, ret_query);
	return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
				   "the request target has a form that its method does not allow");
}
