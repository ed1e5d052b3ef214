/* URLs in their parts; each is in memory of exactly its size, so that a sanitizer detects a read
 * beyond it. */
#include "wire/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../test/unit/cmocka_test.h"

static struct wire_url url;
static char target[512];

/* NULL, or the fault. The URL's target goes to the static text. */
static const char *parse(const char *text, size_t length)
{
	char *exact = malloc(length ? length : 1);
	const char *fault;

	assert_non_null(exact);
	memcpy(exact, text, length);
	fault = wire_url_parse(exact, length, &url);
	if (!fault)
		snprintf(target, sizeof(target), "%.*s", (int)url.target_length, url.target);
	free(exact);
	return fault;
}

TEST(parts)
{
	static const struct {
		const char *text, *scheme, *host, *authority, *target;
		unsigned port;
		bool is_websocket, is_tls;
	} cases[] = {
	    {"ws://a", "ws", "a", "a", "", 80, true, false},
	    {"wss://a/b", "wss", "a", "a", "/b", 443, true, true},
	    {"http://a.example:8080/?x", "http", "a.example", "a.example:8080", "/?x", 8080, false,
	     false},
	    {"HTTPS://A:443/B", "https", "A", "A", "/B", 443, false, true},
	    {"Wss://a", "wss", "a", "a", "", 443, true, true},
	    {"https://a?b/c", "https", "a", "a", "?b/c", 443, false, true},
	    {"https://a:443/", "https", "a", "a", "/", 443, false, true},
	    {"https://a:80/", "https", "a", "a:80", "/", 80, false, true},
	    {"http://a:0000080", "http", "a", "a", "", 80, false, false},
	    {"http://a:65535", "http", "a", "a:65535", "", 65535, false, false},
	    {"http://a:1", "http", "a", "a:1", "", 1, false, false},
	    {"http://[::1]", "http", "::1", "[::1]", "", 80, false, false},
	    {"ws://[fe80::1]:81/x:y@z", "ws", "fe80::1", "[fe80::1]:81", "/x:y@z", 81, true, false},
	    {"http://127.0.0.1//", "http", "127.0.0.1", "127.0.0.1", "//", 80, false, false},
	    {"http://a/%00%zz", "http", "a", "a", "/%00%zz", 80, false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *fault = parse(cases[i].text, strlen(cases[i].text));

		if (fault)
			fail_msg("%s: %s", cases[i].text, fault);
		assert_string_equal(url.scheme, cases[i].scheme);
		assert_string_equal(url.host, cases[i].host);
		assert_string_equal(url.authority, cases[i].authority);
		assert_string_equal(target, cases[i].target);
		assert_int_equal(url.port, cases[i].port);
		assert_int_equal(url.is_websocket, cases[i].is_websocket);
		assert_int_equal(url.is_tls, cases[i].is_tls);
	}
}

#define FAULT_SCHEME "it must start with ws://, wss://, http:// or https://"
#define FAULT_BLANK "it has a space or a character that must be percent-encoded"
#define FAULT_HOST "the host is missing or too long"
#define FAULT_MALFORMED "the host is malformed"
#define FAULT_PORT "the port is not a number from 1 to 65535"
#define FAULT_USER "a user name in the URL is not supported"
#define FAULT_FRAGMENT "a fragment (#) is not allowed here"

static const char *const hostile[][2] = {
    {"", FAULT_SCHEME},
    {"a", FAULT_SCHEME},
    {"http:/a", FAULT_SCHEME},
    {"http//a", FAULT_SCHEME},
    {"httpss://a", FAULT_SCHEME},
    {"HTTPX://a", FAULT_SCHEME},
    {"//a", FAULT_SCHEME},
    {"ftp://a", FAULT_SCHEME},
    {"https://", FAULT_HOST},
    {"https:///a", FAULT_HOST},
    {"https://:1", FAULT_HOST},
    {"https://?a", FAULT_HOST},
    {"https://#a", FAULT_HOST},
    {"https://[]", FAULT_HOST},
    {"https://[", "']' is missing after the IPv6 address"},
    {"https://[::1/", "']' is missing after the IPv6 address"},
    {"https://[::1]a", FAULT_MALFORMED},
    {"https://[::1]80", FAULT_MALFORMED},
    {"https://a:", FAULT_PORT},
    {"https://a:0", FAULT_PORT},
    {"https://a:65536", FAULT_PORT},
    {"https://a:18446744073709551617", FAULT_PORT},
    {"https://a:4294967376", FAULT_PORT},
    {"https://a:+1", FAULT_PORT},
    {"https://a:-1", FAULT_PORT},
    {"https://a:1a", FAULT_PORT},
    {"https://a:1:2", FAULT_PORT},
    {"https://::1", FAULT_HOST},
    {"https://u@a", FAULT_USER},
    {"https://u:p@a:1", FAULT_USER},
    {"https://@a", FAULT_USER},
    {"https://a@[::1]", FAULT_USER},
    {"https://a b", FAULT_BLANK},
    {"https://a/ b", FAULT_BLANK},
    {" https://a", FAULT_BLANK},
    {"https://a\r\nHost: b", FAULT_BLANK},
    {"https://a/\t", FAULT_BLANK},
    {"https://a/\x7f", FAULT_BLANK},
    {"https://\xc3\xa4", FAULT_BLANK},
    {"https://a/#", FAULT_FRAGMENT},
    {"https://a#b", FAULT_FRAGMENT},
    {"https://a?b#c", FAULT_FRAGMENT},
};

TEST(hostile_forms)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		const char *fault = parse(hostile[i][0], strlen(hostile[i][0]));

		if (!fault || strcmp(fault, hostile[i][1]) != 0)
			fail_msg("%s: %s", hostile[i][0], fault ? fault : "is taken");
	}
	assert_string_equal(parse("http://a/\0b", 11), FAULT_BLANK);
}

TEST(long_hosts)
{
	char text[WIRE_HOST_MAX + 64];

	for (int length = WIRE_HOST_MAX - 1; length <= WIRE_HOST_MAX + 1; length++) {
		for (int is_ipv6 = 0; is_ipv6 <= 1; is_ipv6++) {
			const char *fault;
			int size = snprintf(text, sizeof(text), "wss://%s%0*d%s:65535/",
					    is_ipv6 ? "[" : "", length, 0, is_ipv6 ? "]" : "");

			fault = parse(text, (size_t)size);
			assert_true(!fault == (length <= WIRE_HOST_MAX));
			if (fault)
				continue;
			assert_int_equal(strlen(url.host), length);
			assert_int_equal(strlen(url.authority), length + 6 + 2 * is_ipv6);
			assert_string_equal(url.authority + length + 2 * is_ipv6, ":65535");
		}
	}
}

/* A URL that is cut off is a shorter one or has a fault; nothing behind it is read. */
TEST(every_start_of_a_url)
{
	static const char text[] = "https://[2001:db8::1]:8443/a?b=c";

	for (size_t length = 0; length < sizeof(text); length++) {
		bool is_whole = length >= strlen("https://[2001:db8::1]") &&
				length != strlen("https://[2001:db8::1]:") && length < sizeof(text);

		assert_int_equal(!parse(text, length), is_whole);
	}
}

RUN_TESTS(NULL, NULL)
