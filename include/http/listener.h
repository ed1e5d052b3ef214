/* Listener: a listening socket, the handler of its requests, and the transport of its connections.
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
	/* The operator of the machine: the private socket in the state directory, and nothing else.
	 * Its clients may do everything that an administrator may, and more. */
	HTTP_ROLE_OPERATOR,
	/* The bridge to MQTT, over sockets that this process has given it. Each socket stands for
	 * one account (peer). */
	HTTP_ROLE_BRIDGE,
	HTTP_ROLE_COUNT,
};

struct http_listener_settings {
	enum http_role role;
	/* Called when a head is complete. The handler answers now or later; see http/request.h. */
	void (*on_request)(struct http_request *request, void *context);
	void *context;
	bool is_own;	  /* requests of the process to itself: neither logged nor counted */
	const void *peer; /* of HTTP_ROLE_BRIDGE: see task/access.h */
	const struct http_transport_kind *transport; /* NULL: plain, over TCP or a unix socket */
};

/* Plain transport whose connections begin with a PROXY header, and come from one of the proxies of
 * struct http_server_settings. Other connections are closed at once. */
extern const struct http_transport_kind http_transport_proxied;
