#include "base/require.h"
#include "metric/metric.h"
#include "state.h"

#include <stdlib.h>

enum {
	SOON_MS = 30,	      /* after a hint: its commit may bring more */
	LOOK_MS = 2 * 1000,   /* while there are webhooks */
	QUIET_MS = 30 * 1000, /* while there are none */
	UNAVAILABLE_MS = 1000,
	LEASE_MS = 60 * 1000, /* longer than any answer of the egress takes */
	UNDER_WAY_MAX = 32,
	EVENTS_KEPT = 10 * 1000,
	DEVICES_A_LOOK = 1000,
	UPKEEP_MAX = 20,	/* statements of upkeep before messages get their turn */
	UPKEEP_MORE_MS = 100,	/* pause before the next ones, if more is due */
	EVENTS_A_MESSAGE = 100, /* and webhooks that are checked together */
};

static void look_after(struct hooks *hooks, uint64_t ms)
{
	if (hooks->is_draining || hooks->is_asking)
		return;
	hooks->look_ms = loop_now_ms(hooks->settings.loop) + ms;
	deadline_set_at(hooks->settings.loop, &hooks->look, hooks->look_ms);
}

/* Never moves the look to a later time: hints may come without end. */
static void look_soon(struct hooks *hooks)
{
	hooks->is_wanted_again = true;
	if (!deadline_is_set(&hooks->look) ||
	    hooks->look_ms > loop_now_ms(hooks->settings.loop) + SOON_MS)
		look_after(hooks, SOON_MS);
}

/* ---- due webhooks ---- */

static void look(struct hooks *hooks);

/* Pauses, since nothing is due. */
static void begin_pause(struct hooks *hooks)
{
	uint64_t now_ms = loop_now_ms(hooks->settings.loop), ms = LOOK_MS;

	if (!hooks->has_webhooks) {
		look_after(hooks, QUIET_MS);
		return;
	}
	if (hooks->is_wanted_again)
		ms = SOON_MS;
	else if (hooks->row.wait_ms < LOOK_MS)
		ms = (uint64_t)hooks->row.wait_ms + 1;
	if (now_ms + ms > hooks->upkeep_ms)
		ms = hooks->upkeep_ms > now_ms ? hooks->upkeep_ms - now_ms : 1;
	look_after(hooks, ms);
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct hooks *hooks = container_of(query, struct hooks, query);
	bool is_due = false, has_more = false;

	hooks->is_asking = false;
	if (result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &hooks->arena, &hooks->row);
		hooks->has_webhooks = hooks->row.has_webhooks;
		if (hooks->settings.is_first && id_is_none(hooks->after))
			metric_set(METRIC_WEBHOOKS_WAITING, 0, hooks->row.waiting);
		is_due = !id_is_none(hooks->row.id);
		/* Begins with the first webhook again after each message, so that none is skipped.
		 */
		hooks->after = is_due ? hooks->after : hooks->row.next_after;
		has_more = !id_is_none(hooks->row.next_after);
		if (is_due)
			sending_begin(hooks, &hooks->arena);
	}
	arena_finish(&hooks->arena);
	if (hooks->is_draining)
		return;
	if ((is_due || has_more) && hooks->under_way < UNDER_WAY_MAX)
		look(hooks);
	else if (result->outcome != DB_OK)
		look_after(hooks, UNAVAILABLE_MS);
	else
		begin_pause(hooks);
}

static void lease(struct hooks *hooks)
{
	hooks->is_asking = hooks->under_way < UNDER_WAY_MAX;
	if (!hooks->is_asking) {
		look_after(hooks, LOOK_MS); /* or when a message ends */
		return;
	}
	hooks->is_wanted_again = false;
	hooks->lease = id_new();
	db_query_init(&hooks->query, &hooks->arena);
	statement_webhook_lease(&hooks->query,
				&(struct webhook_lease_parameters){
				    .lease = hooks->lease,
				    .lease_ms = LEASE_MS,
				    .message_id = id_new(),
				    .after = hooks->after,
				    .row_limit = EVENTS_A_MESSAGE,
				},
				NULL);
	hooks->query.done = on_leased;
	db_submit(hooks->settings.db, &hooks->query);
}

/* ---- upkeep ---- */

/* Whether the same statement runs again: it has found something, and may find more. */
static bool goes_on(struct hooks *hooks, const struct db_result *result)
{
	if (result->outcome != DB_OK || result->row_count == 0)
		return false;
	if (hooks->upkeep_left > 0) {
		hooks->upkeep_left--;
		return true;
	}
	hooks->upkeep_ms = loop_now_ms(hooks->settings.loop) + UPKEEP_MORE_MS;
	return false;
}

static void on_trimmed(struct db_query *query, const struct db_result *result);

static void trim(struct hooks *hooks)
{
	db_query_init(&hooks->query, &hooks->arena);
	statement_webhook_trim(&hooks->query,
			       &(struct webhook_trim_parameters){.row_limit = EVENTS_KEPT},
			       &hooks->trimmed);
	hooks->query.done = on_trimmed;
	db_submit(hooks->settings.db, &hooks->query);
}

static void on_trimmed(struct db_query *query, const struct db_result *result)
{
	struct hooks *hooks = container_of(query, struct hooks, query);

	arena_finish(&hooks->arena);
	hooks->is_asking = false;
	if (hooks->is_draining)
		return;
	hooks->is_asking = true;
	if (goes_on(hooks, result))
		trim(hooks);
	else
		lease(hooks);
}

static void on_online(struct db_query *query, const struct db_result *result);

static void look_who_is_online(struct hooks *hooks)
{
	hooks->is_asking = true;
	db_query_init(&hooks->query, &hooks->arena);
	statement_webhook_online(&hooks->query,
				 &(struct webhook_online_parameters){.row_limit = DEVICES_A_LOOK},
				 &hooks->online);
	hooks->query.done = on_online;
	db_submit(hooks->settings.db, &hooks->query);
}

static void on_online(struct db_query *query, const struct db_result *result)
{
	struct hooks *hooks = container_of(query, struct hooks, query);

	arena_finish(&hooks->arena);
	if (hooks->is_draining)
		hooks->is_asking = false;
	else if (goes_on(hooks, result))
		look_who_is_online(hooks);
	else
		trim(hooks);
}

static void look(struct hooks *hooks)
{
	uint64_t now_ms = loop_now_ms(hooks->settings.loop);

	if (!db_is_up(hooks->settings.db)) {
		look_after(hooks, UNAVAILABLE_MS);
	} else if (hooks->has_webhooks && now_ms >= hooks->upkeep_ms) {
		hooks->upkeep_ms = now_ms + LOOK_MS;
		hooks->upkeep_left = UPKEEP_MAX;
		look_who_is_online(hooks);
	} else {
		lease(hooks);
	}
}

static void on_look(struct deadline *deadline)
{
	look(container_of(deadline, struct hooks, look));
}

/* ---- hints ---- */

/* Called when events were written, or a webhook was changed. */
static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct hooks *hooks = container_of(hints, struct hooks, hints);

	(void)text;
	hooks->has_webhooks = true;
	look_soon(hooks);
}

void hooks_changed(struct hooks *hooks)
{
	hooks->has_webhooks = true;
	look_soon(hooks);
	db_hint(hooks->settings.db, STR("webhook:changed"));
}

/* ---- all ---- */

struct hooks *hooks_create(const struct hooks_settings *settings)
{
	struct hooks *hooks = memory_zalloc(sizeof(*hooks));

	hooks->settings = *settings;
	hooks->on_sent = look_soon;
	deadline_init(&hooks->look, on_look);
	look_after(hooks, UNAVAILABLE_MS);
	hooks->hints = (struct hint_subscription){.kind = STR("webhook"), .on_hint = on_hint};
	db_subscribe(settings->db, &hooks->hints);
	return hooks;
}

void hooks_drain(struct hooks *hooks)
{
	hooks->is_draining = true;
	deadline_clear(hooks->settings.loop, &hooks->look);
}

bool hooks_are_at_work(const struct hooks *hooks)
{
	return hooks->is_asking || hooks->under_way > 0;
}

void hooks_destroy(struct hooks *hooks)
{
	require(hooks->under_way == 0 && !hooks->is_asking);
	db_unsubscribe(&hooks->hints);
	free(hooks);
}
