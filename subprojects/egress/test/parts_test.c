/* Tests the parsers of untrusted texts, and the cache of answers. */
#include "cache.h"
#include "reply.h"
#include "request.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "../../../test/unit/cmocka_test.h"

static enum request_status read_head(const char *head, struct request *request, char *words)
{
	return request_read(str_from(head), STR(""), request, words);
}

static void assert_refused(const char *members, const char *wanted)
{
	struct request request;
	char head[4096], words[REQUEST_WORDS_MAX];

	snprintf(head, sizeof(head), "{\"fetch\":{\"id\":7,\"scope\":\"a\",%s}}", members);
	assert_int_equal(read_head(head, &request, words), REQUEST_REFUSED);
	assert_int_equal(request.id, 7);
	if (!strstr(words, wanted))
		fail_msg("%s: %s", members, words);
	request_finish(&request);
}

TEST(test_requests_that_are_refused)
{
#define GET "\"method\":\"GET\",\"url\":"
	assert_refused(GET "\"file:///etc/passwd\"", "must begin with https://");
	assert_refused(GET "\"unix:///proc/self/fd/3\"", "must begin with https://");
	assert_refused(GET "\"gopher://example.org/\"", "must begin with https://");
	assert_refused(GET "\"//example.org/\"", "must begin with https://");
	assert_refused(GET "\" http://example.org/\"", "must begin with https://");
	assert_refused(GET "\"http://\"", "not a valid address");
	assert_refused(GET "\"http://example.org:99999/\"", "not a valid address");
	assert_refused(GET "\"http://example.org\\u0000.evil/\"", "not a valid address");
	assert_refused(GET "\"http://exa\\nmple.org/\"", "not a valid address");
	assert_refused(GET "7", "not a valid address");
	assert_refused("\"method\":\"GET\"", "not a valid address");
	assert_refused(GET "\"http://user:secret@example.org/\"", "user and password");
	assert_refused(GET "\"http://user@example.org/\"", "user and password");
	assert_refused(GET "\"http://example.org:25/\"", "port 25");
	assert_refused(GET "\"http://example.org:0/\"", "");
	assert_refused("\"method\":\"CONNECT\",\"url\":\"http://example.org/\"", "CONNECT");
	assert_refused("\"method\":\"TRACE\",\"url\":\"http://example.org/\"", "TRACE");
	assert_refused("\"method\":\"GET / HTTP/1.1\",\"url\":\"http://example.org/\"", "method");
	assert_refused(GET "\"http://example.org/\",\"headers\":[]", "headers");
	assert_refused(GET "\"http://example.org/\",\"headers\":{\"A\":\"b\\r\\nHost: c\"}",
		       "header A");
	assert_refused(GET "\"http://example.org/\",\"headers\":{\"A\\r\\nB\":\"c\"}", "header");
	assert_refused(GET "\"http://example.org/\",\"headers\":{\"A B\":\"c\"}", "header");
	assert_refused(GET "\"http://example.org/\",\"headers\":{\"\":\"c\"}", "header");
	assert_refused(GET "\"http://example.org/\",\"headers\":{\"A\":7}", "header A");
}

TEST(test_frames_that_are_broken)
{
	static const char *const broken[] = {
	    "", "{", "[]", "{}", "{\"fetch\":7}", "{\"fetch\":{}}", "{\"fetch\":{\"id\":\"1\"}}"};
	char words[REQUEST_WORDS_MAX];
	struct request request;

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		assert_int_equal(read_head(broken[i], &request, words), REQUEST_BROKEN);
		request_finish(&request);
	}
}

/* The key of the request. */
static struct key key_of(const char *members)
{
	struct request request;
	char head[4096], words[REQUEST_WORDS_MAX];
	struct key key;

	snprintf(head, sizeof(head), "{\"fetch\":{\"id\":7,%s}}", members);
	assert_int_equal(read_head(head, &request, words), REQUEST_FINE);
	key = request.key;
	request_finish(&request);
	return key;
}

TEST(test_what_shares_an_answer)
{
	static const char first[] = "\"scope\":\"a\",\"method\":\"GET\",\"url\":\"http://a.org/\"";
	static const char *const same[] = {
	    "\"scope\":\"a\",\"method\":\"GET\",\"url\":\"http://a.org\"",
	    "\"scope\":\"a\",\"method\":\"GET\",\"url\":\"HTTP://a.org/#part\"",
	    ("\"scope\":\"a\",\"method\":\"GET\",\"url\":\"http://a.org/\","
	     "\"headers\":{\"Host\":\"b\"}"),
	    "\"scope\":\"a\",\"method\":\"GET\",\"url\":\"http://a.org/\",\"ttl_s\":60",
	};
	static const char *const other[] = {
	    "\"scope\":\"b\",\"method\":\"GET\",\"url\":\"http://a.org/\"",
	    "\"method\":\"GET\",\"url\":\"http://a.org/\"",
	    "\"scope\":\"a\",\"method\":\"HEAD\",\"url\":\"http://a.org/\"",
	    "\"scope\":\"a\",\"method\":\"GET\",\"url\":\"https://a.org/\"",
	    ("\"scope\":\"a\",\"method\":\"GET\",\"url\":\"http://a.org/\","
	     "\"headers\":{\"A\":\"b\"}"),
	};
	struct key key = key_of(first), next;

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		next = key_of(same[i]);
		assert_memory_equal(&key, &next, sizeof(key));
	}
	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
		next = key_of(other[i]);
		if (memcmp(&key, &next, sizeof(key)) == 0)
			fail_msg("%s has the key of another request", other[i]);
	}
}

static int64_t lifetime(const char *method, int64_t ttl_s, long status, const char *lines)
{
	struct bytes headers = {0};
	int64_t lifetime_s;

	bytes_add(&headers, lines, strlen(lines));
	lifetime_s = reply_lifetime_s(method, ttl_s, status, &headers);
	bytes_finish(&headers);
	return lifetime_s;
}

TEST(test_how_long_answers_hold)
{
	assert_int_equal(lifetime("GET", 300, 200, ""), 300);
	assert_int_equal(lifetime("GET", 300, 200, "Cache-Control: no-store\r\n"), 300);
	assert_int_equal(lifetime("GET", 1, 200, ""), 5);
	assert_int_equal(lifetime("GET", INT64_MAX, 200, ""), 7 * 24 * 3600);
	assert_int_equal(lifetime("GET", 300, 500, ""), 5);
	assert_int_equal(lifetime("GET", 300, 429, "Retry-After: 90\r\n"), 90);
	assert_int_equal(lifetime("GET", 0, 200, ""), 5);
	assert_int_equal(lifetime("GET", 0, 200, "cache-control: public, max-age=120\r\n"), 120);
	assert_int_equal(lifetime("GET", 0, 200, "Cache-Control:max-age=999999999999999999999\r\n"),
			 3600);
	assert_int_equal(lifetime("GET", 0, 200, "Cache-Control: max-age=60, no-store\r\n"), 0);
	assert_int_equal(lifetime("GET", 0, 200, "Cache-Control: max-age"), 5);
	assert_int_equal(lifetime("GET", -5, 200, ""), 5);
	assert_int_equal(lifetime("POST", 0, 200, "Cache-Control: max-age=60\r\n"), 0);
	assert_int_equal(lifetime("POST", 60, 200, ""), 60);
	assert_int_equal(lifetime("DELETE", 60, 200, ""), 0);
}

TEST(test_headers_of_answers)
{
	static const char lines[] =
	    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: 1\r\n"
	    "Set-Cookie: a=b\r\nx-a:2 \r\nX-B: caf\xe9\r\nnone\r\n: x\r\n\r\n";
	struct bytes headers = {0}, body = {0};
	struct reply reply = {0};

	bytes_add(&headers, lines, sizeof(lines) - 1);
	reply_set_answer(&reply, 200, "http://a.org/", &headers, &body);
	bytes_add(&reply.members, "", 1);
	assert_string_equal(
	    reply.members.data,
	    "\"status\":200,\"url\":\"http://a.org/\",\"headers\":{"
	    "\"content-type\":\"text/plain\",\"x-a\":\"1, 2\",\"x-b\":\"caf\xc3\xa9\"}");
	bytes_finish(&headers);
	reply_finish(&reply);
}

/* The text of the reply, for the next call only. */
static const char *text_of(struct reply *reply)
{
	static char text[4096];

	snprintf(text, sizeof(text), "%.*s", (int)reply->members.length, reply->members.data);
	reply_finish(reply);
	return text;
}

TEST(test_words_are_always_utf8)
{
	struct bytes none = {0};
	struct reply reply = {0};
	char text[4100];

	reply_set_error(&reply, "with %.20s", "aaaaaaaaaaaaaaaaaaa\xc3\xa9");
	assert_string_equal(text_of(&reply), "\"error\":\"with aaaaaaaaaaaaaaaaaaa\xef\xbf\xbd\"");
	reply_set_error(&reply, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xc0\xaf");
	assert_string_equal(text_of(&reply), "\"error\":\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 "
					     "\xef\xbf\xbd\xef\xbf\xbd\"");
	/* Each pair of bytes, among them all that begins nothing or goes on wrongly. */
	for (unsigned pair = 0x0101; pair <= 0xffff; pair++) {
		const char words[] = {(char)(pair >> 8), (char)pair, '\xbf', '\x80', '\0'};
		yyjson_doc *doc;

		reply_set_error(&reply, "%s", words);
		snprintf(text, sizeof(text), "{%s}", text_of(&reply));
		doc = yyjson_read(text, strlen(text), YYJSON_READ_NOFLAG);
		assert_non_null(doc);
		yyjson_doc_free(doc);
	}
	reply_set_answer(&reply, 200, "http://\xe9.org/", &none, &none);
	assert_non_null(strstr(text_of(&reply), "http://\xef\xbf\xbd.org/"));
}

/* A server may send thousands of a name within 64 KiB: joined one by one that were 250 MiB. */
TEST(test_lines_of_headers_are_bounded)
{
	struct bytes headers = {0}, body = {0};
	struct reply reply = {0};

	for (int i = 0; i < 15000; i++)
		bytes_add(&headers, "a:\r\n", 4);
	reply_set_answer(&reply, 200, "http://a.org/", &headers, &body);
	assert_in_range(reply.members.length, 400, 500);
	bytes_finish(&headers);
	reply_finish(&reply);
}

TEST(test_headers_of_requests_are_bounded)
{
	char members[2048] = GET "\"http://example.org/\",\"headers\":{\"A0\":\"\"";
	size_t length = strlen(members);

	for (int i = 1; i < REQUEST_HEADERS_MAX; i++)
		length += (size_t)snprintf(members + length, sizeof(members) - length,
					   ",\"A%d\":\"\"", i);
	snprintf(members + length, sizeof(members) - length, "}");
	key_of(members);
	snprintf(members + length, sizeof(members) - length, ",\"A\":\"\"}");
	assert_refused(members, "at most 64 headers");
}

static void keep(struct cache *cache, unsigned char name, size_t size, int64_t until_ms)
{
	struct key key = {{name}};
	struct reply reply = {0};

	bytes_reserve(&reply.body, size);
	memset(reply.body.data, name, size);
	reply.body.length = size;
	cache_keep(cache, &key, &reply, until_ms);
	reply_finish(&reply);
}

static bool has(struct cache *cache, unsigned char name, int64_t now_ms)
{
	struct key key = {{name}};

	return cache_find(cache, &key, now_ms);
}

TEST(test_the_cache_is_bounded)
{
	struct cache *cache = cache_create(100000);

	keep(cache, 1, 10000, 1000);
	assert_true(has(cache, 1, 999));
	assert_false(has(cache, 1, 1000));
	assert_int_equal(cache_bytes(cache), 0);
	for (unsigned char i = 1; i <= 12; i++) {
		keep(cache, i, 10000, 1000);
		assert_true(has(cache, 1, 0)); /* which is used all the time */
		assert_true(cache_bytes(cache) <= 100000);
	}
	assert_true(has(cache, 12, 0));
	assert_false(has(cache, 2, 0));
	keep(cache, 12, 20000, 1000); /* too large for it; the earlier one is gone, too */
	assert_false(has(cache, 12, 0));
	cache_destroy(cache);
}

int main(void)
{
	return sodium_init() < 0 ? 1 : run_all_tests(NULL, NULL);
}
