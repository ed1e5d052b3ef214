#include "main/own_request.h"
#include "base/list.h"

#include <errno.h>
#include <sys/socket.h>
#include <text/str.h>
#include <unistd.h>

static const char question[] =
    "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
static const char good_answer[] = "HTTP/1.1 200 ";

static void on_closed(uv_handle_t *handle)
{
	struct own_request *request = container_of(handle, struct own_request, poll);

	close(request->fd);
}

void own_request_stop(struct own_request *request)
{
	if (request->fd >= 0 && !uv_is_closing((uv_handle_t *)&request->poll))
		uv_close((uv_handle_t *)&request->poll, on_closed);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct own_request *request = container_of(poll, struct own_request, poll);
	char answer[sizeof(good_answer)];
	ssize_t size = recv(request->fd, answer, sizeof(answer), MSG_DONTWAIT);

	(void)status;
	(void)events;
	if (size < 0 && errno == EAGAIN)
		return;
	own_request_stop(request);
	request->done(request, str_starts_with((struct str){answer, size > 0 ? (size_t)size : 0},
					       STR(good_answer)));
}

int own_request_start(struct own_request *request, struct loop *loop, struct http_server *http,
		      const struct http_listener_settings *listener)
{
	int ends[2], error;

	request->fd = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	error = http_server_adopt(http, ends[1], listener);
	if (error == 0 && send(ends[0], question, sizeof(question) - 1, MSG_NOSIGNAL) < 0)
		error = -errno;
	if (error == 0)
		error = uv_poll_init(&loop->uv, &request->poll, ends[0]);
	if (error < 0) {
		close(ends[0]);
		return error;
	}
	request->fd = ends[0];
	return uv_poll_start(&request->poll, UV_READABLE, on_readable);
}
