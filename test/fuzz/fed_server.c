#include "fed_server.h"
#include "base/arena.h"
#include "base/require.h"

#include <sys/socket.h>
#include <unistd.h>

static int listen_somewhere(struct fed_server *fed)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	fed->address = (struct sockaddr_un){.sun_family = AF_UNIX};
	fed->length = sizeof(sa_family_t);
	require(bind(fd, (struct sockaddr *)&fed->address, fed->length) == 0);
	fed->length = sizeof(fed->address);
	require(getsockname(fd, (struct sockaddr *)&fed->address, &fed->length) == 0);
	return fd;
}

void fed_server_begin(struct fed_server *fed, const struct http_server_settings *settings,
		      const struct http_listener_settings *listener)
{
	require(loop_init(&fed->loop) == 0);
	fed->server = http_server_create(&fed->loop, settings);
	require(http_server_listen(fed->server, listen_somewhere(fed), listener) == 0);
}

void fed_server_turn(struct fed_server *fed)
{
	uv_run(&fed->loop.uv, UV_RUN_NOWAIT);
}

int fed_server_connect(struct fed_server *fed)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	require(connect(fd, (struct sockaddr *)&fed->address, fed->length) == 0);
	fed_server_turn(fed);
	return fd;
}

void fed_server_feed(struct fed_server *fed, int fd, const uint8_t *data, size_t size, size_t piece)
{
	char answer[4096];
	size_t sent = 0;

	while (sent < size) {
		size_t length = size - sent < piece ? size - sent : piece;
		ssize_t result = send(fd, data + sent, length, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (result <= 0)
			break;
		sent += (size_t)result;
		fed_server_turn(fed);
		while (recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0)
			;
	}
}

void fed_server_close(struct fed_server *fed)
{
	http_server_close(fed->server);
	while (!http_server_is_empty(fed->server))
		fed_server_turn(fed);
}

void fed_server_finish(struct fed_server *fed)
{
	fed_server_turn(fed); /* the last abandoned request is answered and freed */
	fed_server_turn(fed);
	http_server_destroy(fed->server);
	loop_finish(&fed->loop);
	arena_drop_cache();
}
