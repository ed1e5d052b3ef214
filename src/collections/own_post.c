#include "own_post.h"
#include "base/require.h"

#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 16 * 1024, STATUS_AT = 9 /* behind "HTTP/1.1 " */ };

static void on_pipe_closed(uv_handle_t *handle)
{
	struct own_post *post = container_of(handle, struct own_post, pipe);
	struct buffer bytes = post->answer; /* done() may start the next one */
	struct str answer = buffer_view(&bytes), body = {0};
	const char *end = answer.length ? memmem(answer.data, answer.length, "\r\n\r\n", 4) : NULL;
	int status = 0;

	for (int i = STATUS_AT; end && i < STATUS_AT + 3 && answer.data + i < end; i++)
		status = status * 10 + (answer.data[i] - '0');
	post->is_open = false;
	post->answer = (struct buffer){0};
	buffer_finish(&post->request);
	if (end)
		body = str_from_offset(answer, (size_t)(end - answer.data) + 4);
	post->done(post, status, body);
	buffer_finish(&bytes);
}

static void close_post(struct own_post *post)
{
	if (!uv_is_closing((uv_handle_t *)&post->pipe))
		uv_close((uv_handle_t *)&post->pipe, on_pipe_closed);
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
	struct own_post *post = container_of(handle, struct own_post, pipe);

	(void)suggested;
	*ret_room = uv_buf_init(buffer_reserve(&post->answer, PIECE), PIECE);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *room)
{
	struct own_post *post = container_of(stream, struct own_post, pipe);

	(void)room;
	if (size > 0)
		buffer_commit(&post->answer, (size_t)size);
	if (size < 0 || buffer_length(&post->answer) > OWN_POST_ANSWER_MAX)
		close_post(post);
}

static void on_written(uv_write_t *request, int status)
{
	(void)request; /* the end of the socket follows */
	(void)status;
}

void own_post_start(struct own_post *post, struct loop *loop, struct http_server *http,
		    const struct http_listener_settings *listener, const char *path,
		    struct str account, struct buffer *body)
{
	int ends[2];
	uv_buf_t part;

	post->loop = loop;
	post->is_open = true;
	post->answer = (struct buffer){0};
	post->request = (struct buffer){0};
	buffer_printf(&post->request,
		      "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		      "Content-Type: application/json\r\nDisplayd-Account: %.*s\r\n"
		      "Content-Length: %zu\r\n\r\n",
		      path, STR_ARG(account), buffer_length(body));
	buffer_append_str(&post->request, buffer_view(body));
	buffer_finish(body);
	require(uv_pipe_init(&loop->uv, &post->pipe, /* ipc= */ 0) == 0);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0) {
		close_post(post);
		return;
	}
	if (http_server_adopt(http, ends[1], listener) < 0 ||
	    uv_pipe_open(&post->pipe, ends[0]) < 0) {
		close(ends[0]);
		close_post(post);
		return;
	}
	part = uv_buf_init((char *)buffer_view(&post->request).data,
			   (unsigned)buffer_length(&post->request));
	if (uv_write(&post->write, (uv_stream_t *)&post->pipe, &part, 1, on_written) < 0 ||
	    uv_read_start((uv_stream_t *)&post->pipe, give_room, on_read) < 0)
		close_post(post);
}
