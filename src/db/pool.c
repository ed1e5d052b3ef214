#include "pool.h"
#include "base/require.h"

void pool_start(struct pool *pool, const struct connection *connection,
		const struct connection_role *role, unsigned count, struct on_demand *on_demand)
{
	require(count >= 1 && count <= POOL_MAX);
	pool->count = count;
	if (on_demand)
		on_demand_set_first(on_demand, &pool->connections[0]);
	for (unsigned i = 0; i < count; i++) {
		pool->connections[i] = *connection;
		pool->connections[i].role = role;
		pool->connections[i].number = i;
		if (on_demand && i > 0)
			on_demand_add(on_demand, &pool->connections[i]);
		else
			connection_start(&pool->connections[i]);
	}
}

unsigned pool_count_up(const struct pool *pool)
{
	unsigned count = 0;

	for (unsigned i = 0; i < pool->count; i++)
		count += connection_is_up(&pool->connections[i]);
	return count;
}

bool pool_is_up(const struct pool *pool)
{
	return pool_count_up(pool) > 0;
}

enum unavailable pool_unavailable(const struct pool *pool)
{
	enum unavailable unavailable = UNAVAILABLE_NOT;

	for (unsigned i = 0; i < pool->count && unavailable == UNAVAILABLE_NOT; i++)
		unavailable = pool->connections[i].unavailable;
	return pool_is_up(pool) ? UNAVAILABLE_NOT : unavailable;
}

bool pool_is_hopeless(const struct pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++) {
		if (connection_is_up(&pool->connections[i]) ||
		    connection_is_hopeful(&pool->connections[i]))
			return false;
	}
	return true;
}

void pool_send_again(struct pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++) {
		struct connection *connection = &pool->connections[i];

		if (connection_is_up(connection) && !list_is_empty(&connection->pipeline.again))
			connection_flush(connection, pipeline_send_again(&connection->pipeline));
	}
}

void pool_close(struct pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++)
		connection_close(&pool->connections[i]);
}
