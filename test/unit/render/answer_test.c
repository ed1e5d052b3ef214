/* Tests untrusted heads of answers. */
#include "../cmocka_test.h"
#include "answer.h"

static struct engine_answer answer;

static int begin(void **state)
{
	(void)state;
	(void)answer_begin(&answer);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	answer_finish(&answer);
	return 0;
}

static void read_head(const char *text)
{
	yyjson_doc *head = yyjson_read(text, strlen(text), YYJSON_READ_NOFLAG);

	assert_non_null(head);
	answer_read_head(&answer, yyjson_doc_get_root(head));
	yyjson_doc_free(head);
}

static void assert_text(struct str text, const char *expected)
{
	assert_true(str_equal(text, str_from(expected)));
}

TEST_IN(test_a_picture_s_head, begin, finish)
{
	read_head("{\"delays_ms\":[50],\"max_age_s\":60,\"interval_s\":900,"
		  "\"show_full_animation\":true,\"log\":[\"a\",\"b c\"],\"log_dropped\":3,"
		  "\"hosts\":[\"example.org\",\"example.com\"],"
		  "\"elapsed_us\":10,\"cpu_us\":8,\"memory_bytes\":1000}");
	assert_int_equal(answer.problem.kind, ENGINE_DONE);
	assert_int_equal(answer.max_age_s, 60);
	assert_int_equal(answer.interval_s, 900);
	assert_true(answer.show_full_animation);
	assert_text(answer.log, "a\nb c\n");
	assert_int_equal(answer.log_dropped, 3);
	assert_text(answer.hosts, "example.org example.com");
	assert_int_equal(answer.elapsed_us, 10);
}

/* The length of an array is none of a text: a renderer that a script has taken over does not end
 * the worker. */
TEST_IN(test_members_of_a_wrong_type, begin, finish)
{
	read_head("{\"error\":{\"kind\":[1,2,3,4],\"message\":[1,2],\"file\":{\"a\":1},"
		  "\"line\":[]},\"log\":[[1,2],{\"a\":1},3,null],\"hosts\":[[\"x\"],{\"a\":1},1],"
		  "\"blob_is\":[1,2,3,4,5,6]}");
	assert_int_not_equal(answer.problem.kind, ENGINE_DONE);
	answer_finish(&answer);
	(void)answer_begin(&answer);
	read_head("{\"blob_is\":[1,2,3,4],\"log\":{\"a\":[1]},\"hosts\":\"x\"}");
}

TEST_IN(test_two_processes_add_up, begin, finish)
{
	read_head("{\"log\":[\"printed\"],\"elapsed_us\":10,\"cpu_us\":8,\"memory_bytes\":1000}");
	read_head("{\"max_age_s\":5,\"elapsed_us\":1,\"cpu_us\":2,\"memory_bytes\":3}");
	assert_text(answer.log, "printed\n");
	assert_int_equal(answer.max_age_s, 5);
	assert_int_equal(answer.elapsed_us, 11);
	assert_int_equal(answer.cpu_us, 10);
	assert_int_equal(answer.memory_bytes, 1003);
}

TEST_IN(test_a_problem, begin, finish)
{
	read_head(
	    "{\"error\":{\"kind\":\"script\",\"message\":\"no\\u0000pe\",\"file\":\"app.star\","
	    "\"line\":3,\"column\":4,\"backtrace\":\"here\\nthere\"},\"max_age_s\":7}");
	assert_int_equal(answer.problem.kind, ENGINE_WRONG_SCRIPT);
	assert_text(answer.problem.message, "no pe");
	assert_text(answer.problem.file, "app.star");
	assert_int_equal(answer.problem.line, 3);
	assert_int_equal(answer.problem.column, 4);
	assert_text(answer.problem.backtrace, "here\nthere");
	assert_int_equal(answer.max_age_s, 0);
}

TEST_IN(test_members_of_other_types_are_none, begin, finish)
{
	read_head("{\"error\":7,\"log\":{\"a\":1},\"hosts\":\"x\",\"max_age_s\":\"60\","
		  "\"interval_s\":-5,\"elapsed_us\":1e300,\"schema\":[1],\"result\":{},"
		  "\"show_full_animation\":\"yes\"}");
	assert_int_equal(answer.problem.kind, ENGINE_DONE);
	assert_int_equal(answer.log.length, 0);
	assert_int_equal(answer.hosts.length, 0);
	assert_int_equal(answer.max_age_s, 0);
	assert_int_equal(answer.interval_s, -1);
	assert_int_equal(answer.elapsed_us, 0);
	assert_int_equal(answer.schema.length, 0);
	assert_int_equal(answer.result.length, 0);
	assert_false(answer.show_full_animation);
}

TEST_IN(test_logs_have_limits, begin, finish)
{
	struct buffer text = {0};

	buffer_printf(&text, "{\"log\":[");
	for (int i = 0; i < 1000; i++)
		buffer_printf(&text, "%s\"\xc3\xa4%0300d\"", i ? "," : "", i);
	buffer_printf(&text, "],\"max_age_s\":4000000000}%c", '\0');
	read_head(buffer_view(&text).data);
	buffer_finish(&text);
	assert_in_range(answer.log.length, 8 * 1024 - 8, 8 * 1024);
	assert_int_equal(answer.log_dropped, 1000 - 28);
	assert_in_range(answer.max_age_s, 1, 7 * 24 * 3600);
}

TEST_IN(test_texts_are_cut_between_characters, begin, finish)
{
	struct buffer text = {0};
	char last;

	buffer_printf(&text, "{\"error\":{\"kind\":\"limit\",\"message\":\"x");
	for (int i = 0; i < 4000; i++)
		buffer_printf(&text, "\xc3\xa4");
	buffer_printf(&text, "\"}}%c", '\0');
	read_head(buffer_view(&text).data);
	buffer_finish(&text);
	assert_int_equal(answer.problem.kind, ENGINE_LIMIT);
	assert_in_range(answer.problem.message.length, 2000, 2048);
	last = answer.problem.message.data[answer.problem.message.length - 1];
	assert_int_equal((unsigned char)last, 0xa4);
}

TEST_IN(test_schema_and_result, begin, finish)
{
	read_head("{\"schema\":{\"version\":\"1\",\"schema\":[]},\"result\":\"[]\"}");
	assert_text(answer.schema, "{\"version\":\"1\",\"schema\":[]}");
	assert_text(answer.result, "[]");
}

RUN_TESTS(NULL, NULL)
