#include "../cmocka_test.h"
#include "../temporary.h"
#include "base/limits.h"
#include "base/memory.h"
#include "main/config.h"

#include <unistd.h>

static struct config config;
static struct options_error why;

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

static enum option_source source_of(const char *name)
{
	return options_find_given(&config.options, name)->source;
}

static const char *write_file(const char *text)
{
	static char path[TEMPORARY_SIZE];
	int fd = mkstemp(temporary_path(path, "config"));

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

/* Reads a file of this text. Returns the error without its path. */
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
	for (const struct option *one = config_set.options; one->name; one++) {
		char name[OPTIONS_VARIABLE_BYTES];

		options_variable(&config_set, one, name);
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

#define SCENE(function) TEST_IN(function, clear_variables, finish)

SCENE(defaults)
{
	assert_int_equal(read_config(NULL), 0);
	assert_int_equal(config.action, ACTION_RUN);
	assert_int_equal(config.listen_count, 2); /* with the one in the state directory */
	assert_string_equal(config.listen[0].text, "127.0.0.1:8080");
	assert_true(config.listen[1].is_private);
	assert_int_equal(config.rate_limit, LIMIT_RATE_PER_S);
	assert_true(config.workers >= 1);
	assert_true(config.access_log);
	assert_false(config.admin_access_log);
	assert_null(config.database);
	assert_null(config.public_url);
	assert_int_equal(config.state_dir[0], '/');
}

SCENE(flags_win_over_variables_over_file)
{
	const char *path = write_file("rate-limit = 1\nworkers = 2\nlog-level = warn\n");

	setenv("DISPLAYD_RATE_LIMIT", "3", 1);
	setenv("DISPLAYD_WORKERS", "4", 1);
	assert_int_equal(read_config("--config", path, "--rate-limit=5", NULL), 0);
	assert_int_equal(config.rate_limit, 5);
	assert_int_equal(config.workers, 4);
	assert_int_equal(config.log_level, LOG_WARN);
	assert_int_equal(source_of("rate-limit"), OPTION_ARGUMENT);
	assert_int_equal(source_of("workers"), OPTION_VARIABLE);
	assert_int_equal(source_of("log-level"), OPTION_FILE);
	assert_int_equal(options_find_given(&config.options, "log-level")->line, 3);
	assert_int_equal(source_of("state-dir"), OPTION_DEFAULT);
	unlink(path);
}

SCENE(listeners_of_one_source_add_up)
{
	const char *path = write_file("listen = 127.0.0.1:1\nlisten = [::1]:2\n");

	assert_int_equal(read_config("--config", path, NULL), 0);
	assert_int_equal(config.listen_count, 2 + 1);
	assert_string_equal(config.listen[1].text, "[::1]:2");
	setenv("DISPLAYD_LISTEN", "127.0.0.1:3, 127.0.0.1:4 unix:/run/x", 1);
	assert_int_equal(read_config("--config", path, NULL), 0);
	assert_int_equal(config.listen_count, 3 + 1);
	assert_string_equal(config.listen[2].text, "unix:/run/x");
	assert_int_equal(read_config("--listen", "127.0.0.1:9", "--config", path, NULL), 0);
	assert_int_equal(config.listen_count, 1 + 1);
	assert_string_equal(config.listen[0].text, "127.0.0.1:9");
	unlink(path);
}

SCENE(the_file_may_be_named_by_a_variable)
{
	const char *path = write_file("workers = 7");

	setenv("DISPLAYD_CONFIG", path, 1);
	assert_int_equal(read_config(NULL), 0);
	assert_int_equal(config.workers, 7);
	unlink(path);
}

SCENE(faults_of_a_file_name_their_line)
{
	assert_string_equal(file_fault("\nlisen = x\n"),
			    ":2: there is no setting \"lisen\"; did you mean listen?");
	assert_string_equal(file_fault("workers 3\n"), ":1: must be \"name = value\"");
	assert_string_equal(file_fault("workers =\n"), ":1: no value for \"workers\"");
	assert_string_equal(file_fault("workers = 0\n"),
			    ":1: workers must be a number from 1 to 256");
	assert_string_equal(file_fault("workers = 1\n\nworkers = 2\n"),
			    ":3: workers is already set on line 1");
	assert_string_equal(file_fault("config = x\n"), ":1: there is no setting \"config\"");
	assert_string_equal(file_fault("= 3\n"), ":1: there is no setting");
}

SCENE(faults_of_flags_and_variables_name_them)
{
	assert_int_equal(read_config("--workers", "x", NULL), -1);
	assert_string_equal(why.text, "--workers must be a number from 1 to 256");
	assert_int_equal(read_config("--workers", NULL), -1);
	assert_string_equal(why.text, "--workers needs a value: N");
	assert_int_equal(read_config("--worker", "1", NULL), -1);
	assert_string_equal(why.text, "there is no option --worker; did you mean --workers?");
	assert_int_equal(read_config("--help=1", NULL), -1);
	assert_string_equal(why.text, "--help takes no value");
	assert_int_equal(read_config("stray", NULL), -1);
	setenv("DISPLAYD_LOG_FORMAT", "xml", 1);
	assert_int_equal(read_config(NULL), -1);
	assert_string_equal(why.text, "DISPLAYD_LOG_FORMAT must be logfmt or json");
}

SCENE(an_address_is_listed_once)
{
	assert_int_equal(read_config("--listen", "127.0.0.1:1", "--listen=127.0.0.1:1", NULL), -1);
	assert_string_equal(why.text, "--listen is given twice");
	assert_string_equal(file_fault("listen = unix:/a\nlisten = unix:/a\n"),
			    ":2: listen is given twice");
	assert_int_equal(read_config("--listen=127.0.0.1:1", "--admin-listen=127.0.0.1:1", NULL),
			 -1);
	assert_string_equal(why.text, "--admin-listen is given twice");
	assert_int_equal(read_config("--listen=127.0.0.1:0", "--listen=127.0.0.1:0", NULL), 0);
	assert_int_equal(config.listen_count, 2 + 1);
	assert_string_equal(
	    file_fault("\nlisten = 127.0.0.1\n"),
	    ":2: listen must be ADDR:PORT, [ADDR]:PORT, :PORT or unix:PATH, such as "
	    "127.0.0.1:8080, optionally with proxy: in front of it");
}

SCENE(listeners_for_proxies)
{
	assert_int_equal(read_config("--listen=127.0.0.1:1", "--listen=proxy:127.0.0.1:2",
				     "--trust-proxy=127.0.0.1", NULL),
			 0);
	assert_false(config.listen[0].expects_proxy_header);
	assert_true(config.listen[1].expects_proxy_header);
	assert_int_equal(read_config("--listen=127.0.0.1:1", "--listen=proxy:127.0.0.1:1",
				     "--trust-proxy=127.0.0.1", NULL),
			 -1);
	assert_string_equal(why.text, "--listen is given twice");
	/* It would be useless. */
	assert_int_equal(read_config("--admin-listen=proxy:127.0.0.1:1", NULL), -1);
	assert_string_equal(why.text,
			    "--admin-listen expects proxies: name them with --trust-proxy");
	assert_null(file_fault("listen = proxy:127.0.0.1:1\ntrust-proxy = 127.0.0.1\n"));
	assert_true(config.listen[0].expects_proxy_header);
	setenv("DISPLAYD_LISTEN", "127.0.0.1:1,proxy:[::1]:1", 1);
	assert_int_equal(read_config("--trust-proxy=::1", NULL), 0);
	assert_false(config.listen[0].expects_proxy_header);
	assert_true(config.listen[1].expects_proxy_header);
}

/* Reads like a server that reloads its configuration. */
SCENE(reading_again_finds_what_has_changed)
{
	char *argv[] = {(char *)(uintptr_t) "displayd"};
	struct config other;

	setenv("DISPLAYD_WORKERS", "5", 1);
	assert_int_equal(read_config(NULL), 0);
	setenv("DISPLAYD_WORKERS", "6", 1);
	assert_int_equal(config_read(&other, 1, argv, &why), 0);
	assert_int_equal(config.workers, 5);
	assert_int_equal(other.workers, 6);
	assert_string_equal(config.listen[0].text, other.listen[0].text);
	config_finish(&other);
}

SCENE(values_that_are_refused)
{
	static const char *const refused[][2] = {
	    {"--access-log", "yes"},
	    {"--trust-proxy", "proxy"},
	    {"--trust-proxy", "10.0.0.1/8"},
	    {"--cors-origin", "*"},
	    {"--cors-origin", "null"},
	    {"--cors-origin", "ws://x"},
	    {"--cors-origin", "https://"},
	    {"--panel-frame", "*"},
	    {"--panel-frame", "https://x/panel"},
	    {"--cors-origin", "https://x/"},
	    {"--cors-origin", "https://x:443"},
	    {"--cors-origin", "http://x:080"},
	    {"--cors-origin", "http://x:"},
	    {"--cors-origin", "http://x:65536"},
	    {"--cors-origin", "http://u@x"},
	    {"--cors-origin", "http://x_y"},
	    {"--database", "mysql://x"},
	    {"--database", "host"},
	    {"--log-level", "loud"},
	    {"--public-url", "ftp://x"},
	    {"--public-url", "ws://x"},
	    {"--public-url", "httpx://x"},
	    {"--public-url", "https://x:0"},
	    {"--public-url", "https://x:65536"},
	    {"--public-url", "https://[::1/"},
	    {"--public-url", "https://x/a{b}"},
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

	for (size_t i = 0; i < array_length(refused); i++)
		if (read_config(refused[i][0], refused[i][1], NULL) == 0)
			fail_msg("%s %s is taken", refused[i][0], refused[i][1]);
}

SCENE(origins_as_browsers_send_them)
{
	assert_int_equal(read_config("--cors-origin", "https://panels.example.org",
				     "--cors-origin=http://127.0.0.1:3000",
				     "--cors-origin=http://[::1]:443", NULL),
			 0);
	assert_int_equal(config.cors_origins.count, 3);
	assert_int_equal(read_config("--cors-origin", "https://x/", NULL), -1);
	assert_string_equal(why.text, "--cors-origin must be an origin such as "
				      "https://panels.example.org, with neither a path nor the "
				      "scheme's own port");
}

SCENE(a_public_url_loses_its_last_slash)
{
	assert_int_equal(read_config("--public-url", "https://x.example/a//", NULL), 0);
	assert_string_equal(config.public_url, "https://x.example/a");
}

/* Schemes and hosts are the same in any case (RFC 3986 section 6.2.2.1), paths are not. */
SCENE(urls_may_be_in_capitals)
{
	assert_int_equal(read_config("--public-url=HTTPS://Panels.Example.ORG:8443/Displays/",
				     "--cors-origin=HTTP://A.example",
				     "--panel-frame=Https://HOME.example:8123", NULL),
			 0);
	assert_string_equal(config.public_url, "https://panels.example.org:8443/Displays");
	assert_string_equal(config.cors_origins.values[0], "http://a.example");
	assert_string_equal(config.frame_origins.values[0], "https://home.example:8123");
}

SCENE(relative_state_directories_become_absolute)
{
	char expected[4200], folder[4096];

	assert_int_equal(read_config("--state-dir", "state", NULL), 0);
	assert_non_null(getcwd(folder, sizeof(folder)));
	snprintf(expected, sizeof(expected), "%s/state", folder);
	assert_string_equal(config.state_dir, expected);
}

SCENE(passwords_are_not_shown)
{
	static const char *const urls[] = {
	    "postgresql://u:hunter2@h/d",
	    "host=h password=hunter2",
	    "postgresql://u@h/d?password=hunter2",
	    "postgresql://u@h/d?sslpassword=hunter2",
	};

	for (size_t i = 0; i < array_length(urls); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		assert_int_equal(read_config("--database", urls[i], NULL), 0);
		options_print(&config.options, out);
		fclose(out);
		assert_non_null(strstr(text, "host=h"));
		assert_null(strstr(text, "hunter"));
		free(text);
	}
	/* Error messages omit it as well. */
	assert_int_equal(read_config("--database", "postgresql://u:hunter2@[h/d", NULL), -1);
	assert_null(strstr(why.text, "hunter"));
}

SCENE(every_option_is_in_the_help)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	options_print_help(&config_set, NULL, out);
	fclose(out);
	for (const struct option *one = config_set.options; one->name; one++) {
		char flag[64];

		snprintf(flag, sizeof(flag), "--%s ", one->name);
		assert_non_null(strstr(text, flag));
	}
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
		assert_true(end - line <= 96);
	free(text);
}

RUN_TESTS(NULL, NULL)
