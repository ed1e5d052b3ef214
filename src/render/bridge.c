#include "render/bridge.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/require.h"
#include "bridge_parts.h"
#include "domain/mqtt.h"

#include <stdlib.h>
#include <text/reach.h>

enum {
	/* Interval of queries for the account of --mqtt, while there is none. */
	OWN_MS = 60 * 1000,
	/* Latest end of connections after the request for their lease, which lasts 6.5 s. */
	LOST_MS = 5500,
	/* Pause after a hint: rows that another statement had locked are then free. */
	AGAIN_MS = 300,
	/* A connection that a lease did not return may have been locked by the write of its state.
	 */
	MISSES_MAX = 2,
	/* Meanwhile the process removes topics, or starts. */
	IDLE_TURNS_MAX = 10,
};

/* ---- leases ---- */

static void open_broker(struct bridge *bridge, struct broker *broker,
			const struct mqtt_lease_row *row)
{
	struct bridge_opening opening = {.account = row->account_id,
					 .username = row->username,
					 .reaches_all = row->is_of_instance,
					 .lacks =
					     reach_lacks(row->is_local_closed, row->is_marked)};
	struct buffer line = {0};

	broker->revision = row->revision;
	broker->lacks = opening.lacks;
	if (row->is_of_instance) {
		opening.username = bridge->with.own.username;
		opening.password = bridge->with.own.password;
	}
	if (mqtt_url_read(row->is_of_instance ? bridge->with.own.url : row->url, &opening.broker))
		return;
	if (row->password.length &&
	    !settings_decrypt(bridge->with.key, row->account_id, STR(MQTT_PASSWORD_PURPOSE),
			      row->password, &bridge->arena, &opening.password)) {
		snprintf(broker->error, sizeof(broker->error), "%s",
			 "the password cannot be decrypted: set it again");
		broker->has_news = true;
		return;
	}
	broker->peer.is_open = true;
	bridge_write_open(&line, &opening);
	bridge_say(bridge, &line, -1);
}

static void keep(struct bridge *bridge, const struct mqtt_lease_row *row)
{
	struct broker *broker = brokers_find(&bridge->brokers, row->account_id);

	if (!broker)
		broker = brokers_add(&bridge->brokers, row->account_id, &bridge->with.listener);
	broker->misses = 0;
	/* From the request, not from its answer: never later than the key. */
	broker->end_ms = row->end_ms >= 0 ? bridge->asked_ms + (uint64_t)row->end_ms : 0;
	if (broker->peer.is_open && broker->revision == row->revision &&
	    broker->lacks == reach_lacks(row->is_local_closed, row->is_marked))
		return;
	/* Keep the topics: they are the same at the new broker, or are removed with the account. */
	bridge_close_broker(bridge, broker, false);
	if (bridge->is_ready)
		open_broker(bridge, broker, row);
}

static void note_misses(struct bridge *bridge)
{
	list_for_each (node, &bridge->brokers.all)
		container_of(node, struct broker, node)->misses++;
}

/* must_forget: missing connections were probably removed: another worker would have waited for the
 * end of the lease. */
static void close_missed(struct bridge *bridge)
{
	list_for_each (node, &bridge->brokers.all) {
		struct broker *broker = container_of(node, struct broker, node);

		if (broker->misses >= MISSES_MAX)
			bridge_close_broker(bridge, broker, true);
	}
}

/* Closes all, since other workers take the leases: without the database their owners are unknown.
 */
static void close_all(struct bridge *bridge)
{
	list_for_each (node, &bridge->brokers.all)
		bridge_close_broker(bridge, container_of(node, struct broker, node), false);
}

static void await_end(struct bridge *bridge)
{
	uint64_t next_ms = brokers_next_end_ms(&bridge->brokers);

	if (next_ms)
		deadline_set_at(bridge->with.loop, &bridge->ends, next_ms);
	else
		deadline_clear(bridge->with.loop, &bridge->ends);
}

/* Closes what expired keys have set up; its rows are removed seconds later. */
static void on_end(struct deadline *deadline)
{
	struct bridge *bridge = container_of(deadline, struct bridge, ends);
	uint64_t now_ms = loop_now_ms(bridge->with.loop);

	list_for_each (node, &bridge->brokers.all) {
		struct broker *broker = container_of(node, struct broker, node);

		if (broker->end_ms && broker->end_ms <= now_ms)
			bridge_close_broker(bridge, broker, true);
	}
	brokers_tell(&bridge->brokers);
	await_end(bridge);
}

static void on_lost(struct deadline *deadline)
{
	close_all(container_of(deadline, struct bridge, lost));
}

/* Ends the process when it has had nothing to do for long. */
static void note_turn(struct bridge *bridge, unsigned row_count)
{
	if (row_count || brokers_count_open(&bridge->brokers))
		bridge->idle_turns = 0;
	else
		bridge->idle_turns++;
	if (bridge->idle_turns >= IDLE_TURNS_MAX)
		bridge_drop_link(bridge);
}

static void take_leases(struct bridge *bridge, const struct db_result *result)
{
	const struct mqtt_lease_row *rows =
	    result->row_count ? db_read_rows(result, bridge->query.record, &bridge->arena) : NULL;

	deadline_set_at(bridge->with.loop, &bridge->lost, bridge->asked_ms + LOST_MS);
	note_misses(bridge);
	if (rows)
		bridge_start_link(bridge);
	for (unsigned i = 0; rows && i < result->row_count; i++)
		keep(bridge, &rows[i]);
	close_missed(bridge);
	await_end(bridge);
	note_turn(bridge, result->row_count);
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct bridge *bridge = container_of(query, struct bridge, query);
	bool is_late = loop_now_ms(bridge->with.loop) >= bridge->asked_ms + LOST_MS;

	bridge->is_asking = false;
	/* A late answer does not show the current leases. */
	if (result->outcome == DB_OK && !is_late && !bridge->is_draining)
		take_leases(bridge, result);
	arena_finish(&bridge->arena);
	if (bridge->is_draining) {
		bridge_let_go(bridge);
		return;
	}
	bridge_tell_next(bridge);
	bridge_tick_soon(bridge, bridge->wants_more ? AGAIN_MS : BRIDGE_TICK_MS);
	bridge->wants_more = false;
	brokers_tell(&bridge->brokers);
}

static void on_own(struct db_query *query, const struct db_result *result)
{
	struct bridge *bridge = container_of(query, struct bridge, query);

	bridge->is_asking = false;
	bridge->has_own = result->outcome == DB_OK && result->row_count > 0;
	if (bridge->has_own)
		db_read_row(result, 0, query->record, &bridge->arena, &bridge->own);
	if (result->outcome == DB_OK && !bridge->has_own && !bridge->has_complained)
		log_error("mqtt", "no account has the address of --mqtt-account");
	bridge->has_complained |= result->outcome == DB_OK;
	bridge->own_from_ms =
	    loop_now_ms(bridge->with.loop) + (result->outcome == DB_OK ? OWN_MS : BRIDGE_TICK_MS);
	arena_finish(&bridge->arena);
	if (bridge->is_draining)
		bridge_let_go(bridge);
	bridge_tick_soon(bridge, 0); /* other accounts do not wait for it */
}

/* Whether the account of --mqtt has its connection, or does without it for now. */
static bool has_noted_own(struct bridge *bridge, uint64_t now_ms)
{
	const struct bridge_own *own = &bridge->with.own;

	if (!own->account.length || bridge->has_own || now_ms < bridge->own_from_ms)
		return true;
	db_query_init(&bridge->query, &bridge->arena);
	statement_mqtt_own(&bridge->query,
			   &(struct mqtt_own_parameters){
			       .email = own->account, .url = own->url, .username = own->username},
			   NULL);
	bridge->query.done = on_own;
	db_submit(bridge->with.db, &bridge->query);
	return false;
}

static void on_tick(struct deadline *deadline)
{
	struct bridge *bridge = container_of(deadline, struct bridge, tick);
	uint64_t now_ms = loop_now_ms(bridge->with.loop);

	bridge_tick_soon(bridge, BRIDGE_TICK_MS);
	if (bridge->is_asking || now_ms < bridge->paused_until_ms || !db_is_up(bridge->with.db))
		return;
	if (!bridge->link && !bridge_can_start(bridge)) {
		bridge_let_go(bridge); /* other instances can */
		return;
	}
	bridge->is_asking = true;
	if (!has_noted_own(bridge, now_ms))
		return;
	bridge->may_hold = true;
	bridge->asked_ms = now_ms;
	db_query_init(&bridge->query, &bridge->arena);
	statement_mqtt_lease(&bridge->query,
			     &(struct mqtt_lease_parameters){
				 .holder = bridge->holder,
				 .own_account_id = bridge->own.id,
				 .row_limit = (int32_t)bridge->with.connections_max,
			     },
			     NULL);
	bridge->query.done = on_leased;
	db_submit(bridge->with.db, &bridge->query);
}

static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct bridge *bridge = container_of(hints, struct bridge, hints);

	(void)text;
	bridge->wants_more = true;
	bridge->own_from_ms = 0;
	bridge_tick_soon(bridge, 0);
}

/* ---- beginning and end ---- */

struct bridge *bridge_create(const struct bridge_settings *settings)
{
	struct bridge *bridge = memory_zalloc(sizeof(*bridge));

	bridge->with = *settings;
	bridge->holder = id_new();
	brokers_init(&bridge->brokers);
	bridge_init_link(bridge);
	deadline_init(&bridge->tick, on_tick);
	deadline_init(&bridge->lost, on_lost);
	deadline_init(&bridge->ends, on_end);
	bridge->hints = (struct hint_subscription){.kind = STR("mqtt"), .on_hint = on_hint};
	if (!settings->has_program)
		return bridge;
	db_subscribe(settings->db, &bridge->hints);
	bridge_tick_soon(bridge, BRIDGE_TICK_MS);
	return bridge;
}

void bridge_drain(struct bridge *bridge)
{
	if (bridge->is_draining)
		return;
	bridge->is_draining = true;
	deadline_clear(bridge->with.loop, &bridge->tick);
	deadline_clear(bridge->with.loop, &bridge->lost);
	deadline_clear(bridge->with.loop, &bridge->ends);
	close_all(bridge);
	bridge_drop_link(bridge);
	bridge_let_go(bridge);
}

void bridge_destroy(struct bridge *bridge)
{
	require(!bridge->is_asking && !bridge->is_telling);
	if (bridge->with.has_program)
		db_unsubscribe(&bridge->hints);
	brokers_free(&bridge->brokers);
	free(bridge);
}
