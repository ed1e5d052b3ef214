/* Tests the rules that follow from the public URL: which requests come from our own pages. */
#include "../cmocka_test.h"
#include "web/site.h"

#include <stdio.h>

enum { FIELDS_MAX = 4 };

struct from {
	const char *fields[2 * FIELDS_MAX]; /* names and values */
};

static const char *constraint_error(const struct site *site, enum http_method method,
				    const struct from *from)
{
	struct http_field fields[FIELDS_MAX];
	struct http_request request = {.method = method, .fields = fields};

	for (unsigned i = 0; i < FIELDS_MAX && from->fields[2 * i]; i++)
		fields[request.field_count++] = (struct http_field){
		    str_from(from->fields[2 * i]), str_from(from->fields[2 * i + 1])};
	return site_refuses(site, &request);
}

#define REFUSED(site, method, ...)                                                                 \
	assert_non_null(constraint_error(site, method, &(struct from){{__VA_ARGS__}}))
#define TAKEN(site, method, ...)                                                                   \
	assert_null(constraint_error(site, method, &(struct from){{__VA_ARGS__}}))

TEST(fetch_metadata_decides)
{
	struct site site;

	site_init(&site, "https://panels.example.org", false);
	for (unsigned i = 0; i < 2; i++) {
		enum http_method method = i ? HTTP_POST : HTTP_GET;

		TAKEN(&site, method, "Sec-Fetch-Site", "same-origin");
		REFUSED(&site, method, "Sec-Fetch-Site", "same-site");
		REFUSED(&site, method, "Sec-Fetch-Site", "cross-site");
		REFUSED(&site, method, "Sec-Fetch-Site", "");
		REFUSED(&site, method, "Sec-Fetch-Site", "SAME-ORIGIN");
		/* Rejected even with the right Origin. */
		REFUSED(&site, method, "Sec-Fetch-Site", "cross-site", "Origin",
			"https://panels.example.org", "Host", "panels.example.org");
		REFUSED(&site, method, "Sec-Fetch-Site", "same-origin", "sec-fetch-site",
			"cross-site");
	}
	/* Typed by the user, or opened from a bookmark. */
	TAKEN(&site, HTTP_GET, "Sec-Fetch-Site", "none");
	TAKEN(&site, HTTP_HEAD, "Sec-Fetch-Site", "none");
	REFUSED(&site, HTTP_POST, "Sec-Fetch-Site", "none");
	REFUSED(&site, HTTP_DELETE, "Sec-Fetch-Site", "none");
	/* A proxy may have set another Host. */
	TAKEN(&site, HTTP_POST, "Sec-Fetch-Site", "same-origin", "Host", "127.0.0.1:8080");
}

TEST(without_it_origin_and_host_do)
{
	struct site site;

	site_init(&site, "http://panels.example.org:8080/displays", true);
	TAKEN(&site, HTTP_POST, "Origin", "http://panels.example.org:8080", "Host",
	      "panels.example.org:8080");
	TAKEN(&site, HTTP_GET, "Host", "PANELS.example.org:8080");
	REFUSED(&site, HTTP_POST, "Host", "panels.example.org:8080");
	REFUSED(&site, HTTP_PATCH, "Host", "panels.example.org:8080");
	REFUSED(&site, HTTP_POST, "Origin", "null", "Host", "panels.example.org:8080");
	REFUSED(&site, HTTP_POST, "Origin", "http://panels.example.org", "Host",
		"panels.example.org:8080");
	REFUSED(&site, HTTP_POST, "Origin", "https://panels.example.org:8080", "Host",
		"panels.example.org:8080");
	REFUSED(&site, HTTP_POST, "Origin", "http://panels.example.org:8080.evil.example", "Host",
		"panels.example.org:8080");
	REFUSED(&site, HTTP_GET, "Origin", "http://evil.example", "Host",
		"panels.example.org:8080");
	REFUSED(&site, HTTP_POST, "Origin", "http://panels.example.org:8080", "Origin",
		"http://evil.example", "Host", "panels.example.org:8080");
	/* A foreign name that resolves to this machine (DNS rebinding) has its own Origin. */
	REFUSED(&site, HTTP_POST, "Origin", "http://evil.example:8080", "Host",
		"evil.example:8080");
	REFUSED(&site, HTTP_GET, "Host", "evil.example:8080");
	REFUSED(&site, HTTP_GET, "Host", "panels.example.org");
	REFUSED(&site, HTTP_GET, "Host", "");
	REFUSED(&site, HTTP_GET, NULL, NULL);
}

TEST(the_own_port_may_be_named)
{
	struct site site;

	site_init(&site, "http://Panels.example.org:80", true);
	TAKEN(&site, HTTP_POST, "Origin", "http://panels.example.org", "Host",
	      "panels.example.org:80");
	TAKEN(&site, HTTP_GET, "Host", "panels.example.org");
	REFUSED(&site, HTTP_GET, "Host", "panels.example.org:443");
	site_init(&site, "https://panels.example.org:443", true);
	TAKEN(&site, HTTP_POST, "Origin", "https://panels.example.org", "Host",
	      "panels.example.org:443");
}

TEST(this_machine_has_several_names)
{
	static const char *const urls[] = {"http://127.0.0.1:8080", "http://localhost:8080",
					   "http://[::1]:8080", "http://127.0.0.53:8080"};
	struct site site;

	for (unsigned i = 0; i < 4; i++) {
		site_init(&site, urls[i], false);
		assert_true(site.can_sign_in);
		assert_string_equal(site_cookie_name(&site), "displayd_session");
		TAKEN(&site, HTTP_POST, "Origin", "http://localhost:8080", "Host",
		      "localhost:8080");
		TAKEN(&site, HTTP_POST, "Origin", "http://127.0.0.1:8080", "Host",
		      "127.0.0.1:8080");
		TAKEN(&site, HTTP_POST, "Origin", urls[i], "Host", urls[i] + strlen("http://"));
		TAKEN(&site, HTTP_POST, "Origin", "http://[::1]:8080", "Host", "[::1]:8080");
		REFUSED(&site, HTTP_POST, "Origin", "http://localhost:3000", "Host",
			"localhost:8080");
		REFUSED(&site, HTTP_GET, "Host", "localhost.evil.example:8080");
	}
}

TEST(who_can_sign_in)
{
	static const struct {
		const char *url;
		bool allows_plain_http, can_sign_in;
		const char *cookie;
	} cases[] = {
	    {"https://panels.example.org", false, true, "__Host-displayd_session"},
	    {"https://panels.example.org/displays", false, true, "__Host-displayd_session"},
	    {"http://panels.example.org", false, false, "displayd_session"},
	    {"http://panels.example.org", true, true, "displayd_session"},
	    {"http://192.0.2.1:8080", false, false, "displayd_session"},
	    {"http://127.evil.example", false, false, "displayd_session"},
	    {"http://localhost.evil.example", false, false, "displayd_session"},
	    {"http://[2001:db8::1]:8080", false, false, "displayd_session"},
	    {"http://localhost", false, true, "displayd_session"},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct site site;

		print_message("%s\n", cases[i].url);
		site_init(&site, cases[i].url, cases[i].allows_plain_http);
		assert_int_equal(site.can_sign_in, cases[i].can_sign_in);
		assert_string_equal(site_cookie_name(&site), cases[i].cookie);
	}
}

TEST(who_reaches_a_url)
{
	static const char *const here[] = {"http://localhost", "http://127.0.0.1:8080",
					   "http://127.1.2.3/x", "https://[::1]:443/wall",
					   "http://LOCALHOST:1"};
	static const char *const elsewhere[] = {"http://192.0.2.1:8080", "https://example.org",
						"http://[2001:db8::1]", "http://localhost.example"};

	for (unsigned i = 0; i < sizeof(here) / sizeof(here[0]); i++)
		assert_true(site_is_loopback_url(here[i]));
	for (unsigned i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		assert_false(site_is_loopback_url(elsewhere[i]));
}

RUN_TESTS(NULL, NULL)
