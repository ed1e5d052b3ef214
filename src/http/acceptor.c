#include "http/acceptor.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "http/connection.h"
#include "metric/metric.h"

#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

static void accept_one(struct http_listener *listener)
{
	struct http_transport_host *transports = listener->transports;
	struct http_transport *transport;

	/* libuv keeps the connection, and accepts no further one until this one is taken. */
	listener->has_waiting =
	    listener->connections->settings.waits_to_accept ||
	    (transports->connections_max > 0 && transports->count >= transports->connections_max);
	if (listener->has_waiting)
		return;
	transport =
	    http_transport_accept(listener->settings.transport, transports, &listener->uv.stream);
	if (!transport)
		return;
	metric_add(METRIC_HTTP_ACCEPTED, 0, 1);
	http_connection_create(listener->connections, &listener->settings, transport);
}

void http_listener_accept_waiting(struct http_listener *listener)
{
	if (listener->has_waiting)
		accept_one(listener);
}

/* A connection that waits while no descriptor is left makes libuv try again without pause. So a
 * reserve is kept: closing it lets libuv accept the connection, which is closed at once, and the
 * reserve is opened again. libuv has a reserve, too, but opens a file to restore it, which a worker
 * in its sandbox may not. */
static bool take_reserve(struct http_listener *listener)
{
	if (listener->reserve_fd < 0)
		listener->reserve_fd = eventfd(0, EFD_CLOEXEC);
	return listener->reserve_fd >= 0;
}

static void give_reserve(struct http_listener *listener)
{
	if (listener->reserve_fd >= 0)
		close(listener->reserve_fd);
	listener->reserve_fd = -1;
}

static void on_dropped(uv_handle_t *handle)
{
	free(handle->data);
}

static void drop_one(struct http_listener *listener)
{
	union stream_handle *one = memory_zalloc(sizeof(*one));
	uv_loop_t *uv = &listener->connections->loop->uv;

	if (listener->uv.handle.type == UV_NAMED_PIPE)
		uv_pipe_init(uv, &one->pipe, 0);
	else
		uv_tcp_init(uv, &one->tcp);
	one->handle.data = one;
	/* If uv_accept() fails, no connection is pending. */
	(void)uv_accept(&listener->uv.stream, &one->stream);
	uv_close(&one->handle, on_dropped);
}

static void on_connection(uv_stream_t *stream, int error)
{
	struct http_listener *listener = stream->data;
	uint64_t now_s = loop_now_ms(listener->connections->loop) / 1000;

	if (!error && take_reserve(listener)) {
		accept_one(listener);
		return;
	}
	if (error) {
		give_reserve(listener);
	} else {
		error = UV_EMFILE;
		drop_one(listener);
		(void)take_reserve(listener);
	}
	metric_add(METRIC_HTTP_REFUSED, METRIC_REFUSED_DESCRIPTORS, 1);
	/* Log this at most once a second. */
	if (now_s != listener->failed_s)
		log_warn("http", "cannot accept a connection",
			 LOG_TEXT("error", uv_strerror(error)));
	listener->failed_s = now_s;
}

static void on_closed(uv_handle_t *handle)
{
	struct http_listener *listener = handle->data;

	listener->is_open = false;
}

void http_listener_close(struct http_listener *listener)
{
	if (listener->is_closing)
		return;
	listener->is_closing = true;
	listener->has_waiting = false;
	give_reserve(listener);
	uv_close(&listener->uv.handle, on_closed);
}

/* Accepted connections inherit this from their listener: the kernel takes only so much more than it
 * can send to the peer now (tcp(7), TCP_NOTSENT_LOWAT), instead of megabytes. The rest is unsent
 * output, which is counted here, and shows a peer that does not read. Not needed for a unix socket,
 * whose kernel buffer is small. */
static void limit_ahead(int fd)
{
	int bytes = LIMIT_AHEAD_BYTES;

	setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof(bytes));
}

static int open_handle(struct http_listener *listener, int fd)
{
	uv_loop_t *uv = &listener->connections->loop->uv;
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
		uv_tcp_init(uv, &listener->uv.tcp);
		return UV_EBADF;
	}
	if (address.ss_family == AF_UNIX) {
		uv_pipe_init(uv, &listener->uv.pipe, 0);
		return uv_pipe_open(&listener->uv.pipe, fd);
	}
	limit_ahead(fd);
	uv_tcp_init(uv, &listener->uv.tcp);
	return uv_tcp_open(&listener->uv.tcp, fd);
}

int http_listener_open(struct http_listener *listener, int fd)
{
	int error;

	if (!listener->settings.transport)
		listener->settings.transport = &http_transport_plain;
	error = open_handle(listener, fd);
	listener->reserve_fd = -1;
	(void)take_reserve(listener);
	listener->is_open = true;
	listener->uv.handle.data = listener;
	if (!error)
		error = uv_listen(&listener->uv.stream, BACKLOG, on_connection);
	if (error) {
		uv_os_fd_t open_fd;

		if (uv_fileno(&listener->uv.handle, &open_fd) != 0)
			close(fd); /* no handle owns it */
		http_listener_close(listener);
	}
	return error;
}
