/* Host names of connection strings. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "resolve.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct loop loop;
static struct resolution *resolution;
static bool done;
static char error[300];

static int open_loop(void **state)
{
	(void)state;
	alarm(600);
	done = false;
	error[0] = 0;
	return loop_init(&loop);
}

static int close_loop(void **state)
{
	(void)state;
	loop_finish(&loop);
	return 0;
}

static void on_done(void *context, const char *reason)
{
	assert_ptr_equal(context, &loop);
	assert_false(done);
	done = true;
	snprintf(error, sizeof(error), "%s", reason ? reason : "");
}

static void resolve(const char *url)
{
	assert_true(resolve_is_needed(url));
	resolution = resolve_start(&loop, url, on_done, &loop);
	assert_false(done);
	while (!done)
		uv_run(&loop.uv, UV_RUN_ONCE);
}

static unsigned count_commas(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == ',';
	return count;
}

static void test_not_needed(void **state)
{
	(void)state;
	assert_false(resolve_is_needed("postgresql://"));
	assert_false(resolve_is_needed("postgresql:///db?host=/tmp&user=x"));
	assert_false(resolve_is_needed("postgresql://127.0.0.1:5432/db"));
	assert_false(resolve_is_needed("postgresql://[::1]:5432,10.0.0.1/db"));
	assert_false(resolve_is_needed("host=@abstract"));
	assert_false(resolve_is_needed("host=name.example hostaddr=127.0.0.1"));
	assert_false(resolve_is_needed("not a connection string"));
}

static void test_list(void **state)
{
	const char *hosts;
	unsigned commas;

	(void)state;
	resolve("host=127.0.0.1,localhost,/tmp,::1 port=1,2,3,4");
	assert_string_equal(error, "");
	hosts = resolve_host(resolution);
	commas = count_commas(hosts);
	assert_true(commas >= 3);
	assert_int_equal(count_commas(resolve_hostaddr(resolution)), commas);
	assert_int_equal(count_commas(resolve_port(resolution)), commas);
	assert_memory_equal(hosts, "127.0.0.1,localhost,", 20);
	assert_string_equal(strstr(hosts, ",/tmp"), ",/tmp,::1");
	assert_true(resolve_hostaddr(resolution)[0] == ',');
	assert_memory_equal(resolve_port(resolution), "1,2,", 4);
	assert_non_null(strstr(resolve_port(resolution), "2,3,4"));
	resolve_free(resolution);
}

static void test_one_port(void **state)
{
	(void)state;
	resolve("postgresql://localhost,127.0.0.1:7/db");
	assert_int_equal(count_commas(resolve_port(resolution)),
			 count_commas(resolve_host(resolution)));
	resolve_free(resolution);
	done = false;
	resolve("host=localhost port=77");
	assert_memory_equal(resolve_port(resolution), "77", 2);
	resolve_free(resolution);
	done = false;
	resolve("postgresql://localhost/db");
	assert_null(resolve_port(resolution));
	resolve_free(resolution);
}

/* An unknown host does not hinder a known one. */
static void test_unknown(void **state)
{
	(void)state;
	resolve("host=no-such-host.invalid");
	assert_non_null(strstr(error, "cannot resolve no-such-host.invalid: "));
	resolve_free(resolution);
	done = false;
	resolve("host=no-such-host.invalid,127.0.0.1");
	assert_string_equal(error, "");
	assert_string_equal(resolve_host(resolution), "127.0.0.1");
	resolve_free(resolution);
}

static void test_cancel(void **state)
{
	struct pollfd told = {.fd = uv_backend_fd(&loop.uv), .events = POLLIN};

	(void)state;
	resolution = resolve_start(&loop, "host=localhost", on_done, &loop);
	resolve_free(resolution);
	uv_run(&loop.uv, UV_RUN_DEFAULT);
	assert_false(done);
	resolution = resolve_start(&loop, "host=localhost", on_done, &loop);
	/* The name is known, and the loop has not been told yet. */
	assert_int_equal(poll(&told, 1, -1), 1);
	resolve_free(resolution);
	uv_run(&loop.uv, UV_RUN_DEFAULT);
	assert_false(done);
	resolve_free(NULL);
}

#define LOOP(test) cmocka_unit_test_setup_teardown(test, open_loop, close_loop)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_not_needed),
	    LOOP(test_list),
	    LOOP(test_one_port),
	    LOOP(test_unknown),
	    LOOP(test_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
