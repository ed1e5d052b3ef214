/* Tests the conversion of database rows to answers. */
#include "../cmocka_test.h"
#include "base/clock.h"
#include "record/record.h"

#include <yyjson.h>

struct row {
	struct id id;
	struct str name;
	struct str note;
	int64_t level;
	int64_t big;
	int64_t small;
	bool is_on;
	int64_t created_us;
	int64_t seen_us;
	bool has_no_parent;
	struct id parent_id;
	struct str parent_name;
	int64_t start;
	struct str hidden;
	struct str comments;
};

static const struct record_field fields[] = {
    RECORD_ID(struct row, id, .name = "id", .column = "id"),
    RECORD_BYTES(struct row, hidden, .column = "hidden"),
    RECORD_STR(struct row, name, .name = "name", .column = "name"),
    RECORD_STR(struct row, note, .name = "note", .column = "note", .nullable = true),
    RECORD_INT2(struct row, level, .name = "level", .column = "level"),
    RECORD_INT8(struct row, big, .name = "big", .column = "big"),
    RECORD_INT4(struct row, small, .name = "small", .column = "small"),
    RECORD_BOOL(struct row, is_on, .name = "isOn", .column = "is_on"),
    RECORD_TIMESTAMP(struct row, created_us, .name = "createdAt", .column = "created_at"),
    RECORD_TIMESTAMP(struct row, seen_us, .name = "seenAt", .column = "seen_at", .nullable = true),
    RECORD_BOOL(struct row, has_no_parent, .column = "has_no_parent"),
    RECORD_OPEN(.name = "parent", .nullable = true, .offset = offsetof(struct row, has_no_parent)),
    RECORD_ID(struct row, parent_id, .name = "id", .column = "parent_id", .nullable = true),
    RECORD_STR(struct row, parent_name, .name = "name", .column = "parent_name", .nullable = true),
    RECORD_CLOSE(),
    RECORD_OPEN(.name = "sleep"),
    RECORD_CLOCK(struct row, start, .name = "start", .column = "start"),
    RECORD_CLOSE(),
    RECORD_JSON(struct row, comments, .name = "comments", .column = "comments"),
};
static const struct record record = RECORD(struct row, fields);

#define BYTES(literal)                                                                             \
	{                                                                                          \
		.data = (const uint8_t *)(literal), .length = sizeof(literal) - 1                  \
	}
#define NONE                                                                                       \
	{                                                                                          \
		.is_null = true                                                                    \
	}
#define SIXTEEN(x) x x x x x x x x x x x x x x x x

static struct arena arena;
static struct row row;

/* Another program reads the answer, and writes the same text. */
static void assert_read(const char *answer)
{
	yyjson_doc *document = yyjson_read(answer, strlen(answer), 0);
	struct buffer json = {0};
	struct row read = {0};

	assert_true(record_read_answer(
	    &record, (const struct json_value *)(void *)yyjson_doc_get_root(document), &arena,
	    &read));
	yyjson_doc_free(document);
	record_write_json(&record, &read, &json);
	if (!str_equal(buffer_view(&json), str_from(answer)))
		fail_msg("%.*s", STR_ARG(buffer_view(&json)));
	buffer_finish(&json);
}

static void assert_written(const struct record_value *columns, const char *expected)
{
	struct buffer json = {0};

	memset(&row, 0x5a, sizeof(row)); /* leftovers of another row */
	record_read_row(&record, columns, &arena, &row);
	record_write_json(&record, &row, &json);
	if (!str_equal(buffer_view(&json), str_from(expected)))
		fail_msg("%.*s", STR_ARG(buffer_view(&json)));
	buffer_finish(&json);
	assert_read(expected);
	arena_finish(&arena);
}

TEST(all_columns)
{
	static const struct record_value columns[] = {
	    BYTES(SIXTEEN("\x11")),
	    BYTES("\xff\0\1"),
	    BYTES("a \"quoted\" name"),
	    BYTES(""),
	    BYTES("\xff\xff\xff\xfe"),
	    BYTES("\x7f\xff\xff\xff\xff\xff\xff\xff"),
	    BYTES("\x80\0"),
	    BYTES("\1"),
	    /* 2000-01-01 is PostgreSQL's zero; one microsecond before it. */
	    BYTES("\0\0\0\0\0\0\0\0"),
	    BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"),
	    BYTES("\0"),
	    BYTES(SIXTEEN("\xab")),
	    BYTES("parent"),
	    BYTES("\x05\x9f"),
	    BYTES("[{\"a\":1}]"),
	};

	assert_int_equal(record_column_count(&record), sizeof(columns) / sizeof(columns[0]));
	assert_written(columns, "{\"id\":\"11111111-1111-1111-1111-111111111111\","
				"\"name\":\"a \\\"quoted\\\" name\",\"note\":\"\",\"level\":-2,"
				"\"big\":9223372036854775807,\"small\":-32768,\"isOn\":true,"
				"\"createdAt\":\"2000-01-01T00:00:00.000Z\","
				"\"seenAt\":\"1999-12-31T23:59:59.999Z\","
				"\"parent\":{\"id\":\"abababab-abab-abab-abab-abababababab\","
				"\"name\":\"parent\"},\"sleep\":{\"start\":\"23:59\"},"
				"\"comments\":[{\"a\":1}]}");
}

TEST(nulls)
{
	static const struct record_value columns[] = {
	    BYTES(SIXTEEN("\0")),
	    BYTES(""),
	    BYTES(""),
	    NONE,
	    BYTES("\0\0\0\0"),
	    BYTES("\0\0"),
	    BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"),
	    BYTES("\0"),
	    BYTES("\0\0\0\0\0\0\0\0"),
	    NONE,
	    BYTES("\1"),
	    NONE,
	    NONE,
	    BYTES("\0\0"),
	    BYTES("[]"),
	};

	assert_written(columns, "{\"id\":\"00000000-0000-0000-0000-000000000000\",\"name\":\"\","
				"\"note\":null,\"level\":0,\"big\":0,\"small\":-1,\"isOn\":false,"
				"\"createdAt\":\"2000-01-01T00:00:00.000Z\",\"seenAt\":null,"
				"\"parent\":null,\"sleep\":{\"start\":\"00:00\"},\"comments\":[]}");
}

TEST(answers_of_another_shape)
{
	static const struct record_field some[] = {
	    RECORD_STR(struct row, name, .name = "name"),
	    RECORD_TIMESTAMP(struct row, seen_us, .name = "seenAt", .nullable = true),
	    RECORD_ID(struct row, id, .name = "id"),
	    RECORD_STR(struct row, note, .name = "note", .nullable = true, .is_optional = true),
	};
	static const struct record small = RECORD(struct row, some);
	static const char *const good = "{\"id\":\"11111111-1111-1111-1111-111111111111\","
					"\"name\":\"x\",\"seenAt\":null,\"more\":[1]}";
	static const char *const bad[] = {
	    "[]",
	    "1",
	    "{}",
	    "{\"id\":\"11111111-1111-1111-1111-111111111111\",\"name\":null,\"seenAt\":null}",
	    "{\"id\":\"x\",\"name\":\"x\",\"seenAt\":null}",
	    "{\"id\":\"11111111-1111-1111-1111-111111111111\",\"name\":\"x\"}",
	    ("{\"id\":\"11111111-1111-1111-1111-111111111111\",\"name\":\"x\","
	     "\"seenAt\":\"2000-02-30T00:00:00.000Z\"}"),
	};

	for (size_t i = 0; i <= array_length(bad); i++) {
		const char *text = i == 0 ? good : bad[i - 1];
		yyjson_doc *document = yyjson_read(text, strlen(text), 0);
		struct row read = {0};

		assert_int_equal(
		    record_read_answer(
			&small, (const struct json_value *)(void *)yyjson_doc_get_root(document),
			&arena, &read),
		    i == 0);
		yyjson_doc_free(document);
	}
	arena_finish(&arena);
}

TEST(text_in_place_of_null)
{
	static const struct record_field only[] = {
	    RECORD_ID(struct row, parent_id, .name = "parent", .nullable = true,
		      .none = "no \"one\""),
	    RECORD_STR(struct row, note, .name = "note", .nullable = true, .none = "-"),
	};
	static const struct record small = RECORD(struct row, only);
	struct buffer json = {0};

	row = (struct row){0};
	record_write_json(&small, &row, &json);
	row.parent_id.bytes[0] = 1;
	row.note = STR("");
	record_write_json(&small, &row, &json);
	assert_true(
	    str_equal(buffer_view(&json),
		      STR("{\"parent\":\"no \\\"one\\\"\",\"note\":\"-\"}"
			  "{\"parent\":\"01000000-0000-0000-0000-000000000000\",\"note\":\"\"}")));
	buffer_finish(&json);
}

/* A clock was wrong. */
TEST(what_lies_in_the_future_is_read_as_the_present)
{
	static const struct record_field only[] = {
	    RECORD_TIMESTAMP(struct row, created_us, .column = "created_at"),
	    RECORD_TIMESTAMP(struct row, seen_us, .column = "seen_at", .is_past = true)};
	static const struct record small = RECORD(struct row, only);
	static const struct record_value future[] = {BYTES("\x10\0\0\0\0\0\0\0"),
						     BYTES("\x10\0\0\0\0\0\0\0")};
	static const struct record_value past[] = {BYTES("\0\0\0\0\0\0\0\0"),
						   BYTES("\0\0\0\0\0\0\0\0")};
	int64_t before_us = clock_wall_us();

	record_read_row(&small, future, &arena, &row);
	assert_true(row.seen_us >= before_us && row.seen_us <= clock_wall_us());
	assert_true(row.created_us > row.seen_us);
	record_read_row(&small, past, &arena, &row);
	assert_int_equal(row.seen_us, row.created_us);
}

/* Text is copied, and has a NUL behind it. */
TEST(text_is_the_rows_own)
{
	static const struct record_field only[] = {RECORD_STR(struct row, name, .column = "name")};
	static const struct record small = RECORD(struct row, only);
	uint8_t data[] = {'a', 0, 'b'};
	struct record_value column = {.data = data, .length = sizeof(data)};

	record_read_row(&small, &column, &arena, &row);
	memset(data, 'x', sizeof(data));
	assert_memory_equal(row.name.data, "a\0b", 4);
	assert_int_equal(row.name.length, 3);
	arena_finish(&arena);
}

/* Nested objects are first, last, alone and side by side. */
TEST(commas_around_objects)
{
	static const struct record_field many[] = {
	    RECORD_OPEN(.name = "a"),
	    RECORD_CLOSE(),
	    RECORD_OPEN(.name = "b"),
	    RECORD_INT(struct row, level, .name = "x"),
	    RECORD_INT2(struct row, level, .column = "not_shown"),
	    RECORD_INT(struct row, level, .name = "y"),
	    RECORD_CLOSE(),
	    RECORD_OPEN(.name = "c", .nullable = true,
			.offset = offsetof(struct row, has_no_parent)),
	    RECORD_INT(struct row, level, .name = "x"),
	    RECORD_CLOSE(),
	    RECORD_BOOL(struct row, is_on, .name = "d"),
	};
	static const struct record nested = RECORD(struct row, many);
	const struct row values = {.level = 1, .has_no_parent = true};
	struct buffer json = {0};

	record_write_json(&nested, &values, &json);
	assert_true(str_equal(buffer_view(&json),
			      STR("{\"a\":{},\"b\":{\"x\":1,\"y\":1},\"c\":null,\"d\":false}")));
	buffer_finish(&json);
}

/* An answer of two records: members of one are between those of the other. */
TEST(members_of_another_record)
{
	static const struct record_field inner_fields[] = {
	    RECORD_INT(struct row, level, .name = "x", .nullable = true),
	    RECORD_OPEN(.name = "o"),
	    RECORD_BOOL(struct row, is_on, .name = "y"),
	    RECORD_CLOSE(),
	};
	static const struct record inner = RECORD(struct row, inner_fields);
	struct pair {
		struct row first, second;
	};
	static const struct record_field pair_fields[] = {
	    RECORD_ROW(struct pair, first, &inner, .is_shown = true),
	    RECORD_OPEN(.name = "second"),
	    RECORD_ROW(struct pair, second, &inner, .is_shown = true),
	    RECORD_CLOSE(),
	    RECORD_ROW(struct pair, second, &inner),
	};
	static const struct record both = RECORD(struct pair, pair_fields);
	const struct pair values = {.first = {.level = 1}, .second = {.is_on = true}};
	struct buffer json = {0};

	record_write_json(&both, &values, &json);
	assert_true(
	    str_equal(buffer_view(&json), STR("{\"x\":1,\"o\":{\"y\":false},"
					      "\"second\":{\"x\":null,\"o\":{\"y\":true}}}")));
	buffer_finish(&json);
}

TEST(a_column_is_found)
{
	struct outer {
		int64_t rank;
		struct row row;
	};
	static const struct record_field outer_fields[] = {
	    RECORD_ROW(struct outer, row, &record),
	    RECORD_INT8(struct outer, rank, .column = "rank"),
	};
	static const struct record outer = RECORD(struct outer, outer_fields);
	size_t offset = 1;

	assert_ptr_equal(record_column(&record, "created_at", &offset), &fields[8]);
	assert_int_equal(offset, offsetof(struct row, created_us));
	assert_ptr_equal(record_column(&outer, "created_at", &offset), &fields[8]);
	assert_int_equal(offset, offsetof(struct outer, row.created_us));
	assert_ptr_equal(record_column(&outer, "rank", &offset), &outer_fields[1]);
	assert_int_equal(offset, offsetof(struct outer, rank));
	assert_null(record_column(&outer, "createdAt", &offset));
}

RUN_TESTS(NULL, NULL)
