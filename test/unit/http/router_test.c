#include "../cmocka_test.h"
#include "base/memory.h"
#include "http/router.h"

static const struct route routes[] = {
    {HTTP_GET, "/", "root"},
    {HTTP_GET, "/v1/account/", "account"},
    {HTTP_GET, "/v1/devices", "list"},
    {HTTP_PATCH, "/v1/devices/{device}", "update"},
    {HTTP_GET, "/v1/devices/{device}", "get"},
    {HTTP_POST, "/v1/devices/search", "search"},
    {HTTP_DELETE, "/v1/devices/{device}/installations/{installation}", "remove"},
    {HTTP_GET, "/v1/{kind}/search/all", "wide"},
    {HTTP_GET, "/v1/devices/{device}/all", "narrow"},
};
/* Another module's, beside it. */
static const struct route other_routes[] = {
    {HTTP_GET, "/other", "other"},
    {HTTP_PUT, "/v1/account/", "replace"},
    {HTTP_GET, "/v1/devices/of-the-other", "literal"},
};
static const struct route_table first = {routes, array_length(routes)};
static const struct route_table second = {other_routes, array_length(other_routes)};
static const struct route_table *const tables[] = {&first, &second, NULL};
static struct router router;

static struct http_request request;
static struct route_match match;

static enum route_result find(enum http_method method, const char *path)
{
	arena_finish(&request.arena);
	request.method = method;
	request.path = str_from(path);
	return router_find(&router, &request, &match);
}

static void found(enum http_method method, const char *path, const char *data)
{
	assert_int_equal(find(method, path), ROUTE_FOUND);
	assert_string_equal(match.route->data, data);
	assert_int_equal(match.allow.length, 0);
}

TEST(literal_paths)
{
	found(HTTP_GET, "/", "root");
	found(HTTP_GET, "/v1/account/", "account");
	found(HTTP_GET, "/v1/account", "account");
	found(HTTP_GET, "/v1/devices/", "list");
	found(HTTP_HEAD, "/v1/devices", "list");
	found(HTTP_GET, "/v1/%64evices", "list");
	assert_int_equal(find(HTTP_GET, "/v1"), ROUTE_UNKNOWN);
	assert_int_equal(find(HTTP_GET, "//"), ROUTE_UNKNOWN);
	assert_int_equal(find(HTTP_GET, "/v1//devices"), ROUTE_UNKNOWN);
	assert_int_equal(find(HTTP_GET, "/v1/devices//"), ROUTE_UNKNOWN);
	assert_int_equal(find(HTTP_GET, "/V1/devices"), ROUTE_UNKNOWN);
	assert_int_equal(find(HTTP_GET, "*"), ROUTE_UNKNOWN);
	assert_int_equal(find(HTTP_OPTIONS, "*"), ROUTE_METHOD);
	assert_int_equal(find(HTTP_GET, ""), ROUTE_UNKNOWN);
	assert_int_equal(find(HTTP_GET, "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q"), ROUTE_UNKNOWN);
}

TEST(parameters)
{
	found(HTTP_GET, "/v1/devices/a%20b/", "get");
	assert_int_equal(match.parameter_count, 1);
	assert_string_equal(match.parameters[0].data, "a b");
	found(HTTP_DELETE, "/v1/devices/x/installations/%C3%A4%25", "remove");
	assert_int_equal(match.parameter_count, 2);
	assert_string_equal(match.parameters[0].data, "x");
	assert_string_equal(match.parameters[1].data, "\xc3\xa4%");
	found(HTTP_GET, "/v1/devices/%2541", "get");
	assert_string_equal(match.parameters[0].data, "%41"); /* decoded once */
	found(HTTP_GET, "/v1/devices/aa:bb", "get");
}

TEST(segments_that_are_none)
{
	static const char *const paths[] = {"%00", "a%2Fb", "%2f",	 "%",  "%4",   "%zz",
					    "%FF", "%C3",   "%ED%A0%80", "a%", "\xff", "%c0%af"};

	for (size_t i = 0; i < array_length(paths); i++) {
		char path[64] = "/v1/devices/";

		memcpy(path + 12, paths[i], strlen(paths[i]) + 1);
		assert_int_equal(find(HTTP_GET, path), ROUTE_UNKNOWN);
	}
}

TEST(methods)
{
	assert_int_equal(find(HTTP_DELETE, "/v1/devices/a"), ROUTE_METHOD);
	assert_string_equal(match.allow.data, "GET, HEAD, PATCH");
	assert_null(match.route);
	assert_int_equal(find(HTTP_METHOD_OTHER, "/v1/devices"), ROUTE_METHOD);
	assert_string_equal(match.allow.data, "GET, HEAD");
	assert_int_equal(find(HTTP_HEAD, "/v1/devices/a/installations/b"), ROUTE_METHOD);
	assert_string_equal(match.allow.data, "DELETE");
	assert_int_equal(find(HTTP_METHOD_OTHER, "/nope"), ROUTE_UNKNOWN);
}

TEST(literals_win)
{
	found(HTTP_POST, "/v1/devices/search", "search");
	assert_int_equal(match.parameter_count, 0);
	assert_int_equal(find(HTTP_GET, "/v1/devices/search"), ROUTE_METHOD);
	assert_string_equal(match.allow.data, "POST");
	found(HTTP_GET, "/v1/devices/search/all", "narrow"); /* the earlier literal */
	found(HTTP_GET, "/v1/apps/search/all", "wide");
}

TEST(tables_are_searched_as_one)
{
	found(HTTP_GET, "/other", "other");
	found(HTTP_PUT, "/v1/account/", "replace");
	assert_int_equal(find(HTTP_DELETE, "/v1/account/"), ROUTE_METHOD);
	assert_string_equal(match.allow.data, "GET, HEAD, PUT");
	found(HTTP_GET, "/v1/devices/of-the-other", "literal");
	found(HTTP_GET, "/v1/devices/of-no-table", "get");
}

static int finish(void **state)
{
	(void)state;
	arena_finish(&request.arena);
	arena_drop_cache();
	return 0;
}

int main(void)
{
	router_init(&router, tables, NULL);
	return run_all_tests(NULL, finish);
}
