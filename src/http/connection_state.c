#include "http/connection_state.h"
#include "base/limits.h"
#include "base/require.h"
#include "http/listener.h"

#include <stdlib.h>

#define BIT(state) (1u << CONNECTION_##state)
/* The states that may follow a state. CLOSING may follow all but itself and UPGRADED. */
static const unsigned next_states[] = {
    [CONNECTION_IDLE] = BIT(HEAD),
    [CONNECTION_HEAD] = BIT(WORKING) | BIT(WRITING),
    [CONNECTION_WORKING] = BIT(BODY) | BIT(STREAMING) | BIT(WRITING) | BIT(UPGRADED),
    [CONNECTION_BODY] = BIT(WORKING) | BIT(WRITING),
    [CONNECTION_STREAMING] = BIT(WRITING),
    [CONNECTION_WRITING] = BIT(IDLE) | BIT(DISCARDING) | BIT(LINGERING),
    [CONNECTION_DISCARDING] = BIT(IDLE) | BIT(LINGERING),
    [CONNECTION_LINGERING] = 0,
    [CONNECTION_CLOSING] = 0,
    [CONNECTION_UPGRADED] = 0,
};
#undef BIT

static void set_pending(struct http_connection *connection, size_t bytes)
{
	if (bytes != connection->unsent.bytes)
		http_unsent_set(&connection->connections->unsent,
				http_transport_share(connection->transport), &connection->unsent,
				bytes);
}

void http_connection_move(struct http_connection *connection, enum http_connection_state state)
{
	const struct http_server_settings *limits = &connection->connections->settings;
	struct loop *loop = connection->connections->loop;
	enum http_connection_state old = connection->state;

	require(next_states[old] & (1u << state) ||
		(state == CONNECTION_CLOSING && old < CONNECTION_CLOSING));
	connection->state = (uint8_t)state;
	switch (state) {
	case CONNECTION_IDLE:
		deadline_set(loop, &connection->deadline, limits->idle_ms);
		break;
	case CONNECTION_BODY:
	case CONNECTION_DISCARDING:
		deadline_set(loop, &connection->deadline, limits->body_ms);
		break;
	case CONNECTION_LINGERING:
		deadline_set(loop, &connection->deadline, limits->linger_ms);
		break;
	case CONNECTION_CLOSING:
	case CONNECTION_UPGRADED:
		set_pending(connection, 0);
		deadline_clear(loop, &connection->deadline);
		loop_later_cancel(&connection->later);
		break;
	case CONNECTION_HEAD:	   /* set if the head did not come in one piece */
	case CONNECTION_WORKING:   /* the handler takes its time; an old deadline does nothing */
	case CONNECTION_STREAMING: /* set if a part of the answer has to wait */
	case CONNECTION_WRITING:   /* set if a part of the answer has to wait */
		break;
	}
}

static struct http_connection *connection_of(const struct http_unsent_entry *entry)
{
	return container_of(entry, struct http_connection, unsent);
}

/* An answer that is not copied keeps the memory of its request as long as a byte of it waits.
 * Shared memory, such as files of the pages, is not counted. */
static size_t pending_of(const struct http_unsent_entry *entry)
{
	const struct http_connection *connection = connection_of(entry);
	const struct http_exchange *exchange = connection->exchange;
	size_t pending = http_transport_pending(connection->transport);

	if (pending == 0 || !exchange || exchange->is_streamed)
		return pending;
	return exchange->request.arena.used_bytes + buffer_length(&exchange->body);
}

static void drop(struct http_unsent_entry *entry)
{
	http_connection_close(connection_of(entry));
}

const struct http_unsent_owner http_connection_unsent_owner = {.pending = pending_of, .drop = drop};

void http_connection_count_pending(struct http_connection *connection)
{
	/* Connections of the operator and of metrics are few, and are never closed because other
	 * clients read slowly. */
	if (connection->listener->role != HTTP_ROLE_PUBLIC)
		return;
	set_pending(connection, pending_of(&connection->unsent));
}

void http_connection_close(struct http_connection *connection)
{
	struct http_exchange *exchange = connection->exchange;

	if (connection->state >= CONNECTION_CLOSING)
		return;
	if (exchange && connection->state == CONNECTION_HEAD) {
		http_exchange_free(exchange);
		connection->exchange = NULL;
	} else if (exchange && (!exchange->is_answered || exchange->stream_later)) {
		http_exchange_abandon(exchange);
		connection->exchange = NULL;
	} else if (exchange) {
		http_exchange_end(
		    exchange); /* it is freed when nothing is written from it any more */
	}
	http_connection_move(connection, CONNECTION_CLOSING);
	http_transport_close(connection->transport);
}

void http_connection_free(struct http_connection *connection)
{
	struct http_connections *connections = connection->connections;

	if (connection->exchange)
		http_exchange_free(connection->exchange);
	buffer_finish(&connection->parked);
	list_remove(&connection->node);
	free(connection);
	connections->count--;
	connections->on_gone(connections);
}

void http_connection_wait(struct http_connection *connection)
{
	http_exchange_free(connection->exchange);
	connection->exchange = NULL;
	http_connection_move(connection, CONNECTION_IDLE);
}

/* Whether the client's bytes are used in this state. */
static bool can_use(const struct http_connection *connection)
{
	return connection->state != CONNECTION_WORKING &&
	       connection->state != CONNECTION_STREAMING && connection->state != CONNECTION_WRITING;
}

/* Whether no request has begun; empty lines before one do not count. */
static bool is_idle(const struct http_connection *connection)
{
	return connection->state == CONNECTION_IDLE ||
	       (connection->state == CONNECTION_HEAD && connection->exchange->scan.length == 0);
}

static void on_pause_end(struct deadline *pause)
{
	struct http_exchange *exchange = container_of(pause, struct http_exchange, pause);

	loop_later(exchange->loop, &exchange->request.connection->later);
}

/* Processes the parked bytes in the next turn; or after a pause, so that a client that makes each
 * byte costly leaves the worker's time to others. */
static void go_on_later(struct http_connection *connection)
{
	struct http_exchange *exchange = connection->exchange;

	if (connection->row < CONNECTION_PIECES_IN_A_ROW || !exchange) {
		loop_later(connection->connections->loop, &connection->later);
	} else if (!deadline_is_set(&exchange->pause)) {
		deadline_init(&exchange->pause, on_pause_end);
		deadline_set(exchange->loop, &exchange->pause, CONNECTION_ROW_MS);
	}
}

void http_connection_go_on(struct http_connection *connection)
{
	struct http_exchange *exchange = connection->exchange;
	bool is_parked = buffer_length(&connection->parked) > 0;

	if (connection->is_taking || connection->state >= CONNECTION_CLOSING)
		return;
	if (connection->connections->is_draining && is_idle(connection) && !is_parked &&
	    !http_transport_has_input(connection->transport)) {
		http_connection_close(connection);
		return;
	}
	if (connection->state == CONNECTION_HEAD && !exchange->is_timed) {
		exchange->is_timed = true;
		deadline_set(exchange->loop, &connection->deadline,
			     connection->connections->settings.head_ms);
	}
	if (!is_parked)
		buffer_finish(&connection->parked);
	else if (can_use(connection))
		go_on_later(connection);
	http_transport_set_reading(connection->transport, !is_parked);
}

/* Ends the sending side, and continues to read for a while. Closing at once while the client is
 * still sending would reset the connection, and the answer could get lost. */
void http_connection_linger(struct http_connection *connection)
{
	struct http_connections *connections = connection->connections;
	bool is_short = connections->is_draining && http_exchange_is_read(connection->exchange) &&
			connections->settings.linger_ms > LIMIT_DRAIN_LINGER_MS;

	http_exchange_free(connection->exchange);
	connection->exchange = NULL;
	http_connection_move(connection, CONNECTION_LINGERING);
	if (is_short)
		deadline_set(connections->loop, &connection->deadline, LIMIT_DRAIN_LINGER_MS);
	http_transport_shutdown(connection->transport);
	http_connection_go_on(connection);
}

struct http_transport *http_connection_upgrade(struct http_connection *connection,
					       struct buffer *ret_parked)
{
	struct http_transport *transport = connection->transport;
	struct http_exchange *exchange = connection->exchange;

	connection->exchange = NULL;
	http_exchange_free(exchange);
	http_connection_move(connection, CONNECTION_UPGRADED);
	*ret_parked = (struct buffer){0};
	if (connection->is_taking)
		return transport; /* the caller of take() hands over the rest */
	*ret_parked = connection->parked;
	connection->parked = (struct buffer){0};
	http_connection_free(connection);
	return transport;
}
