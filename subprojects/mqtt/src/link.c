#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <sandboxed/inside.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 16 << 10 };

struct link *link_create(int socket)
{
	struct link *link = memory_take(sizeof(*link));

	if (!link) {
		close(socket);
		return NULL;
	}
	link->socket = socket;
	fcntl(socket, F_SETFL, O_NONBLOCK);
	return link;
}

void link_destroy(struct link *link)
{
	close(link->socket);
	while (link->socket_count)
		close(link->sockets[--link->socket_count]);
	bytes_finish(&link->in);
	bytes_finish(&link->out);
	free(link);
}

static void keep_socket(struct link *link, int socket)
{
	if (socket < 0)
		return;
	if (link->socket_count < LINK_SOCKETS_MAX) {
		link->sockets[link->socket_count++] = socket;
		return;
	}
	close(socket);
	link->is_gone = true;
}

void link_read(struct link *link)
{
	char *to = bytes_reserve(&link->in, PIECE);
	ssize_t length;
	int socket;

	if (!to) {
		link->is_gone = true;
		return;
	}
	length = inside_receive(link->socket, to, PIECE, &socket);
	keep_socket(link, socket);
	if (length > 0)
		link->in.length += (size_t)length;
	else if (length == 0 || (errno != EAGAIN && errno != EINTR))
		link->is_gone = true;
	if (link->in.length > LINK_LINE_MAX && !memchr(link->in.data, '\n', link->in.length))
		link->is_gone = true;
}

void link_write(struct link *link)
{
	ssize_t length;

	if (link->out.length == 0)
		return;
	length = send(link->socket, link->out.data, link->out.length, MSG_NOSIGNAL);
	if (length > 0)
		bytes_skip(&link->out, (size_t)length);
	else if (length < 0 && errno != EAGAIN && errno != EINTR)
		link->is_gone = true;
}

void link_say(struct link *link, const char *lines, size_t length)
{
	if (link->out.length + length <= LINK_OUT_MAX)
		bytes_add(&link->out, lines, length);
	else
		link->is_gone = true;
	link->is_gone |= link->out.failed;
}

char *link_next(struct link *link)
{
	const char *end = link->in.length ? memchr(link->in.data, '\n', link->in.length) : NULL;
	char *line;

	if (!end)
		return NULL;
	line = memory_take((size_t)(end - link->in.data) + 1);
	if (!line) {
		link->is_gone = true;
		return NULL;
	}
	memcpy(line, link->in.data, (size_t)(end - link->in.data));
	bytes_skip(&link->in, (size_t)(end - link->in.data) + 1);
	return line;
}

int link_take_socket(struct link *link)
{
	int socket = -1;

	if (link->socket_count == 0)
		return socket;
	socket = link->sockets[0];
	link->socket_count--;
	memmove(link->sockets, link->sockets + 1, link->socket_count * sizeof(int));
	return socket;
}
