/* Request of a worker to itself, to check that it can serve: GET /livez over a pair of sockets goes
 * through its own loop, transport, parser, routes and steps like a client's. */
#pragma once

#include "http/server.h"

struct own_request {
	uv_poll_t poll;
	int fd; /* -1: not open */
	/* Called later, from the loop. is_answered: with a 200. */
	void (*done)(struct own_request *request, bool is_answered);
};

/* Sends the request, with done set; listener: as for clients. Returns 0 or a negative errno. */
__attribute__((warn_unused_result)) int
own_request_start(struct own_request *request, struct loop *loop, struct http_server *http,
		  const struct http_listener_settings *listener);

/* Stops it: done is not called any more. A second call does nothing. */
void own_request_stop(struct own_request *request);
