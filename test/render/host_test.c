/* The render host with workers played by the test, one of them untrusted. */
#include "../unit/cmocka_test.h"
#include "base/limits.h"
#include "base/process.h"
#include "main/program.h"
#include "main/render_host.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 2, PATIENCE_MS = 60 * 1000, FIRST = 100 };

static int host_ends[WORKERS];
static int ends[WORKERS];
static pid_t host;
static bool renders = true;

static int run_host(void *context)
{
	struct render_host_settings settings = {
	    .sockets = host_ends, .workers = WORKERS, .renders = renders};

	(void)context;
	for (int i = 0; i < WORKERS; i++)
		close(ends[i]);
	return render_host_run(&settings);
}

static struct host_message hear(int worker, int *ret_link)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct host_message message = {0};
	struct iovec part = {.iov_base = &message, .iov_len = sizeof(message)};
	struct msghdr packet = {.msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = control.bytes,
				.msg_controllen = sizeof(control.bytes)};
	struct pollfd waits = {.fd = ends[worker], .events = POLLIN};

	assert_int_equal(poll(&waits, 1, PATIENCE_MS), 1);
	assert_int_equal(recvmsg(ends[worker], &packet, MSG_CMSG_CLOEXEC), sizeof(message));
	*ret_link = -1;
	if (packet.msg_controllen > 0)
		memcpy(ret_link, CMSG_DATA(&control.header), sizeof(int));
	return message;
}

static struct host_message expect(int worker, enum host_message_kind kind)
{
	int link;
	struct host_message message = hear(worker, &link);

	assert_int_equal(message.kind, kind);
	assert_int_equal(link, -1);
	return message;
}

static void tell(int worker, struct host_message message)
{
	assert_int_equal(send(ends[worker], &message, sizeof(message), 0), sizeof(message));
}

/* Returns the renderer socket. */
static int start(int worker, uint32_t number)
{
	struct host_message message;
	int link;

	tell(worker, (struct host_message){
			 .kind = HOST_START, .number = number, .program = RENDER_TYPESCRIPT});
	message = hear(worker, &link);
	assert_int_equal(message.kind, HOST_STARTED);
	assert_int_equal(message.number, number);
	assert_true(link >= 0);
	return link;
}

static bool has_ended(int link)
{
	struct pollfd waits = {.fd = link, .events = POLLIN};
	char bytes[1024];

	while (poll(&waits, 1, 0) == 1)
		if (read(link, bytes, sizeof(bytes)) <= 0)
			return true;
	return false;
}

static int start_host(void **state)
{
	struct process process = {.run = run_host, .death_signal = SIGKILL};

	(void)state;
	for (int i = 0; i < WORKERS; i++) {
		int both[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) != 0)
			return -1;
		host_ends[i] = both[0];
		ends[i] = both[1];
	}
	host = process_start(&process);
	for (int i = 0; i < WORKERS; i++) {
		if (expect(i, HOST_HELLO).value != host)
			return -1;
		tell(i, (struct host_message){.kind = HOST_HELLO, .value = FIRST + i});
		/* The worker may have started after the host. */
		if (expect(i, HOST_HELLO).value != host)
			return -1;
	}
	return 0;
}

static int stop_host(void **state)
{
	int status = 0;

	(void)state;
	kill(host, SIGTERM);
	waitpid(host, &status, 0);
	for (int i = 0; i < WORKERS; i++) {
		close(ends[i]);
		close(host_ends[i]);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

#define CASE(name) TEST_IN(name, start_host, stop_host)

CASE(test_a_renderer_starts_greets_and_is_ended)
{
	struct host_message message;
	char bytes[1024];
	int link = start(0, 1), status;

	assert_int_equal(recv(link, bytes, 9, MSG_WAITALL), 9);
	assert_int_equal(bytes[8], '{');
	tell(0, (struct host_message){.kind = HOST_KILL, .number = 1});
	message = expect(0, HOST_ENDED);
	status = message.value;
	assert_int_equal(message.number, 1);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_in_range(message.program, 1, 60 * 1000); /* ms of CPU time */
	close(link);
}

CASE(test_one_whose_link_is_closed_ends)
{
	close(start(0, 1));
	assert_int_equal(expect(0, HOST_ENDED).number, 1);
}

/* Tries everything that a compromised worker may try. */
CASE(test_a_worker_has_its_own_alone)
{
	int own = start(0, 1), other = start(1, 1), third = start(1, 2);

	tell(0, (struct host_message){.kind = HOST_KILL, .number = 2});
	tell(0, (struct host_message){.kind = HOST_HELLO, .value = FIRST + 1});
	assert_int_equal(expect(0, HOST_HELLO).value, host);
	/* Its own renderers belong to a worker before it. */
	while (!has_ended(own))
		continue;
	tell(1, (struct host_message){.kind = HOST_KILL, .number = 2});
	assert_int_equal(expect(1, HOST_ENDED).number, 2);
	assert_false(has_ended(other));
	assert_true(has_ended(third));
	close(own);
	close(other);
	close(third);
}

CASE(test_what_is_no_message)
{
	static const struct host_message odd[] = {
	    {.kind = HOST_START, .program = RENDER_PROGRAM_COUNT, .number = 1},
	    {.kind = HOST_START, .program = UINT32_MAX, .number = 2},
	};
	static const uint32_t kinds[] = {HOST_STARTED, HOST_FAILED, HOST_ENDED, 77, UINT32_MAX};
	char bytes[64] = {0};

	for (size_t size = 1; size < sizeof(bytes); size++)
		if (size != sizeof(struct host_message))
			assert_int_equal(send(ends[0], bytes, size, 0), size);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		tell(0, (struct host_message){.kind = kinds[i], .number = 9});
	tell(0, (struct host_message){.kind = HOST_KILL, .number = 9});
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		struct host_message message;

		tell(0, odd[i]);
		message = expect(0, HOST_FAILED);
		assert_int_equal(message.number, i + 1);
		assert_int_equal(message.value, ENOENT);
	}
	close(start(0, 3));
}

CASE(test_a_worker_has_so_many)
{
	static int links[LIMIT_RENDERERS_OF_WORKER];
	struct host_message message;

	for (uint32_t i = 0; i < LIMIT_RENDERERS_OF_WORKER; i++)
		links[i] = start(0, i);
	tell(0, (struct host_message){
		    .kind = HOST_START, .number = 1000, .program = RENDER_TYPESCRIPT});
	message = expect(0, HOST_FAILED);
	assert_int_equal(message.number, 1000);
	assert_int_equal(message.value, EAGAIN);
	close(start(1, 1));
	for (unsigned i = 0; i < LIMIT_RENDERERS_OF_WORKER; i++)
		close(links[i]);
	for (unsigned i = 0; i < LIMIT_RENDERERS_OF_WORKER; i++)
		(void)expect(0, HOST_ENDED);
	close(start(0, 2000));
}

/* --renderers 0, whatever a worker requests. */
static int start_host_without_renderers(void **state)
{
	renders = false;
	return start_host(state);
}

static int stop_host_without_renderers(void **state)
{
	renders = true;
	return stop_host(state);
}

TEST_IN(test_without_renderers_it_starts_the_egress_alone, start_host_without_renderers,
	stop_host_without_renderers)
{
	static const enum render_program refused[] = {RENDER_STARLARK, RENDER_TYPESCRIPT,
						      RENDER_COMPILER};
	struct program program;
	int link;

	for (unsigned i = 0; i < 3; i++) {
		tell(0,
		     (struct host_message){.kind = HOST_START, .number = i, .program = refused[i]});
		assert_int_equal(expect(0, HOST_FAILED).value, ENOENT);
	}
	if (!program_find(RENDER_EGRESS, false, &program))
		return;
	tell(0, (struct host_message){.kind = HOST_START, .number = 7, .program = RENDER_EGRESS});
	assert_int_equal(hear(0, &link).kind, HOST_STARTED);
	assert_true(link >= 0);
	close(link);
}

CASE(test_all_end_with_it)
{
	int link = start(0, 1), status = 0;

	kill(host, SIGKILL);
	waitpid(host, &status, 0);
	while (!has_ended(link))
		continue;
	close(link);
	for (int i = 0; i < WORKERS; i++) {
		close(ends[i]);
		close(host_ends[i]);
	}
	assert_int_equal(start_host(state), 0);
}

int main(void)
{
	struct program program;

	signal(SIGPIPE, SIG_IGN);
	if (!program_find(RENDER_TYPESCRIPT, false, &program))
		return 77; /* skipped: this is the smallest one */
	return run_all_tests(NULL, NULL);
}
