#include "../cmocka_test.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <text/utf8.h>
#include <unistd.h>
#include <yyjson.h>

static int memory_fd;
static char written[16384];

static int open_log(void **state)
{
	(void)state;
	memory_fd = memfd_create("log", MFD_CLOEXEC);
	log_set_fd(memory_fd);
	log_set_level(LOG_INFO);
	log_set_format(LOG_FORMAT_LOGFMT);
	log_set_process(NULL);
	log_set_priorities(false);
	return memory_fd < 0;
}

static int close_log(void **state)
{
	(void)state;
	log_set_fd(STDERR_FILENO);
	return close(memory_fd);
}

/* Returns the output since the last call: at most one line, complete and valid UTF-8. */
static struct str take_line(void)
{
	ssize_t length = pread(memory_fd, written, sizeof(written), 0);
	struct str line = {written, (size_t)length};

	assert_true(length >= 0);
	assert_int_equal(ftruncate(memory_fd, 0), 0);
	assert_int_equal(lseek(memory_fd, 0, SEEK_SET), 0);
	if (length == 0)
		return line;
	assert_in_range(line.length, 1, 8192);
	assert_int_equal(str_find(line, '\n'), line.length - 1);
	assert_true(utf8_is_valid(line));
	line.length--;
	return line;
}

/* Returns the line without its time stamp, whose form is checked. */
static struct str take_line_after_time(void)
{
	struct str line = take_line();
	struct str start = STR("ts=");

	assert_true(str_starts_with(line, start));
	assert_int_equal(str_find(line, ' '), 3 + 24);
	return str_from_offset(line, 3 + 24 + 1);
}

#define ASSERT_LINE(expected)                                                                      \
	do {                                                                                       \
		struct str line_ = take_line_after_time();                                         \
		written[line_.data - written + (ptrdiff_t)line_.length] = '\0';                    \
		assert_string_equal(line_.data, expected);                                         \
	} while (0)

#define LOG_TEST(name) TEST_IN(name, open_log, close_log)

LOG_TEST(logfmt)
{
	char name[] = "worker-1";

	log_info("db", "connection lost", LOG_TEXT("error", "no route"), LOG_INT("attempt", -3));
	ASSERT_LINE("level=info group=db msg=\"connection lost\" error=\"no route\" attempt=-3");
	log_warn("db", "gone");
	ASSERT_LINE("level=warn group=db msg=gone");
	log_info("access", "request", LOG_WORD("route", STR("/v1/devices/{id}")));
	ASSERT_LINE("level=info group=access msg=request route=/v1/devices/{id}");
	log_set_process(name);
	name[0] = '-'; /* as if its stack had gone */
	log_error("db", "gone", LOG_STR("empty", (struct str){0}), LOG_TEXT("null", NULL));
	ASSERT_LINE("level=error process=worker-1 group=db msg=gone empty=\"\" null=\"\"");
	log_info("n", "m", LOG_INT("a", INT64_MIN), LOG_INT("b", INT64_MAX));
	ASSERT_LINE("level=info process=worker-1 group=n msg=m a=-9223372036854775808 "
		    "b=9223372036854775807");
}

/* The beginning of a line is kept for the lines of the same second. */
LOG_TEST(each_line_has_its_time)
{
	for (int i = 0; i < 2000; i++) {
		int64_t before_ms = clock_wall_us() / 1000;
		struct str line;
		int64_t at_us;

		if (i == 1000)
			log_set_format(LOG_FORMAT_JSON);
		if (i / 10 % 2)
			log_warn("db", "one");
		else
			log_info("task", "other");
		line = take_line();
		assert_true(timestamp_parse(
		    (struct str){line.data + (i < 1000 ? 3 : 7), TIMESTAMP_LENGTH}, &at_us));
		assert_in_range(at_us / 1000, before_ms, clock_wall_us() / 1000);
	}
}

static void take_prioritized(enum log_level level, const char *priority, enum log_format format)
{
	struct str line, start = str_from(format == LOG_FORMAT_JSON ? "{\"ts\":\"" : "ts=");
	int64_t at_us;

	LOG_AT(level, "task", "one");
	line = take_line();
	assert_true(str_starts_with(line, str_from(priority)));
	line = str_from_offset(line, 3);
	assert_true(str_starts_with(line, start));
	assert_true(
	    timestamp_parse((struct str){line.data + start.length, TIMESTAMP_LENGTH}, &at_us));
}

LOG_TEST(lines_begin_with_their_priority)
{
	log_set_level(LOG_DEBUG);
	log_set_priorities(true);
	for (enum log_format format = LOG_FORMAT_LOGFMT; format <= LOG_FORMAT_JSON; format++) {
		log_set_format(format);
		for (int i = 0; i < 200; i++) {
			take_prioritized(LOG_DEBUG, "<7>", format);
			take_prioritized(LOG_INFO, "<6>", format);
			take_prioritized(LOG_INFO, "<6>", format);
			take_prioritized(LOG_WARN, "<4>", format);
			take_prioritized(LOG_ERROR, "<3>", format);
		}
	}
}

static struct str witnessed;

static void keep_witnessed(struct str line)
{
	static char kept[256];

	assert_true(line.length < sizeof(kept));
	memcpy(kept, line.data, line.length);
	witnessed = (struct str){kept, line.length};
}

LOG_TEST(a_witness_gets_no_priority)
{
	log_set_priorities(true);
	log_set_witness(keep_witnessed);
	log_error("task", "one");
	log_set_witness(NULL);
	assert_true(str_starts_with(witnessed, STR("ts=")));
}

LOG_TEST(levels)
{
	log_debug("db", "hidden");
	assert_int_equal(take_line().length, 0);
	log_set_level(LOG_DEBUG);
	log_debug("db", "seen");
	ASSERT_LINE("level=debug group=db msg=seen");
	log_set_level(LOG_ERROR);
	log_warn("db", "hidden");
	assert_int_equal(take_line().length, 0);
}

LOG_TEST(escapes)
{
	log_info("g", "m", LOG_TEXT("v", "a=b"));
	ASSERT_LINE("level=info group=g msg=m v=\"a=b\"");
	log_info("g", "m", LOG_TEXT("v", "say \"hi\"\\"));
	ASSERT_LINE("level=info group=g msg=m v=\"say \\\"hi\\\"\\\\\"");
	log_info("g", "m", LOG_STR("v", STR("a\nb\r\t\0\x1b\x7f")));
	ASSERT_LINE("level=info group=g msg=m v=\"a\\u000ab\\u000d\\u0009\\u0000\\u001b\\u007f\"");
	/* C1 controls and the line separators of Unicode */
	log_info("g", "m", LOG_TEXT("v", "\xc2\x9b\xc2\x85\xe2\x80\xa8\xe2\x80\xa9"));
	ASSERT_LINE("level=info group=g msg=m v=\"\\u009b\\u0085\\u2028\\u2029\"");
	log_info("g", "m", LOG_TEXT("v", "\xc3\xa9 \xf0\x9f\x98\x80"));
	ASSERT_LINE("level=info group=g msg=m v=\"\xc3\xa9 \xf0\x9f\x98\x80\"");
}

LOG_TEST(bytes_that_are_no_utf8)
{
	log_info("g", "m", LOG_TEXT("v", "a\xff\xc3z\xed\xa0\x80\xf0\x9f\x98"));
	ASSERT_LINE("level=info group=g msg=m v=\"a\\ufffd\\ufffdz\\ufffd\\ufffd\\ufffd"
		    "\\ufffd\\ufffd\\ufffd\"");
}

static yyjson_doc *take_json(void)
{
	struct str line = take_line();
	yyjson_doc *doc = yyjson_read(line.data, line.length, 0);

	assert_non_null(doc);
	assert_true(yyjson_is_obj(yyjson_doc_get_root(doc)));
	return doc;
}

LOG_TEST(json)
{
	yyjson_doc *doc;
	yyjson_val *root;

	log_set_format(LOG_FORMAT_JSON);
	log_set_process("p");
	log_info("db", "connection lost", LOG_STR("e", STR("\"\\\0\n\xff")), LOG_INT("n", 3));
	doc = take_json();
	root = yyjson_doc_get_root(doc);
	assert_int_equal(yyjson_obj_size(root), 7);
	assert_string_equal(yyjson_get_str(yyjson_obj_get(root, "level")), "info");
	assert_string_equal(yyjson_get_str(yyjson_obj_get(root, "process")), "p");
	assert_string_equal(yyjson_get_str(yyjson_obj_get(root, "group")), "db");
	assert_string_equal(yyjson_get_str(yyjson_obj_get(root, "msg")), "connection lost");
	assert_memory_equal(yyjson_get_str(yyjson_obj_get(root, "e")), "\"\\\0\n\xef\xbf\xbd", 7);
	assert_int_equal(yyjson_get_int(yyjson_obj_get(root, "n")), 3);
	assert_int_equal(yyjson_get_len(yyjson_obj_get(root, "ts")), 24);
	yyjson_doc_free(doc);
}

LOG_TEST(random_bytes_make_valid_lines)
{
	srand(1);
	for (int round = 0; round < 5000; round++) {
		char bytes[64];
		size_t length = (size_t)rand() % sizeof(bytes);
		struct str value = {bytes, length};

		for (size_t i = 0; i < length; i++)
			bytes[i] = (char)rand();
		log_set_format(LOG_FORMAT_LOGFMT);
		log_info("g", "m", LOG_STR("v", value));
		assert_true(take_line().length > 0);
		log_set_format(LOG_FORMAT_JSON);
		log_info("g", "m", LOG_STR("v", value), LOG_INT("n", round));
		yyjson_doc_free(take_json());
	}
}

/* Tests lines of every length around the limit, cut within every kind of character. */
LOG_TEST(long_lines_are_cut_whole)
{
	static const char *const units[] = {"x",    "\"",	"\n",
					    "\xff", "\xc3\xa9", "\xf0\x9f\x98\x80"};
	char *value = memory_alloc(9000);
	struct str whole = {value, 9000};

	for (size_t unit = 0; unit < array_length(units); unit++) {
		size_t step = strlen(units[unit]);

		for (size_t offset = 0; offset < 6; offset++) {
			memset(value, 'a', 9000);
			for (size_t i = 7000 + offset; i + step <= 9000; i += step)
				memcpy(value + i, units[unit], step);
			for (size_t length = 8060; length < 8200; length++) {
				struct str text = {value, length};

				log_set_format(LOG_FORMAT_JSON);
				log_info("g", "m", LOG_STR("v", text), LOG_TEXT("w", "after"),
					 LOG_INT("n", INT64_MIN));
				yyjson_doc_free(take_json());
			}
			log_set_format(LOG_FORMAT_LOGFMT);
			log_info("g", "m", LOG_STR("v", whole));
			assert_true(take_line().length > 8000);
		}
	}
	free(value);
}

LOG_TEST(many_fields_are_cut_whole)
{
	struct log_field fields[601];

	for (size_t i = 0; i < 600; i++)
		fields[i] = i % 2 ? LOG_INT("number", INT64_MIN) : LOG_TEXT("text", "\x01\x02\x03");
	fields[600] = LOG_END;
	for (size_t first = 0; first < 600; first++) {
		log_set_format(LOG_FORMAT_JSON);
		log_write(LOG_INFO, "g", "m", fields + first);
		yyjson_doc_free(take_json());
		log_set_format(LOG_FORMAT_LOGFMT);
		log_write(LOG_INFO, "g", "m", fields + first);
		assert_true(take_line().length > 0);
	}
}

LOG_TEST(closed_log_is_no_trouble)
{
	log_set_fd(-1);
	log_info("g", "m");
	log_set_fd(memory_fd);
	assert_int_equal(take_line().length, 0);
}

static bool ends_with(struct str text, const char *end)
{
	struct str tail = str_from(end);

	return text.length >= tail.length &&
	       str_equal(str_from_offset(text, text.length - tail.length), tail);
}

static size_t written_length(void)
{
	ssize_t length = pread(memory_fd, written, sizeof(written), 0);

	assert_true(length >= 0);
	return (size_t)length;
}

LOG_TEST(held_lines_come_together)
{
	struct str rest;
	struct str line;

	log_hold();
	log_info("g", "first");
	log_info("g", "second");
	assert_int_equal(written_length(), 0);
	log_flush();
	rest = (struct str){written, written_length()};
	assert_true(str_next(&rest, '\n', &line));
	assert_true(ends_with(line, "group=g msg=first"));
	assert_true(str_next(&rest, '\n', &line));
	assert_true(ends_with(line, "group=g msg=second"));
	log_flush();
	assert_int_equal(written_length(), (size_t)(rest.data - written));
	log_release();
}

LOG_TEST(trouble_is_written_at_once)
{
	size_t length;

	log_hold();
	log_info("g", "before");
	log_warn("g", "trouble");
	length = written_length();
	assert_non_null(memmem(written, length, "msg=before\n", 11));
	assert_non_null(memmem(written, length, "msg=trouble\n", 12));
	log_info("g", "after");
	assert_int_equal(written_length(), length);
	log_release();
	assert_non_null(memmem(written, written_length(), "msg=after\n", 10));
	log_info("g", "free");
	assert_non_null(memmem(written, written_length(), "msg=free\n", 9));
}

/* Reads lines from one end of a pipe: each write matches one read if the reader keeps up. */
LOG_TEST(writes_to_a_pipe_are_small)
{
	char *value = memory_alloc(3000);
	int pipe_fds[2];
	ssize_t length;

	memset(value, 'v', 3000);
	assert_int_equal(pipe(pipe_fds), 0);
	log_set_fd(pipe_fds[1]);
	log_hold();
	for (int i = 0; i < 3; i++) {
		log_info("g", "m", LOG_STR("v", ((struct str){value, 3000})));
		if (i == 0)
			continue;
		/* The previous line, alone: both together exceed PIPE_BUF. */
		length = read(pipe_fds[0], written, sizeof(written));
		assert_in_range(length, 3000, 4096);
		assert_int_equal(written[length - 1], '\n');
	}
	log_release();
	length = read(pipe_fds[0], written, sizeof(written));
	assert_in_range(length, 3000, 4096);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	free(value);
}

/* Uses the kind of stderr found by log_init(): no code has checked it before. */
LOG_TEST(writes_to_a_file_are_large)
{
	char value[1000];
	int kept = dup(STDERR_FILENO);
	int pipe_fds[2];

	memset(value, 'v', sizeof(value));
	assert_int_equal(pipe(pipe_fds), 0);
	dup2(pipe_fds[1], STDERR_FILENO);
	log_set_fd(STDERR_FILENO);
	dup2(memory_fd, STDERR_FILENO);
	log_init();
	log_hold();
	for (int i = 0; i < 10; i++)
		log_info("g", "m", LOG_STR("v", ((struct str){value, sizeof(value)})));
	dup2(kept, STDERR_FILENO);
	assert_int_equal(written_length(), 0);
	dup2(memory_fd, STDERR_FILENO);
	log_release();
	dup2(kept, STDERR_FILENO);
	log_set_fd(memory_fd);
	assert_true(written_length() > 10 * sizeof(value));
	close(kept);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

LOG_TEST(held_lines_are_whole_at_every_length)
{
	char *value = memory_alloc(9000);
	size_t lines = 0;
	size_t newlines = 0;
	char *all = memory_alloc(1 << 20);
	ssize_t length;

	memset(value, 'v', 9000);
	log_hold();
	for (size_t size = 0; size < 9000; size += 97, lines++)
		log_info("g", "m", LOG_STR("v", ((struct str){value, size})));
	log_release();
	length = pread(memory_fd, all, 1 << 20, 0);
	for (ssize_t i = 0; i < length; i++) {
		newlines += all[i] == '\n';
		if (i == 0 || all[i - 1] == '\n')
			assert_memory_equal(all + i, "ts=", 3);
	}
	assert_int_equal(newlines, lines);
	assert_int_equal(all[length - 1], '\n');
	free(all);
	free(value);
}

RUN_TESTS(NULL, NULL)
