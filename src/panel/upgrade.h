/* The opening handshake of a WebSocket, client side (RFC 6455 section 4.1). */
#pragma once

#include "response.h"
#include "url.h"

enum {
	UPGRADE_KEY_LENGTH = 24,
	UPGRADE_ACCEPT_LENGTH = 28,
	/* The firmware's buffer for the whole answer (device-link.md). */
	UPGRADE_ANSWER_MAX = 1024,
};

struct upgrade {
	struct response response;
	char accept[UPGRADE_ACCEPT_LENGTH + 1]; /* what the server must answer */
	bool accepted;
	bool has_upgrade_field;
	bool has_connection_field;
	bool has_extras; /* a subprotocol or an extension: nobody asked for one */
};

/* Appends the request. The structure must not move afterwards. */
void upgrade_start(struct upgrade *upgrade, const struct panel_url *url, struct buffer *request);
void upgrade_finish(struct upgrade *upgrade);

/* NULL when the answer, which ended with RESPONSE_UPGRADED, is one that a panel takes; otherwise
 * what is wrong with it. */
const char *upgrade_check(const struct upgrade *upgrade);
