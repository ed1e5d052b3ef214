/* Logs of a server whose reader stops or leaves. */
#include "../cmocka_test.h"
#include "../temporary.h"
#include "base/log.h"
#include "base/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 5000, ALL_BYTES = 4 * 1024 * 1024, PATIENCE_S = 60 };

/* Another program that writes to the same pipe: fills the pipe whenever the log has found room
 * but not written yet. */
static int rival = -1;

int __real_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
ssize_t __real_splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size,
		      unsigned flags);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
ssize_t __wrap_splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size,
		      unsigned flags);

static void take_the_room(void)
{
	static const char zeros[PIPE_BUF];

	while (rival >= 0 && write(rival, zeros, sizeof(zeros)) > 0)
		;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	int ready = __real_poll(fds, count, timeout_ms);

	take_the_room();
	return ready;
}

ssize_t __wrap_splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size,
		      unsigned flags)
{
	take_the_room();
	return __real_splice(from, from_offset, to, to_offset, size, flags);
}

/* Reads the available bytes and appends them. Returns the new length. */
static size_t read_what_is_there(int fd, char *all, size_t length)
{
	ssize_t got;

	while ((got = read(fd, all + length, ALL_BYTES - length)) > 0)
		length += (size_t)got;
	return length;
}

static int64_t number_after(struct str line, const char *name)
{
	const char *found = memmem(line.data, line.length, name, strlen(name));

	return found ? strtoll(found + strlen(name), NULL, 10) : -1;
}

/* Lines with n=0, n=1, ...: each is present once, in order and whole, or counted as missing.
 * Returns the sum of the counts. */
static int64_t check_lines(char *all, size_t length, int64_t count)
{
	struct str rest = {all, length}, line;
	int64_t next = 0, missing = 0;

	assert_true(length == 0 || all[length - 1] == '\n');
	all[length] = '\0';
	while (rest.length > 0 && str_next(&rest, '\n', &line)) {
		int64_t lost = number_after(line, " lines=");

		if (line.length == 0)
			continue;
		assert_true(str_starts_with(line, STR("ts=")));
		if (lost >= 0) {
			assert_non_null(memmem(line.data, line.length, " group=log ", 11));
			missing += lost;
			next += lost;
			continue;
		}
		assert_int_equal(number_after(line, " n="), next);
		next++;
	}
	assert_int_equal(next, count);
	return missing;
}

static void write_numbers(int64_t first, int64_t end)
{
	for (int64_t i = first; i < end; i++)
		log_info("g", "m", LOG_INT("n", i));
}

/* The reading end does not block. Whatever log_init() does not see of the two stays as it was. */
static void check_reader_that_stops(int reader, int writer, bool holds)
{
	char *all = memory_alloc(ALL_BYTES + 1);
	int flags = fcntl(writer, F_GETFL);
	size_t length;

	assert_int_equal(fcntl(reader, F_SETFL, fcntl(reader, F_GETFL) | O_NONBLOCK), 0);
	if (holds)
		log_hold();
	write_numbers(0, MANY);
	log_flush();
	assert_int_equal(fcntl(writer, F_GETFL), flags);
	/* Once there is room: first the kept lines, then the count, then new lines. */
	length = read_what_is_there(reader, all, 0);
	for (int i = 0; i < 100; i++) {
		log_flush();
		length = read_what_is_there(reader, all, length);
	}
	assert_in_range(check_lines(all, length, MANY), 1, MANY - 500);
	write_numbers(MANY, MANY + 10);
	log_release();
	length = read_what_is_there(reader, all, length);
	check_lines(all, length, MANY + 10);
	free(all);
}

static int tear_down(void **state)
{
	(void)state;
	log_set_fd(STDERR_FILENO);
	return 0;
}

#define READER_TEST(name) TEST_IN(name, NULL, tear_down)

READER_TEST(a_pipe_that_is_full)
{
	for (int holds = 0; holds < 2; holds++) {
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		log_set_fd(ends[1]);
		log_init();
		check_reader_that_stops(ends[0], ends[1], holds);
		close(ends[0]);
		close(ends[1]);
	}
}

READER_TEST(a_socket_that_is_full)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	log_set_fd(ends[1]);
	log_init();
	check_reader_that_stops(ends[0], ends[1], true);
	close(ends[0]);
	close(ends[1]);
}

/* Makes a pipe like another user's: a named pipe without a reader cannot be opened for writing. */
static void make_pipe_that_cannot_be_opened_again(int *ends)
{
	char folder[TEMPORARY_SIZE], path[TEMPORARY_SIZE + 8];

	assert_non_null(mkdtemp(temporary_path(folder, "log-reader")));
	snprintf(path, sizeof(path), "%s/pipe", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	ends[0] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ends[1] = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(ends[0] >= 0 && ends[1] >= 0);
	close(ends[0]);
	log_set_fd(ends[1]);
	log_init();
	ends[0] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(ends[0] >= 0);
	unlink(path);
	rmdir(folder);
}

READER_TEST(a_pipe_that_cannot_be_opened_again)
{
	int ends[2];

	make_pipe_that_cannot_be_opened_again(ends);
	check_reader_that_stops(ends[0], ends[1], true);
	close(ends[0]);
	close(ends[1]);
}

READER_TEST(at_the_last_moment_another_takes_the_room)
{
	char *all = memory_alloc(ALL_BYTES + 1);
	char path[64];
	int ends[2];

	make_pipe_that_cannot_be_opened_again(ends);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	rival = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(rival >= 0);
	alarm(PATIENCE_S);
	write_numbers(0, 10);
	alarm(0);
	close(rival);
	rival = -1;
	assert_true(read_what_is_there(ends[0], all, 0) > 0);
	log_flush();
	assert_int_equal(check_lines(all, read_what_is_there(ends[0], all, 0), 10), 0);
	close(ends[0]);
	close(ends[1]);
	free(all);
}

READER_TEST(processes_share_a_pipe_that_cannot_be_opened_again)
{
	char *all = memory_alloc(ALL_BYTES + 1);
	struct str rest, line;
	size_t length = 0, lines = 0;
	int ends[2], status;
	pid_t child;

	make_pipe_that_cannot_be_opened_again(ends);
	for (int round = 0; round < 100; round++) {
		child = fork();
		if (child == 0) {
			write_numbers(0, 20);
			free(all);
			_exit(0);
		}
		write_numbers(0, 20);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		length = read_what_is_there(ends[0], all, length);
		log_flush();
	}
	length = read_what_is_there(ends[0], all, length);
	rest = (struct str){all, length};
	while (rest.length > 0 && str_next(&rest, '\n', &line)) {
		assert_true(str_starts_with(line, STR("ts=")));
		assert_in_range(number_after(line, " n="), 0, 19);
		lines++;
	}
	/* A child's lines without room are lost with it. */
	assert_in_range(lines, 100 * 20, 100 * 2 * 20);
	close(ends[0]);
	close(ends[1]);
	free(all);
}

/* A pipe accepts part of a line that is longer than PIPE_BUF. */
READER_TEST(long_lines_stay_whole_in_a_full_pipe)
{
	char *all = memory_alloc(ALL_BYTES + 1), *value = memory_alloc(7000);
	struct str rest = {all, 0}, line;
	size_t seen = 0;
	int ends[2];

	memset(value, 'v', 7000);
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	log_set_fd(ends[1]);
	log_init();
	for (int i = 0; i < 100; i++)
		log_info("g", "m", LOG_STR("v", ((struct str){value, 7000})), LOG_INT("n", i));
	for (int i = 0; i < 100; i++) {
		rest.length = read_what_is_there(ends[0], all, rest.length);
		log_flush();
	}
	assert_int_equal(all[rest.length - 1], '\n');
	while (rest.length > 0 && str_next(&rest, '\n', &line)) {
		if (number_after(line, " lines=") >= 0) {
			assert_int_equal(number_after(line, " lines="), 100 - (int64_t)seen);
			continue;
		}
		assert_in_range(line.length, 7000, 7200);
		assert_int_equal(number_after(line, " n="), seen);
		seen++;
	}
	assert_in_range(seen, 10, 99);
	close(ends[0]);
	close(ends[1]);
	free(value);
	free(all);
}

static void *write_in_thread(void *thread)
{
	for (int i = 0; i < 500; i++)
		log_info("g", "m", LOG_INT("thread", *(int *)thread), LOG_INT("n", i));
	return NULL;
}

READER_TEST(threads_write_whole_lines)
{
	char *all = memory_alloc(ALL_BYTES + 1);
	int numbers[4] = {0, 1, 2, 3}, ends[2];
	size_t length = 0, lines = 0;
	pthread_t threads[4];
	struct str rest, line;
	int64_t missing = 0;

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	log_set_fd(ends[1]);
	log_init();
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_in_thread, &numbers[i]),
				 0);
	for (int i = 0; i < 1000; i++)
		length = read_what_is_there(ends[0], all, length);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < 100; i++) {
		length = read_what_is_there(ends[0], all, length);
		log_flush();
	}
	rest = (struct str){all, length};
	while (rest.length > 0 && str_next(&rest, '\n', &line)) {
		int64_t lost = number_after(line, " lines=");

		assert_true(str_starts_with(line, STR("ts=")));
		missing += lost >= 0 ? lost : 0;
		lines += lost < 0;
	}
	assert_int_equal(lines + (size_t)missing, 4 * 500);
	close(ends[0]);
	close(ends[1]);
	free(all);
}

READER_TEST(a_forked_process_does_not_repeat_what_its_parent_kept)
{
	char *all = memory_alloc(ALL_BYTES + 1);
	size_t length;
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	log_set_fd(ends[1]);
	log_init();
	write_numbers(0, MANY);
	length = read_what_is_there(ends[0], all, 0);
	child = fork();
	if (child == 0) {
		log_finish();
		free(all);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	for (int i = 0; i < 100; i++) {
		log_flush();
		length = read_what_is_there(ends[0], all, length);
	}
	check_lines(all, length, MANY);
	close(ends[0]);
	close(ends[1]);
	free(all);
}

/* Without a reader, the wait ends; with one, all kept lines leave. */
READER_TEST(the_end_waits_for_a_reader_only_so_long)
{
	char *all = memory_alloc(ALL_BYTES + 1);
	size_t length = 0;
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		log_set_fd(ends[1]);
		log_init();
		write_numbers(0, MANY);
		log_finish();
		free(all);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(ends[1]);
	length = read_what_is_there(ends[0], all, 0);
	assert_true(length > 0);
	assert_int_equal(all[length - 1], '\n');
	close(ends[0]);
	free(all);
}

READER_TEST(a_reader_that_is_gone)
{
	int ends[2];

	assert_ptr_not_equal(signal(SIGPIPE, SIG_IGN), SIG_ERR);
	assert_int_equal(pipe(ends), 0);
	log_set_fd(ends[1]);
	log_init();
	close(ends[0]);
	write_numbers(0, MANY);
	log_finish();
	close(ends[1]);
}

RUN_TESTS(NULL, NULL)
