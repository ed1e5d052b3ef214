#include "http/socket.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/server_private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

struct socket_write {
	uv_write_t request;
	char copy[];
};

struct http_socket *http_socket_accept(struct http_server *server, uv_stream_t *listener)
{
	struct http_socket *socket = memory_zalloc(sizeof(*socket));
	bool is_tcp = listener->type == UV_TCP;

	if (is_tcp)
		uv_tcp_init(&server->loop->uv, &socket->uv.tcp);
	else
		uv_pipe_init(&server->loop->uv, &socket->uv.pipe, 0);
	socket->uv.handle.data = socket;
	socket->server = server;
	server->socket_count++;
	if (uv_accept(listener, &socket->uv.stream) != 0) {
		http_socket_close(socket);
		return NULL;
	}
	if (is_tcp)
		uv_tcp_nodelay(&socket->uv.tcp, 1);
	return socket;
}

size_t http_socket_address(const struct http_socket *socket,
			   char ret_text[static HTTP_SOCKET_ADDRESS_BYTES])
{
	struct sockaddr_storage address;
	int length = sizeof(address);
	const char *text = "unix";

	if (socket->uv.handle.type == UV_TCP) {
		text = "unknown";
		if (uv_tcp_getpeername(&socket->uv.tcp, (struct sockaddr *)&address, &length) ==
			0 &&
		    uv_ip_name((struct sockaddr *)&address, ret_text, HTTP_SOCKET_ADDRESS_BYTES) ==
			0)
			text = str_starts_with(str_from(ret_text), STR("::ffff:")) ? ret_text + 7
										   : ret_text;
	}
	memmove(ret_text, text, strlen(text) + 1);
	return strlen(ret_text);
}

static void on_alloc(uv_handle_t *handle, size_t suggested_size, uv_buf_t *ret_buffer)
{
	struct http_socket *socket = handle->data;

	(void)suggested_size;
	*ret_buffer = uv_buf_init(socket->server->read_buffer, READ_BUFFER_BYTES);
}

/* Behind the end of what the peer sends: whether it can still read. A reset that follows data is
 * reported by libuv as a plain end. */
static bool is_hung_up(const struct http_socket *socket)
{
	struct pollfd poll_fd = {0};

	return uv_fileno(&socket->uv.handle, &poll_fd.fd) == 0 && poll(&poll_fd, 1, 0) == 1 &&
	       poll_fd.revents & (POLLHUP | POLLERR);
}

static void end(struct http_socket *socket, int error)
{
	if (socket->is_closing || (socket->is_ended && error == 0))
		return;
	if (error == 0 && is_hung_up(socket))
		error = -ECONNRESET;
	http_socket_set_reading(socket, false);
	socket->is_ended = true;
	socket->events->on_end(socket, error);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
	struct http_socket *socket = stream->data;

	if (socket->is_closing || size == 0)
		return;
	if (size < 0)
		end(socket, size == UV_EOF ? 0 : (int)size);
	else
		socket->events->on_data(socket, (struct str){buffer->base, (size_t)size});
}

void http_socket_set_reading(struct http_socket *socket, bool on)
{
	on = on && !socket->is_ended && !socket->is_closing;
	if (on == socket->is_reading)
		return;
	socket->is_reading = on;
	if (!on)
		uv_read_stop(&socket->uv.stream);
	else
		require(uv_read_start(&socket->uv.stream, on_alloc, on_read) == 0);
}

size_t http_socket_pending(const struct http_socket *socket)
{
	return uv_stream_get_write_queue_size(&socket->uv.stream);
}

static void on_write(uv_write_t *request, int status)
{
	struct http_socket *socket = request->handle->data;

	free(container_of(request, struct socket_write, request));
	if (socket->is_closing)
		return;
	if (status < 0)
		end(socket, status);
	else if (http_socket_pending(socket) == 0)
		socket->events->on_flushed(socket);
}

static int queue(struct http_socket *socket, uv_buf_t *buffers, unsigned count, size_t size,
		 bool copy)
{
	struct socket_write *write = memory_alloc(sizeof(*write) + (copy ? size : 0));
	size_t offset = 0;
	int error;

	for (unsigned i = 0; copy && i < count; i++) {
		if (buffers[i].len == 0)
			continue;
		memcpy(write->copy + offset, buffers[i].base, buffers[i].len);
		offset += buffers[i].len;
	}
	if (copy) {
		buffers[0] = uv_buf_init(write->copy, (unsigned)size);
		count = 1;
	}
	if (http_socket_pending(socket) == 0) {
		socket->taken_bytes = socket->queued_bytes;
		socket->taken_at_ms = loop_now_ms(socket->server->loop);
	}
	error = uv_write(&write->request, &socket->uv.stream, buffers, count, on_write);
	if (error)
		free(write);
	else
		socket->queued_bytes += size;
	return error;
}

int http_socket_send(struct http_socket *socket, const struct str *parts, unsigned count, bool copy)
{
	uv_buf_t buffers[HTTP_SOCKET_PARTS_MAX];
	size_t size = 0;
	unsigned first = 0;
	int written = 0;

	require(count <= HTTP_SOCKET_PARTS_MAX);
	if (socket->is_closing)
		return -ECONNRESET;
	for (unsigned i = 0; i < count; i++) {
		buffers[i].base = (char *)parts[i].data;
		buffers[i].len = parts[i].length;
		size += parts[i].length;
	}
	if (http_socket_pending(socket) == 0) {
		written = uv_try_write(&socket->uv.stream, buffers, count);
		if (written == UV_EAGAIN)
			written = 0;
		if (written < 0)
			return written;
	}
	size -= (size_t)written;
	if (size == 0)
		return 0;
	while ((size_t)written >= buffers[first].len)
		written -= (int)buffers[first++].len;
	buffers[first].base += written;
	buffers[first].len -= (size_t)written;
	return queue(socket, buffers + first, count - first, size, copy);
}

bool http_socket_is_stalled(struct http_socket *socket, uint64_t limit_ms)
{
	uint64_t now = loop_now_ms(socket->server->loop);
	uint64_t taken = socket->queued_bytes - http_socket_pending(socket);

	if (taken != socket->taken_bytes || http_socket_pending(socket) == 0) {
		socket->taken_bytes = taken;
		socket->taken_at_ms = now;
	}
	return now - socket->taken_at_ms >= limit_ms;
}

void http_socket_shutdown(struct http_socket *socket)
{
	uv_os_fd_t fd;

	if (!socket->is_closing && uv_fileno(&socket->uv.handle, &fd) == 0)
		shutdown(fd, SHUT_WR);
}

bool http_socket_has_input(const struct http_socket *socket)
{
	uv_os_fd_t fd;
	char byte;

	return uv_fileno(&socket->uv.handle, &fd) == 0 &&
	       recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static void on_close(uv_handle_t *handle)
{
	struct http_socket *socket = handle->data;
	struct http_server *server = socket->server;

	if (socket->events)
		socket->events->on_closed(socket);
	free(socket);
	http_server_on_socket_closed(server);
}

void http_socket_close(struct http_socket *socket)
{
	if (socket->is_closing)
		return;
	socket->is_closing = true;
	socket->is_reading = false;
	uv_close(&socket->uv.handle, on_close);
}
