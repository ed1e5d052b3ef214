/* Network of displayctl's renderers: an egress of its own, started at the first request of a
 * script. */
#pragma once

#include "base/buffer.h"
#include "main/host_shared.h"

enum { APP_NETWORK_RANGES_MAX = 64 };

struct app_network {
	const char *ranges[APP_NETWORK_RANGES_MAX]; /* that are allowed beside public addresses */
	struct option_list allow;
	struct program program;
	struct host_shared egress;
	int link; /* -1: nothing was asked yet */
	bool has_greeted;
	struct buffer input, output; /* frames from it and to it */
};

/* The network must stay where it is. options: --egress-allow, whose texts must live as long. */
void app_network_init(struct app_network *network, const struct options *options);
/* Ends the egress and drops what is under way. The next request starts another one; at the end this
 * leaves nothing to free. */
void app_network_leave(struct app_network *network);

/* Queues the renderer's frame, and starts the egress before the first one. NULL, or why it cannot
 * be had: words, static. */
const char *app_network_ask(struct app_network *network, struct str frame)
    __attribute__((warn_unused_result));
