/* Memory and require(): both end the process, so each ends a child of the test. */
#include "../cmocka_test.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/require.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

/* Number of the first failing call from now on, after which all fail; 0: none. */
static unsigned fail_at;

static bool fails(void)
{
	return fail_at && --fail_at == 0 && (fail_at = 1);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

/* Runs act in a child. Returns its status, and its stderr in text. */
static int status_of(void (*act)(void), char *text, size_t size)
{
	struct rlimit no_core = {0};
	int ends[2];
	size_t length = 0;
	ssize_t got;
	int status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		dup2(ends[1], STDERR_FILENO);
		act();
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void assert_aborts(void (*act)(void), const char *words)
{
	char text[4096];
	int status = status_of(act, text, sizeof(text));

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_non_null(strstr(text, words));
}

static void break_a_promise(void)
{
	require_context("request-7");
	require(1 + 1 == 3);
}

static void break_a_promise_after_a_request(void)
{
	const char *first = "request-7", *second = "request-8";

	require_context(second);
	require_context_end(first);
	require_context(first);
	require_context_end(first);
	require(1 + 1 == 3);
}

static void keep_a_promise(void)
{
	require(1 + 1 == 2);
}

TEST(broken_promise_ends_the_process)
{
	char text[4096];

	assert_aborts(break_a_promise, "1 + 1 == 3");
	assert_aborts(break_a_promise, "memory_test.c:");
	assert_aborts(break_a_promise, "request_id=request-7\n");
	assert_aborts(break_a_promise_after_a_request, "request_id=-\n");
	assert_int_equal(status_of(keep_a_promise, text, sizeof(text)), 0);
}

static void use_memory(void)
{
	struct arena arena = {0};
	struct buffer buffer = {0};
	struct map map = {0};
	struct map_node node;
	char *text = memory_strdup("text");

	text = memory_realloc(text, 100);
	free(text);
	free(memory_zalloc(10));
	if (!arena_alloc(&arena, 10) || !arena_alloc(&arena, 10000))
		_exit(1);
	buffer_append_str(&buffer, STR("text"));
	map_insert(&map, &node, STR("key"));
	arena_finish(&arena);
	buffer_finish(&buffer);
	map_finish(&map);
}

/* If any request for memory fails, the process reports that and ends; it never continues with
 * NULL. */
TEST(out_of_memory_at_every_call)
{
	char text[4096];
	unsigned aborted = 0;

	for (unsigned n = 1; n < 100; n++) {
		int status;

		fail_at = n;
		status = status_of(use_memory, text, sizeof(text));
		fail_at = 0;
		if (status == 0)
			break;
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGABRT);
		assert_non_null(strstr(text, "out of memory"));
		aborted++;
	}
	assert_in_range(aborted, 7, 20);
}

TEST(no_bytes_are_memory_too)
{
	void *memory = memory_alloc(0);

	assert_non_null(memory);
	memory = memory_realloc(memory, 0);
	assert_non_null(memory);
	free(memory);
	memory = memory_zalloc(0);
	assert_non_null(memory);
	free(memory);
}

RUN_TESTS(NULL, NULL)
