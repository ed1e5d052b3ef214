#include "http/connection_answer.h"
#include "base/limits.h"
#include "base/require.h"
#include "http/response_text.h"

#include <text/swar.h>

bool http_connection_must_end(const struct http_connection *connection,
			      const struct http_response *response)
{
	const struct http_exchange *exchange = connection->exchange;

	if (response->close || !exchange->keep_alive || connection->saw_end ||
	    connection->connections->is_retiring)
		return true;
	if (exchange->body_state == EXCHANGE_BODY_BROKEN)
		return true;
	if (exchange->body_state != EXCHANGE_BODY_UNREAD)
		return false;
	/* The client waits for a "100 Continue", and may or may not send the body. */
	return exchange->expects_continue ||
	       exchange->content_length > LIMIT_DISCARDED_BODY_BYTES + exchange->body_bytes;
}

/* Whether nothing more can be on its way from the client: closing then loses nothing. */
static bool is_at_end(const struct http_connection *connection)
{
	const struct http_exchange *exchange = connection->exchange;

	if (connection->saw_end)
		return true;
	return !exchange->keep_alive && !connection->has_more &&
	       buffer_length(&connection->parked) == 0 && http_exchange_is_read(exchange);
}

void http_connection_on_written(struct http_connection *connection)
{
	struct http_exchange *exchange = connection->exchange;

	http_exchange_end(exchange);
	/* While the server drains, nothing is read for another request. */
	if (connection->ends || (connection->connections->is_draining &&
				 exchange->body_state == EXCHANGE_BODY_UNREAD)) {
		if (is_at_end(connection))
			http_connection_close(connection);
		else
			http_connection_linger(connection);
		return;
	}
	if (exchange->body_state == EXCHANGE_BODY_UNREAD) {
		exchange->body_bytes = 0; /* from now on the number of dropped bytes */
		http_connection_move(connection, CONNECTION_DISCARDING);
	} else {
		http_connection_wait(connection);
	}
	http_connection_go_on(connection);
}

void http_connection_finish_writing(struct http_connection *connection)
{
	http_connection_count_pending(connection);
	if (http_transport_pending(connection->transport) == 0)
		http_connection_on_written(connection);
	else
		deadline_set(connection->connections->loop, &connection->deadline,
			     connection->connections->settings.write_stall_ms / 4 + 1);
}

static void answer(struct http_connection *connection, const struct http_response *response)
{
	struct http_exchange *exchange = connection->exchange;
	struct str parts[2];

	connection->ends = http_connection_must_end(connection, response);
	parts[0] = response_text(exchange, &connection->connections->date, response,
				 connection->ends, &parts[1]);
	exchange->sent_bytes = parts[0].length + parts[1].length;
	http_connection_move(connection, CONNECTION_WRITING);
	if (http_transport_send(connection->transport, parts, parts[1].length ? 2 : 1,
				/* copy= */ false) != 0)
		http_connection_close(connection);
	else
		http_connection_finish_writing(connection);
}

void http_connection_reject(struct http_connection *connection, struct http_protocol_error error)
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
		http_exchange_set_id(exchange, &connection->connections->ids);
	exchange->body_state = EXCHANGE_BODY_BROKEN;
	http_respond_problem(request, error.kind, str_from(error.detail), STR(""), &base);
}

/* Also false if one of the eight bytes is a tab. */
static bool are_printable(const char *text)
{
	uint64_t eight = swar_load(text);

	return !(swar_has_below(eight, 0x20) | swar_has(eight, 0x7f));
}

static bool is_printable(struct str text)
{
	size_t i = 0;

	while (i + 8 <= text.length && are_printable(text.data + i))
		i += 8;
	if (i > 0 && i + 8 > text.length && are_printable(text.data + text.length - 8))
		return true;
	for (; i < text.length; i++) {
		unsigned char c = (unsigned char)text.data[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

void http_response_add(struct http_response *response, struct str name, struct str value)
{
	require(response->field_count < HTTP_RESPONSE_FIELDS_MAX);
	require(name.length > 0 && is_printable(name) && is_printable(value));
	response->fields[response->field_count++] = (struct http_field){name, value};
}

void http_respond(struct http_request *request, const struct http_response *response)
{
	struct http_exchange *exchange = http_exchange_of(request);

	http_exchange_answer(exchange, response->status);
	if (request->connection) {
		answer(request->connection, response);
		return;
	}
	http_exchange_end(exchange);
	http_exchange_free(exchange);
}

void http_respond_problem(struct http_request *request, const struct problem_kind *kind,
			  struct str detail, struct str extra_members,
			  const struct http_response *base)
{
	struct http_response response = base ? *base : (struct http_response){0};

	response.status = kind->status;
	response.content_type = STR("application/problem+json");
	response.body = problem_text(&request->arena, kind, detail, extra_members);
	http_respond(request, &response);
}
