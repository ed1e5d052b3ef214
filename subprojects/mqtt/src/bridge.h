/* The connections of all accounts, and the links of the workers that hold them.
 *
 *   worker --{"open":{"account":ID,"host":,"port":,"tls":,"user":,"password":,"prefix":,
 *             "discovery":,"all":,"public":}}--> bridge    a lease was got
 *   worker --{"close":ID,"forget":}--> bridge              it was lost, or is given back
 *   worker --{"socket":ID} with a descriptor--> bridge     a connection to the API, of that account
 *   bridge --{"needs":ID}--> worker                        one is wanted
 *   bridge --{"state":{"account":ID,"error":}}--> worker   without an error: connected
 *   bridge --{"gone":ID}--> worker                         it was not opened: try again
 *   bridge --{"counts":[in,out,dropped]}--> worker         messages since the last such line
 *
 * The first line of the bridge names its version and sandbox. A link's connections end with it. */
#pragma once

#include <text/reach.h>

enum {
	BRIDGE_CONNECTIONS_MAX = 1000,
	BRIDGE_ENDING_MAX = 200, /* in addition: waiting for the broker */
	BRIDGE_LINKS_MAX = 64,
};

struct bridge;

/* Returns NULL if there is no memory. */
struct bridge *bridge_create(const struct network_list *allowed, const char *certificates,
			     const char *hello) __attribute__((warn_unused_result));
/* Takes ownership of the link's socket. */
void bridge_add(struct bridge *bridge, int link);
/* Waits for an event of a link, a connection or control. Returns true if it is of control. Ends the
 * process if a thread that serves connections hangs: it is started again. */
bool bridge_wait(struct bridge *bridge, int control);
/* Handles all events that are there. */
void bridge_run(struct bridge *bridge);
/* Ends all connections and frees the bridge. */
void bridge_destroy(struct bridge *bridge);
