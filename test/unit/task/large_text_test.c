/* Tests which thread reads a body and writes an answer, through a server and a unix socket. */
#include "../cmocka_test.h"
#include "base/limits.h"
#include "base/require.h"
#include "http/server.h"
#include "task/service.h"
#include "task/task.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct test {
	struct loop loop;
	struct http_server *server;
	struct service service;
	int client;
	bool body_on_loop, answer_on_loop;
	unsigned checked, written, finished;
	size_t answer_bytes; /* size of the data from which the answer is made */
	pthread_t loop_thread;
	char received[2048];
	size_t received_bytes;
} test;

struct body {
	struct str text;
	int64_t number;
};

static bool is_loop(void)
{
	return pthread_equal(pthread_self(), test.loop_thread);
}

static void check(void *body, uint64_t seen, struct faults *faults)
{
	(void)body;
	(void)seen;
	(void)faults;
	test.body_on_loop = is_loop();
	test.checked++;
}

static const struct record_field fields[] = {
    RECORD_STR(struct body, text, .body = "text", .required = true),
    RECORD_INT(struct body, number, .body = "number", .minimum = 1, .maximum = 9),
};
static const struct record record = RECORD(struct body, fields, .check = check);

static void write_answer(void *argument, struct arena *arena, struct buffer *json)
{
	struct body *body = argument;

	test.answer_on_loop = is_loop();
	test.written++;
	json_write_str(json,
		       arena_printf(arena, "%zu %lld", body->text.length, (long long)body->number));
}

static struct step_result handle(struct task *task)
{
	return task_reply_written(task, 200, test.answer_bytes, write_answer, task_state(task));
}

static void finish(void *state)
{
	(void)state;
	test.finished++;
}

static const struct endpoint endpoint = {
    .name = "large",
    .handler = handle,
    .body = &record,
    .body_max_bytes = LIMIT_UPLOAD_BODY_BYTES,
    .state_size = sizeof(struct body),
    .finish = finish,
};
static const struct route route = {HTTP_POST, "/", &endpoint};
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
	test = (struct test){.client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
			     .loop_thread = pthread_self()};
	assert_int_equal(loop_init(&test.loop), 0);
	lanes_start(&test.loop, 2);
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
	while (!http_server_is_empty(test.server) || lanes_load(&test.loop, LANE_SHORT) ||
	       lanes_load(&test.loop, LANE_LONG))
		turn();
	http_server_destroy(test.server);
	lanes_stop(&test.loop);
	loop_finish(&test.loop);
	arena_drop_cache();
	if (test.client >= 0)
		close(test.client);
	return 0;
}

static void send_all(const char *data, size_t length)
{
	while (length > 0) {
		ssize_t sent = send(test.client, data, length, MSG_DONTWAIT);

		if (sent > 0) {
			data += sent;
			length -= (size_t)sent;
		}
		turn();
	}
}

/* Sends a body with a text of this many escapes, and the rest. */
static void ask(size_t escapes, const char *rest)
{
	static char body[LIMIT_UPLOAD_BODY_BYTES];
	char head[200];
	size_t length = (size_t)snprintf(body, sizeof(body), "{\"text\":\"");

	for (size_t i = 0; i < escapes; i++, length += 6)
		memcpy(body + length, "\\u0041", 6);
	length += (size_t)snprintf(body + length, sizeof(body) - length, "\"%s", rest);
	send_all(head, (size_t)snprintf(head, sizeof(head),
					"POST / HTTP/1.1\r\nHost: a\r\nContent-Type: "
					"application/json\r\nContent-Length: %zu\r\n\r\n",
					length));
	send_all(body, length);
}

static void receive(const char *wanted)
{
	test.received_bytes = 0;
	memset(test.received, 0, sizeof(test.received));
	while (!memmem(test.received, test.received_bytes, wanted, strlen(wanted))) {
		char data[4096];
		ssize_t size;

		turn();
		size = recv(test.client, data, sizeof(data), MSG_DONTWAIT);
		assert_int_not_equal(size, 0);
		if (size <= 0)
			continue;
		for (ssize_t i = 0; i < size; i++)
			if (test.received_bytes < sizeof(test.received))
				test.received[test.received_bytes++] = data[i];
	}
}

enum { LARGE = 600 * 1000 };

#define CASE(name) TEST_IN(name, setup, teardown)

CASE(small_texts_stay_on_the_loop)
{
	ask(10, ",\"number\":3}");
	receive("\"10 3\"");
	assert_true(test.body_on_loop && test.answer_on_loop);
	assert_int_equal(test.checked, 1);
}

CASE(large_bodies_leave_the_loop)
{
	ask(LARGE, ",\"number\":3}");
	receive("\"600000 3\"");
	assert_false(test.body_on_loop);
	assert_int_equal(test.checked, 1);
	assert_int_equal(test.finished, 1);
}

CASE(large_answers_leave_the_loop)
{
	test.answer_bytes = LIMIT_LOOP_TEXT_BYTES + 1;
	ask(10, "}");
	receive("\"10 0\"");
	assert_true(test.body_on_loop);
	assert_false(test.answer_on_loop);
	assert_int_equal(test.written, 1);
}

CASE(faults_of_large_bodies_are_told)
{
	ask(LARGE, ",\"number\":30}");
	receive("HTTP/1.1 400 ");
	assert_int_equal(test.written, 0);
	ask(LARGE, "");
	receive("HTTP/1.1 400 ");
	assert_int_equal(test.finished, 2);
}

CASE(clients_may_leave)
{
	ask(LARGE, "}");
	close(test.client);
	test.client = -1;
	while (!test.finished)
		turn();
	assert_int_equal(test.written, 0);
	assert_int_equal(test.service.task_count, 0);
}

/* Work of another account in the long lane, which has one thread here. */
struct other_work {
	struct lane_job job;
	sem_t may_end;
	bool is_done;
	unsigned checked; /* bodies that were read when it was done */
};

static bool wait_for_end(struct lane_job *job)
{
	sem_wait(&container_of(job, struct other_work, job)->may_end);
	return false;
}

static void note_end(struct lane_job *job)
{
	struct other_work *work = container_of(job, struct other_work, job);

	work->is_done = true;
	work->checked = test.checked;
}

static void begin_other(struct other_work *work, uint8_t account, bool waits)
{
	unsigned retry_after_s;

	*work = (struct other_work){
	    .job = {.account = {{account}}, .size = 1, .run = wait_for_end, .done = note_end}};
	sem_init(&work->may_end, 0, waits ? 0 : 1);
	assert_int_equal(lanes_submit(&test.loop, LANE_LONG, &work->job, &retry_after_s), 0);
}

/* The rest of a body waits while others have their turns. */
CASE(a_very_large_body_takes_turns_with_others)
{
	struct other_work first, second;

	begin_other(&first, 7, /* waits= */ true);
	ask(LARGE, ",\"number\":3}");
	while (lanes_load(&test.loop, LANE_LONG) < 2)
		turn();
	begin_other(&second, 8, /* waits= */ false);
	/* Stills and small texts have threads meanwhile. */
	assert_int_equal(lanes_load(&test.loop, LANE_SHORT), 0);
	assert_int_equal(test.checked, 0);
	sem_post(&first.may_end);
	receive("\"600000 3\"");
	assert_true(first.is_done && second.is_done);
	assert_int_equal(second.checked, 0);
	sem_destroy(&first.may_end);
	sem_destroy(&second.may_end);
}

RUN_TESTS(NULL, NULL)
