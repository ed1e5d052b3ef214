#include "http/websocket.h"
#include "script.h"

#include <stdio.h>
#include <stdlib.h>

enum { SOCKETS_MAX = 32 };

struct script_socket *script_socket;
bool clients_have_left;

static struct script_socket *sockets[SOCKETS_MAX];
static unsigned socket_count;

struct websocket *websocket_accept(struct http_request *request,
				   const struct websocket_events *events, void *owner)
{
	assert_null(request);
	if (clients_have_left)
		return NULL;
	script_socket = memory_zalloc(sizeof(*script_socket));
	script_socket->events = events;
	script_socket->owner = owner;
	assert_true(socket_count < SOCKETS_MAX);
	sockets[socket_count++] = script_socket;
	return (struct websocket *)(void *)script_socket;
}

static struct script_socket *socket_of(const struct websocket *websocket)
{
	return (struct script_socket *)(void *)websocket;
}

void *websocket_owner(const struct websocket *websocket)
{
	return socket_of(websocket)->owner;
}

static void note(struct websocket *websocket, const char *format, struct str text)
{
	struct script_socket *socket = socket_of(websocket);
	size_t length = strlen(socket->sent);

	if (!socket->is_dropped)
		snprintf(socket->sent + length, sizeof(socket->sent) - length, format,
			 STR_ARG(text));
}

void websocket_send_text(struct websocket *websocket, struct str text)
{
	note(websocket, "%.*s ", text);
}

void websocket_send_binary(struct websocket *websocket, struct str data)
{
	note(websocket, "<%.*s> ", data);
}

void websocket_batch_begin(struct websocket *websocket)
{
	assert_false(socket_of(websocket)->is_batching);
	socket_of(websocket)->is_batching = true;
}

void websocket_batch_send(struct websocket *websocket)
{
	assert_true(socket_of(websocket)->is_batching);
	socket_of(websocket)->is_batching = false;
}

void websocket_drop(struct websocket *websocket)
{
	socket_of(websocket)->is_dropped = true;
}

size_t websocket_pending_bytes(const struct websocket *websocket)
{
	return socket_of(websocket)->pending_bytes;
}

void drain_socket(struct script_socket *socket)
{
	socket->pending_bytes = 0;
	if (socket->events->on_drained)
		socket->events->on_drained((struct websocket *)(void *)socket);
	run_turns();
}

const char *sent_to(struct script_socket *socket)
{
	static char sent[sizeof(socket->sent)];

	memcpy(sent, socket->sent, sizeof(sent));
	socket->sent[0] = '\0';
	return sent;
}

void panel_says(struct script_socket *socket, const char *text)
{
	socket->events->on_text((struct websocket *)(void *)socket, str_from(text));
	run_turns();
}

void panel_lives(struct script_socket *socket)
{
	socket->events->on_alive((struct websocket *)(void *)socket);
}

void close_socket(struct script_socket *socket)
{
	unsigned i = 0;

	while (sockets[i] != socket)
		i++;
	sockets[i] = sockets[--socket_count];
	socket->events->on_closed((struct websocket *)(void *)socket);
	free(socket);
}

void close_sockets(void)
{
	clients_have_left = false;
	while (socket_count)
		close_socket(sockets[0]);
}
