/* A server in the process, behind a unix socket, which targets feed with what strangers send. */
#pragma once

#include "http/server.h"
#include "loop/loop.h"

#include <sys/un.h>

struct fed_server {
	struct loop loop;
	struct http_server *server;
	struct sockaddr_un address; /* the kernel names it */
	socklen_t length;
};

/* Both settings are copied as http_server_create() and http_server_listen() do. */
void fed_server_begin(struct fed_server *fed, const struct http_server_settings *settings,
		      const struct http_listener_settings *listener);
/* Work that is due is done; nothing waits. */
void fed_server_turn(struct fed_server *fed);
/* A blocking socket, which the server has accepted. The caller closes it. */
int fed_server_connect(struct fed_server *fed);
/* Sends the bytes in pieces of this size, at least 1, for as long as the server takes them, and
 * reads away what it says. */
void fed_server_feed(struct fed_server *fed, int fd, const uint8_t *data, size_t size,
		     size_t piece);
/* Returns when all connections have ended. */
void fed_server_close(struct fed_server *fed);
/* Behind fed_server_close(): nothing is left, so that a leak is one of this input. */
void fed_server_finish(struct fed_server *fed);
