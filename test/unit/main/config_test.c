#include "../cmocka_test.h"
#include "base/memory.h"
#include "main/config_option.h"

#include <unistd.h>

static struct config config;
static struct reason why;
static char file_path[] = "/tmp/displayd-config-XXXXXX";

/* Arguments up to NULL. */
static int read_config(const char *first, ...)
{
	char *argv[16] = {(char *)(uintptr_t) "displayd"};
	const char *argument = first;
	int argc = 1;
	va_list args;

	config_finish(&config);
	why.text[0] = 0;
	va_start(args, first);
	for (; argument; argument = va_arg(args, const char *))
		argv[argc++] = (char *)(uintptr_t)argument;
	va_end(args);
	return config_read(&config, argc, argv, &why);
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

/* Reads a file of this text; the reason starts with its path, which is left away. */
static const char *file_fault(const char *text)
{
	const char *path = write_file(text);
	int rc = read_config("--config", path, NULL);

	unlink(path);
	if (rc == 0)
		return NULL;
	assert_int_equal(strncmp(why.text, path, strlen(path)), 0);
	return why.text + strlen(path);
}

static int clear_variables(void **state)
{
	(void)state;
	unsetenv("DISPLAYD_CONFIG");
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		char name[OPTION_NAME_BYTES];

		option_variable(&config_settings[i], name);
		unsetenv(name);
	}
	return 0;
}

static int finish(void **state)
{
	(void)state;
	config_finish(&config);
	return 0;
}

static void defaults(void **state)
{
	(void)state;
	assert_int_equal(read_config(NULL), 0);
	assert_int_equal(config.action, ACTION_RUN);
	assert_int_equal(config.listen_count, 1);
	assert_string_equal(config.listen[0].text, "127.0.0.1:8080");
	assert_int_equal(config.rate_limit, 500);
	assert_true(config.workers >= 1);
	assert_true(config.access_log);
	assert_null(config.database);
	assert_null(config.public_url);
	assert_int_equal(config.state_dir[0], '/');
}

static void variables_are_named_after_flags(void **state)
{
	char name[OPTION_NAME_BYTES];

	(void)state;
	option_variable(&config_settings[OPTION_RATE_LIMIT], name);
	assert_string_equal(name, "DISPLAYD_RATE_LIMIT");
}

static void flags_win_over_variables_over_file(void **state)
{
	const char *path = write_file("rate-limit = 1\nworkers = 2\nlog-level = warn\n");

	(void)state;
	setenv("DISPLAYD_RATE_LIMIT", "3", 1);
	setenv("DISPLAYD_WORKERS", "4", 1);
	assert_int_equal(read_config("--config", path, "--rate-limit=5", NULL), 0);
	assert_int_equal(config.rate_limit, 5);
	assert_int_equal(config.workers, 4);
	assert_int_equal(config.log_level, LOG_WARN);
	assert_int_equal(config.origins[OPTION_RATE_LIMIT].source, SOURCE_FLAG);
	assert_int_equal(config.origins[OPTION_WORKERS].source, SOURCE_VARIABLE);
	assert_int_equal(config.origins[OPTION_LOG_LEVEL].source, SOURCE_FILE);
	assert_int_equal(config.origins[OPTION_LOG_LEVEL].line, 3);
	assert_int_equal(config.origins[OPTION_STATE_DIR].source, SOURCE_DEFAULT);
	unlink(path);
}

static void listeners_of_one_source_add_up(void **state)
{
	const char *path = write_file("listen = 127.0.0.1:1\nlisten = [::1]:2\n");

	(void)state;
	assert_int_equal(read_config("--config", path, NULL), 0);
	assert_int_equal(config.listen_count, 2);
	assert_string_equal(config.listen[1].text, "[::1]:2");
	setenv("DISPLAYD_LISTEN", "127.0.0.1:3, 127.0.0.1:4 unix:/run/x", 1);
	assert_int_equal(read_config("--config", path, NULL), 0);
	assert_int_equal(config.listen_count, 3);
	assert_string_equal(config.listen[2].text, "unix:/run/x");
	assert_int_equal(read_config("--listen", "127.0.0.1:9", "--config", path, NULL), 0);
	assert_int_equal(config.listen_count, 1);
	assert_string_equal(config.listen[0].text, "127.0.0.1:9");
	unlink(path);
}

static void empty_variables_are_not_set(void **state)
{
	(void)state;
	setenv("DISPLAYD_DATABASE", "", 1);
	setenv("DISPLAYD_WORKERS", "", 1);
	assert_int_equal(read_config(NULL), 0);
	assert_null(config.database);
	assert_int_equal(config.origins[OPTION_WORKERS].source, SOURCE_DEFAULT);
}

static void the_file_may_be_named_by_a_variable(void **state)
{
	const char *path = write_file("workers = 7");

	(void)state;
	setenv("DISPLAYD_CONFIG", path, 1);
	assert_int_equal(read_config(NULL), 0);
	assert_int_equal(config.workers, 7);
	unlink(path);
}

static void files_have_comments_and_blank_lines(void **state)
{
	(void)state;
	assert_null(file_fault("# comment\r\n\r\n  \t\n  workers\t=  3  \r\n#x = y\n"));
	assert_int_equal(config.workers, 3);
	assert_null(file_fault(""));
	assert_null(file_fault("state-dir = /a b#c"));
	assert_string_equal(config.state_dir, "/a b#c");
}

static void faults_of_a_file_name_their_line(void **state)
{
	(void)state;
	assert_string_equal(file_fault("\nlisen = x\n"), ":2: there is no setting \"lisen\"");
	assert_string_equal(file_fault("workers 3\n"), ":1: must be \"name = value\"");
	assert_string_equal(file_fault("workers =\n"), ":1: no value for \"workers\"");
	assert_string_equal(file_fault("workers = 0\n"),
			    ":1: workers must be a number from 1 to 256");
	assert_string_equal(file_fault("workers = 1\n\nworkers = 2\n"),
			    ":3: workers is already set on line 1");
	assert_string_equal(file_fault("config = x\n"), ":1: there is no setting \"config\"");
	assert_string_equal(file_fault("= 3\n"), ":1: there is no setting");
}

static void files_that_cannot_be_read(void **state)
{
	(void)state;
	assert_int_equal(read_config("--config", "/nowhere/displayd.conf", NULL), -1);
	assert_string_equal(why.text, "cannot read the configuration file /nowhere/displayd.conf: "
				      "No such file or directory");
	assert_int_equal(read_config("--config", "/", NULL), -1);
	assert_string_equal(why.text, "cannot read the configuration file /: Is a directory");
	assert_int_equal(read_config("--config", "/dev/zero", NULL), -1);
	assert_string_equal(why.text,
			    "/dev/zero is longer than 65536 bytes: no configuration file");
}

static void faults_of_flags_and_variables_name_them(void **state)
{
	(void)state;
	assert_int_equal(read_config("--workers", "x", NULL), -1);
	assert_string_equal(why.text, "--workers must be a number from 1 to 256");
	assert_int_equal(read_config("--workers", NULL), -1);
	assert_string_equal(why.text, "--workers needs a value: N");
	assert_int_equal(read_config("--worker", "1", NULL), -1);
	assert_string_equal(why.text, "there is no option --worker; see displayd --help");
	assert_int_equal(read_config("--help=1", NULL), -1);
	assert_string_equal(why.text, "--help takes no value");
	assert_int_equal(read_config("stray", NULL), -1);
	setenv("DISPLAYD_LOG_FORMAT", "xml", 1);
	assert_int_equal(read_config(NULL), -1);
	assert_string_equal(why.text, "DISPLAYD_LOG_FORMAT must be logfmt or json");
}

static void values_that_are_refused(void **state)
{
	static const char *const refused[][2] = {
	    {"--access-log", "yes"},
	    {"--database", "mysql://x"},
	    {"--database", "host"},
	    {"--log-level", "loud"},
	    {"--public-url", "ftp://x"},
	    {"--public-url", "https://"},
	    {"--public-url", "https:///x"},
	    {"--public-url", "https://a b"},
	    {"--public-url", "https://x/?q"},
	    {"--public-url", "https://x/#f"},
	    {"--public-url", "https://user@x/"},
	    {"--public-url", "https://\xc3\xa4/"},
	    {"--rate-limit", "-1"},
	    {"--rate-limit", "1000001"},
	    {"--rate-limit", "1.5"},
	    {"--workers", "257"},
	    {"--workers", "99999999999999999999"},
	};

	(void)state;
	for (size_t i = 0; i < array_length(refused); i++)
		if (read_config(refused[i][0], refused[i][1], NULL) == 0)
			fail_msg("%s %s is taken", refused[i][0], refused[i][1]);
}

static void a_public_url_loses_its_last_slash(void **state)
{
	(void)state;
	assert_int_equal(read_config("--public-url", "https://x.example/a//", NULL), 0);
	assert_string_equal(config.public_url, "https://x.example/a");
}

static void relative_state_directories_become_absolute(void **state)
{
	char expected[4200], folder[4096];

	(void)state;
	assert_int_equal(read_config("--state-dir", "state", NULL), 0);
	assert_non_null(getcwd(folder, sizeof(folder)));
	snprintf(expected, sizeof(expected), "%s/state", folder);
	assert_string_equal(config.state_dir, expected);
}

static void passwords_are_not_shown(void **state)
{
	static const char *const urls[] = {
	    "postgresql://u:hunter2@h/d",
	    "host=h password=hunter2",
	    "postgresql://u@h/d?password=hunter2",
	    "postgresql://u@h/d?sslpassword=hunter2",
	};

	(void)state;
	for (size_t i = 0; i < array_length(urls); i++) {
		struct buffer text = {0};

		assert_int_equal(read_config("--database", urls[i], NULL), 0);
		config_print(&config, &text);
		buffer_append_char(&text, 0);
		assert_non_null(strstr(text.data, "host=h"));
		assert_null(strstr(text.data, "hunter"));
		buffer_finish(&text);
	}
	/* Nor in a complaint. */
	assert_int_equal(read_config("--database", "postgresql://u:hunter2@[h/d", NULL), -1);
	assert_null(strstr(why.text, "hunter"));
}

static void every_option_is_in_the_help(void **state)
{
	struct buffer text = {0};

	(void)state;
	config_print_help(&text);
	buffer_append_char(&text, 0);
	for (unsigned i = 0; i < OPTION_COUNT + config_flag_count; i++) {
		const struct option *option =
		    i < OPTION_COUNT ? &config_settings[i] : &config_flags[i - OPTION_COUNT];
		char flag[OPTION_NAME_BYTES];

		snprintf(flag, sizeof(flag), "\n  --%s ", option->name);
		assert_non_null(strstr(text.data, flag));
	}
	for (char *line = text.data, *end; (end = strchr(line, '\n')); line = end + 1)
		assert_true(end - line <= 96);
	buffer_finish(&text);
}

/* Whatever a file holds: a setting, or a fault with its line. */
static void random_files_are_read_or_refused(void **state)
{
	static const char *const pieces[] = {"workers", "listen", " ",	     "=",	  "\n",
					     "#",	"1",	  "[::1]:1", "unix:",	  "\t",
					     ":",	"\r",	  "\xff",    "rate-limit"};
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		char text[256] = "";
		const char *fault;

		for (int i = 0; i < 12; i++) {
			size_t length = strlen(text);

			seed = seed * 1103515245 + 12345;
			snprintf(text + length, sizeof(text) - length, "%s",
				 pieces[(seed >> 16) % array_length(pieces)]);
		}
		fault = file_fault(text);
		if (fault)
			assert_int_equal(fault[0], ':');
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, clear_variables, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(defaults),
	    TEST(variables_are_named_after_flags),
	    TEST(flags_win_over_variables_over_file),
	    TEST(listeners_of_one_source_add_up),
	    TEST(empty_variables_are_not_set),
	    TEST(the_file_may_be_named_by_a_variable),
	    TEST(files_have_comments_and_blank_lines),
	    TEST(faults_of_a_file_name_their_line),
	    TEST(files_that_cannot_be_read),
	    TEST(faults_of_flags_and_variables_name_them),
	    TEST(values_that_are_refused),
	    TEST(a_public_url_loses_its_last_slash),
	    TEST(relative_state_directories_become_absolute),
	    TEST(passwords_are_not_shown),
	    TEST(every_option_is_in_the_help),
	    TEST(random_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
