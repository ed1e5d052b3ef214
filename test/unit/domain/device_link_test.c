#include "domain/device_link.h"

#include "../cmocka_test.h"

static struct arena arena;
static const char id_text[] = "0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa";

static struct device_link make(const char *base)
{
	struct id id;

	assert_true(id_parse(str_from(id_text), &id));
	return device_link_make(&arena, str_from(base), id, STR("0123456789abcdefghijABCD"));
}

TEST(urls_of_both_schemes)
{
	struct device_link plain = make("http://192.0.2.1:8080");
	struct device_link secure = make("https://panels.example.org/wall");

	assert_string_equal(plain.websocket_url.data,
			    "ws://192.0.2.1:8080/d/0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa/ws"
			    "?key=0123456789abcdefghijABCD");
	assert_string_equal(plain.polling_url.data,
			    "http://192.0.2.1:8080/d/0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa/next"
			    "?key=0123456789abcdefghijABCD");
	assert_true(
	    str_starts_with(secure.websocket_url, STR("wss://panels.example.org/wall/d/0198f")));
	assert_true(
	    str_starts_with(secure.polling_url, STR("https://panels.example.org/wall/d/0198f")));
	assert_int_equal(plain.excess, 0);
	assert_int_equal(secure.excess, 0);
	arena_finish(&arena);
}

TEST(what_panels_would_drop)
{
	char base[] = "https://example.org/"
		      "1234567890123456789012345678901234567890";
	struct device_link link = make(base);

	assert_true(link.excess > 0);
	base[strlen(base) - link.excess] = '\0';
	link = make(base);
	assert_int_equal(link.excess, 0);
	assert_int_equal(link.polling_url.length, DEVICE_URL_LENGTH_MAX);
	arena_finish(&arena);
}

RUN_TESTS(NULL, NULL)
