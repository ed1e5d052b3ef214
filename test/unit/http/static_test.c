#include "../cmocka_test.h"
#include "base/memory.h"
#include "http/conditional.h"
#include "http/static.h"

#define BODY(text, name)                                                                           \
	{                                                                                          \
		{text, sizeof(text) - 1},                                                          \
		{                                                                                  \
			name, sizeof(name) - 1                                                     \
		}                                                                                  \
	}

static const struct http_static_file files[] = {
    {"/", {"text/html", 9}, {"no-cache", 8}, {[HTTP_CODING_IDENTITY] = BODY("plain", "\"i\"")}},
    {"/a",
     {"a/b", 3},
     {"immutable", 9},
     {[HTTP_CODING_BR] = BODY("b", "\"b\""),
      [HTTP_CODING_GZIP] = BODY("gz", "\"g\""),
      [HTTP_CODING_IDENTITY] = BODY("identity", "\"i\"")}},
    {"/a.b",
     {"a/b", 3},
     {"immutable", 9},
     {[HTTP_CODING_GZIP] = BODY("gz", "\"g\""),
      [HTTP_CODING_IDENTITY] = BODY("identity", "\"i\"")}},
    {"/ab", {"a/b", 3}, {"no-cache", 8}, {[HTTP_CODING_IDENTITY] = BODY("x", "\"x\"")}},
};

static const struct http_static_file *find(const char *path)
{
	return http_static_find(files, array_length(files), str_from(path));
}

TEST(finding)
{
	for (size_t i = 0; i < array_length(files); i++)
		assert_ptr_equal(find(files[i].path), &files[i]);
	assert_null(find(""));
	assert_null(find("/b"));
	assert_null(find("/a."));
	assert_null(find("/abc"));
	assert_null(find("/A"));
}

static struct str value_of(const struct http_response *response, const char *name)
{
	for (unsigned i = 0; i < response->field_count; i++) {
		if (str_equal(response->fields[i].name, str_from(name)))
			return response->fields[i].value;
	}
	return (struct str){0};
}

/* Returns the answer to /a; fields are an array that ends with a NULL. */
static struct http_response answer(const char *path, const char *const *fields)
{
	struct http_field list[8];
	struct http_request request = {.method = HTTP_GET, .fields = list};
	struct http_response response = {0};

	for (; fields && fields[0]; fields += 2)
		list[request.field_count++] =
		    (struct http_field){str_from(fields[0]), str_from(fields[1])};
	http_static_answer(&request, find(path), &response);
	return response;
}

static const char *coding_for(const char *path, const char *accepted)
{
	const char *const fields[] = {"accept-ENCODING", accepted, NULL};
	struct http_response response = answer(path, accepted ? fields : NULL);
	struct str coding = value_of(&response, "Content-Encoding");

	assert_int_equal(response.status, 200);
	if (!coding.data) {
		assert_true(str_equal(response.body, STR("identity")));
		assert_true(str_equal(value_of(&response, "ETag"), STR("\"i\"")));
		return "identity";
	}
	if (str_equal(coding, STR("br"))) {
		assert_true(str_equal(response.body, STR("b")));
		assert_true(str_equal(value_of(&response, "ETag"), STR("\"b\"")));
		return "br";
	}
	assert_true(str_equal(coding, STR("gzip")));
	assert_true(str_equal(response.body, STR("gz")));
	assert_true(str_equal(value_of(&response, "ETag"), STR("\"g\"")));
	return "gzip";
}

TEST(negotiation)
{
	static const struct {
		const char *accepted;
		const char *all;       /* of br, gzip, identity */
		const char *gzip_only; /* of gzip, identity */
	} cases[] = {
	    {NULL, "identity", "identity"},
	    {"", "identity", "identity"},
	    {"gzip", "gzip", "gzip"},
	    {"br", "br", "identity"},
	    {"gzip, deflate, br, zstd", "br", "gzip"},
	    {"GZIP", "gzip", "gzip"},
	    {"x-gzip", "gzip", "gzip"},
	    {"gzip;q=1.0,br;q=0.5", "gzip", "gzip"},
	    {"gzip ; q=0.5 , br ; q=0.501", "br", "gzip"},
	    {"gzip;q=0", "identity", "identity"},
	    {"gzip;q=0.000, br;q=0.0", "identity", "identity"},
	    {"gzip;q=0.001", "gzip", "gzip"},
	    {"identity, gzip;q=0.5", "identity", "identity"},
	    {"identity;q=0.5, gzip", "gzip", "gzip"},
	    {"identity;q=0.5, *;q=0.4", "identity", "identity"},
	    {"*", "br", "gzip"},
	    {"*;q=0.1, gzip;q=0.2", "gzip", "gzip"},
	    {"*, br;q=0", "gzip", "gzip"},
	    {"*;q=0", "identity", "identity"},
	    {"identity;q=0", "identity", "identity"}, /* nothing else is acceptable */
	    {"identity;q=0, gzip", "gzip", "gzip"},
	    {"deflate", "identity", "identity"},
	    {"gzipp, bro", "identity", "identity"},
	    {"gzip;q=2", "identity", "identity"}, /* no quality value */
	    {"gzip;q=", "identity", "identity"},
	    {"gzip;q=0.0001", "identity", "identity"},
	    {"gzip;q=x", "identity", "identity"},
	    {"gzip;Q=1", "gzip", "gzip"},
	    {",, gzip ,", "gzip", "gzip"},
	    {";", "identity", "identity"},
	};

	for (size_t i = 0; i < array_length(cases); i++) {
		assert_string_equal(coding_for("/a", cases[i].accepted), cases[i].all);
		assert_string_equal(coding_for("/a.b", cases[i].accepted), cases[i].gzip_only);
	}
}

/* A list may be sent as several fields (RFC 9110 section 5.3). */
TEST(two_fields)
{
	const char *const fields[] = {"Accept-Encoding", "gzip;q=0.5", "Accept-Encoding",
				      "br;q=0.2", NULL};
	struct http_response response = answer("/a", fields);

	assert_true(str_equal(value_of(&response, "Content-Encoding"), STR("gzip")));
}

TEST(usual_fields)
{
	struct http_response response = answer("/a", NULL);

	assert_true(str_equal(response.content_type, STR("a/b")));
	assert_true(str_equal(value_of(&response, "Cache-Control"), STR("immutable")));
	assert_true(str_equal(value_of(&response, "Vary"), STR("Accept-Encoding")));
	response = answer("/", NULL);
	assert_null(value_of(&response, "Vary").data);
	assert_true(str_equal(response.body, STR("plain")));
	/* The body is sent without a copy. */
	assert_ptr_equal(response.body.data, find("/")->bodies[HTTP_CODING_IDENTITY].bytes.data);
}

static int status_for(const char *named, const char *accepted)
{
	const char *const fields[] = {"If-None-Match", named, "Accept-Encoding", accepted, NULL};
	struct http_response response = answer("/a", fields);

	assert_true(value_of(&response, "ETag").data);
	assert_true(str_equal(value_of(&response, "Vary"), STR("Accept-Encoding")));
	assert_true(str_equal(value_of(&response, "Cache-Control"), STR("immutable")));
	if (response.status == 304) {
		assert_int_equal(response.body.length, 0);
		assert_int_equal(response.content_type.length, 0);
		assert_null(value_of(&response, "Content-Encoding").data);
	}
	return response.status;
}

TEST(conditions)
{
	assert_int_equal(status_for("\"i\"", ""), 304);
	assert_int_equal(status_for("W/\"i\"", ""), 304);
	assert_int_equal(status_for("*", ""), 304);
	assert_int_equal(status_for("\"a\", \"i\" ,\"b\"", ""), 304);
	assert_int_equal(status_for("\"a\"", ""), 200);
	assert_int_equal(status_for("i", ""), 200);
	assert_int_equal(status_for("", ""), 200);
	/* Each coding is another representation. */
	assert_int_equal(status_for("\"i\"", "gzip"), 200);
	assert_int_equal(status_for("\"g\"", "gzip"), 304);
	assert_int_equal(status_for("\"g\"", "br"), 200);
	assert_int_equal(status_for("\"g\", \"b\"", "br"), 304);
}

RUN_TESTS(NULL, NULL)
