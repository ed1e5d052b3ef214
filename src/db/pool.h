/* The connections of one role that share its queries. */
#pragma once

#include "on_demand.h"

enum { POOL_MAX = 4 };

struct pool {
	struct connection connections[POOL_MAX];
	unsigned count;
};

/* connection: has the members up to effect, but for the role and the number. count: 1 to POOL_MAX.
 * on-demand connections: gets all connections but the first; NULL: all are always there. */
void pool_start(struct pool *pool, const struct connection *connection,
		const struct connection_role *role, unsigned count, struct on_demand *on_demand);

unsigned pool_count_up(const struct pool *pool);
bool pool_is_up(const struct pool *pool);
/* Why no connection is up; UNAVAILABLE_NOT: one is, or none was tried yet. */
enum unavailable pool_unavailable(const struct pool *pool);
/* No connection is up, and the first attempt to make one has failed. */
bool pool_is_hopeless(const struct pool *pool);

/* At the end of a turn: sends what the pipelines are to send again. */
void pool_send_again(struct pool *pool);

/* See connection_close(). */
void pool_close(struct pool *pool);
