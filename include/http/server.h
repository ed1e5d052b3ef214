/* HTTP/1.1 over TCP and unix sockets, on one loop. */
#pragma once

#include "http/listener.h"
#include "http/settings.h"
#include "loop/loop.h"

struct http_server;

/* Never fails. Destroy it after it was drained. settings are copied. Makes the process ignore
 * SIGPIPE. */
struct http_server *http_server_create(struct loop *loop,
				       const struct http_server_settings *settings);

/* Accepts from a listening, non-blocking socket that other processes may share. The server owns the
 * descriptor from now on. settings are copied; their context must outlive the server's requests.
 * Returns 0 or a negative errno. */
__attribute__((warn_unused_result)) int
http_server_listen(struct http_server *server, int fd,
		   const struct http_listener_settings *settings);

/* Serves the peer of a connected unix socket, whether the server accepts yet or not. The server
 * owns fd from now on; settings stay the caller's, and must outlive the server's requests. The
 * transport is the plain one. Returns 0 or a negative errno. */
__attribute__((warn_unused_result)) int
http_server_adopt(struct http_server *server, int fd,
		  const struct http_listener_settings *settings);

/* Lets a server with waits_to_accept accept connections, including those that came before. */
void http_server_accept(struct http_server *server);

/* Stops accepting and stops streams without an end. Other requests continue, and idle connections
 * stay: the next answer on each has "Connection: close". Closing an idle connection at once could
 * lose a request that is on its way. Calls retired later, when no HTTP connection is left.
 * http_server_drain() may be called before that; then its function is called instead. */
void http_server_retire(struct http_server *server, void (*retired)(void *context), void *context);

/* Stops accepting, closes idle connections, stops streams without an end, and lets other requests
 * finish ("Connection: close" on their answers). Calls drained later, when no HTTP connection is
 * left. WebSockets are not counted: their owners drop them. */
void http_server_drain(struct http_server *server, void (*drained)(void *context), void *context);

/* Closes all connections and WebSockets at once. Handlers keep their requests, now abandoned. */
void http_server_close(struct http_server *server);

/* Call it only when http_server_is_empty() is true: the loop needs some turns to close every
 * connection. */
void http_server_destroy(struct http_server *server);
bool http_server_is_empty(const struct http_server *server);

/* Number of open WebSockets, and of connections that are being closed. */
unsigned http_server_websockets(const struct http_server *server);
/* Number of open HTTP connections, without WebSockets. */
unsigned http_server_connections(const struct http_server *server);

/* Number of connections that it can take in addition: those for metrics and the operator do not
 * count. *ret_max: the number that it can take if it has none. */
unsigned http_server_connections_left(const struct http_server *server, unsigned *ret_max);

/* Sets the gauges of its connections. */
void http_server_tell(const struct http_server *server);
