/* Addresses of names, resolved on a thread. */
#include "../cmocka_test.h"
#include "resolve.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static struct loop loop;
static struct hosts *hosts;
static struct resolution *resolution;
static bool is_done;
static struct host_addresses found;
static char error[300];

static int open_loop(void **state)
{
	(void)state;
	alarm(600);
	is_done = false;
	found.count = 0;
	error[0] = 0;
	hosts = hosts_create("");
	return loop_init(&loop);
}

static int close_loop(void **state)
{
	(void)state;
	loop_finish(&loop);
	hosts_destroy(hosts);
	return 0;
}

static void on_done(void *context, const struct host_addresses *addresses, const char *reason)
{
	assert_ptr_equal(context, &loop);
	assert_false(is_done);
	is_done = true;
	if (addresses)
		found = *addresses;
	snprintf(error, sizeof(error), "%s", reason ? reason : "");
}

static void resolve(const char *name)
{
	resolution = resolve_start(&loop, hosts, name, on_done, &loop);
	assert_false(is_done);
	while (!is_done)
		uv_run(&loop.uv, UV_RUN_ONCE);
	resolve_free(resolution);
}

#define SCENE(function) TEST_IN(function, open_loop, close_loop)

SCENE(a_name_has_addresses)
{
	resolve("localhost");
	assert_string_equal(error, "");
	assert_true(found.count > 0);
	for (unsigned i = 0; i < found.count; i++)
		assert_true(strcmp(found.list[i], "127.0.0.1") == 0 ||
			    strcmp(found.list[i], "::1") == 0);
}

SCENE(a_name_that_nobody_knows)
{
	resolve("database.invalid");
	assert_int_equal(found.count, 0);
	assert_non_null(strstr(error, "cannot resolve database.invalid: "));
}

SCENE(one_that_is_freed_says_nothing)
{
	struct pollfd told = {.fd = uv_backend_fd(&loop.uv), .events = POLLIN};

	resolution = resolve_start(&loop, hosts, "localhost", on_done, &loop);
	resolve_free(resolution);
	uv_run(&loop.uv, UV_RUN_DEFAULT);
	assert_false(is_done);
	resolution = resolve_start(&loop, hosts, "localhost", on_done, &loop);
	/* The name is resolved, but the loop has not been notified yet. */
	assert_int_equal(poll(&told, 1, -1), 1);
	resolve_free(resolution);
	uv_run(&loop.uv, UV_RUN_DEFAULT);
	assert_false(is_done);
	resolve_free(NULL);
}

RUN_TESTS(NULL, NULL)
