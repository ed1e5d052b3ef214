/* Settings of all connections of a server. */
#pragma once

#include <stdbool.h>

struct http_proxies;

struct http_server_settings {
	bool access_log;       /* log a line for each request: log_info("access", ...) */
	bool admin_access_log; /* instead, the same for requests of metrics and of the operator */
	/* Trusted proxies; NULL: none. They must outlive the server, and must not change. */
	const struct http_proxies *proxies;
	bool waits_to_accept; /* accept no connections until http_server_accept() */
	/* Connections at a time, WebSockets included; fewer if descriptors are fewer. 0:
	 * LIMIT_CONNECTIONS. */
	unsigned connections_max;
	/* 0 means the limit of base/limits.h; other values are for tests. */
	unsigned head_ms;
	unsigned body_ms;
	unsigned bodies_bytes; /* bodies of all callers together */
	unsigned idle_ms;
	unsigned write_stall_ms;
	unsigned linger_ms;
	unsigned ping_ms;	/* WebSockets */
	unsigned silence_ms;	/* WebSockets */
	unsigned pending_bytes; /* unsent output of all clients together */
};
