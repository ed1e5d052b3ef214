/* The URL of a device, as a panel is given it. */
#pragma once

#include "base/str.h"

#include <stdint.h>

enum {
	/* Longer ones the firmware drops without a word (device-link.md). */
	PANEL_URL_FIRMWARE_LENGTH = 128,
	PANEL_KEY_FIRMWARE_LENGTH = 64,
	PANEL_URL_MAX = 2048,
};

enum panel_scheme { PANEL_WS, PANEL_WSS, PANEL_HTTP, PANEL_HTTPS };

struct panel_url {
	enum panel_scheme scheme;
	char host[256];		    /* no brackets around an IPv6 address */
	char port[6];		    /* decimal */
	char authority[264];	    /* for the Host field: port only where it is not the scheme's */
	char target[PANEL_URL_MAX]; /* path and query, starts with '/' */
	char bearer[PANEL_URL_MAX]; /* the key that was cut out; empty: none */
	char shown[PANEL_URL_MAX + 8]; /* without any key, for people and logs */
};

/* Reads a URL. Unless key_in_url, the query's `key=` is cut out and becomes bearer, as firmware
 * from v1.6.1 does. NULL, or what is wrong with it (static text). */
const char *panel_url_parse(const char *text, bool key_in_url, struct panel_url *ret_url);

static inline bool panel_url_is_tls(const struct panel_url *url)
{
	return url->scheme == PANEL_WSS || url->scheme == PANEL_HTTPS;
}
