/* Real sockets: how much of one a turn of the loop reads. */
#include "../cmocka_test.h"
#include "base/memory.h"
#include "http/transport.h"
#include "http/transport_plain.h"
#include "loop/loop.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SENT_BYTES = 1024 * 1024, TURN_BYTES = 64 * 1024 };

static struct loop loop;
static struct turn_end turn_end;
static size_t turn_bytes, most_turn_bytes, all_bytes;
static bool is_over;

static void on_turn_end(struct turn_end *end)
{
	(void)end;
	most_turn_bytes = turn_bytes > most_turn_bytes ? turn_bytes : most_turn_bytes;
	turn_bytes = 0;
}

static void on_data(struct http_transport *transport, struct str data)
{
	(void)transport;
	turn_bytes += data.length;
	all_bytes += data.length;
}

static void on_end(struct http_transport *transport, int error)
{
	assert_int_equal(error, 0);
	http_transport_close(transport);
}

static void on_flushed(struct http_transport *transport)
{
	(void)transport;
}

static void on_closed(struct http_transport *transport)
{
	(void)transport;
	is_over = true;
}

static const struct http_transport_events events = {
    .on_data = on_data,
    .on_end = on_end,
    .on_flushed = on_flushed,
    .on_closed = on_closed,
};

static void on_gone(struct http_transport_host *host)
{
	(void)host;
}

static struct http_transport_host host = {.loop = &loop, .on_gone = on_gone};

static void on_connection(uv_stream_t *listener, int error)
{
	struct http_transport *transport;

	assert_int_equal(error, 0);
	transport = http_transport_accept(&http_transport_plain, &host, listener);
	assert_non_null(transport);
	transport->events = &events;
	http_transport_set_reading(transport, true);
}

static int fill(int fd, size_t *left)
{
	static const char zeros[TURN_BYTES];
	ssize_t size = 1;

	while (*left > 0 && size > 0) {
		size = write(fd, zeros, *left < sizeof(zeros) ? *left : sizeof(zeros));
		*left -= size > 0 ? (size_t)size : 0;
	}
	return *left == 0 ? shutdown(fd, SHUT_WR) : 0;
}

static void a_socket_that_is_always_full_is_read_a_little_a_turn(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t length = offsetof(struct sockaddr_un, sun_path);
	int size = 4 * SENT_BYTES;
	size_t left = SENT_BYTES;
	uv_pipe_t listener;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int client = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	/* An abstract address, which the kernel chooses. */
	assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
	length = sizeof(address);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	assert_int_equal(loop_init(&loop), 0);
	turn_end.run = on_turn_end;
	turn_end_add(&loop, &turn_end);
	uv_pipe_init(&loop.uv, &listener, 0);
	assert_int_equal(uv_pipe_open(&listener, fd), 0);
	assert_int_equal(uv_listen((uv_stream_t *)&listener, 1, on_connection), 0);
	setsockopt(client, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	assert_int_equal(connect(client, (struct sockaddr *)&address, length), 0);
	fcntl(client, F_SETFL, O_NONBLOCK);
	while (!is_over) {
		if (left > 0)
			assert_int_equal(fill(client, &left), 0);
		uv_run(&loop.uv, UV_RUN_NOWAIT);
	}
	assert_int_equal(all_bytes, SENT_BYTES);
	assert_in_range(most_turn_bytes, 1, TURN_BYTES);
	close(client);
	uv_close((uv_handle_t *)&listener, NULL);
	turn_end_remove(&turn_end);
	loop_finish(&loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_socket_that_is_always_full_is_read_a_little_a_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
