/* The last errors of the log, in memory that processes share: which are kept, how they are cut,
 * and that readers never see half a line. */
#include "../cmocka_test.h"
#include "base/log.h"
#include "metric/errors.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITERS = 3, ROUNDS = 2000 };

static struct region_map *map;
static char lines[ERRORS_KEPT][ERROR_LINE_BYTES + 1];
static unsigned line_count;

static int open_map(void **state)
{
	static const struct region *const regions[] = {&error_region};

	(void)state;
	map = region_map_create(regions, 1, 1);
	errors_attach(map);
	return map ? 0 : -1;
}

static int close_map(void **state)
{
	(void)state;
	log_set_witness(NULL);
	region_map_destroy(map);
	return 0;
}

static void take(void *context, struct str line)
{
	(void)context;
	assert_true(line_count < ERRORS_KEPT && line.length <= ERROR_LINE_BYTES);
	memcpy(lines[line_count], line.data, line.length);
	lines[line_count++][line.length] = '\0';
}

static void read_all(void)
{
	line_count = 0;
	errors_read(map, take, NULL);
}

TEST_IN(only_errors_are_kept, open_map, close_map)
{
	log_info("test", "an information");
	log_warn("test", "a warning");
	log_error("test", "an error", LOG_INT("number", 7));
	read_all();
	assert_int_equal(line_count, 1);
	assert_non_null(strstr(lines[0], "level=error group=test msg=\"an error\" number=7"));
	assert_null(strchr(lines[0], '\n'));
}

TEST_IN(the_last_ones_stay, open_map, close_map)
{
	for (int i = 0; i < ERRORS_KEPT + 5; i++)
		log_error("test", "one", LOG_INT("number", i));
	read_all();
	assert_int_equal(line_count, ERRORS_KEPT);
	assert_non_null(strstr(lines[0], "number=5"));
	assert_non_null(strstr(lines[ERRORS_KEPT - 1], "number=36"));
}

/* Cuts happen between characters. */
TEST_IN(long_ones_are_cut, open_map, close_map)
{
	char text[2000] = "";

	for (unsigned i = 0; i < 600; i++)
		memcpy(text + 3 * i, "\xe2\x82\xac", 3);
	log_error("test", "one", LOG_TEXT("text", text));
	read_all();
	assert_int_equal(line_count, 1);
	assert_in_range(strlen(lines[0]), ERROR_LINE_BYTES - 3, ERROR_LINE_BYTES);
	assert_string_equal(lines[0] + strlen(lines[0]) - 3, "\xe2\x82\xac");
}

TEST_IN(secrets_are_masked, open_map, close_map)
{
	log_error("test", "one", LOG_TEXT("key", "ddk_0123456789abcdefghijABCDEFGHIJ0123456789"));
	read_all();
	assert_non_null(strstr(lines[0], "ddk_*****"));
	assert_null(strstr(lines[0], "0123456789abcdef"));
}

TEST_IN(of_a_process_that_was_killed, open_map, close_map)
{
	pid_t pid = fork();

	if (pid == 0) {
		log_error("test", "last words");
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	read_all();
	assert_int_equal(line_count, 1);
	assert_non_null(strstr(lines[0], "last words"));
}

/* Each thread writes lines of one letter. */
static void *write_lines(void *argument)
{
	char text[300];

	memset(text, *(const char *)argument, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (unsigned i = 0; i < ROUNDS; i++)
		log_error("test", "one", LOG_TEXT("text", text));
	return NULL;
}

TEST_IN(no_line_is_mixed, open_map, close_map)
{
	static char letters[WRITERS] = {'X', 'Y', 'Z'};
	pthread_t threads[WRITERS];

	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_lines, &letters[i]), 0);
	for (unsigned round = 0; round < ROUNDS / 10; round++) {
		read_all();
		for (unsigned i = 0; i < line_count; i++) {
			const char *text = strstr(lines[i], "text=");

			assert_non_null(text);
			text += strlen("text=");
			assert_int_equal(strspn(text, (char[]){*text, '\0'}), 299);
		}
	}
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	log_set_fd(open("/dev/null", O_WRONLY | O_CLOEXEC));
	return run_all_tests(NULL, NULL);
}
