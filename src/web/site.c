#include "web/site.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdio.h>
#include <string.h>
#include <text/address.h>
#include <text/authority.h>

/* Returns the authority of a URL: the part between "://" and the next "/". */
static struct str authority_of(const char *url)
{
	struct str rest = str_from(url);
	size_t scheme = str_find(rest, ':');

	require(scheme + 3 <= rest.length);
	rest = str_from_offset(rest, scheme + 3);
	return (struct str){rest.data, str_find(rest, '/')};
}

/* ":8080", or empty. */
static struct str port_of(struct str authority)
{
	struct authority found;
	size_t host = authority.length;

	if (authority_read(authority, &found) == AUTHORITY_FINE)
		host = found.host.length + (found.has_brackets ? strlen("[]") : 0);
	return str_from_offset(authority, host);
}

static bool is_own_port(bool is_https, struct str port)
{
	return port.data && str_equal(port, is_https ? STR(":443") : STR(":80"));
}

static bool is_loopback(struct str host)
{
	static const struct network loopback = {
	    .address.bytes = {[10] = 0xff, [11] = 0xff, [12] = 127},
	    .bits = 104,
	};
	struct address address;

	require(host.data);
	if (str_equal_ignore_case(host, STR("localhost")) || str_equal(host, STR("[::1]")))
		return true;
	return address_read(host, &address) && network_has(&loopback, &address);
}

bool site_is_loopback_url(const char *url)
{
	struct str authority = authority_of(url);

	return is_loopback(
	    (struct str){authority.data, authority.length - port_of(authority).length});
}

static void add_origin(struct site *site, struct str host, struct str port)
{
	char *origin = site->origins[site->origin_count++];

	snprintf(origin, SITE_ORIGIN_BYTES, "%s://%.*s%.*s", site->is_https ? "https" : "http",
		 STR_ARG(host), STR_ARG(port));
	/* Browsers write a host in lower case. */
	for (char *c = origin; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c + 32);
}

/* Finds the first host name that can have passkeys. */
static void find_passkey_host(struct site *site)
{
	for (unsigned i = 0; i < site->origin_count; i++) {
		struct str host = authority_of(site->origins[i]);
		struct address address;

		host.length -= port_of(host).length;
		if (host.data[0] == '[' || address_read(host, &address) ||
		    (!site->is_https && !str_equal(host, STR("localhost"))))
			continue;
		snprintf(site->passkey_host, sizeof(site->passkey_host), "%.*s", STR_ARG(host));
		site->passkey_origin = i;
		return;
	}
}

void site_init(struct site *site, const char *public_url, bool allows_plain_http)
{
	static const struct str names[] = {{"localhost", 9}, {"127.0.0.1", 9}, {"[::1]", 5}};
	struct str authority = authority_of(public_url);
	struct str port = port_of(authority);
	struct str host = {authority.data, authority.length - port.length};

	*site = (struct site){
	    .public_url = public_url,
	    .is_https = str_starts_with(str_from(public_url), STR("https:")),
	};
	if (is_own_port(site->is_https, port))
		port.length = 0;
	site->can_sign_in = site->is_https || allows_plain_http || is_loopback(host);
	add_origin(site, host, port);
	for (unsigned i = 0; is_loopback(host) && i < array_length(names); i++)
		add_origin(site, names[i], port);
	find_passkey_host(site);
}

static bool has_origin(const struct site *site, struct str origin)
{
	for (unsigned i = 0; i < site->origin_count; i++) {
		if (str_equal(origin, str_from(site->origins[i])))
			return true;
	}
	return false;
}

/* A Host may name the scheme's default port, an origin does not. */
static bool has_host(const struct site *site, struct str host)
{
	struct str port;

	if (!host.data)
		return false;
	port = port_of(host);
	if (is_own_port(site->is_https, port))
		host.length -= port.length;
	for (unsigned i = 0; i < site->origin_count; i++) {
		if (str_equal_ignore_case(host, authority_of(site->origins[i])))
			return true;
	}
	return false;
}

static bool is_safe(const struct http_request *request)
{
	return request->method == HTTP_GET || request->method == HTTP_HEAD;
}

static unsigned count_fields(const struct http_request *request, struct str name)
{
	unsigned count = 0;

	for (unsigned i = 0; i < request->field_count; i++)
		count += str_equal_ignore_case(request->fields[i].name, name);
	return count;
}

const char *site_refuses(const struct site *site, const struct http_request *request)
{
	struct str from = http_request_field(request, STR("sec-fetch-site"));
	struct str origin = http_request_field(request, STR("origin"));

	if (count_fields(request, STR("sec-fetch-site")) > 1 ||
	    count_fields(request, STR("origin")) > 1)
		return "the request repeats Sec-Fetch-Site or Origin";
	if (from.data) {
		if (str_equal(from, STR("same-origin")) ||
		    (is_safe(request) && str_equal(from, STR("none"))))
			return NULL;
		return "the request comes from a page of another site";
	}
	if (origin.data && !has_origin(site, origin))
		return "the request comes from a page of another site: its Origin is not that of "
		       "the public URL";
	if (!has_host(site, http_request_field(request, STR("host"))))
		return "the request's Host is not that of the public URL";
	if (!origin.data && !is_safe(request))
		return "the request's origin is not known: it has neither Sec-Fetch-Site nor "
		       "Origin";
	return NULL;
}

const char *site_cookie_name(const struct site *site)
{
	return site->is_https ? "__Host-displayd_session" : "displayd_session";
}

const char *site_browser_cookie_name(const struct site *site)
{
	return site->is_https ? "__Host-displayd_browser" : "displayd_browser";
}

const char *site_issuer_cookie_name(const struct site *site)
{
	return site->is_https ? "__Host-displayd_issuer" : "displayd_issuer";
}
