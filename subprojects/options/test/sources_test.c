/* The configuration file and variables: what is refused, and what is in force as a file. */
#include "options/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../test/unit/cmocka_test.h"

struct target {
	uint32_t workers;
	const char *folder;
	const char *key;
	struct option_list listen;
};

#define INTO(member) OPTION_INTO(struct target, member)

static const struct option table[] = {
    OPTION(SWITCH, "quiet", NULL, "Say nothing.", .argument_only = true),
    OPTION(NUMBER, "workers", "N", "Workers.", .least = 1, .most = 256, .fallback = "7",
	   INTO(workers)),
    OPTION(ON_OFF, "log", "on|off", "Log or not.", .fallback = "on"),
    OPTION(CHOICE, "level", "debug|info|warn", "Level.", .fallback = "info"),
    OPTION(PATH, "folder", "DIR", "A folder.", INTO(folder)),
    OPTION(TEXT, "key", "KEY", "A key.", INTO(key)),
    OPTION(LIST, "listen", "ADDRESS", "Where.", .most = 3, INTO(listen)),
    {0},
};

static const struct option_set set = {
    .program = "daemon", .intro = "", .variable_prefix = "TEST_", .options = table};

static struct options options;
static struct target target;
static struct options_error why;
static char *printed;
static size_t printed_size;

/* Flags, variables, and a file of this text; NULL: none. */
static int read_all(const char *text, int argc, char *const argv[])
{
	char path[] = "/tmp/options-sources-XXXXXX";
	int fd = text ? mkstemp(path) : -1, rc = 0;

	options_finish(&options);
	options_init(&options, &set);
	target = (struct target){0};
	rc = options_read_arguments(&options, argc, argv, &why);
	assert_int_equal(rc, 0);
	options_read_variables(&options);
	if (text) {
		assert_int_equal(write(fd, text, strlen(text)), strlen(text));
		close(fd);
		rc = options_read_file(&options, path, &why);
		unlink(path);
	}
	return rc < 0 ? rc : options_apply(&options, &target, &why);
}

static int read_text(const char *text)
{
	static char program[] = "daemon";
	char *const argv[] = {program, NULL};

	return read_all(text, 1, argv);
}

/* Lines that are pasted into a file set the same. */
TEST(what_is_in_force_can_be_pasted)
{
	static char program[] = "daemon", workers[] = "--workers=3", folder[] = "--folder=/x y";
	char *const argv[] = {program, workers, folder, NULL};
	FILE *out = open_memstream(&printed, &printed_size);

	setenv("TEST_LISTEN", "a,b", 1);
	assert_int_equal(read_all(NULL, 3, argv), 0);
	options_print(&options, out);
	fclose(out);
	unsetenv("TEST_LISTEN");
	assert_int_equal(read_text(printed), 0);
	assert_int_equal(target.workers, 3);
	assert_int_equal(target.listen.count, 2);
	assert_string_equal(target.listen.values[1], "b");
	assert_string_equal(target.folder, "/x y");
	assert_int_equal(options_find_given(&options, "level")->source, OPTION_DEFAULT);
	free(printed);
}

TEST(a_comment_behind_a_value)
{
	static const char *const lines[] = {"workers = 3 # cores",    "workers = 3#cores",
					    "log = on\t# or off",     "level = info # quiet",
					    "folder = /a # a folder", "key = # none",
					    "workers = 3 ; cores",    "log = on // or off",
					    "folder = /a ; a folder", "key = a // b"};
	char expected[128];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(expected, sizeof(expected),
			 ":1: a comment needs a line of its own; there is one after the value of "
			 "\"%.*s\"",
			 (int)strcspn(lines[i], " "), lines[i]);
		assert_int_equal(read_text(lines[i]), -1);
		assert_non_null(strstr(why.text, expected));
	}
	assert_int_equal(read_text("key = a#b\nfolder = /a#1\n# a comment = here\n"), 0);
	assert_string_equal(target.key, "a#b");
	assert_int_equal(read_text("key = ;a;b\nfolder = //a//b\n"), 0);
	assert_string_equal(target.key, ";a;b");
	assert_string_equal(target.folder, "//a//b");
}

TEST(a_value_in_quotes)
{
	assert_int_equal(read_text("folder = \"/a b\"\n"), -1);
	assert_non_null(strstr(why.text, ":1: write it without quotes: the value of \"folder\""));
	assert_int_equal(read_text("# x\nworkers = '3'\n"), -1);
	assert_non_null(strstr(why.text, ":2: write it without quotes: the value of \"workers\""));
	assert_int_equal(read_text("key = \"a\"b\nfolder = \"\n"), 0);
	assert_string_equal(target.key, "\"a\"b");
}

TEST(a_file_of_other_systems)
{
	assert_int_equal(read_text("\xef\xbb\xbfworkers = 4\r\nfolder = /a\r\n"), 0);
	assert_int_equal(target.workers, 4);
	assert_string_equal(target.folder, "/a");
	assert_int_equal(read_text("\xef\xbb"), -1);
}

TEST(a_variable_of_no_option)
{
	static const char *const others[] = {"OTHER", "PORT_*", NULL};

	setenv("TEST_OTHER", "1", 1);
	setenv("TEST_PORT_8080_TCP", "1", 1);
	setenv("TEST_LEVEL", "warn", 1);
	assert_int_equal(read_text(NULL), 0);
	assert_int_equal(options_check_variables(&options, others, &why), 0);
	setenv("TEST_LEVLE", "warn", 1);
	assert_int_equal(options_check_variables(&options, others, &why), -1);
	assert_string_equal(why.text, "there is no variable TEST_LEVLE; did you mean TEST_LEVEL?");
	unsetenv("TEST_LEVLE");
	setenv("TEST_OTHER_ONE", "", 1);
	assert_int_equal(options_check_variables(&options, others, &why), -1);
	assert_string_equal(why.text, "there is no variable TEST_OTHER_ONE");
	unsetenv("TEST_OTHER_ONE");
	/* Option for the command line alone. */
	setenv("TEST_QUIET", "1", 1);
	assert_int_equal(options_check_variables(&options, others, &why), -1);
	unsetenv("TEST_QUIET");
	unsetenv("TEST_OTHER");
	unsetenv("TEST_PORT_8080_TCP");
	unsetenv("TEST_LEVEL");
}

static int finish(void **state)
{
	(void)state;
	options_finish(&options);
	return 0;
}

RUN_TESTS(NULL, finish)
