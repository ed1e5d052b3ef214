#include "../cmocka_test.h"
#include "base/memory.h"
#include "http/head_check.h"
#include "http/trailer.h"

TEST(hosts)
{
	static const char *const good[] = {
	    "a",	"a.b",	     "a:80", "a:",	 "a:65535",	   "[::1]",  "[::1]:",
	    "[::1]:80", "127.0.0.1", "%41",  "a_b~c!$&", "[1:2::3.4.5.6]", "a:00080"};
	static const char *const bad[] = {"",	      ":80",	  "a b",  "a,b",     "a/b",  "u@a",
					  "a:b",      "a:1:2",	  "[::1", "[::1]a",  "[]",   "[a]",
					  "[::g]",    "%4",	  "%zz",  "a:65536", "a:-1", "a?b",
					  "a:000080", "\xc3\xa4", "a\tb", "a\"b",    "<a>"};

	for (size_t i = 0; i < array_length(good); i++)
		assert_true(host_is_valid(str_from(good[i])));
	for (size_t i = 0; i < array_length(bad); i++)
		assert_false(host_is_valid(str_from(bad[i])));
}

static int status_of(struct http_protocol_error error)
{
	return error.kind ? error.kind->status : 0;
}

static int target(const char *method, const char *text, const char *host, const char *path,
		  const char *query)
{
	struct str ret_path;
	struct str ret_query;
	struct http_protocol_error error =
	    target_check(str_from(method), str_from(text), str_from(host), &ret_path, &ret_query);

	if (!error.kind) {
		assert_true(str_equal(ret_path, str_from(path)));
		assert_true(str_equal(ret_query, str_from(query)));
		assert_int_equal(ret_query.data != NULL, query != NULL);
	}
	return status_of(error);
}

TEST(targets)
{
	assert_int_equal(target("GET", "/", "a", "/", NULL), 0);
	assert_int_equal(target("GET", "/a?b?c", "a", "/a", "b?c"), 0);
	assert_int_equal(target("GET", "/a?", "a", "/a", ""), 0);
	assert_int_equal(target("GET", "//a", "a", "//a", NULL), 0);
	assert_int_equal(target("OPTIONS", "*", "a", "*", NULL), 0);
	assert_int_equal(target("OPTIONS", "http://a", "a", "*", NULL), 0);
	assert_int_equal(target("OPTIONS", "http://a/", "a", "/", NULL), 0);
	assert_int_equal(target("OPTIONS", "http://a?b", "a", "/", "b"), 0);
	assert_int_equal(target("GET", "http://a", "a", "/", NULL), 0);
	assert_int_equal(target("GET", "HTTPS://A:1/b?c", "a:1", "/b", "c"), 0);
	assert_int_equal(target("GET", "http://a/b", NULL, "/b", NULL), 0);
	assert_int_equal(target("GET", "*", "a", NULL, NULL), 400);
	assert_int_equal(target("GET", "a:80", "a", NULL, NULL), 400);
	assert_int_equal(target("GET", "http://a:80/", "a", NULL, NULL), 400);
	assert_int_equal(target("GET", "http:///", "a", NULL, NULL), 400);
	assert_int_equal(target("GET", "http://", "a", NULL, NULL), 400);
	assert_int_equal(target("GET", "http:/", "a", NULL, NULL), 400);
	assert_int_equal(target("GET", "ws://a/", "a", NULL, NULL), 400);
	assert_int_equal(target("CONNECT", "a:80", "a:80", NULL, NULL), 400);
	assert_int_equal(target("CONNECT", "/", "a", NULL, NULL), 400);
	assert_int_equal(target("GET", "", "a", NULL, NULL), 400);
}

TEST(codings)
{
	static const struct {
		const char *value;
		int status;
	} cases[] = {
	    {"chunked", 0},
	    {"CHUNKED", 0},
	    {"", 400},
	    {"chunked,", 400},
	    {",chunked", 400},
	    {"chunked, chunked", 400},
	    {"identity", 400},
	    {"gzip", 400},
	    {"gzip, chunked", 400},
	    {"chunked, identity", 400},
	    {"deflate", 400},
	    {"x-gzip", 400},
	    {"foo", 501},
	    {"foo, chunked", 501},
	    {"chunked, foo", 501},
	    {"chunke", 501},
	    {"chunkedd", 501},
	    {"chunked;a", 400},
	    {"\"chunked\"", 400},
	    {"chunked chunked", 400},
	    {"a b, foo", 400},
	};

	for (size_t i = 0; i < array_length(cases); i++)
		assert_int_equal(status_of(transfer_coding_check(str_from(cases[i].value))),
				 cases[i].status);
}

static int check(bool is_http_1_0, const struct http_field *fields, unsigned count,
		 struct head_facts *ret_facts)
{
	struct http_head head = {.method = STR("POST"),
				 .target = STR("/"),
				 .fields = (struct http_field *)fields,
				 .field_count = count,
				 .is_http_1_0 = is_http_1_0};

	return status_of(head_check(&head, ret_facts));
}

TEST(facts)
{
	struct http_field fields[] = {
	    {STR("HOST"), STR("a")},
	    {STR("Content-Length"), STR("9223372036854775807")},
	    {STR("Expect"), STR("100-CONTINUE")},
	};
	struct head_facts found;

	assert_int_equal(check(false, fields, 3, &found), 0);
	assert_true(found.content_length == INT64_MAX && found.expects_continue);
	assert_false(found.is_chunked);
	assert_int_equal(check(true, fields, 3, &found), 0);
	assert_false(found.expects_continue); /* RFC 9110: ignored with HTTP/1.0 */
	fields[1].value = STR("9223372036854775808");
	assert_int_equal(check(false, fields, 3, &found), 400);
	fields[1].value = STR("0");
	assert_int_equal(check(false, fields, 3, &found), 0);
	assert_false(found.expects_continue); /* nothing to send */
	fields[1] = (struct http_field){STR("transfer-encoding"), STR("chunked")};
	assert_int_equal(check(false, fields, 3, &found), 0);
	assert_true(found.is_chunked && found.expects_continue);
	assert_int_equal(check(true, fields, 3, &found), 400);
	fields[2] = (struct http_field){STR("content-length"), STR("0")};
	assert_int_equal(check(false, fields, 3, &found), 400);
	assert_int_equal(check(false, fields + 1, 1, &found), 400); /* no Host */
	assert_int_equal(check(true, NULL, 0, &found), 0);
}

TEST(trailers)
{
	assert_true(trailer_is_forbidden(STR("content-length")));
	assert_true(trailer_is_forbidden(STR("Host")));
	assert_true(trailer_is_forbidden(STR("AUTHORIZATION")));
	assert_false(trailer_is_forbidden(STR("x-checksum")));
	assert_false(trailer_is_forbidden(STR("")));
	assert_false(trailer_is_forbidden(STR("hosts")));
}

RUN_TESTS(NULL, NULL)
