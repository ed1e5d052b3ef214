#include "options/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../test/unit/cmocka_test.h"

enum level { LEVEL_DEBUG, LEVEL_INFO, LEVEL_WARN };

struct target {
	bool quiet;
	bool log;
	uint32_t workers;
	uint64_t pings;
	enum level level;
	const char *key;
	const char *folder;
	struct option_list listen;
	struct option_list origins;
};

/* "x" is refused, and a "/" at the end goes. */
static int check_text(char *value, struct options_error *reterr)
{
	size_t length = strlen(value);

	if (strcmp(value, "x") == 0)
		return options_error_set(reterr, "must not be %s", value);
	if (length > 0 && value[length - 1] == '/')
		value[length - 1] = 0;
	return 0;
}

static void show_key(const char *value, FILE *out)
{
	fprintf(out, "%c***", value[0]);
}

#define INTO(member) OPTION_INTO(struct target, member)

static const struct option table[] = {
    OPTION(SWITCH, "help", NULL, "This text.", .argument_only = true),
    OPTION(TEXT, "file", "FILE", "A file.", .argument_only = true),
    OPTION(SWITCH, "quiet", NULL, "Say nothing.", .heading = "Settings:", .argument_only = true,
	   INTO(quiet)),
    OPTION(ON_OFF, "log", "on|off", "Log or not.", .fallback = "on", INTO(log)),
    OPTION(NUMBER, "workers", "N", "Workers.", .least = 1, .most = 256, .fallback = "7",
	   INTO(workers)),
    OPTION(NUMBER, "ping-ms", "N", "Pings.", .most = UINT64_MAX, .fallback = "10000", INTO(pings)),
    OPTION(CHOICE, "level", "debug|info|warn", "Level.", .fallback = "info", INTO(level)),
    OPTION(TEXT, "key", "KEY",
	   "A key that is so long to explain that its help has more than one line, and each of "
	   "them stands in the same column.",
	   .absent = "(no key)", .check = check_text, .show = show_key, INTO(key)),
    OPTION(PATH, "folder", "DIR", "A folder.", INTO(folder)),
    OPTION(LIST, "listen", "ADDRESS", "Where.", .most = 3, .fallback = "here", .check = check_text,
	   INTO(listen)),
    OPTION(LIST, "origin", "ORIGIN", "Whom.", .most = 3, .absent = "(none)", INTO(origins)),
    {0},
};

static const struct option_set daemon_set = {
    .program = "daemon",
    .intro = "daemon - a daemon\n",
    .notes = "\nThat is all.\n",
    .variable_prefix = "TEST_",
    .options = table,
};

static struct options options;
static struct target target;
static struct options_error why;
static char file_path[] = "/tmp/options-test-XXXXXX";

/* Arguments up to NULL, TEST_ variables, and a file if one was named. */
static int run_daemon(const char *first, ...)
{
	char *argv[32] = {(char *)(uintptr_t) "daemon"};
	const char *file;
	int argc = 1;

	va_list args;

	options_finish(&options);
	options_init(&options, &daemon_set);
	target = (struct target){.pings = 1};
	why.text[0] = 0;
	va_start(args, first);
	for (; first; first = va_arg(args, const char *))
		argv[argc++] = (char *)(uintptr_t)first;
	va_end(args);
	if (options_read_arguments(&options, argc, argv, &why) < 0)
		return -1;
	options_read_variables(&options);
	file = options_text(&options, "file");
	if (file && options_read_file(&options, file, &why) < 0)
		return -1;
	return options_apply(&options, &target, &why);
}

static const char *write_file(const char *text)
{
	static char path[sizeof(file_path)];
	int fd;

	memcpy(path, file_path, sizeof(path));
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

/* Reads a file of this text. NULL, or the fault without the file's path. */
static const char *file_fault(const char *text)
{
	const char *path = write_file(text);
	int rc = run_daemon("--file", path, NULL);

	unlink(path);
	if (rc == 0)
		return NULL;
	assert_int_equal(strncmp(why.text, path, strlen(path)), 0);
	return why.text + strlen(path);
}

static int clear_variables(void **state)
{
	(void)state;
	for (const struct option *one = table; one->name; one++) {
		char name[OPTIONS_VARIABLE_BYTES];

		options_variable(&daemon_set, one, name);
		unsetenv(name);
	}
	return 0;
}

static int finish(void **state)
{
	(void)state;
	options_finish(&options);
	return 0;
}

#define SCENE(function) TEST_IN(function, clear_variables, finish)

SCENE(defaults)
{
	assert_int_equal(run_daemon(NULL), 0);
	assert_false(target.quiet);
	assert_true(target.log);
	assert_int_equal(target.workers, 7);
	assert_int_equal(target.pings, 10000);
	assert_int_equal(target.level, LEVEL_INFO);
	assert_null(target.key);
	assert_int_equal(target.listen.count, 1);
	assert_string_equal(target.listen.values[0], "here");
	assert_int_equal(target.origins.count, 0);
	assert_null(options_find_given(&options, "key"));
	assert_int_equal(options_find_given(&options, "workers")->source, OPTION_DEFAULT);
}

SCENE(a_default_that_the_program_finds_out)
{
	for (int round = 0; round < 2; round++) {
		char *argv[] = {(char *)(uintptr_t) "daemon", (char *)(uintptr_t) "--workers=4"};

		options_init(&options, &daemon_set);
		options_set_default(&options, "workers", "3");
		assert_int_equal(options_read_arguments(&options, 1 + round, argv, &why), 0);
		assert_int_equal(options_apply(&options, &target, &why), 0);
		assert_int_equal(target.workers, 3 + round);
		options_finish(&options);
	}
}

SCENE(on_without_a_value)
{
	assert_int_equal(run_daemon("--log", NULL), 0);
	assert_true(target.log);
	options_finish(&options);
	assert_int_equal(run_daemon("--log", "--workers", "3", NULL), 0);
	assert_true(target.log);
	assert_int_equal(target.workers, 3);
	options_finish(&options);
	assert_int_equal(run_daemon("--log", "off", NULL), 0);
	assert_false(target.log);
}

SCENE(values_of_every_type)
{
	char expected[4200], folder[4096];

	assert_int_equal(run_daemon("--quiet", "--log", "off", "--workers=256", "--ping-ms",
				    "18446744073709551615", "--level=warn", "--key", "a=b/",
				    "--folder=x y", "--listen", "1", "--origin", "o", "--listen=2",
				    NULL),
			 0);
	assert_true(target.quiet);
	assert_false(target.log);
	assert_int_equal(target.workers, 256);
	assert_int_equal(target.pings, UINT64_MAX);
	assert_int_equal(target.level, LEVEL_WARN);
	assert_string_equal(target.key, "a=b");
	assert_non_null(getcwd(folder, sizeof(folder)));
	snprintf(expected, sizeof(expected), "%s/x y", folder);
	assert_string_equal(target.folder, expected);
	assert_int_equal(target.listen.count, 2);
	assert_string_equal(target.listen.values[0], "1");
	assert_string_equal(target.listen.values[1], "2");
	assert_int_equal(target.origins.count, 1);
	assert_string_equal(target.origins.values[0], "o");
	assert_int_equal(run_daemon("--folder", "/a", NULL), 0);
	assert_string_equal(target.folder, "/a");
}

SCENE(what_is_given_nowhere_stays)
{
	static const struct option one[] = {
	    OPTION(NUMBER, "ping-ms", "N", "Pings.", .most = 9, INTO(pings)),
	    {0},
	};
	static const struct option_set set = {.program = "small", .options = one};
	char *argv[] = {(char *)(uintptr_t) "small", (char *)(uintptr_t) "--ping-ms=9"};

	target.pings = UINT64_MAX;
	for (int count = 1; count <= 2; count++) {
		options_init(&options, &set);
		assert_int_equal(options_read_arguments(&options, count, argv, &why), 0);
		assert_int_equal(options_apply(&options, &target, &why), 0);
		assert_int_equal(target.pings, count == 1 ? UINT64_MAX : 9);
		options_finish(&options);
	}
}

SCENE(the_strongest_source_counts)
{
	const char *path = write_file("workers = 1\nping-ms = 2\nlevel = warn\nlisten = a\n"
				      "listen = b\n");

	setenv("TEST_WORKERS", "3", 1);
	setenv("TEST_PING_MS", "4", 1);
	assert_int_equal(run_daemon("--file", path, "--workers=5", NULL), 0);
	assert_int_equal(target.workers, 5);
	assert_int_equal(target.pings, 4);
	assert_int_equal(target.level, LEVEL_WARN);
	assert_int_equal(options_find_given(&options, "workers")->source, OPTION_ARGUMENT);
	assert_int_equal(options_find_given(&options, "ping-ms")->source, OPTION_VARIABLE);
	assert_int_equal(options_find_given(&options, "level")->source, OPTION_FILE);
	assert_int_equal(options_find_given(&options, "level")->line, 3);
	assert_int_equal(target.listen.count, 2);
	assert_string_equal(target.listen.values[1], "b");
	setenv("TEST_LISTEN", "c, d\te", 1);
	assert_int_equal(run_daemon("--file", path, NULL), 0);
	assert_int_equal(target.listen.count, 3);
	assert_string_equal(target.listen.values[2], "e");
	assert_int_equal(run_daemon("--file", path, "--listen=f", NULL), 0);
	assert_int_equal(target.listen.count, 1);
	assert_string_equal(target.listen.values[0], "f");
	unlink(path);
}

SCENE(an_empty_variable_is_not_set)
{
	setenv("TEST_WORKERS", "", 1);
	setenv("TEST_LISTEN", " ,", 1);
	setenv("TEST_FILE", "/nowhere", 1);
	assert_int_equal(run_daemon(NULL), 0);
	assert_int_equal(target.workers, 7);
	assert_int_equal(target.listen.count, 1);
}

SCENE(of_two_the_last_one_counts)
{
	assert_int_equal(run_daemon("--workers=1", "--workers=2", "--quiet", "--quiet", NULL), 0);
	assert_int_equal(target.workers, 2);
}

/* A fault, and arguments up to NULL. */
#define REFUSED(expected, ...)                                                                     \
	do {                                                                                       \
		assert_int_equal(run_daemon(__VA_ARGS__, NULL), -1);                               \
		assert_string_equal(why.text, expected);                                           \
	} while (0)
SCENE(faults_of_arguments)
{
	REFUSED("there is no option --nonsense; see daemon --help", "--nonsense=1");
	REFUSED("there is no option --worker; did you mean --workers?", "--worker=1");
	REFUSED("there is no option --levle; did you mean --level?", "--levle", "info");
	REFUSED("there is no option -x; see daemon --help", "-x");
	REFUSED("there is no option -hh; see daemon --help", "-hh");
	REFUSED("daemon does not take -; see daemon --help", "-");
	REFUSED("there is no option --; see daemon --help", "--==");
	REFUSED("daemon does not take stray; see daemon --help", "stray");
	REFUSED("--help takes no value", "--help=1");
	REFUSED("--workers needs a value: N", "--workers");
	REFUSED("--workers needs a value: N", "--workers=");
	REFUSED("--key needs a value: KEY", "--key", "");
}

SCENE(faults_of_values)
{
	static const char *const numbers[] = {"0",
					      "257",
					      "-1",
					      "+1",
					      "1.5",
					      " 1",
					      "1 ",
					      "0x1",
					      "x",
					      "18446744073709551617",
					      "99999999999999999999999"};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		REFUSED("--workers must be a number from 1 to 256", "--workers", numbers[i]);
	REFUSED("--log must be on or off", "--log=yes");
	REFUSED("--log must be on or off", "--log", "yes");
	REFUSED("--level must be debug, info or warn", "--level=inf");
	REFUSED("--level must be debug, info or warn", "--level=info|warn");
	REFUSED("--key must not be x", "--key=x");
	REFUSED("--listen must not be x", "--listen=a", "--listen=x");
	REFUSED("--listen can be given 3 times at most", "--listen=a", "--listen=b", "--listen=c",
		"--listen=d");
	setenv("TEST_LEVEL", "loud", 1);
	assert_int_equal(run_daemon(NULL), -1);
	assert_string_equal(why.text, "TEST_LEVEL must be debug, info or warn");
	/* A weaker source is not looked at. */
	assert_int_equal(run_daemon("--level=debug", NULL), 0);
}

SCENE(files_have_comments_and_blank_lines)
{
	assert_null(file_fault("# comment\r\n\r\n  \t\n  workers\t=  3  \r\n#x = y\n"));
	assert_int_equal(target.workers, 3);
	assert_null(file_fault(""));
	assert_null(file_fault("folder = /a b#c"));
	assert_string_equal(target.folder, "/a b#c");
	/* Whatever wrote it: a value that ended with one would be another one when it is written
	 * and read again. */
	assert_null(file_fault("folder = /a \r\r\n"));
	assert_string_equal(target.folder, "/a");
}

SCENE(faults_of_a_file_name_their_line)
{
	assert_string_equal(file_fault("\nnothing = x\n"), ":2: there is no setting \"nothing\"");
	assert_string_equal(file_fault("\nlisen = x\n"),
			    ":2: there is no setting \"lisen\"; did you mean listen?");
	assert_string_equal(file_fault("workers 3\n"), ":1: must be \"name = value\"");
	assert_string_equal(file_fault("workers =\n"), ":1: no value for \"workers\"");
	assert_string_equal(file_fault("workers = 0\n"),
			    ":1: workers must be a number from 1 to 256");
	assert_string_equal(file_fault("workers = 1\n\nworkers = 2\n"),
			    ":3: workers is already set on line 1");
	assert_string_equal(file_fault("file = x\n"), ":1: there is no setting \"file\"");
	assert_string_equal(file_fault("= 3\n"), ":1: there is no setting");
}

SCENE(a_nul_byte_is_no_text)
{
	const char *path = write_file("");
	FILE *file = fopen(path, "w");

	assert_int_equal(fwrite("\nkey = a\0b\n", 1, 11, file), 11);
	fclose(file);
	assert_int_equal(run_daemon("--file", path, NULL), -1);
	assert_string_equal(why.text + strlen(path), ":2: holds a NUL byte");
	unlink(path);
}

SCENE(files_that_cannot_be_read)
{
	REFUSED("cannot read the configuration file /nowhere/x: No such file or directory",
		"--file=/nowhere/x");
	REFUSED("cannot read the configuration file /: Is a directory", "--file", "/");
	REFUSED("/dev/zero is longer than 65536 bytes: not a configuration file",
		"--file=/dev/zero");
}

/* Whatever a file holds: values, or a fault with its line. */
SCENE(random_files_are_read_or_refused)
{
	static const char *const pieces[] = {"workers", "listen", " ",	    "=",      "\n",
					     "#",	"1",	  "folder", "unix:",  "\t",
					     ":",	"\r",	  "\xff",   "ping-ms"};
	unsigned seed = 1;

	for (int round = 0; round < 2000; round++) {
		char text[256] = "";
		const char *fault;

		for (int i = 0; i < 12; i++) {
			size_t length = strlen(text);

			seed = seed * 1103515245 + 12345;
			snprintf(text + length, sizeof(text) - length, "%s",
				 pieces[(seed >> 16) % (sizeof(pieces) / sizeof(pieces[0]))]);
		}
		fault = file_fault(text);
		if (fault)
			assert_int_equal(fault[0], ':');
	}
}

static char *printed;
static size_t printed_size;

SCENE(the_help_is_in_columns)
{
	FILE *out = open_memstream(&printed, &printed_size);

	options_print_help(&daemon_set, NULL, out);
	fclose(out);
	assert_int_equal(strncmp(printed, "daemon - a daemon\n  -h, --help", 30), 0);
	assert_non_null(strstr(printed, "\nSettings:\n  --quiet                   Say nothing.\n"));
	assert_non_null(strstr(printed, "  --log on|off              Log or not. Default: on.\n"));
	assert_non_null(strstr(printed, "  --level debug|info|warn   Level. Default: info.\n"));
	assert_non_null(strstr(printed, "has more than one\n"
					"                            line, and each of them "));
	assert_non_null(strstr(printed, "\nThat is all.\n"));
	for (char *line = printed, *end; (end = strchr(line, '\n')); line = end + 1)
		assert_true(end - line <= 92 && (end == line || end[-1] != ' '));
	free(printed);
}

SCENE(what_is_in_force)
{
	const char *path = write_file("\nkey = hunter2\n");
	char expected[256];
	FILE *out = open_memstream(&printed, &printed_size);

	setenv("TEST_LISTEN", "a,b", 1);
	assert_int_equal(run_daemon("--file", path, "--workers=3", NULL), 0);
	unlink(path);
	options_print(&options, out);
	fclose(out);
	snprintf(expected, sizeof(expected), "# %s:2\nkey = h***\n", path);
	assert_non_null(strstr(printed, expected));
	assert_non_null(strstr(printed, "# --workers\nworkers = 3\n"));
	assert_non_null(strstr(printed, "# TEST_LISTEN\nlisten = a\nlisten = b\n"));
	assert_non_null(strstr(printed, "# default\n#level = info\n"));
	assert_non_null(strstr(printed, "# default\n#origin = (none)\n"));
	assert_null(strstr(printed, "hunter2"));
	assert_null(strstr(printed, "quiet"));
	free(printed);
}

RUN_TESTS(NULL, NULL)
