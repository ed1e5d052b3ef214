#include "ctl/server/server_socket.h"
#include "ctl/server/stream.h"
#include "main/state_dir.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <wire/head.h>

enum {
	PIECE_BYTES = 64 * 1024,
	HEAD_BYTES_MAX = 64 * 1024,
	BODY_BYTES_MAX = 64 * 1024 * 1024, /* of a server that somebody else runs */
};

struct connection {
	struct stream stream;
	struct wire_parser parser;
	const struct server_request *request;
	struct server_answer *answer;
	size_t body_most;
};

static enum server_result open_socket(const struct server_place *place, struct stream *ret,
				      struct reason *reterr)
{
	const char *state_dir = place->state_dir;
	char path[PATH_MAX];
	int error;

	snprintf(path, sizeof(path), "%s/%s", state_dir, STATE_DIR_SOCKET);
	error = stream_connect_socket(path, place->patience_ms, ret);
	if (error == 0)
		return SERVER_ANSWERED;
	if (error == -ENOENT || error == -ECONNREFUSED) {
		reason_set(reterr, "no server runs with the state directory %s", state_dir);
		return SERVER_UNAVAILABLE;
	}
	if (error == -EACCES)
		reason_set(
		    reterr,
		    "the server of %s belongs to another user; run this as that user or as root",
		    state_dir);
	else
		reason_set(reterr, "cannot reach the server of %s: %s", state_dir,
			   strerror(-error));
	return SERVER_FAILED;
}

static enum server_result open_place(const struct server_place *place, struct stream *ret,
				     struct reason *reterr)
{
	if (place->state_dir)
		return open_socket(place, ret, reterr);
	return stream_connect_url(place->url, place->tls, place->patience_ms, ret, reterr) < 0
		   ? SERVER_UNREACHED
		   : SERVER_ANSWERED;
}

/* ---- the request ---- */

static void write_request(const struct server_place *place, const struct server_request *request,
			  struct buffer *text)
{
	buffer_printf(text, "%s %.*s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n",
		      request->method, STR_ARG(request->path),
		      place->state_dir ? "displayd" : place->url->authority);
	if (request->account.data)
		buffer_printf(text, "Displayd-Account: %.*s\r\n", STR_ARG(request->account));
	if (request->body.data)
		buffer_printf(text, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
			      request->body.length);
	buffer_append_str(text, request->fields);
	buffer_append_str(text, STR("\r\n"));
	if (request->body.data)
		buffer_append_str(text, request->body);
}

/* ---- the answer ---- */

static bool on_field(void *context, const char *name, size_t name_length, const char *value,
		     size_t value_length)
{
	struct connection *connection = context;
	struct buffer *fields = &connection->answer->fields;

	buffer_append(fields, name, name_length);
	buffer_append_char(fields, ':');
	buffer_append(fields, value, value_length);
	buffer_append_char(fields, '\n');
	return true;
}

static bool on_body(void *context, const void *data, size_t size)
{
	struct connection *connection = context;
	const struct server_request *request = connection->request;

	if (request->take && connection->answer->status == 200)
		return request->take(request->take_context, data, size);
	if (buffer_length(&connection->answer->body) + size > connection->body_most)
		return false;
	buffer_append(&connection->answer->body, data, size);
	return true;
}

static const struct wire_parser_events events = {.on_field = on_field, .on_body = on_body};

/* Returns the bytes that came; 0: the end. Negative: an error. */
static ssize_t read_piece(struct connection *connection, struct buffer *text)
{
	ssize_t got =
	    stream_read(&connection->stream, buffer_reserve(text, PIECE_BYTES), PIECE_BYTES);

	if (got > 0)
		buffer_commit(text, (size_t)got);
	return got;
}

static enum server_result fail_read(const struct connection *connection, ssize_t got,
				    struct reason *reterr)
{
	const struct stream *stream = &connection->stream;
	bool is_late = got < 0 && errno == EAGAIN;

	if (stream->has_failed_tls) {
		reason_set(reterr, "%s", wire_tls_fault(stream->tls));
		return SERVER_FAILED;
	}
	reason_set(reterr, "the server does not answer: %s",
		   is_late    ? "it may be busy or stopped"
		   : got == 0 ? "it has closed the connection"
			      : strerror(errno));
	return is_late ? SERVER_FAILED : SERVER_UNAVAILABLE;
}

static enum server_result fail_answer(struct reason *reterr)
{
	reason_set(reterr, "the server's answer is malformed");
	return SERVER_FAILED;
}

/* *ret_size: of the head, of which text may hold more. */
static enum server_result read_head(struct connection *connection, struct buffer *text,
				    size_t *ret_size, struct reason *reterr)
{
	const char *end = NULL;

	while (!end) {
		ssize_t got = read_piece(connection, text);
		struct str view = buffer_view(text);

		if (got <= 0)
			return fail_read(connection, got, reterr);
		end = memmem(view.data, view.length, "\r\n\r\n", 4);
		if (!end && view.length > HEAD_BYTES_MAX)
			return fail_answer(reterr);
		*ret_size = end ? (size_t)(end - view.data) + 4 : 0;
	}
	return SERVER_ANSWERED;
}

static enum server_result read_body(struct connection *connection, struct str piece,
				    struct reason *reterr)
{
	struct buffer text = {0};
	enum server_result result = SERVER_ANSWERED;
	enum wire_body_result state;
	size_t used;

	state = wire_body_read(&connection->parser, connection, piece.data, piece.length, &used);
	while (state == WIRE_BODY_MORE && result == SERVER_ANSWERED) {
		ssize_t got;

		buffer_clear(&text);
		got = read_piece(connection, &text);
		if (got == 0 && wire_body_ends(&connection->parser))
			break;
		if (got <= 0)
			result = fail_read(connection, got, reterr);
		else
			state = wire_body_read(&connection->parser, connection,
					       buffer_view(&text).data, (size_t)got, &used);
	}
	buffer_finish(&text);
	if (state == WIRE_BODY_STOPPED && connection->request->take)
		return SERVER_STOPPED;
	return state == WIRE_BODY_MALFORMED || state == WIRE_BODY_STOPPED ? fail_answer(reterr)
									  : result;
}

static enum server_result read_answer(struct connection *connection, struct reason *reterr)
{
	struct buffer text = {0};
	struct wire_head head = {0};
	size_t size = 0;
	enum server_result result = read_head(connection, &text, &size, reterr);

	if (result == SERVER_ANSWERED &&
	    wire_head_read(&connection->parser, HTTP_RESPONSE, &events, connection,
			   buffer_view(&text).data, size, &head) != WIRE_HEAD_COMPLETE)
		result = fail_answer(reterr);
	connection->answer->status = head.status;
	if (result == SERVER_ANSWERED)
		result = read_body(connection, str_from_offset(buffer_view(&text), size), reterr);
	buffer_finish(&text);
	return result;
}

enum server_result server_socket_ask(const struct server_place *place,
				     const struct server_request *request,
				     struct server_answer *ret_answer, struct reason *reterr)
{
	struct connection connection = {.request = request,
					.answer = ret_answer,
					.body_most = place->state_dir ? SIZE_MAX : BODY_BYTES_MAX};
	struct buffer text = {0};
	enum server_result result;

	*ret_answer = (struct server_answer){0};
	result = open_place(place, &connection.stream, reterr);
	if (result == SERVER_ANSWERED) {
		if (request->patience_ms)
			connection.stream.piece_ms = request->patience_ms;
		write_request(place, request, &text);
		/* A server that has enough answers before it has read all. */
		if (!stream_write(&connection.stream, buffer_view(&text)) && errno != EPIPE)
			result = fail_read(&connection, -1, reterr);
		else
			result = read_answer(&connection, reterr);
	}
	buffer_finish(&text);
	stream_close(&connection.stream);
	return result;
}

void server_answer_finish(struct server_answer *answer)
{
	buffer_finish(&answer->body);
	buffer_finish(&answer->fields);
	*answer = (struct server_answer){0};
}

int server_socket_get(const char *state_dir, const char *path, struct buffer *ret_text,
		      struct str *ret_body, struct reason *reterr)
{
	struct server_answer answer;
	enum server_result result = server_socket_ask(
	    &(struct server_place){.state_dir = state_dir},
	    &(struct server_request){.method = "GET", .path = str_from(path)}, &answer, reterr);

	buffer_finish(&answer.fields);
	*ret_text = answer.body;
	*ret_body = buffer_view(ret_text);
	if (result != SERVER_ANSWERED)
		return -1;
	if (answer.status == 200)
		return 0;
	return reason_set(reterr, "the server rejected the request: status %d", answer.status);
}
