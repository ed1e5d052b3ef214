/* A listener: a listening socket, the handler of the requests that come through it, and how the
 * bytes of its connections travel.
 *
 * A server has any number of listeners. Each has a role and a handler of its own, and with the
 * handler a route table. A request knows its listener (request->listener). */
#pragma once

#include <stdbool.h>

struct http_request;
struct http_transport_kind;

enum http_role {
	HTTP_ROLE_PUBLIC, /* clients, panels and browsers */
	HTTP_ROLE_ADMIN,  /* metrics and health, for programs that watch the instance */
	/* The operator of the machine: the private socket in the state directory, and no other.
	 * Whoever reaches it may do what an administrator may, and more. */
	HTTP_ROLE_OPERATOR,
	/* The bridge to MQTT, over sockets that the process has given it: each stands for one
	 * account (peer). */
	HTTP_ROLE_BRIDGE,
	HTTP_ROLE_COUNT,
};

struct http_listener_settings {
	enum http_role role;
	/* A head is complete. The handler answers now or later; see http/request.h. */
	void (*on_request)(struct http_request *request, void *context);
	void *context;
	bool is_own;	  /* the process asks itself: its requests are neither logged nor counted */
	const void *peer; /* of HTTP_ROLE_BRIDGE: see task/access.h */
	const struct http_transport_kind *transport; /* NULL: plain, over TCP or a unix socket */
};

/* Plain likewise, but each connection begins with a PROXY header and must come from one of the
 * proxies of struct http_server_settings. Others are closed at once, as are those that begin with
 * anything else. */
extern const struct http_transport_kind http_transport_proxied;
