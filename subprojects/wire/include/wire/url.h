/* An absolute URL of http, https, ws or wss in its parts (RFC 3986), as a client needs them to
 * connect and to send a request. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WIRE_HOST_MAX = 255,
	WIRE_AUTHORITY_BYTES = WIRE_HOST_MAX + sizeof("[]:65535"),
};

struct wire_url {
	bool is_websocket;	      /* ws or wss */
	bool is_tls;		      /* https or wss */
	uint16_t port;		      /* the scheme's default if the URL has none */
	char host[WIRE_HOST_MAX + 1]; /* without brackets around an IPv6 address */
	/* Value of the Host field: with a port only if it is not the scheme's default. */
	char authority[WIRE_AUTHORITY_BYTES];
	const char *scheme; /* static: "wss" */
	const char *target; /* path and query, a pointer into text; may be empty or begin with ? */
	size_t target_length;
};

/* Reads a URL; the result points into text only for the target. Returns NULL, or a static text that
 * says what is wrong: a user name, a fragment and characters that a request cannot contain are
 * refused. */
const char *wire_url_parse(const char *text, size_t length, struct wire_url *ret_url);
