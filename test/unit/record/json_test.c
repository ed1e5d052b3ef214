/* JSON texts that are accepted and rejected, and written JSON. */
#include "../cmocka_test.h"
#include "base/limits.h"
#include "base/memory.h"
#include "record/json.h"

#include <stdlib.h>
#include <yyjson.h>

static struct arena arena;
static struct json_document document;
static struct str reason;

static int clean(void **state)
{
	(void)state;
	json_document_finish(&document);
	arena_finish(&arena);
	reason = (struct str){0};
	return 0;
}

static bool parse(struct str text)
{
	bool is_good;

	json_document_finish(&document);
	is_good = json_parse(text, &arena, &document, &reason);
	assert_true(is_good == (document.doc != NULL));
	return is_good;
}

static void assert_refused(const char *text, const char *because)
{
	assert_false(parse(str_from(text)));
	if (!memmem(reason.data, reason.length, because, strlen(because)))
		fail_msg("%s: %.*s", text, STR_ARG(reason));
}

TEST_IN(one_value_is_read, NULL, clean)
{
	static const char *const texts[] = {"{}",
					    "[]",
					    "0",
					    "\"x\"",
					    "null",
					    " true ",
					    "\n{\t\"a\" : [ 1 , -2.5e3, \"\\u00e9\" ] }\r\n"};

	for (size_t i = 0; i < array_length(texts); i++)
		assert_true(parse(str_from(texts[i])));
}

TEST_IN(anything_else_is_refused, NULL, clean)
{
	assert_refused("", "empty");
	assert_refused(" ", "not valid JSON");
	assert_refused("{}x", "not valid JSON");
	assert_refused("[1,]", "not valid JSON");
	assert_refused("NaN", "not valid JSON");
	assert_refused("1e999", "not valid JSON");
	assert_refused("\"\xff\"", "not valid JSON");
	assert_refused("\"\\ud800\"", "not valid JSON");
	assert_refused("\xef\xbb\xbf{}", "not valid JSON");
	assert_false(parse((struct str){"{}\0", 3}));
	assert_false(parse((struct str){NULL, 0}));
}

/* Tests every prefix of a text, and every byte replaced, under a sanitizer. */
TEST_IN(damaged_texts_are_survived, NULL, clean)
{
	static const char text[] = "{\"a\":[1,-2.5,\"\\u00e9\\n\"],\"b\":{\"c\":null,\"d\":true}}";

	for (size_t length = 0; length < sizeof(text) - 1; length++) {
		char *piece = memory_alloc(length + 1);

		memcpy(piece, text, length);
		assert_false(parse((struct str){piece, length}));
		for (int c = 0; c < 256 && length > 0; c++) {
			piece[length - 1] = (char)c;
			(void)parse((struct str){piece, length});
		}
		free(piece);
	}
}

TEST_IN(repeated_names_are_found_at_any_depth, NULL, clean)
{
	assert_refused("{\"a\":1,\"a\":1}", "repeats the name \"a\"");
	assert_refused("{\"a\":1,\"\\u0061\":1}", "repeats the name \"a\"");
	assert_refused("{\"\":1,\"\":1}", "repeats the name \"\"");
	assert_refused("[{\"x\":[{\"b\":1,\"c\":2,\"b\":3}]}]", "repeats the name \"b\"");
	assert_refused("{\"a\\u0000b\":1,\"a\\u0000b\":1}", "repeats the name");
	assert_true(parse(STR("{\"a\":{\"a\":1},\"b\":{\"a\":1},\"A\":1,\"a\\u0000\":1}")));
}

static struct str nested(int depth)
{
	char *text = arena_alloc(&arena, 2 * (size_t)depth);

	memset(text, '[', (size_t)depth);
	memset(text + depth, ']', (size_t)depth);
	return (struct str){text, 2 * (size_t)depth};
}

TEST_IN(nesting_has_an_end, NULL, clean)
{
	assert_true(parse(nested(LIMIT_JSON_DEPTH)));
	assert_false(parse(nested(LIMIT_JSON_DEPTH + 1)));
	assert_false(parse(nested(500 * 1000)));
	assert_true(parse(STR("[1,[2,{\"a\":[{}]}],3]")));
	assert_true(parse(STR("\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[[[[[[[[[[[[[\"")));
	assert_refused("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "nested deeper");
}

static struct str zeros(unsigned count)
{
	struct buffer buffer = {0};
	struct str text;

	for (unsigned i = 0; i < count; i++)
		buffer_append_str(&buffer, i ? STR(",0") : STR("[0"));
	buffer_append_char(&buffer, ']');
	text = arena_copy(&arena, buffer_view(&buffer));
	buffer_finish(&buffer);
	return text;
}

TEST_IN(values_are_counted, NULL, clean)
{
	/* The array is one of them. */
	assert_true(parse(zeros(LIMIT_JSON_VALUES - 1)));
	assert_false(parse(zeros(LIMIT_JSON_VALUES)));
}

/* own: characters of the number before its digits. */
static void check_number(size_t length, bool is_good)
{
	static const struct {
		const char *before, *after;
		size_t own;
		bool is_text;
	} places[] = {
	    {"", "", 0, false},		  {" -", "\n", 1, false},  {"[1,", "]", 0, false},
	    {"{\"a\":0.", "}", 2, false}, {"[\"", "\"]", 0, true},
	};
	char *digits = arena_alloc(&arena, length);

	memset(digits, '1', length);
	for (size_t i = 0; i < array_length(places); i++) {
		struct str text = {digits, length - places[i].own};

		text = arena_printf(&arena, "%s%.*s%s", places[i].before, STR_ARG(text),
				    places[i].after);
		assert_true(parse(text) == (is_good || places[i].is_text));
		if (!is_good && !places[i].is_text)
			assert_true(str_starts_with_ignore_case(
			    reason, STR("a number in the JSON has more than 128 characters "
					"before byte ")));
	}
}

TEST_IN(numbers_have_a_length, NULL, clean)
{
	check_number(LIMIT_JSON_NUMBER, true);
	check_number(LIMIT_JSON_NUMBER + 1, false);
	check_number(1000 * 1000, false);
}

/* The scan before the parser counts what the parser finds, and a text rejected at a limit takes no
 * memory for a tree or a copy. */
TEST_IN(the_scan_counts_as_the_parser_does, NULL, clean)
{
	static const char *const units[] = {
	    "{\"a\":[1,\"b\",null]}", "-1.5e3", "\"\\\"[,]{\\\\\"", "[]", "{}", "true",
	    " \t\n\r[ 1 , 2 ] "};

	for (size_t i = 0; i < array_length(units); i++) {
		struct buffer buffer = {0};
		size_t values, fitting;

		assert_true(parse(str_from(units[i])));
		values = yyjson_doc_get_val_count(document.doc);
		fitting = (LIMIT_JSON_VALUES - 1) / values;
		for (size_t count = 0; count < fitting; count++)
			buffer_printf(&buffer, "%c%s", count ? ',' : '[', units[i]);
		buffer_append_char(&buffer, ']');
		assert_true(parse(buffer_view(&buffer)));
		buffer.end--;
		for (size_t count = 0; count < LIMIT_JSON_VALUES % values + 1; count++)
			buffer_printf(&buffer, ",%s", units[i]);
		buffer_append_char(&buffer, ']');
		assert_false(parse(buffer_view(&buffer)));
		assert_non_null(memmem(reason.data, reason.length, "values", 6));
		buffer_finish(&buffer);
	}
}

/* Others get the thread between two steps. Escapes lie on all borders of steps. */
TEST_IN(long_texts_are_parsed_in_steps, NULL, clean)
{
	enum { ESCAPES = 512 * 1024 + 1, STEP_BYTES = 128 * 1024 };
	struct buffer text = {0};
	struct json_parsing *parsing;
	const struct json_value *item;
	enum json_progress progress;
	struct json_walk walk;
	struct str value;
	unsigned steps = 0;

	buffer_append_str(&text, STR("[\""));
	for (unsigned i = 0; i < ESCAPES; i++)
		buffer_append_str(&text, STR("\\\""));
	buffer_append_str(&text, STR("x\"]"));
	parsing = json_parsing_new(buffer_view(&text), /* is_long= */ false, &arena);
	while ((progress = json_parsing_step(parsing, &document, &reason)) == JSON_MORE)
		steps++;
	assert_int_equal(progress, JSON_DONE);
	assert_in_range(steps, 2 * ESCAPES / STEP_BYTES, 2 * ESCAPES / STEP_BYTES + 3);
	walk = json_walk(document.root);
	assert_true(json_next_item(&walk, &item) && json_get_str(item, &value));
	assert_int_equal(value.length, ESCAPES + 1);
	buffer_finish(&text);
}

TEST_IN(integers_are_those_without_a_fraction, NULL, clean)
{
	static const struct {
		const char *text;
		bool is_integer;
		int64_t value;
	} cases[] = {
	    {"0", true, 0},
	    {"-0", true, 0},
	    {"-0.0", true, 0},
	    {"12.0", true, 12},
	    {"1.2e1", true, 12},
	    {"12.5", false, 0},
	    {"9223372036854775807", true, INT64_MAX},
	    {"-9223372036854775808", true, INT64_MIN},
	    {"9223372036854775808", false, 0},
	    {"18446744073709551616", false, 0},
	    {"9007199254740992.0", true, 9007199254740992},
	    {"9007199254740993.0", true, 9007199254740993},
	    {"9223372036854775807.000", true, INT64_MAX},
	    {"922337203685477580.8e1", false, 0},
	    {"-922337203685477580.8e1", true, INT64_MIN},
	    {"-9223372036854775809", false, 0},
	    {"14.99999999999999999999", false, 0},
	    {"15.00000000000000000001", false, 0},
	    {"1e-400", false, 0},
	    {"0e400", true, 0},
	    {"-0.0e-99999999999999999999", true, 0},
	    {"0.0000000000000000000000000000012e31", true, 12},
	    {"1200000000000000000000000000000e-29", true, 12},
	    {"1250000000000000000000000000000e-29", false, 0},
	    {"1e18", true, 1000000000000000000},
	    {"1e19", false, 0},
	    {"1e300", false, 0},
	    {"-1e300", false, 0},
	    {"1e-300", false, 0},
	    {"\"12\"", false, 0},
	    {"true", false, 0},
	    {"null", false, 0},
	    {"[12]", false, 0},
	};

	for (size_t i = 0; i < array_length(cases); i++) {
		int64_t value = 99;

		assert_true(parse(str_from(cases[i].text)));
		if (json_get_integer(document.root, &value) != cases[i].is_integer)
			fail_msg("%s", cases[i].text);
		assert_int_equal(value, cases[i].is_integer ? cases[i].value : 99);
	}
}

TEST_IN(types_are_told_apart, NULL, clean)
{
	struct str text = STR("as it was");
	bool value = true;

	assert_true(parse(STR("0")));
	assert_false(json_get_bool(document.root, &value));
	assert_false(json_get_str(document.root, &text));
	assert_true(value && str_equal(text, STR("as it was")));
	assert_true(parse(STR("false")));
	assert_true(json_get_bool(document.root, &value));
	assert_false(value);
	assert_true(parse(STR("\"a\\u0000\\u00e9\"")));
	assert_true(json_get_str(document.root, &text));
	assert_true(str_equal(text, STR("a\0\xc3\xa9")));
}

/* Strings lie in the arena. */
TEST_IN(strings_outlast_their_document, NULL, clean)
{
	struct str text;

	assert_true(parse(STR("\"a long text with an escape: \\n\"")));
	assert_true(json_get_str(document.root, &text));
	json_document_finish(&document);
	json_document_finish(&document);
	assert_true(str_equal(text, STR("a long text with an escape: \n")));
}

/* Every code point below U+0800 is read back as it was. */
TEST_IN(written_strings_are_read_back, NULL, clean)
{
	struct buffer buffer = {0};

	for (unsigned c = 0; c < 0x800; c++) {
		char utf8[2] = {(char)c, 0};
		struct str text = {utf8, 1}, back;

		if (c >= 0x80) {
			utf8[0] = (char)(0xc0 | c >> 6);
			utf8[1] = (char)(0x80 | (c & 63));
			text.length = 2;
		}
		buffer_clear(&buffer);
		json_write_str(&buffer, text);
		assert_true(parse(buffer_view(&buffer)));
		assert_true(json_get_str(document.root, &back));
		assert_true(str_equal(text, back));
	}
	buffer_clear(&buffer);
	json_write_str(&buffer, (struct str){0});
	assert_true(str_equal(buffer_view(&buffer), STR("\"\"")));
	buffer_finish(&buffer);
}

/* Control characters must not reach a terminal that shows an answer. */
TEST(what_steers_is_escaped)
{
	struct str text = STR("a\x1b[2J \x7f \xc2\x9b \xe2\x80\xae \xe2\x81\xa6 \xd8\x9c \xc3\xa9 "
			      "\xe2\x80\x8d \xe2\x82\xac");
	struct str visible = STR("a\\u001b[2J \\u007f \\u009b \\u202e \\u2066 \\u061c \xc3\xa9 "
				 "\xe2\x80\x8d \xe2\x82\xac");
	struct buffer buffer = {0};
	struct str view;

	json_write_str(&buffer, text);
	view = buffer_view(&buffer);
	assert_true(str_equal((struct str){view.data + 1, view.length - 2}, visible));
	/* Also in text that is already JSON, cut off or invalid UTF-8. */
	buffer_clear(&buffer);
	json_write_text(&buffer, STR("{\"\xe2\x80\xae\":\"\x7f\xe2\x80\"}\xe2"));
	assert_true(str_equal(buffer_view(&buffer), STR("{\"\\u202e\":\"\\u007f\xe2\x80\"}\xe2")));
	buffer_finish(&buffer);
}

TEST_IN(walks_see_all_members_in_their_order, NULL, clean)
{
	const struct json_value *value;
	struct json_walk walk;
	struct str name;
	int64_t number;

	assert_true(parse(STR("{\"a\":[1,[2,3],{\"x\":4}],\"b\":5,\"c\":{}}")));
	walk = json_walk(document.root);
	assert_true(json_next_member(&walk, &name, &value));
	assert_true(str_equal(name, STR("a")));
	assert_true(json_next_member(&walk, &name, &value));
	assert_true(str_equal(name, STR("b")) && json_get_integer(value, &number) && number == 5);
	assert_true(json_next_member(&walk, &name, &value));
	assert_true(str_equal(name, STR("c")));
	assert_int_equal(json_walk(value).left, 0);
	assert_false(json_next_member(&walk, &name, &value));

	walk = json_walk(json_member(document.root, "a"));
	assert_true(json_next_item(&walk, &value) && json_get_integer(value, &number));
	assert_true(json_next_item(&walk, &value) && json_walk(value).left == 2);
	assert_true(json_next_item(&walk, &value) && json_member(value, "x"));
	assert_false(json_next_item(&walk, &value));

	assert_null(json_member(document.root, "d"));
	assert_null(json_member(json_member(document.root, "b"), "a"));
	assert_int_equal(json_walk(json_member(document.root, "b")).left, 0);
	assert_int_equal(json_walk(NULL).left, 0);
}

RUN_TESTS(NULL, NULL)
