/* A task whose answer is a stream, through a server and a unix socket. */
#include "../cmocka_test.h"
#include "base/require.h"
#include "http/server.h"
#include "http/stream.h"
#include "task/service.h"
#include "task/task.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PORTIONS = 5, PORTION_BYTES = 300 * 1000 };

static struct test {
	struct loop loop;
	struct http_server *server;
	struct service service;
	char portion[PORTION_BYTES];
	unsigned finished;
	int client;
	size_t received; /* bytes of the body as sent */
	char last[5];
} test;

struct state {
	unsigned written;
};

static bool write_more(struct task *task, struct http_stream *stream)
{
	struct state *state = task_state(task);

	assert_int_equal(test.finished, 0);
	http_stream_write(stream, (struct str){test.portion, PORTION_BYTES});
	return ++state->written < PORTIONS;
}

static struct step_result handle(struct task *task)
{
	task_add_field(task, STR("X-Of"), STR("a task"));
	return task_reply_stream(task, 200, STR("text/plain"), write_more);
}

static void finish(void *state)
{
	assert_true(((struct state *)state)->written <= PORTIONS);
	test.finished++;
}

static const struct endpoint endpoint = {
    .name = "streamed",
    .handler = handle,
    .state_size = sizeof(struct state),
    .finish = finish,
};
static const struct route route = {HTTP_GET, "/", &endpoint};
static const struct route_table table = {&route, 1};
static const struct route_table *const tables[] = {&table, NULL};
static struct router router;

static void on_request(struct http_request *request, void *context)
{
	struct route_match match;

	require(router_find(&router, request, &match) == ROUTE_FOUND);
	task_start(context, request, match.route->data, &match);
}

static int setup(void **state)
{
	const struct http_listener_settings settings = {.on_request = on_request,
							.context = &test.service};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t length = sizeof(address);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	(void)state;
	router_init(&router, tables, NULL);
	test = (struct test){.client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
	assert_int_equal(loop_init(&test.loop), 0);
	test.service.loop = &test.loop;
	test.server = http_server_create(&test.loop, &(struct http_server_settings){0});
	/* The kernel gives it a name. */
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	assert_int_equal(http_server_listen(test.server, fd, &settings), 0);
	assert_int_equal(connect(test.client, (struct sockaddr *)&address, length), 0);
	return 0;
}

static void turn(void)
{
	uv_run(&test.loop.uv, UV_RUN_NOWAIT);
}

static int teardown(void **state)
{
	(void)state;
	http_server_close(test.server);
	while (!http_server_is_empty(test.server))
		turn();
	http_server_destroy(test.server);
	loop_finish(&test.loop);
	arena_drop_cache();
	if (test.client >= 0)
		close(test.client);
	return 0;
}

static void ask(void)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

	assert_int_equal(write(test.client, request, sizeof(request) - 1), sizeof(request) - 1);
}

/* Reads the available bytes. */
static void receive(void)
{
	char data[65536];
	ssize_t size = recv(test.client, data, sizeof(data), MSG_DONTWAIT);

	if (size <= 0)
		return;
	test.received += (size_t)size;
	for (ssize_t i = size < 5 ? 0 : size - 5; i < size; i++) {
		memmove(test.last, test.last + 1, 4);
		test.last[4] = data[i];
	}
}

TEST_IN(to_the_end, setup, teardown)
{
	size_t body = PORTIONS * (sizeof("493e0\r\n") - 1 + PORTION_BYTES + 2) + 5;

	ask();
	while (memcmp(test.last, "0\r\n\r\n", 5) != 0) {
		turn();
		receive();
		if (test.received)
			assert_int_equal(test.service.task_count, !test.finished);
	}
	assert_int_equal(test.finished, 1);
	assert_int_equal(test.service.task_count, 0);
	assert_true(test.received > body && test.received < body + 400);
}

TEST_IN(client_leaves, setup, teardown)
{
	ask();
	while (test.received == 0) {
		turn();
		receive();
	}
	assert_int_equal(test.service.task_count, 1);
	close(test.client);
	test.client = -1;
	while (!test.finished)
		turn();
	assert_int_equal(test.finished, 1);
	assert_int_equal(test.service.task_count, 0);
}

RUN_TESTS(NULL, NULL)
