#include "base/clock.h"
#include "base/limits.h"
#include "base/require.h"
#include "cuts.h"
#include "hint_carrying.h"

#include <stdlib.h>
#include <string.h>

static const struct statement_entry *statement_of(const struct db *db, const struct db_query *query)
{
	return &db->settings.statements[query->statement];
}

static bool is_read(const struct db *db, const struct db_query *query)
{
	return statement_of(db, query)->effect == EFFECT_READ;
}

unsigned db_outstanding(const struct db *db)
{
	return db->reads.count + writes_count(&db->writes);
}

static unsigned sent_by(const struct pool *pool)
{
	unsigned count = 0;

	for (unsigned i = 0; i < pool->count; i++)
		count += pipeline_sent(&pool->connections[i].pipeline);
	return count;
}

static unsigned sent_by_retries(const struct blocked *blocked)
{
	unsigned count = 0;

	for (unsigned i = 0; i < RETRY_CONNECTIONS; i++)
		count += pipeline_sent(&blocked->retries[i].connection.pipeline);
	return count;
}

void db_tell(const struct db *db)
{
	unsigned lists = list_queries_count_sent(&db->lists) +
			 list_queries_count_sent(&db->growing) +
			 list_queries_count_sent(&db->apart);
	unsigned sent = sent_by(&db->reads.pool) + sent_by(&db->writes.pool) +
			sent_by_retries(&db->writes.blocked) + lists;
	unsigned all = db_outstanding(db) + db->lists.waiting_count + db->growing.waiting_count +
		       db->apart.waiting_count + lists;

	metric_set(METRIC_DATABASE_UP, 0, db_is_up(db));
	metric_set(METRIC_DATABASE_QUERIES, METRIC_QUERY_SENT, sent);
	metric_set(METRIC_DATABASE_QUERIES, METRIC_QUERY_WAITING, all > sent ? all - sent : 0);
}

static void on_wake(struct later *later)
{
	(void)later; /* the end of the turn does the work */
}

static void on_prepare(uv_prepare_t *prepare)
{
	(void)prepare;
}

static void free_handle(uv_handle_t *handle)
{
	free(handle);
}

static void close_all(struct db *db)
{
	uv_close((uv_handle_t *)db->alive, free_handle);
	reads_close(&db->reads);
	writes_close(&db->writes);
	list_queries_close(&db->lists);
	list_queries_close(&db->growing);
	list_queries_close(&db->apart);
	hints_close(&db->hints);
	survey_close(&db->survey);
	deadline_clear(db->loop, &db->close_deadline);
	deadline_clear(db->loop, &db->silence);
	turn_end_remove(&db->turn_end);
	/* on_closed() runs after the late answers, in this turn or a later one. */
	loop_later(db->loop, &db->closed_later);
}

static bool long_reads_are_idle(const struct db *db)
{
	return list_queries_are_idle(&db->lists) && list_queries_are_idle(&db->growing) &&
	       list_queries_are_idle(&db->apart);
}

static void on_closed(struct later *later)
{
	struct db *db = container_of(later, struct db, closed_later);

	if (!late_is_idle(&db->late) || !long_reads_are_idle(db)) {
		loop_later(db->loop, &db->closed_later);
		return;
	}
	db->closed(db->closed_context);
}

static void on_close_deadline(struct deadline *deadline)
{
	close_all(container_of(deadline, struct db, close_deadline));
}

static void on_turn_end(struct turn_end *turn_end)
{
	struct db *db = container_of(turn_end, struct db, turn_end);

	if (!db->closing)
		cuts_leave_replaced(db);
	reads_flush(&db->reads);
	writes_flush(&db->writes);
	list_queries_flush(&db->lists);
	list_queries_flush(&db->growing);
	list_queries_flush(&db->apart);
	if (db->hooks_are_due)
		hints_add(&db->hints, STR("webhook:due"));
	db->hooks_are_due = false;
	if (db->closing && db_outstanding(db) == 0 && long_reads_are_idle(db) &&
	    !doubts_next(&db->doubts) && hints_leave(&db->hints))
		close_all(db);
	else
		hints_flush(&db->hints);
}

/* Queries wait for a connection that is being reopened: an idle worker has only one. */
static bool takes(const struct db *db, const struct db_query *query)
{
	const struct pool *pool = is_read(db, query) ? &db->reads.pool : &db->writes.pool;

	if (!is_read(db, query) && query != &db->seen.query && hints_are_forgotten(&db->hints))
		return false;
	return pool_is_up(pool) || connection_returns(&pool->connections[0]);
}

static void add_long(struct db *db, struct list_queries *lists, struct db_query *query)
{
	if (!list_queries_add(lists, query, pool_is_hopeless(&db->reads.pool)))
		late_answer(&db->late, query, DB_OVERDUE);
}

void db_submit(struct db *db, struct db_query *query)
{
	require((unsigned)query->statement < db->settings.statement_count);
	require(!statement_of(db, query)->is_for_ctl);
	require(query->parameters.count == statement_of(db, query)->parameter_count);
	list_init(&query->node);
	query->conflicts = query->moves = 0;
	query->is_batched = query->by_rows = query->has_rows = false;
	if (db->closing || db_outstanding(db) >= LIMIT_DB_QUEUE || !takes(db, query))
		late_answer(&db->late, query, DB_UNAVAILABLE);
	else if (statement_of(db, query)->is_apart)
		add_long(db, &db->apart, query);
	else if (is_read(db, query) && statement_of(db, query)->grows)
		add_long(db, &db->growing, query);
	else if (is_read(db, query))
		reads_add(&db->reads, query);
	else
		writes_add(&db->writes, query);
}

bool db_list(struct db *db, struct db_list_query *list_query)
{
	struct db_query *query = &list_query->query;

	require(is_read(db, query));
	query->conflicts = query->moves = 0;
	query->is_batched = query->has_rows = false;
	query->by_rows = true;
	return list_queries_add(statement_of(db, query)->is_apart ? &db->apart : &db->lists, query,
				pool_is_hopeless(&db->reads.pool));
}

bool db_is_up(const struct db *db)
{
	return pool_is_up(&db->reads.pool) && pool_is_up(&db->writes.pool) &&
	       !hints_are_forgotten(&db->hints);
}

enum unavailable db_unavailable(const struct db *db)
{
	enum unavailable unavailable = pool_unavailable(&db->reads.pool);

	return unavailable == UNAVAILABLE_NOT ? pool_unavailable(&db->writes.pool) : unavailable;
}

bool db_is_read_only(const struct db *db)
{
	const struct pool *pool = &db->writes.pool;

	for (unsigned i = 0; i < pool->count; i++)
		if (connection_is_up(&pool->connections[i]) &&
		    pool->connections[i].pipeline.is_read_only)
			return true;
	return false;
}

enum unavailable db_hints_unavailable(const struct db *db)
{
	return db->hints.connection.unavailable;
}

bool db_keeps_order_of_reads(const struct db *db)
{
	return db->reads.pool.count == 1;
}

struct storage *db_storage(struct db *db)
{
	return db->settings.storage;
}

void db_on_change(struct db *db, const struct change_listener *listener)
{
	db->changes = *listener;
}

size_t db_hint_room(const struct db *db)
{
	return hints_room(&db->hints);
}

bool db_hints_are_up(const struct db *db)
{
	return db->hints.up;
}

uint64_t db_others_since_ms(const struct db *db)
{
	return hint_carrying_others_since_ms(&db->hints);
}

unsigned db_connections_up(const struct db *db)
{
	return pool_count_up(&db->reads.pool) + pool_count_up(&db->writes.pool) +
	       blocked_count_up(&db->writes.blocked) + list_queries_count_up(&db->lists) +
	       list_queries_count_up(&db->growing) + list_queries_count_up(&db->apart) +
	       db->hints.up;
}

void db_retire(struct db *db)
{
	if (hint_carrying_is_shared(&db->hints))
		hint_carrying_retire(&db->hints);
}

void db_subscribe(struct db *db, struct hint_subscription *subscription)
{
	list_append(&db->hints.subscriptions, &subscription->node);
}

void db_unsubscribe(struct hint_subscription *subscription)
{
	list_remove(&subscription->node);
}

void db_hint(struct db *db, struct str word)
{
	hints_add(&db->hints, word);
	loop_later(db->loop, &db->wake);
}

void db_hint_hold(struct db *db, struct id device_id)
{
	if (hint_carrying_is_shared(&db->hints))
		hint_holding_hold(&db->hints.carrying.holding, device_id);
}

void db_hint_release(struct db *db, struct id device_id)
{
	if (hint_carrying_is_shared(&db->hints))
		hint_holding_release(&db->hints.carrying.holding, device_id);
}

void db_hint_hold_all(struct db *db)
{
	if (hint_carrying_is_shared(&db->hints))
		hint_holding_hold_all(&db->hints.carrying.holding);
}

void db_hint_release_all(struct db *db)
{
	if (hint_carrying_is_shared(&db->hints))
		hint_holding_release_all(&db->hints.carrying.holding);
}

void db_hint_look(struct db *db)
{
	if (hint_carrying_is_shared(&db->hints))
		hint_carrying_look(&db->hints);
}

enum { ON_DEMAND_IDLE_MS = 60 * 1000 };

static void on_unseen(void *context)
{
	struct db *db = context;
	struct db_query *query;

	if (db->closing || !pool_is_up(&db->writes.pool))
		return;
	query = hint_seen_query(&db->seen, &db->hints);
	if (query)
		db_submit(db, query);
}

static struct connection new_connection(struct db *db, enum statement_effect effect)
{
	return (struct connection){
	    .loop = db->loop,
	    .owner = db,
	    .hosts = db->hosts,
	    .survey = &db->survey,
	    .statements = db->settings.statements,
	    .statement_count = db->settings.statement_count,
	    .effect = effect,
	    .storage = db->settings.storage,
	    .changes = &db->changes,
	    .hooks_are_due = &db->hooks_are_due,
	    .doubts = &db->doubts,
	    .writers = effect == EFFECT_WRITE ? db->settings.writers : NULL,
	    .session_pooler = db->settings.session_pooler,
	    .key_fingerprint = effect == EFFECT_WRITE ? db->settings.key_fingerprint : NULL,
	};
}

static void start_doubts(struct db *db)
{
	doubts_init(&db->doubts);
	db->doubts.listener = &db->changes;
	doubts_inherit(&db->doubts, db->settings.writers);
}

static void start_hints(struct db *db, const struct connection *connection)
{
	db->hints.on_silent = cuts_on_silent;
	db->hints.on_unseen = on_unseen;
	db->hints.context = db;
	db->hints.doubts = &db->doubts;
	db->hints.instance = db->settings.instance;
	db->hints.number = (int32_t)db->settings.worker;
	db->hints.shared = db->settings.hint_memory;
	db->hints.worker_slots = db->settings.worker_slots;
	deadline_init(&db->silence, cuts_on_silence);
	hints_start(&db->hints, connection);
}

struct db *db_create(struct loop *loop, const struct db_settings *settings)
{
	uint64_t idle_ms =
	    settings->on_demand_idle_ms ? settings->on_demand_idle_ms : ON_DEMAND_IDLE_MS;
	struct hosts *hosts = hosts_create(settings->url);
	struct connection read, write, apart;
	struct db *db;

	if (!hosts)
		return NULL;
	db = memory_zalloc(sizeof(*db));
	db->hosts = hosts;
	db->loop = loop;
	survey_init(&db->survey, loop, hosts);
	if (settings->timeline)
		hosts_fence(hosts, settings->timeline);
	db->settings = *settings;
	db->settings.url = NULL; /* the caller's */
	db->backup_url = memory_strdup(settings->url);
	if (!settings->statements) {
		db->settings.statements = statements;
		db->settings.statement_count = STATEMENT_COUNT;
		for (unsigned i = 0; i < STATEMENT_COUNT; i++)
			metric_name_statement(i, statements[i].name);
	}
	start_doubts(db);
	late_init(&db->late, loop);
	loop_later_init(&db->wake, on_wake);
	loop_later_init(&db->closed_later, on_closed);
	deadline_init(&db->close_deadline, on_close_deadline);
	db->turn_end.run = on_turn_end;
	turn_end_add(loop, &db->turn_end);
	db->alive = memory_alloc(sizeof(*db->alive));
	uv_prepare_init(&loop->uv, db->alive);
	uv_prepare_start(db->alive, on_prepare);
	if (!settings->storage)
		db->settings.storage = &db->own_storage;
	db->late.storage = db->settings.storage;
	read = new_connection(db, EFFECT_READ);
	write = new_connection(db, EFFECT_WRITE);
	reads_start(&db->reads, &read, settings->read_connections, &db->late);
	writes_start(&db->writes, &write, settings->write_connections, idle_ms, &db->late);
	read.gives_single_rows = true;
	list_queries_start(&db->lists, &read, LIST_CONNECTIONS, list_queries_first, idle_ms,
			   settings->background);
	read.gives_single_rows = false;
	read.number = LIST_CONNECTIONS;
	list_queries_start(&db->growing, &read, GROWING_CONNECTIONS, NULL, idle_ms,
			   settings->background);
	apart = write;
	apart.first_slot = WRITER_APART;
	apart.is_apart = apart.gives_single_rows = true;
	list_queries_start(&db->apart, &apart, APART_CONNECTIONS, list_queries_apart_first, idle_ms,
			   NULL);
	start_hints(db, &read);
	return db;
}

void db_close(struct db *db, uint64_t timeout_ms, void (*closed)(void *context), void *context)
{
	require(!db->closing);
	db->closing = true;
	db->closed = closed;
	db->closed_context = context;
	deadline_set(db->loop, &db->close_deadline, timeout_ms);
	loop_later(db->loop, &db->wake);
}

void db_destroy(struct db *db)
{
	loop_later_cancel(&db->wake);
	late_finish(&db->late);
	reads_finish(&db->reads);
	writes_finish(&db->writes);
	doubts_finish(&db->doubts);
	if (hint_carrying_is_shared(&db->hints))
		hint_carrying_finish(&db->hints);
	hosts_destroy(db->hosts);
	free(db->backup_url);
	free(db);
}
