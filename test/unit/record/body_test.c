/* Bodies read by a table: their values, their faults, and the texts of faults. */
#include "../cmocka_test.h"
#include "base/limits.h"
#include "record/record.h"

#include <stdio.h>

struct body {
	int64_t level;
	int64_t count;
	bool is_on;
	struct str name;
	struct str note;
	struct id owner;
	int64_t start;
	const struct json_value *any;
	int64_t from;
	int64_t until;
	int64_t seen_us;
};

static const char *no_x(struct str text)
{
	if (str_equal(text, STR("yes")))
		return "name is not what it was";
	return str_find(text, 'x') < text.length ? "must not contain x" : NULL;
}

static uint64_t checked_seen;
static bool is_check_cross;

static void check(void *memory, uint64_t seen, struct faults *faults)
{
	const struct body *body = memory;

	checked_seen = seen;
	if (is_check_cross && body->level == 7)
		faults_add(faults, STR("level"), "must not be 7 today");
}

enum { LEVEL, COUNT, IS_ON, NAME, NOTE, OWNER, START, ANY };

static const struct record_field fields[] = {
    [LEVEL] = RECORD_INT(struct body, level, .body = "level", .required = true, .maximum = 100),
    [COUNT] = RECORD_INT(struct body, count, .body = "count"),
    [IS_ON] = RECORD_BOOL(struct body, is_on, .body = "isOn"),
    [NAME] =
	RECORD_STR(struct body, name, .body = "name", .minimum = 1, .maximum = 5, .check = no_x),
    [NOTE] = RECORD_STR(struct body, note, .body = "note"),
    [OWNER] = RECORD_ID(struct body, owner, .body = "owner"),
    [START] = RECORD_CLOCK(struct body, start, .body = "start"),
    [ANY] = RECORD_ANY(struct body, any, .body = "any"),
    RECORD_OPEN(.name = "sleep"),
    RECORD_CLOCK(struct body, from, .name = "from", .body = "sleepFrom"),
    RECORD_CLOCK(struct body, until, .name = "until", .body = "sleepUntil"),
    RECORD_CLOSE(),
    RECORD_TIMESTAMP(struct body, seen_us, .name = "seen", .column = "seen_at"),
};
static const struct record record = RECORD(struct body, fields, .check = check);

static struct arena arena;
static struct json_document document;
static struct body body;
static struct faults faults;
static uint64_t present;

static int clean(void **state)
{
	(void)state;
	json_document_finish(&document);
	arena_finish(&arena);
	is_check_cross = false;
	return 0;
}

static void read_body(const char *text)
{
	struct str reason;

	json_document_finish(&document);
	if (!json_parse(str_from(text), &arena, &document, &reason))
		fail_msg("%s: %.*s", text, STR_ARG(reason));
	body = (struct body){0};
	faults_init(&faults, &arena);
	checked_seen = 0;
	record_read_json(&record, document.root, &body, &present, &faults);
}

/* expected: "pointer: detail" lines in the order of the faults. */
static void assert_faults(const char *text, const char *expected)
{
	struct buffer got = {0};

	read_body(text);
	for (unsigned i = 0; i < faults.count; i++)
		buffer_printf(&got, "%.*s: %.*s\n", STR_ARG(faults.list[i].pointer),
			      STR_ARG(faults.list[i].detail));
	if (!str_equal(buffer_view(&got), str_from(expected)))
		fail_msg("%s:\n%.*s", text, STR_ARG(buffer_view(&got)));
	buffer_finish(&got);
}

TEST_IN(whole_body_is_read, NULL, clean)
{
	assert_faults(
	    "{\"level\":12.0,\"count\":-5,\"isOn\":true,\"name\":\"\\u00e9\",\"note\":\"\","
	    "\"owner\":\"0190163D-8694-739b-aea5-966c26f8ad91\",\"start\":\"23:59\","
	    "\"any\":[]}",
	    "");
	assert_int_equal(body.level, 12);
	assert_int_equal(body.count, -5);
	assert_true(body.is_on);
	assert_true(str_equal(body.name, STR("\xc3\xa9")));
	assert_true(body.note.data && body.note.length == 0);
	assert_int_equal(body.owner.bytes[0], 1);
	assert_int_equal(body.start, 23 * 60 + 59);
	assert_non_null(body.any);
	assert_int_equal(present, 0xff);
	assert_int_equal(checked_seen, 0xff);
}

TEST_IN(absent_fields_are_zero, NULL, clean)
{
	assert_faults("{\"level\":0}", "");
	assert_int_equal(present, 1 << LEVEL);
	assert_null(body.name.data);
	assert_null(body.any);
}

TEST_IN(required_fields_are_missed, NULL, clean)
{
	assert_faults("{}", "/level: is required\n");
	assert_faults("{\"name\":\"a\"}", "/level: is required\n");
	assert_faults("{\"level\":null}", "/level: must be an integer from 0 to 100\n");
}

TEST_IN(limits_hold, NULL, clean)
{
	assert_faults("{\"level\":100}", "");
	assert_faults("{\"level\":101}", "/level: must be an integer from 0 to 100\n");
	assert_faults("{\"level\":-1}", "/level: must be an integer from 0 to 100\n");
	assert_faults("{\"level\":1.5}", "/level: must be an integer from 0 to 100\n");
	assert_faults("{\"level\":\"1\"}", "/level: must be an integer from 0 to 100\n");
	assert_faults("{\"level\":true}", "/level: must be an integer from 0 to 100\n");
	assert_faults("{\"level\":1,\"count\":9223372036854775808}",
		      "/count: must be an integer\n");
	assert_faults("{\"level\":1,\"name\":\"\"}", "/name: must have 1 to 5 characters, has 0\n");
	assert_faults(
	    "{\"level\":1,\"name\":\"\\ud83d\\udca1\\ud83d\\udca1\\ud83d\\udca1\\ud83d\\udca1"
	    "\\ud83d\\udca1\"}",
	    "");
	assert_faults("{\"level\":1,\"name\":\"123456\"}",
		      "/name: must have 1 to 5 characters, has 6\n");
	assert_faults("{\"level\":1,\"name\":\"a\\u0000\"}", "/name: must not contain U+0000\n");
	assert_faults("{\"level\":1,\"note\":\"\\u0000\"}", "/note: must not contain U+0000\n");
	assert_faults("{\"level\":1,\"name\":\"axe\"}", "/name: must not contain x\n");
}

TEST_IN(types_are_named, NULL, clean)
{
	assert_faults(
	    "{\"level\":[],\"isOn\":0,\"name\":1,\"note\":null,\"owner\":\"x\",\"start\":5}",
	    "/level: must be an integer from 0 to 100\n"
	    "/isOn: must be true or false\n"
	    "/name: must be a string\n"
	    "/note: must not be null, leave the field out instead\n"
	    "/owner: must be an ID\n"
	    "/start: must be a time of day from 00:00 to 23:59 as HH:mm\n");
	assert_int_equal(present, 0);
	assert_int_equal(checked_seen, 0x7d);
}

TEST_IN(times_of_day, NULL, clean)
{
	static const char *const bad[] = {"24:00", "00:60", "0:00",	  "00:0",  "00:000",
					  "-1:00", "+1:00", " 1:00",	  "12.30", "1200",
					  "",	   "12:3x", "\xd9\xa1:00"};
	int64_t minutes = -1;

	for (unsigned hour = 0; hour < 24; hour++) {
		for (unsigned minute = 0; minute < 60; minute++) {
			char text[16];

			snprintf(text, sizeof(text), "%02u:%02u", hour, minute);
			assert_true(clock_parse(str_from(text), &minutes));
			assert_int_equal(minutes, hour * 60 + minute);
		}
	}
	for (size_t i = 0; i < array_length(bad); i++)
		assert_false(clock_parse(str_from(bad[i]), &minutes));
	assert_int_equal(minutes, 23 * 60 + 59);
}

TEST_IN(unknown_names_are_pointed_at, NULL, clean)
{
	assert_faults("{\"Level\":1,\"level\":1,\"a/b~\":{},\"\":0}",
		      "/Level: is not a known field\n"
		      "/a~1b~0: is not a known field\n"
		      "/: is not a known field\n");
	assert_faults(
	    "{\"level\":1,\"0123456789012345678901234567890123456789012345678901234567890123"
	    "4\":1}",
	    ": has an unknown field\n");
}

TEST_IN(empty_may_be_absent, NULL, clean)
{
	static const struct record lenient = RECORD(struct body, fields, .empty_is_absent = true);
	struct str reason;

	assert_true(json_parse(STR("{\"level\":7,\"x\":{},\"sleep\":null,\"count\":\"1\","
				   "\"note\":null,\"y\":{\"z\":1},\"w\":[]}"),
			       &arena, &document, &reason));
	body = (struct body){0};
	faults_init(&faults, &arena);
	record_read_json(&lenient, document.root, &body, &present, &faults);
	assert_int_equal(faults.count, 3);
	assert_true(str_equal(faults.list[0].pointer, STR("/count")));
	assert_true(str_equal(faults.list[1].pointer, STR("/y")));
	assert_true(str_equal(faults.list[2].pointer, STR("/w")));
	assert_int_equal(body.level, 7);
	assert_int_equal(present, 1 << LEVEL);
}

/* Converts a body read by one record into the bits of another one. */
TEST_IN(bits_of_another_record, NULL, clean)
{
	static const struct record_field others[] = {
	    RECORD_STR(struct body, note, .body = "remark"),
	    RECORD_INT(struct body, level, .body = "height"),
	    RECORD_BOOL(struct body, is_on, .body = "power"),
	};
	static const struct record other = RECORD(struct body, others);

	assert_int_equal(record_present_as(&other, 0, &record), 0);
	assert_int_equal(record_present_as(&other, 2, &record), 1 << LEVEL);
	assert_int_equal(record_present_as(&other, 7, &record),
			 1 << LEVEL | 1 << NOTE | 1 << IS_ON);
	assert_int_equal(record_present_as(&record, 1 << NAME | 1 << NOTE, &other), 1);
}

TEST_IN(only_objects_are_bodies, NULL, clean)
{
	static const char *const texts[] = {"[]", "null", "1", "\"level\"", "true"};

	for (size_t i = 0; i < array_length(texts); i++) {
		assert_faults(texts[i], ": must be a JSON object\n");
		assert_int_equal(present, 0);
	}
}

/* The check of the whole body runs in addition to those of its fields. */
TEST_IN(checks_add_to_the_faults, NULL, clean)
{
	is_check_cross = true;
	assert_faults("{\"level\":7,\"name\":5}", "/name: must be a string\n"
						  "/level: must not be 7 today\n");
}

TEST_IN(faults_are_counted_and_bounded, NULL, clean)
{
	struct buffer text = {0};

	for (unsigned i = 0; i < 3 * LIMIT_FAULTS; i++)
		buffer_printf(&text, "%s\"u%u\":0", i ? "," : "{", i);
	buffer_append(&text, "}", 2);
	read_body(text.data);
	assert_int_equal(faults.count, LIMIT_FAULTS);
	assert_int_equal(faults.dropped, 2 * LIMIT_FAULTS + 1);
	buffer_finish(&text);
}

static void assert_sentence(const char *text, const char *expected)
{
	struct str sentence;

	read_body(text);
	sentence = faults_sentence(&faults);
	assert_memory_equal(sentence.data, expected, strlen(expected) + 1);
}

TEST_IN(names_of_answers_say_what_changes_them, NULL, clean)
{
	assert_faults(
	    "{\"level\":1,\"sleep\":{}}",
	    "/sleep: is not a known field; change its parts with sleepFrom, sleepUntil\n");
	assert_faults("{\"level\":1,\"seen\":1}",
		      "/seen: cannot be changed, leave the field out\n");
}

TEST_IN(one_sentence_for_all, NULL, clean)
{
	char many[4096];
	int length = snprintf(many, sizeof(many), "{\"level\":1");

	assert_sentence("{\"level\":500}", "level must be an integer from 0 to 100");
	assert_sentence("[]", "the body must be a JSON object");
	assert_sentence("{\"level\":1,\"note\":null}",
			"note must not be null, leave the field out instead");
	assert_sentence("{\"level\":1,\"name\":\"yes\"}", "name is not what it was");
	assert_sentence("{\"level\":1,\"\":1}", "the field \"\" is not a known field");
	assert_sentence("{\"level\":1,\"'\":1}", "the field \"'\" is not a known field");
	assert_sentence("{\"level\":1,\"\u00a0\":1}", "the field \"\u00a0\" is not a known field");
	assert_sentence("{\"level\":500,\"isOn\":1}", "the body has 2 faults, see errors");
	for (unsigned i = 0; i < LIMIT_FAULTS + 3; i++)
		length += snprintf(many + length, sizeof(many) - (size_t)length, ",\"x%u\":1", i);
	snprintf(many + length, sizeof(many) - (size_t)length, "}");
	assert_sentence(many, "the body has 67 faults, of which errors has 64");
}

TEST_IN(faults_are_written_as_json, NULL, clean)
{
	struct json_document read = {0};
	struct buffer json = {0};
	struct str reason;

	read_body("{\"q\\\"\\n\":1}");
	buffer_append_char(&json, '{');
	faults_write_json(&faults, &json);
	buffer_append_char(&json, '}');
	assert_true(str_equal(buffer_view(&json),
			      STR("{\"errors\":[{\"pointer\":\"/q\\\"\\u000a\",\"detail\":"
				  "\"is not a known field\"},{\"pointer\":\"/level\",\"detail\":"
				  "\"is required\"}]}")));
	assert_true(json_parse(buffer_view(&json), &arena, &read, &reason));
	json_document_finish(&read);
	buffer_finish(&json);
}

static void takes_any(void *memory, uint64_t seen, struct faults *all)
{
	const struct body *whole = memory;

	assert_int_equal(seen, 1);
	if (!json_is_object(whole->any))
		faults_add_at(all, STR("/a~1b"), STR("must be an object"));
}

TEST_IN(a_record_takes_the_whole_body, NULL, clean)
{
	static const struct record_field any[] = {RECORD_ANY(struct body, any)};
	static const struct record whole =
	    RECORD(struct body, any, .takes_whole = true, .check = takes_any);
	struct str reason;
	uint64_t seen;

	body = (struct body){0};
	faults_init(&faults, &arena);
	assert_true(json_parse(STR("{\"what\":[\"ever\"]}"), &arena, &document, &reason));
	record_read_json(&whole, document.root, &body, &seen, &faults);
	assert_ptr_equal(body.any, document.root);
	assert_int_equal(faults.count, 0);
	json_document_finish(&document);
	assert_true(json_parse(STR("7"), &arena, &document, &reason));
	record_read_json(&whole, document.root, &body, &seen, &faults);
	assert_int_equal(faults.count, 1);
	assert_true(str_equal(faults.list[0].pointer, STR("/a~1b")));
}

RUN_TESTS(NULL, NULL)
