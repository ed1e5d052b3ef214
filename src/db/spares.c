#include "spares.h"
#include "base/require.h"

/* Without them there would be no connection at all. */
static bool stand_in(const struct spares *spares)
{
	if (!spares->first || connection_is_up(spares->first))
		return false;
	for (unsigned i = 0; i < spares->count; i++)
		if (connection_is_up(spares->connections[i]))
			return true;
	return false;
}

static void on_deadline(struct deadline *deadline)
{
	struct spares *spares = container_of(deadline, struct spares, deadline);
	uint64_t unneeded_ms = loop_now_ms(spares->loop) - spares->needed_ms;
	bool sleeps = true;

	if (stand_in(spares)) {
		spares_use(spares);
		return;
	}
	if (unneeded_ms < spares->idle_ms) {
		deadline_set(spares->loop, deadline, spares->idle_ms - unneeded_ms);
		return;
	}
	for (unsigned i = 0; i < spares->count; i++)
		sleeps &= connection_sleep(spares->connections[i]);
	if (!sleeps)
		deadline_set(spares->loop, deadline, spares->idle_ms);
}

void spares_init(struct spares *spares, struct loop *loop, uint64_t idle_ms)
{
	spares->loop = loop;
	spares->count = 0;
	spares->first = NULL;
	spares->idle_ms = idle_ms;
	deadline_init(&spares->deadline, on_deadline);
}

void spares_add(struct spares *spares, struct connection *connection)
{
	require(spares->count < SPARES_MAX);
	spares->connections[spares->count++] = connection;
	connection_start_asleep(connection);
}

void spares_set_first(struct spares *spares, const struct connection *first)
{
	spares->first = first;
}

void spares_use(struct spares *spares)
{
	spares->needed_ms = loop_now_ms(spares->loop);
	if (!deadline_is_set(&spares->deadline))
		deadline_set(spares->loop, &spares->deadline, spares->idle_ms);
}

void spares_need(struct spares *spares)
{
	struct connection *asleep = NULL;

	spares_use(spares);
	for (unsigned i = 0; i < spares->count; i++) {
		struct connection *connection = spares->connections[i];

		if (connection_is_asleep(connection))
			asleep = asleep ? asleep : connection;
		else if (!connection_is_up(connection))
			return;
	}
	if (asleep)
		connection_wake(asleep);
}

bool spares_are_hopeless(const struct spares *spares)
{
	bool is_hopeless = false;

	for (unsigned i = 0; i < spares->count; i++) {
		const struct connection *connection = spares->connections[i];

		if (connection_is_asleep(connection))
			continue;
		if (connection_is_up(connection) || connection_is_hopeful(connection))
			return false;
		is_hopeless = true;
	}
	return is_hopeless;
}

void spares_finish(struct spares *spares)
{
	deadline_clear(spares->loop, &spares->deadline);
}
