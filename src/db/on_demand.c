#include "on_demand.h"
#include "base/require.h"

/* Whether the on-demand connections are the only ones that are up. */
static bool stand_in(const struct on_demand *on_demand)
{
	if (!on_demand->first || connection_is_up(on_demand->first))
		return false;
	for (unsigned i = 0; i < on_demand->count; i++)
		if (connection_is_up(on_demand->connections[i]))
			return true;
	return false;
}

static void on_deadline(struct deadline *deadline)
{
	struct on_demand *on_demand = container_of(deadline, struct on_demand, deadline);
	uint64_t unneeded_ms = loop_now_ms(on_demand->loop) - on_demand->needed_ms;
	bool sleeps = true;

	if (stand_in(on_demand)) {
		on_demand_use(on_demand);
		return;
	}
	if (unneeded_ms < on_demand->idle_ms) {
		deadline_set(on_demand->loop, deadline, on_demand->idle_ms - unneeded_ms);
		return;
	}
	for (unsigned i = 0; i < on_demand->count; i++)
		sleeps &= connection_sleep(on_demand->connections[i]);
	if (!sleeps)
		deadline_set(on_demand->loop, deadline, on_demand->idle_ms);
}

void on_demand_init(struct on_demand *on_demand, struct loop *loop, uint64_t idle_ms)
{
	on_demand->loop = loop;
	on_demand->count = 0;
	on_demand->first = NULL;
	on_demand->idle_ms = idle_ms;
	deadline_init(&on_demand->deadline, on_deadline);
}

void on_demand_add(struct on_demand *on_demand, struct connection *connection)
{
	require(on_demand->count < ON_DEMAND_MAX);
	on_demand->connections[on_demand->count++] = connection;
	connection_start_asleep(connection);
}

void on_demand_set_first(struct on_demand *on_demand, const struct connection *first)
{
	on_demand->first = first;
}

void on_demand_use(struct on_demand *on_demand)
{
	on_demand->needed_ms = loop_now_ms(on_demand->loop);
	if (!deadline_is_set(&on_demand->deadline))
		deadline_set(on_demand->loop, &on_demand->deadline, on_demand->idle_ms);
}

void on_demand_need(struct on_demand *on_demand)
{
	struct connection *asleep = NULL;

	on_demand_use(on_demand);
	for (unsigned i = 0; i < on_demand->count; i++) {
		struct connection *connection = on_demand->connections[i];

		if (connection_is_asleep(connection))
			asleep = asleep ? asleep : connection;
		else if (!connection_is_up(connection))
			return;
	}
	if (asleep)
		connection_wake(asleep);
}

bool on_demand_is_hopeless(const struct on_demand *on_demand)
{
	bool is_hopeless = false;

	for (unsigned i = 0; i < on_demand->count; i++) {
		const struct connection *connection = on_demand->connections[i];

		if (connection_is_asleep(connection))
			continue;
		if (connection_is_up(connection) || connection_is_hopeful(connection))
			return false;
		is_hopeless = true;
	}
	return is_hopeless;
}

void on_demand_finish(struct on_demand *on_demand)
{
	deadline_clear(on_demand->loop, &on_demand->deadline);
}
