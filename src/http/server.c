#include "http/server.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/acceptor.h"
#include "http/connection.h"
#include "http/websocket_private.h"
#include "metric/metric.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	/* Descriptors of the loop, the log, the database, files, the operator's connections. */
	OTHER_DESCRIPTORS = 256 + LIMIT_ADMIN_CONNECTIONS,
	/* WebSockets of a retiring server are dropped in so many portions, at this interval, so
	 * that not all of them reach the new worker at the same moment. */
	DROPS = 50,
	DROP_EVERY_MS = 20,
	/* By then, other workers that retire with it have stopped accepting, so no client connects
	 * to them. */
	FIRST_DROP_MS = 100,
};

struct http_server {
	struct http_connections connections;
	/* The operator's listeners have separate limits: they are reachable while the public ones
	 * are full. */
	struct http_transport_host transports[HTTP_ROLE_COUNT];
	struct list listeners; /* of struct http_listener, which live as long as the server */
	void (*drained)(void *context);
	void *drained_context;
	struct later drained_later;
	bool is_retiring;
	struct deadline drop;  /* the next portion of WebSockets */
	unsigned drop_portion; /* WebSockets in a portion */
};

static void check_drained(struct http_server *server)
{
	bool is_left = server->is_retiring && !list_is_empty(&server->connections.upgrades);

	if (server->drained && server->connections.count == 0 && !is_left)
		loop_later(server->connections.loop, &server->drained_later);
}

static void on_drained(struct later *later)
{
	struct http_server *server = container_of(later, struct http_server, drained_later);
	void (*drained)(void *context) = server->drained;

	server->drained = NULL;
	if (drained)
		drained(server->drained_context);
}

static void on_connection_gone(struct http_connections *connections)
{
	check_drained(container_of(connections, struct http_server, connections));
}

static void accept_waiting(struct http_server *server)
{
	list_for_each (node, &server->listeners)
		http_listener_accept_waiting(container_of(node, struct http_listener, node));
}

static void on_transport_gone(struct http_transport_host *transports)
{
	struct http_server *server = transports->owner;

	accept_waiting(server);
	check_drained(server);
}

static unsigned or_limit(unsigned value, unsigned limit)
{
	return value ? value : limit;
}

/* Returns the connections that the limit of descriptors allows: a worker with fewer than it wants
 * lets connections wait, as a full one does. Below a minimum, as in tests, it drops them.
 */
static unsigned limit_connections(unsigned wanted)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < 2 * OTHER_DESCRIPTORS ||
	    limit.rlim_cur - OTHER_DESCRIPTORS >= wanted)
		return wanted;
	return (unsigned)limit.rlim_cur - OTHER_DESCRIPTORS;
}

/* Linux doubles a process's table of descriptors when it is full; if there are threads, the
 * accept() that needs it waits for an RCU grace period of all cores: 10 ms and more while they
 * convert pictures. So the table gets its size now, before there are threads. */
static void reserve_descriptors(unsigned connections)
{
	struct rlimit limit;
	rlim_t wanted = (rlim_t)connections + OTHER_DESCRIPTORS;
	int fd;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC,
		   (int)(wanted < limit.rlim_cur ? wanted : limit.rlim_cur) - 1);
	if (fd >= 0)
		close(fd);
}

static void fill_settings(struct http_server_settings *filled)
{
	filled->connections_max =
	    limit_connections(or_limit(filled->connections_max, LIMIT_CONNECTIONS));
	filled->head_ms = or_limit(filled->head_ms, LIMIT_HEAD_MS);
	filled->body_ms = or_limit(filled->body_ms, LIMIT_BODY_MS);
	filled->bodies_bytes = or_limit(filled->bodies_bytes, LIMIT_BODIES_BYTES);
	filled->idle_ms = or_limit(filled->idle_ms, LIMIT_IDLE_MS);
	filled->write_stall_ms = or_limit(filled->write_stall_ms, LIMIT_WRITE_STALL_MS);
	filled->linger_ms = or_limit(filled->linger_ms, LIMIT_LINGER_MS);
	filled->ping_ms = or_limit(filled->ping_ms, LIMIT_PING_MS);
	filled->silence_ms = or_limit(filled->silence_ms, LIMIT_SILENCE_MS);
	filled->pending_bytes = or_limit(filled->pending_bytes, LIMIT_PENDING_BYTES);
}

/* Drops a portion of WebSockets, including those that were opened since. */
static void drop_portion(struct deadline *deadline)
{
	struct http_server *server = container_of(deadline, struct http_server, drop);
	unsigned left = server->drop_portion;

	list_for_each (node, &server->connections.upgrades) {
		struct http_upgrade *upgrade = container_of(node, struct http_upgrade, node);

		if (left-- == 0)
			break;
		upgrade->drop(upgrade);
	}
	deadline_set(server->connections.loop, deadline, DROP_EVERY_MS);
}

static unsigned connections_max(enum http_role role, const struct http_server_settings *settings)
{
	switch (role) {
	case HTTP_ROLE_ADMIN:
		return LIMIT_ADMIN_CONNECTIONS;
	case HTTP_ROLE_OPERATOR:
		return LIMIT_OPERATOR_CONNECTIONS;
	default:
		return settings->connections_max;
	}
}

struct http_server *http_server_create(struct loop *loop,
				       const struct http_server_settings *settings)
{
	struct http_server *server = memory_zalloc(sizeof(*server));
	struct http_connections *connections = &server->connections;

	connections->loop = loop;
	connections->settings = *settings;
	fill_settings(&connections->settings);
	list_init(&connections->all);
	list_init(&connections->upgrades);
	http_unsent_init(&connections->unsent, loop, connections->settings.pending_bytes);
	connections->unsent.owners[HTTP_UNSENT_ANSWER] = &http_connection_unsent_owner;
	connections->unsent.owners[HTTP_UNSENT_WEBSOCKET] = &websocket_unsent_owner;
	request_ids_init(&connections->ids);
	connections->on_gone = on_connection_gone;
	for (int role = 0; role < HTTP_ROLE_COUNT; role++)
		server->transports[role] = (struct http_transport_host){
		    .loop = loop,
		    .owner = server,
		    .proxies = settings->proxies,
		    .connections_max =
			connections_max((enum http_role)role, &connections->settings),
		    .has_no_shares = role != HTTP_ROLE_PUBLIC,
		    .on_gone = on_transport_gone,
		};
	list_init(&server->listeners);
	loop_later_init(&server->drained_later, on_drained);
	deadline_init(&server->drop, drop_portion);
	reserve_descriptors(connections->settings.connections_max);
	/* A write to a peer that has left shall be an error, not the end of the process. */
	signal(SIGPIPE, SIG_IGN);
	return server;
}

static struct http_listener *add_listener(struct http_server *server,
					  const struct http_listener_settings *settings)
{
	struct http_listener *listener = memory_zalloc(sizeof(*listener));

	listener->settings = *settings;
	listener->connections = &server->connections;
	listener->transports = &server->transports[settings->role];
	list_append(&server->listeners, &listener->node);
	return listener;
}

int http_server_listen(struct http_server *server, int fd,
		       const struct http_listener_settings *settings)
{
	return http_listener_open(add_listener(server, settings), fd);
}

int http_server_adopt(struct http_server *server, int fd,
		      const struct http_listener_settings *settings)
{
	struct http_transport *transport =
	    http_transport_adopt(&server->transports[settings->role], fd);

	if (!transport)
		return UV_EINVAL;
	http_connection_create(&server->connections, settings, transport);
	return 0;
}

void http_server_accept(struct http_server *server)
{
	server->connections.settings.waits_to_accept = false;
	accept_waiting(server);
}

static void stop_listening(struct http_server *server)
{
	server->connections.is_retiring = true;
	/* Accept connections that wait here, for http_server_accept() or for room, so that they are
	 * not lost: at most one for each listener. */
	for (int role = 0; role < HTTP_ROLE_COUNT; role++)
		server->transports[role].connections_max = 0;
	http_server_accept(server);
	list_for_each (node, &server->listeners)
		http_listener_close(container_of(node, struct http_listener, node));
}

void http_server_retire(struct http_server *server, void (*retired)(void *context), void *context)
{
	unsigned websockets = http_server_websockets(server);

	server->is_retiring = true;
	server->drained = retired;
	server->drained_context = context;
	stop_listening(server);
	server->drop_portion = websockets / DROPS + 1;
	deadline_set(server->connections.loop, &server->drop, FIRST_DROP_MS);
	list_for_each (node, &server->connections.all)
		http_connection_retire(container_of(node, struct http_connection, node));
	check_drained(server);
}

void http_server_drain(struct http_server *server, void (*drained)(void *context), void *context)
{
	server->drained = drained;
	server->drained_context = context;
	server->is_retiring = false;
	deadline_clear(server->connections.loop, &server->drop);
	stop_listening(server);
	server->connections.is_draining = true;
	list_for_each (node, &server->connections.all)
		http_connection_drain(container_of(node, struct http_connection, node));
	check_drained(server);
}

void http_server_close(struct http_server *server)
{
	deadline_clear(server->connections.loop, &server->drop);
	stop_listening(server);
	server->connections.is_draining = true;
	list_for_each (node, &server->connections.all)
		http_connection_close(container_of(node, struct http_connection, node));
	list_for_each (node, &server->connections.upgrades) {
		struct http_upgrade *upgrade = container_of(node, struct http_upgrade, node);

		upgrade->drop(upgrade);
	}
}

bool http_server_is_empty(const struct http_server *server)
{
	bool is_empty = true;

	list_for_each (node, &server->listeners)
		is_empty &= !container_of(node, struct http_listener, node)->is_open;
	for (int role = 0; role < HTTP_ROLE_COUNT; role++)
		is_empty &= server->transports[role].count == 0;
	return is_empty;
}

void http_server_destroy(struct http_server *server)
{
	require(http_server_is_empty(server));
	loop_later_cancel(&server->drained_later);
	http_unsent_finish(&server->connections.unsent);
	list_for_each (node, &server->listeners)
		free(container_of(node, struct http_listener, node));
	free(server);
}

unsigned http_server_websockets(const struct http_server *server)
{
	unsigned count = 0;

	for (int role = 0; role < HTTP_ROLE_COUNT; role++)
		count += server->transports[role].count;
	return count - server->connections.count;
}

unsigned http_server_connections_left(const struct http_server *server, unsigned *ret_max)
{
	const struct http_transport_host *transports = &server->transports[HTTP_ROLE_PUBLIC];

	*ret_max = server->connections.settings.connections_max;
	return transports->count < *ret_max ? *ret_max - transports->count : 0;
}

void http_server_tell(const struct http_server *server)
{
	unsigned max;

	metric_set(METRIC_HTTP_CONNECTIONS_LEFT, 0, http_server_connections_left(server, &max));
	metric_set(METRIC_HTTP_CONNECTIONS, METRIC_CONNECTION_HTTP, server->connections.count);
	metric_set(METRIC_HTTP_CONNECTIONS, METRIC_CONNECTION_WEBSOCKET,
		   http_server_websockets(server));
}

unsigned http_server_connections(const struct http_server *server)
{
	return server->connections.count;
}
