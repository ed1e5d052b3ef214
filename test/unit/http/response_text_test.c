#include "../cmocka_test.h"
#include "http/response_text.h"
#include "http/server.h"

TEST(quoting)
{
	struct arena arena = {0};

	assert_string_equal(json_quote(&arena, STR("")).data, "\"\"");
	assert_string_equal(json_quote(&arena, STR("a\"b\\c/")).data, "\"a\\\"b\\\\c/\"");
	assert_string_equal(json_quote(&arena, STR("\x01\n\x1f\x7f")).data,
			    "\"\\u0001\\u000a\\u001f\\u007f\"");
	assert_string_equal(json_quote(&arena, STR("\xe2\x80\xae \xc2\x9b")).data,
			    "\"\\u202e \\u009b\"");
	assert_string_equal(json_quote(&arena, STR("\xc3\xa4")).data, "\"\xc3\xa4\"");
	assert_string_equal(json_quote(&arena, STR("a\xff")).data, "\"a?\"");
	assert_int_equal(json_quote(&arena, STR("a\0b")).length, 10);
	arena_finish(&arena);
}

TEST(problems)
{
	struct arena arena = {0};

	assert_string_equal(problem_text(&arena,
					 &(const struct problem_kind){"lamp_not_found", 404},
					 STR(""), STR(""))
				.data,
			    "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
			    "\"code\":\"lamp_not_found\"}");
	assert_string_equal(
	    problem_text(&arena, PROBLEM_BODY_INVALID, STR("a \"b\""), STR("\"errors\":[]")).data,
	    "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,"
	    "\"code\":\"body_invalid\","
	    "\"detail\":\"a \\\"b\\\"\",\"errors\":[]}");
	assert_string_equal(
	    problem_text(&arena, &(const struct problem_kind){"odd", 299}, STR(""), STR("\"a\":1"))
		.data,
	    "{\"type\":\"about:blank\",\"title\":\"Unknown\",\"status\":299,\"code\":\"odd\",\"a\":"
	    "1}");
	arena_finish(&arena);
}

TEST(request_fields)
{
	const struct http_field fields[] = {
	    {STR("Host"), STR("a")}, {STR("X-Y"), STR("1")}, {STR("x-y"), STR("2")}};
	struct http_request request = {.fields = fields, .field_count = 3};

	assert_true(str_equal(http_request_field(&request, STR("HOST")), STR("a")));
	assert_true(str_equal(http_request_field(&request, STR("x-Y")), STR("1")));
	assert_null(http_request_field(&request, STR("nope")).data);
}

TEST(query)
{
	struct http_request request = {.query = STR("a=1&b=&c&a=2&=d&key=x%3D=y")};

	assert_true(str_equal(http_request_query(&request, STR("a")), STR("1")));
	assert_true(str_equal(http_request_query(&request, STR("b")), STR("")));
	assert_non_null(http_request_query(&request, STR("b")).data);
	assert_true(str_equal(http_request_query(&request, STR("c")), STR("")));
	assert_non_null(http_request_query(&request, STR("c")).data);
	assert_true(str_equal(http_request_query(&request, STR("key")), STR("x%3D=y")));
	assert_null(http_request_query(&request, STR("k")).data);
	request.query = (struct str){0};
	assert_null(http_request_query(&request, STR("a")).data);
}

TEST(request_ids)
{
	struct request_ids ids;
	char first[REQUEST_ID_LENGTH + 1];
	char second[REQUEST_ID_LENGTH + 1];

	request_ids_init(&ids);
	request_ids_next(&ids, first);
	request_ids_next(&ids, second);
	assert_string_not_equal(first, second);
	assert_int_equal(strlen(first), REQUEST_ID_LENGTH);
}

TEST(server_life)
{
	struct http_server *server;
	struct loop loop;

	assert_int_equal(loop_init(&loop), 0);
	server = http_server_create(&loop, &(struct http_server_settings){0});
	assert_true(http_server_is_empty(server));
	http_server_destroy(server);
	loop_finish(&loop);
}

TEST(date)
{
	struct http_date date = {0};

	assert_int_equal(http_date_now(&date).length, HTTP_DATE_LENGTH);
	assert_string_equal(date.text + HTTP_DATE_LENGTH - 4, " GMT");
}

RUN_TESTS(NULL, NULL)
