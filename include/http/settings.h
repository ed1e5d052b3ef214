/* Settings of all connections of a server. */
#pragma once

#include <stdbool.h>

struct http_proxies;

struct http_server_settings {
	bool access_log;       /* one line a request: log_info("access", ...) */
	bool admin_access_log; /* the same for those of metrics and the operator, instead */
	/* Trusted proxies; NULL: none. Stays valid, and does not change. */
	const struct http_proxies *proxies;
	bool waits_to_accept; /* until http_server_accept() */
	/* 0 means the limit of base/limits.h; other values are for tests. */
	unsigned connections_max; /* WebSockets included */
	unsigned head_ms;
	unsigned body_ms;
	unsigned bodies_bytes; /* of all callers */
	unsigned idle_ms;
	unsigned write_stall_ms;
	unsigned linger_ms;
	unsigned ping_ms;	/* WebSockets */
	unsigned silence_ms;	/* WebSockets */
	unsigned pending_bytes; /* of all clients */
};
