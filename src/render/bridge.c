#include "render/bridge.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/require.h"
#include "brokers.h"
#include "db/statements.h"
#include "domain/mqtt.h"
#include "metric/metric.h"
#include "sandboxed.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	TICK_MS = 5000,
	/* The lease lasts 15 s. */
	LOST_MS = 12 * 1000,
	/* After a hint, so that what another statement has locked is seen, too. */
	AGAIN_MS = 300,
	/* A connection that a lease did not return may have been locked by the write of its state.
	 */
	MISSES_MAX = 2,
	/* The process takes topics away and starts up meanwhile. */
	IDLE_TURNS_MAX = 4,
	/* Pause after a process that did not start. */
	PAUSE_MS = 30 * 1000,
	WORD_MAX = 16 * 1024,
};

struct bridge {
	struct bridge_settings with;
	struct id holder; /* of this worker */
	struct list brokers;
	struct sandboxed *link; /* NULL: there is none */
	bool is_ready;		/* it has greeted */
	bool has_greeted;	/* once: its layers are in the log */
	bool is_draining;
	bool is_asking; /* the lease */
	bool wants_more;
	bool is_telling;
	struct mqtt_own_row own; /* the account of --mqtt */
	bool has_own;		 /* the account of --mqtt has its connection */
	bool has_complained;	 /* that there is no such account */
	unsigned idle_turns;	 /* leases in a row without a connection */
	struct deadline tick;
	uint64_t heard_ms; /* of the last lease */
	uint64_t paused_until_ms;
	struct arena arena, told_arena;
	struct db_query query, told;
	struct hint_subscription hints;
};

static void tick_soon(struct bridge *bridge, uint64_t ms)
{
	if (!bridge->is_draining)
		deadline_set(bridge->with.loop, &bridge->tick, ms);
}

/* ---- the link ---- */

/* Forgets what the process had; with the next lease it gets all of it anew. */
static void forget_link(struct bridge *bridge)
{
	bridge->link = NULL;
	bridge->is_ready = false;
	list_for_each (node, &bridge->brokers)
		container_of(node, struct broker, node)->peer.is_open = false;
}

static void drop_link(struct bridge *bridge)
{
	if (!bridge->link)
		return;
	sandboxed_end(bridge->link);
	forget_link(bridge);
}

/* A process that does not read is ended; its connections are made anew. */
static void say(struct bridge *bridge, struct buffer *line, int descriptor)
{
	bool is_sent =
	    bridge->is_ready && sandboxed_send(bridge->link, buffer_view(line), descriptor);

	buffer_finish(line);
	if (is_sent || !bridge->is_ready)
		return;
	log_error("mqtt", "the bridge to MQTT does not read: ended");
	drop_link(bridge);
	tick_soon(bridge, TICK_MS);
}

static void close_broker(struct bridge *bridge, struct broker *broker, bool must_forget)
{
	struct buffer line = {0};

	if (!broker->peer.is_open)
		return;
	broker->peer.is_open = broker->is_connected = false;
	broker->has_news = false;
	bridge_write_close(&line, broker->peer.account_id, must_forget);
	say(bridge, &line, -1);
}

/* ---- what the bridge says ---- */

static void tell_next(struct bridge *bridge);

static void on_told(struct db_query *query, const struct db_result *result)
{
	struct bridge *bridge = container_of(query, struct bridge, told);

	(void)result; /* the state is for people, and the next one comes */
	bridge->is_telling = false;
	arena_finish(&bridge->told_arena);
	tell_next(bridge);
}

static void tell_next(struct bridge *bridge)
{
	if (bridge->is_telling || bridge->is_draining)
		return;
	list_for_each (node, &bridge->brokers) {
		struct broker *broker = container_of(node, struct broker, node);
		struct str error = str_from(broker->error);

		if (!broker->has_news)
			continue;
		broker->has_news = false;
		bridge->is_telling = true;
		db_query_init(&bridge->told, &bridge->told_arena);
		statement_mqtt_told(&bridge->told,
				    &(struct mqtt_told_parameters){
					.account_id = broker->peer.account_id,
					.holder = bridge->holder,
					.error = error.length
						     ? arena_copy(&bridge->told_arena, error)
						     : (struct str){0},
				    });
		bridge->told.done = on_told;
		db_submit(bridge->with.db, &bridge->told);
		return;
	}
}

static void take_state(struct bridge *bridge, const struct bridge_word *word)
{
	struct broker *broker = brokers_find(&bridge->brokers, word->account);
	char account[ID_TEXT_LENGTH + 1];

	if (!broker || !broker->peer.is_open)
		return;
	id_format(word->account, account);
	broker->has_news = true;
	broker->is_connected = !word->error[0];
	memcpy(broker->error, word->error, sizeof(broker->error));
	log_info("mqtt", word->error[0] ? "not connected to the broker" : "connected to the broker",
		 LOG_TEXT("account", account), LOG_TEXT("error", word->error));
	tell_next(bridge);
}

static void give_socket(struct bridge *bridge, struct id account)
{
	struct broker *broker = brokers_find(&bridge->brokers, account);
	struct buffer line = {0};
	int ends[2];

	if (!broker || !broker->peer.is_open)
		return;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	if (http_server_adopt(bridge->with.http, ends[1], &broker->listener) == 0) {
		bridge_write_socket(&line, account);
		say(bridge, &line, ends[0]);
	}
	close(ends[0]);
}

/* The next lease opens the connection again. */
static void take_end(const struct bridge *bridge, struct id account)
{
	struct broker *broker = brokers_find(&bridge->brokers, account);

	if (broker)
		broker->peer.is_open = false;
}

static void greet(struct bridge *bridge, const struct bridge_word *word)
{
	if (!bridge->has_greeted)
		log_info("mqtt", "the bridge to MQTT is in a sandbox",
			 LOG_TEXT("library", word->library), LOG_TEXT("layers", word->layers));
	bridge->has_greeted = true;
	bridge->is_ready = true;
	sandboxed_note_ready(bridge->link);
	tick_soon(bridge, 0);
}

static void take_word(struct bridge *bridge, const struct bridge_word *word)
{
	switch (word->kind) {
	case BRIDGE_HELLO:
		greet(bridge, word);
		break;
	case BRIDGE_STATE:
		take_state(bridge, word);
		break;
	case BRIDGE_NEEDS:
		give_socket(bridge, word->account);
		break;
	case BRIDGE_GONE:
		take_end(bridge, word->account);
		break;
	case BRIDGE_COUNTS:
		for (int i = 0; i < BRIDGE_COUNTS_MAX; i++)
			metric_add(METRIC_MQTT_MESSAGES, i, word->counts[i]);
	}
}

static void on_bytes(struct sandboxed *link, struct buffer *input)
{
	struct bridge *bridge = sandboxed_context(link);

	for (;;) {
		struct str text = buffer_view(input);
		size_t length = str_find(text, '\n');
		struct bridge_word word;

		if (length == text.length && length < WORD_MAX)
			return;
		if (length == text.length || !bridge_read((struct str){text.data, length}, &word)) {
			log_error("mqtt", "the bridge to MQTT says what is no word: ended");
			drop_link(bridge);
			tick_soon(bridge, TICK_MS);
			return;
		}
		buffer_consume(input, length + 1);
		take_word(bridge, &word);
		if (bridge->link != link)
			return;
	}
}

static void on_gone(struct sandboxed *link, enum sandboxed_end end, int status)
{
	struct bridge *bridge = sandboxed_context(link);

	if (end == SANDBOXED_ENDED)
		log_error("mqtt", "the bridge to MQTT has ended", LOG_INT("status", status));
	if (end == SANDBOXED_NOT_STARTED)
		bridge->paused_until_ms = loop_now_ms(bridge->with.loop) + PAUSE_MS;
	forget_link(bridge);
	tick_soon(bridge, TICK_MS);
}

static void on_started(struct sandboxed *link)
{
	(void)link; /* its greeting is waited for */
}

static void start_link(struct bridge *bridge)
{
	static const struct sandboxed_events events = {
	    .on_started = on_started, .on_bytes = on_bytes, .on_gone = on_gone};
	struct host_link *host = engines_host(bridge->with.engines);

	if (bridge->link || !host || !render_health_has(host_link_health(host), RENDER_MQTT))
		return;
	bridge->link = sandboxed_start(bridge->with.loop, host, RENDER_MQTT, &events, bridge);
}

/* ---- leases ---- */

static void open_broker(struct bridge *bridge, struct broker *broker,
			const struct mqtt_lease_row *row)
{
	struct bridge_opening opening = {.account = row->account_id,
					 .username = row->username,
					 .reaches_all = row->is_of_instance,
					 .reaches_public_only = !row->reaches_local};
	struct buffer line = {0};

	broker->revision = row->revision;
	broker->reaches_local = row->reaches_local;
	if (row->is_of_instance) {
		opening.username = bridge->with.own.username;
		opening.password = bridge->with.own.password;
	}
	if (mqtt_url_read(row->is_of_instance ? bridge->with.own.url : row->url, &opening.broker))
		return;
	if (row->password.length &&
	    !settings_open(bridge->with.key, row->account_id, STR(MQTT_PASSWORD_PURPOSE),
			   row->password, &bridge->arena, &opening.password)) {
		snprintf(broker->error, sizeof(broker->error), "%s",
			 "the password cannot be decrypted: set it again");
		broker->has_news = true;
		return;
	}
	broker->peer.is_open = true;
	bridge_write_open(&line, &opening);
	say(bridge, &line, -1);
}

static void keep(struct bridge *bridge, const struct mqtt_lease_row *row)
{
	struct broker *broker = brokers_find(&bridge->brokers, row->account_id);

	if (!broker)
		broker = brokers_add(&bridge->brokers, row->account_id, &bridge->with.listener);
	broker->misses = 0;
	if (broker->peer.is_open && broker->revision == row->revision &&
	    broker->reaches_local == row->reaches_local)
		return;
	/* The topics stay: they are the same at the new broker, or go with a removal. */
	close_broker(bridge, broker, false);
	if (bridge->is_ready)
		open_broker(bridge, broker, row);
}

static void note_misses(struct bridge *bridge)
{
	list_for_each (node, &bridge->brokers)
		container_of(node, struct broker, node)->misses++;
}

/* must_forget: what is gone was removed, as far as is known: another worker would have waited for
 * the end of the lease. */
static void close_missed(struct bridge *bridge)
{
	list_for_each (node, &bridge->brokers) {
		struct broker *broker = container_of(node, struct broker, node);

		if (broker->misses >= MISSES_MAX)
			close_broker(bridge, broker, true);
	}
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct bridge *bridge = container_of(query, struct bridge, query);
	const struct mqtt_lease_row *rows = NULL;

	bridge->is_asking = false;
	if (bridge->is_draining) {
		arena_finish(&bridge->arena);
		return;
	}
	if (result->outcome == DB_OK) {
		bridge->heard_ms = loop_now_ms(bridge->with.loop);
		note_misses(bridge);
		if (result->row_count) {
			rows = db_read_rows(result, query->record, &bridge->arena);
			start_link(bridge);
		}
	}
	for (unsigned i = 0; rows && i < result->row_count; i++)
		keep(bridge, &rows[i]);
	if (result->outcome == DB_OK) {
		close_missed(bridge);
		if (result->row_count || brokers_count_open(&bridge->brokers))
			bridge->idle_turns = 0;
		else
			bridge->idle_turns++;
		if (bridge->idle_turns >= IDLE_TURNS_MAX)
			drop_link(bridge);
	}
	arena_finish(&bridge->arena);
	tell_next(bridge);
	tick_soon(bridge, bridge->wants_more ? AGAIN_MS : TICK_MS);
	bridge->wants_more = false;
	brokers_tell(&bridge->brokers);
}

/* Others take the leases: without the database nobody knows who has them. */
static void close_all(struct bridge *bridge)
{
	list_for_each (node, &bridge->brokers)
		close_broker(bridge, container_of(node, struct broker, node), false);
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
	arena_finish(&bridge->arena);
	tick_soon(bridge, bridge->has_own ? 0 : TICK_MS);
}

/* Whether the account of --mqtt has its connection, or does without it for now. */
static bool has_noted_own(struct bridge *bridge)
{
	const struct bridge_own *own = &bridge->with.own;

	if (!own->account.length || bridge->has_own)
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

	tick_soon(bridge, TICK_MS);
	if (bridge->heard_ms + LOST_MS < now_ms)
		close_all(bridge);
	if (bridge->is_asking || now_ms < bridge->paused_until_ms || !db_is_up(bridge->with.db))
		return;
	bridge->is_asking = true;
	if (!has_noted_own(bridge))
		return;
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
	tick_soon(bridge, 0);
}

/* ---- beginning and end ---- */

struct bridge *bridge_create(const struct bridge_settings *settings)
{
	struct bridge *bridge = memory_zalloc(sizeof(*bridge));

	bridge->with = *settings;
	bridge->holder = id_new();
	list_init(&bridge->brokers);
	deadline_init(&bridge->tick, on_tick);
	bridge->hints = (struct hint_subscription){.kind = "mqtt", .on_hint = on_hint};
	if (!settings->has_program)
		return bridge;
	db_subscribe(settings->db, &bridge->hints);
	tick_soon(bridge, TICK_MS);
	return bridge;
}

static void on_let_go(struct db_query *query, const struct db_result *result)
{
	struct bridge *bridge = container_of(query, struct bridge, told);

	(void)result;
	bridge->is_telling = false;
	arena_finish(&bridge->told_arena);
}

void bridge_drain(struct bridge *bridge)
{
	bool has_leases = brokers_count_open(&bridge->brokers) > 0;

	if (bridge->is_draining)
		return;
	bridge->is_draining = true;
	deadline_clear(bridge->with.loop, &bridge->tick);
	close_all(bridge);
	drop_link(bridge);
	if (!has_leases || bridge->is_telling || !db_is_up(bridge->with.db))
		return; /* they end by themselves */
	bridge->is_telling = true;
	db_query_init(&bridge->told, &bridge->told_arena);
	statement_mqtt_let_go(&bridge->told,
			      &(struct mqtt_let_go_parameters){.holder = bridge->holder});
	bridge->told.done = on_let_go;
	db_submit(bridge->with.db, &bridge->told);
}

void bridge_destroy(struct bridge *bridge)
{
	require(!bridge->is_asking && !bridge->is_telling);
	if (bridge->with.has_program)
		db_unsubscribe(&bridge->hints);
	brokers_free(&bridge->brokers);
	free(bridge);
}
