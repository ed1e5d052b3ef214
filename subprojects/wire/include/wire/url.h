/* An absolute URL of http, https, ws or wss in its parts (RFC 3986), as a client needs them to
 * connect and to ask. */
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
	uint16_t port;		      /* the scheme's if none is named */
	char host[WIRE_HOST_MAX + 1]; /* no brackets around an IPv6 address */
	/* Value of a Host field: with a port only if it is not the scheme's. */
	char authority[WIRE_AUTHORITY_BYTES];
	const char *scheme; /* static: "wss" */
	const char *target; /* path and query, in text; may be empty or begin with ? */
	size_t target_length;
};

/* Reads a URL; of text only the target is pointed to. NULL, or what is wrong with it (static): all
 * that has no place in a request, a user name and a fragment are. */
const char *wire_url_parse(const char *text, size_t length, struct wire_url *ret_url);
