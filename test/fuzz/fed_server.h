/* A server in the process behind a Unix socket, which targets feed with untrusted input. */
#pragma once

#include "http/server.h"
#include "loop/loop.h"

#include <sys/un.h>

struct fed_server {
	struct loop loop;
	struct http_server *server;
	struct sockaddr_un address; /* chosen by the kernel */
	socklen_t length;
};

/* Copies both settings as http_server_create() and http_server_listen() do. */
void fed_server_begin(struct fed_server *fed, const struct http_server_settings *settings,
		      const struct http_listener_settings *listener);
/* Does work that is due, without waiting. */
void fed_server_turn(struct fed_server *fed);
/* Returns a blocking socket that the server has accepted. The caller closes it. */
int fed_server_connect(struct fed_server *fed);
/* Sends the bytes in pieces of this size, at least 1, as long as the server accepts them, and
 * reads its output. */
void fed_server_feed(struct fed_server *fed, int fd, const uint8_t *data, size_t size,
		     size_t piece);
/* Returns when all connections have ended. */
void fed_server_close(struct fed_server *fed);
/* Call after fed_server_close(): frees everything, so that a leak belongs to this input. */
void fed_server_finish(struct fed_server *fed);
