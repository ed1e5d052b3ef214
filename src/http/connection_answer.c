#include "base/limits.h"
#include "base/require.h"
#include "http/connection.h"
#include "http/head_scan.h"
#include "http/response_text.h"
#include "http/server_private.h"

/* Whether the connection cannot be used for another request. */
static bool must_end(const struct http_connection *connection, const struct http_response *response)
{
	const struct http_exchange *exchange = connection->exchange;

	if (response->close || !exchange->keep_alive || connection->saw_end ||
	    connection->server->is_draining)
		return true;
	if (exchange->body_state == EXCHANGE_BODY_BROKEN)
		return true;
	if (exchange->body_state != EXCHANGE_BODY_UNREAD)
		return false;
	/* The client waits for a "100 Continue" and may send the body or not. */
	return exchange->expects_continue ||
	       exchange->content_length > LIMIT_DISCARDED_BODY_BYTES + exchange->body_bytes;
}

void connection_answer(struct http_connection *connection, const struct http_response *response)
{
	struct http_exchange *exchange = connection->exchange;
	struct str parts[2];
	int error;

	connection->ends = must_end(connection, response);
	parts[0] =
	    response_text(exchange, connection->server, response, connection->ends, &parts[1]);
	exchange->sent_bytes = parts[0].length + parts[1].length;
	connection_move(connection, CONNECTION_WRITING);
	error = http_socket_send(connection->socket, parts, parts[1].length ? 2 : 1,
				 /* copy= */ false);
	if (error)
		http_connection_close(connection);
	else if (http_socket_pending(connection->socket) == 0)
		connection_on_written(connection);
	else
		deadline_set(exchange->loop, &connection->deadline,
			     connection->server->settings.write_stall_ms / 4 + 1);
}

/* Whether nothing more can be on its way from the client: closing then loses nothing. */
static bool is_at_end(const struct http_connection *connection)
{
	const struct http_exchange *exchange = connection->exchange;

	if (connection->saw_end)
		return true;
	return !exchange->keep_alive && !connection->has_more &&
	       buffer_length(&connection->parked) == 0 &&
	       (exchange->body_state == EXCHANGE_BODY_NONE ||
		exchange->body_state == EXCHANGE_BODY_READ);
}

void connection_on_written(struct http_connection *connection)
{
	struct http_exchange *exchange = connection->exchange;

	http_exchange_log(exchange);
	if (connection->ends) {
		if (is_at_end(connection))
			http_connection_close(connection);
		else
			connection_linger(connection);
		return;
	}
	if (exchange->body_state == EXCHANGE_BODY_UNREAD) {
		exchange->body_bytes = 0; /* from now on those that are dropped */
		connection_move(connection, CONNECTION_DISCARDING);
	} else {
		connection->exchange = NULL;
		http_exchange_free(exchange);
		connection_move(connection, CONNECTION_IDLE);
	}
	connection_go_on(connection);
}

/* RFC 9112 section 9.6: says that no more comes, and reads on for a while. Closing at once would
 * reset the connection, and with it the answer, when the client is still sending. */
void connection_linger(struct http_connection *connection)
{
	http_exchange_free(connection->exchange);
	connection->exchange = NULL;
	connection_move(connection, CONNECTION_LINGERING);
	http_socket_shutdown(connection->socket);
	connection_go_on(connection);
}

void connection_refuse(struct http_connection *connection, struct http_rejection rejection)
{
	const struct http_response base = {.close = true};
	struct http_exchange *exchange = connection->exchange;
	struct http_request *request = &exchange->request;
	struct str head = {exchange->head, exchange->scan.length};

	if (!request->method_text.data && str_starts_with(head, STR("HEAD ")))
		request->method = HTTP_HEAD;
	if (!request->remote_address.data)
		request->remote_address = arena_copy(
		    &request->arena, (struct str){connection->remote, connection->remote_length});
	if (!request->request_id.data)
		http_exchange_set_id(exchange, connection->server);
	exchange->body_state = EXCHANGE_BODY_BROKEN;
	http_respond_problem(request, rejection.status, str_from(rejection.detail), STR(""), &base);
}

static bool is_printable(struct str text)
{
	for (size_t i = 0; i < text.length; i++) {
		unsigned char c = (unsigned char)text.data[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

void http_response_add(struct http_response *response, struct str name, struct str value)
{
	require(response->field_count < HTTP_RESPONSE_FIELDS_MAX);
	require(is_token(name) && is_printable(value));
	response->fields[response->field_count++] = (struct http_field){name, value};
}

void http_respond(struct http_request *request, const struct http_response *response)
{
	struct http_exchange *exchange = http_exchange_of(request);

	require(!exchange->is_answered);
	exchange->is_answered = true;
	exchange->status = response->status;
	exchange->done = NULL;
	loop_later_cancel(&exchange->later);
	if (request->connection) {
		connection_answer(request->connection, response);
		return;
	}
	http_exchange_log(exchange);
	http_exchange_free(exchange);
}

void http_respond_problem(struct http_request *request, int status, struct str detail,
			  struct str extra_members, const struct http_response *base)
{
	struct http_response response = base ? *base : (struct http_response){0};

	response.status = status;
	response.content_type = STR("application/problem+json");
	response.body = problem_text(&request->arena, status, detail, extra_members);
	http_respond(request, &response);
}

static void start_body(struct http_connection *connection)
{
	static const struct str go_on = {"HTTP/1.1 100 Continue\r\n\r\n", 25};
	struct http_exchange *exchange = connection->exchange;
	bool has_input = connection->has_more || buffer_length(&connection->parked) > 0;

	connection_move(connection, CONNECTION_BODY);
	if (exchange->expects_continue && !has_input &&
	    http_socket_send(connection->socket, &go_on, 1, /* copy= */ true) != 0) {
		http_connection_close(connection);
		return;
	}
	exchange->expects_continue = false;
	connection_go_on(connection);
}

void http_request_read_body(struct http_request *request, size_t max_bytes,
			    void (*done)(struct http_request *request, int status))
{
	struct http_exchange *exchange = http_exchange_of(request);
	struct http_connection *connection = request->connection;

	require(!exchange->done && !exchange->is_answered);
	exchange->done = done;
	exchange->body_max = max_bytes;
	if (!connection) {
		http_exchange_body_done_later(exchange, 400);
		return;
	}
	switch (exchange->body_state) {
	case EXCHANGE_BODY_NONE:
	case EXCHANGE_BODY_READ:
		http_exchange_body_done_later(exchange, 0);
		break;
	case EXCHANGE_BODY_BROKEN:
		http_exchange_body_done_later(exchange, 400);
		break;
	case EXCHANGE_BODY_UNREAD:
		if (exchange->content_length > max_bytes) {
			http_exchange_body_done_later(exchange, 413);
		} else if (connection->saw_end) {
			exchange->body_state = EXCHANGE_BODY_BROKEN;
			http_exchange_body_done_later(exchange, 400);
		} else {
			start_body(connection);
		}
		break;
	}
}
