/* Real sockets: how much a turn of the loop reads from one, and how many an address may have. */
#include "../cmocka_test.h"
#include "base/memory.h"
#include "http/listener.h"
#include "http/proxies.h"
#include "http/transport.h"
#include "http/transport_plain.h"
#include "loop/loop.h"

#include <fcntl.h>
#include <netinet/in.h>
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

TEST(a_socket_that_is_always_full_is_read_a_little_a_turn)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t length = offsetof(struct sockaddr_un, sun_path);
	int size = 4 * SENT_BYTES;
	size_t left = SENT_BYTES;
	uv_pipe_t listener;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int client = socket(AF_UNIX, SOCK_STREAM, 0);

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

/* ---- the shares of a proxy's clients ---- */

enum { CONNECTIONS_MAX = 8, SHARE = 6 };

static unsigned begun, refused;
static struct sockaddr_in proxied_at;

static void on_proxied_data(struct http_transport *transport, struct str data)
{
	(void)transport;
	assert_true(str_equal(data, STR("x")));
	begun++;
}

static void on_proxied_end(struct http_transport *transport, int error)
{
	refused += error < 0;
	http_transport_close(transport);
}

static const struct http_transport_events proxied_events = {
    .on_data = on_proxied_data,
    .on_end = on_proxied_end,
    .on_flushed = on_flushed,
    .on_closed = on_closed,
};

static void on_proxied_connection(uv_stream_t *listener, int error)
{
	struct http_transport *transport;

	assert_int_equal(error, 0);
	transport = http_transport_accept(&http_transport_proxied, &host, listener);
	assert_non_null(transport);
	transport->events = &proxied_events;
	http_transport_set_reading(transport, true);
}

/* Returns the connection that begins like this, or -1 if it is refused. */
static int begin(struct str start)
{
	unsigned begun_before = begun, refused_before = refused;
	int client = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(client, (struct sockaddr *)&proxied_at, sizeof(proxied_at)), 0);
	assert_int_equal(write(client, start.data, start.length), start.length);
	while (begun == begun_before && refused == refused_before)
		uv_run(&loop.uv, UV_RUN_ONCE);
	if (begun > begun_before)
		return client;
	close(client);
	return -1;
}

static void end(int client)
{
	unsigned count = host.count;

	close(client);
	while (host.count == count)
		uv_run(&loop.uv, UV_RUN_ONCE);
}

/* Opens count connections that begin like this. If this fills a share, another one is refused. */
static void check_share(struct str start, unsigned count, bool is_full)
{
	int clients[CONNECTIONS_MAX], other;

	for (unsigned i = 0; i < count; i++)
		assert_true((clients[i] = begin(start)) >= 0);
	if (is_full) {
		assert_int_equal(begin(start), -1);
		other = begin(STR("PROXY TCP4 198.51.100.7 10.0.0.1 5 6\r\nx"));
		assert_true(other >= 0);
		end(other);
	}
	while (count > 0)
		end(clients[--count]);
}

static void check_shares(void)
{
	/* Released shares are free again. */
	check_share(STR("PROXY TCP4 192.0.2.66 10.0.0.1 5 6\r\nx"), SHARE, true);
	check_share(STR("PROXY TCP4 192.0.2.66 10.0.0.1 5 6\r\nx"), SHARE, true);
	check_share(STR("PROXY TCP6 2001:db8::1 ::1 5 6\r\nx"), SHARE, true);
	/* Connections of unknown clients, and of the proxy itself. */
	check_share(STR("PROXY UNKNOWN\r\nx"), CONNECTIONS_MAX, false);
	check_share(STR("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0x"), CONNECTIONS_MAX, false);
	check_share(STR("PROXY TCP4 127.0.0.1 10.0.0.1 5 6\r\nx"), CONNECTIONS_MAX, false);
}

TEST(clients_of_a_proxy_have_shares)
{
	struct http_proxies proxies = {.count = 1};
	socklen_t length = sizeof(proxied_at);
	uv_tcp_t listener;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(network_read("127.0.0.1", &proxies.networks[0]));
	proxied_at = (struct sockaddr_in){.sin_family = AF_INET};
	proxied_at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&proxied_at, length), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&proxied_at, &length), 0);
	assert_int_equal(loop_init(&loop), 0);
	uv_tcp_init(&loop.uv, &listener);
	assert_int_equal(uv_tcp_open(&listener, fd), 0);
	assert_int_equal(uv_listen((uv_stream_t *)&listener, 16, on_proxied_connection), 0);
	host.proxies = &proxies;
	host.connections_max = CONNECTIONS_MAX;
	check_shares();
	uv_close((uv_handle_t *)&listener, NULL);
	loop_finish(&loop);
}

RUN_TESTS(NULL, NULL)
