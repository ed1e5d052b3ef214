/* Connections of one role, which share its queries. */
#pragma once

#include "on_demand.h"

enum { POOL_MAX = 4 };

struct pool {
	struct connection connections[POOL_MAX];
	unsigned count;
};

/* connection: has the members up to gives_single_rows, except the role and the number. count: 1 to
 * POOL_MAX. on_demand: gets all connections except the first; NULL: all are permanent. */
void pool_start(struct pool *pool, const struct connection *connection,
		const struct connection_role *role, unsigned count, struct on_demand *on_demand);

unsigned pool_count_up(const struct pool *pool);
bool pool_is_up(const struct pool *pool);
/* Returns why no connection is up; UNAVAILABLE_NOT: one is, or none was tried yet. */
enum unavailable pool_unavailable(const struct pool *pool);
/* Whether no connection is up, and the first attempt to open one has failed. */
bool pool_is_hopeless(const struct pool *pool);

/* Call it at the end of a turn: sends queries that the pipelines must send again. */
void pool_send_again(struct pool *pool);

/* See connection_close(). */
void pool_close(struct pool *pool);
