#include "connection.h"
#include "base/log.h"
#include "base/require.h"
#include "connection_rest.h"
#include "db/result.h"
#include "poller.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	PREPARE_MS = 5 * 1000,
	/* Longest pause after a deadlock. The other transaction needs a moment to take the lock
	 * that it waited for; a query that is repeated at once may lock it first, and cause the
	 * same deadlock again. */
	CONFLICT_REST_MS = 20,
};

static void open_connection(struct connection *connection);
static void lose(struct connection *connection, enum unavailable unavailable, struct str words);

static void move(struct connection *connection, enum db_connection_state to)
{
	enum {
		PAUSE = 1 << CONNECTION_PAUSED,
		END = 1 << CONNECTION_CLOSED | 1 << CONNECTION_ASLEEP,
	};
	static const unsigned allowed[] = {
	    [CONNECTION_ASLEEP] = PAUSE | 1 << CONNECTION_CLOSED,
	    [CONNECTION_PAUSED] = 1 << CONNECTION_OPENING | END,
	    [CONNECTION_OPENING] = PAUSE | 1 << CONNECTION_PREPARING | END,
	    [CONNECTION_PREPARING] = PAUSE | 1 << CONNECTION_UP | END,
	    [CONNECTION_UP] = PAUSE | END,
	    [CONNECTION_CLOSED] = 0,
	};

	require(allowed[connection->state] & 1u << to);
	metric_add(METRIC_DATABASE_CONNECTS, connection->role->metric, to == CONNECTION_UP);
	metric_add(METRIC_DATABASE_CONNECTIONS, connection->role->metric,
		   (to == CONNECTION_UP) - (connection->state == CONNECTION_UP));
	survey_count(connection->survey, connection->state == CONNECTION_UP, to == CONNECTION_UP);
	connection->state = to;
}

static void step(void *context);

/* Watches libpq's socket. Returns false if that failed, and the connection is lost. */
static bool watch(struct connection *connection, int events)
{
	int error = poller_watch(&connection->poller, &connection->loop->uv,
				 PQsocket(connection->pg), events, step, connection);

	if (error)
		lose(connection, UNAVAILABLE_OTHER, str_from(uv_strerror(error)));
	return error == 0;
}

static void drop(struct connection *connection)
{
	if (connection->state == CONNECTION_OPENING && !survey_leave(&connection->asking))
		opening_stop(&connection->opening);
	poller_drop(&connection->poller);
	PQfinish(connection->pg);
	connection->pg = connection->pipeline.pg = NULL;
	deadline_clear(connection->loop, &connection->deadline);
	deadline_clear(connection->loop, &connection->conflict_deadline);
}

static void note_backend(struct connection *connection, struct backend backend)
{
	unsigned slot = connection->first_slot + connection->number;

	connection->backend = backend;
	writer_note(writers_slot(connection->writers, slot), backend);
}

/* Returns the queries under way to their owner. Those that may still run are in doubt before they
 * are answered, which is later. */
static void give_back(struct connection *connection)
{
	struct pipeline *pipeline = &connection->pipeline;

	pipeline_give_back(pipeline);
	doubts_take(connection->doubts, &pipeline->doubt, connection->backend);
	note_backend(connection, (struct backend){0});
}

/* words may belong to the connection. */
static void lose(struct connection *connection, enum unavailable unavailable, struct str words)
{
	uint64_t rest_ms;

	/* A connection that was lost before any statement succeeded counts as a failed attempt. */
	if (connection->state != CONNECTION_UP || !connection->pipeline.useful)
		connection->failures++;
	connection->was_up =
	    connection->state == CONNECTION_UP && unavailable != UNAVAILABLE_SILENT;
	/* The next attempt begins with another server. */
	if (connection->pg &&
	    (unavailable == UNAVAILABLE_SILENT || connection->state == CONNECTION_PREPARING))
		hosts_pass_over(connection->hosts, connection->pg);
	connection->unavailable = unavailable;
	connection->prepares_none = false;
	metric_add(METRIC_DATABASE_LOSSES, connection->role->metric, 1);
	rest_ms = connection_rest_ms(connection->failures, hosts_are_near(connection->hosts));
	connection_log(&connection->log, connection->role->name, connection->number, unavailable,
		       words);
	drop(connection);
	move(connection, CONNECTION_PAUSED);
	deadline_set(connection->loop, &connection->deadline, rest_ms);
	give_back(connection);
	connection->role->on_down(connection);
}

static void lose_by_libpq(struct connection *connection)
{
	const char *text = PQerrorMessage(connection->pg);

	lose(connection, unavailable_from_error(text, true), result_first_line(text));
}

static void lose_by_pipeline(struct connection *connection)
{
	lose(connection, UNAVAILABLE_ENDED, str_from(connection->pipeline.reason));
}

static void lose_by_set_up(struct connection *connection)
{
	lose(connection, connection->set_up.unavailable, str_from(connection->set_up.reason));
}

/* Sets the deadline of a connection that is up while an answer is due. */
static void expect_answer(struct connection *connection)
{
	if (connection->pipeline.batch_count && !connection->pipeline.paused)
		deadline_set(connection->loop, &connection->deadline, connection->role->answer_ms);
	else
		deadline_clear(connection->loop, &connection->deadline);
}

/* Sends libpq's buffer. Returns false if the connection is lost. */
static bool flush(struct connection *connection)
{
	int left = PQflush(connection->pg);

	if (left < 0) {
		lose_by_libpq(connection);
		return false;
	}
	/* Keep reading while a write waits: the server may have to send answers before it reads
	 * more. */
	return watch(connection, (connection->pipeline.paused ? 0 : UV_READABLE) |
				     (left > 0 ? UV_WRITABLE : 0));
}

void connection_flush(struct connection *connection, int error)
{
	if (error < 0) {
		lose_by_pipeline(connection);
		return;
	}
	if (flush(connection) && !deadline_is_set(&connection->deadline))
		expect_answer(connection);
}

static void begin_preparing(struct connection *connection)
{
	move(connection, CONNECTION_PREPARING);
	deadline_set(connection->loop, &connection->deadline, PREPARE_MS);
	hook_notice_watch(&connection->pipeline.hook_notice, connection->pg);
	connection->set_up = (struct set_up){
	    .pg = connection->pg,
	    .hosts = connection->hosts,
	    .statements = connection->statements,
	    .statement_count = connection->statement_count,
	    .effect = connection->effect,
	    .prepares_none = connection->prepares_none,
	    .is_apart = connection->is_apart,
	    .first = connection->role->first,
	    .key_fingerprint = connection->key_fingerprint,
	    .session_pooler = connection->session_pooler,
	};
	sender_begin(&connection->pipeline.sender, connection->statements,
		     connection->statement_count, connection->prepares_none);
	if (set_up_begin(&connection->set_up) < 0)
		lose_by_set_up(connection);
	else
		flush(connection);
}

static void step_preparing(struct connection *connection)
{
	bool alive = PQconsumeInput(connection->pg);
	int done = set_up_receive(&connection->set_up);

	if (done < 0) {
		lose_by_set_up(connection);
	} else if (!alive) {
		lose_by_libpq(connection);
	} else if (done == 0) {
		flush(connection);
	} else if (flush(connection)) {
		move(connection, CONNECTION_UP);
		deadline_clear(connection->loop, &connection->deadline);
		note_backend(connection, connection->set_up.backend);
		connection->pipeline.pg = connection->pg;
		connection->pipeline.useful = false;
		connection->unavailable = UNAVAILABLE_NOT;
		connection->heard_ms = loop_now_ms(connection->loop);
		hosts_note_good(connection->hosts, connection->pg);
		connection_log(&connection->log, connection->role->name, connection->number,
			       UNAVAILABLE_NOT, STR(""));
		connection->role->on_up(connection);
	}
}

static void take_notifications(struct connection *connection)
{
	PGnotify *notify;

	while ((notify = PQnotifies(connection->pg))) {
		if (connection->role->on_notify)
			connection->role->on_notify(connection, str_from(notify->extra));
		PQfreemem(notify);
	}
}

/* Queries that have conflicted pause together and are sent again at the same time. */
static void rest_conflicted(struct connection *connection)
{
	if (list_is_empty(&connection->pipeline.conflicted) ||
	    deadline_is_set(&connection->conflict_deadline))
		return;
	deadline_set(connection->loop, &connection->conflict_deadline,
		     1 + randombytes_uniform(CONFLICT_REST_MS));
}

static void on_conflict_deadline(struct deadline *deadline)
{
	struct connection *connection =
	    container_of(deadline, struct connection, conflict_deadline);

	/* A draining connection sends nothing more, and gives these queries back when it is closed.
	 */
	if (!connection_is_up(connection))
		return;
	pipeline_wake_conflicted(&connection->pipeline);
	connection_flush(connection, pipeline_send_again(&connection->pipeline));
}

static void step_up(struct connection *connection)
{
	struct pipeline *pipeline = &connection->pipeline;
	unsigned answers = pipeline->answer_count;
	/* Results that arrived before the connection ended are still valid. */
	bool alive = PQconsumeInput(connection->pg);
	int error = pipeline_receive(pipeline);

	take_notifications(connection);
	if (pipeline->answer_count != answers) {
		connection->heard_ms = loop_now_ms(connection->loop);
		expect_answer(connection);
	}
	if (pipeline->useful)
		connection->failures = 0;
	rest_conflicted(connection);
	if (error < 0)
		lose_by_pipeline(connection);
	else if (!alive)
		lose_by_libpq(connection);
	else if (pipeline->draining && pipeline->batch_count == 0)
		lose_by_pipeline(connection);
	else
		flush(connection);
}

static void step(void *context)
{
	struct connection *connection = context;

	switch (connection->state) {
	case CONNECTION_PREPARING:
		step_preparing(connection);
		break;
	case CONNECTION_UP:
		step_up(connection);
		break;
	case CONNECTION_ASLEEP:
	case CONNECTION_PAUSED:
	case CONNECTION_OPENING:
	case CONNECTION_CLOSED:
		break;
	}
}

static void on_deadline(struct deadline *deadline)
{
	struct connection *connection = container_of(deadline, struct connection, deadline);
	unsigned answers = connection->pipeline.answer_count;

	if (connection->state == CONNECTION_PAUSED) {
		open_connection(connection);
	} else if (connection->state == CONNECTION_UP) {
		/* Perhaps this process did not run for a while: read once more before giving up. */
		step(connection);
		if (connection->state == CONNECTION_UP &&
		    connection->pipeline.answer_count == answers)
			connection_cut_silent(connection);
	} else {
		lose(connection, UNAVAILABLE_SILENT, STR("the server does not answer"));
	}
}

static void on_opened(void *context, PGconn *pg)
{
	struct connection *connection = context;
	const struct hosts_failure *failure = &connection->opening.failure;

	connection->pg = pg;
	if (pg)
		begin_preparing(connection);
	else
		lose(connection, failure->unavailable, str_from(failure->words));
}

static void on_asked(struct survey_wait *asking)
{
	opening_start(&container_of(asking, struct connection, asking)->opening);
}

static void open_connection(struct connection *connection)
{
	move(connection, CONNECTION_OPENING);
	connection->opening.loop = connection->loop;
	connection->opening.hosts = connection->hosts;
	connection->opening.use = &set_up_use;
	connection->opening.done = on_opened;
	connection->opening.context = connection;
	connection->asking.done = on_asked;
	survey_join(connection->survey, &connection->asking,
		    connection->failures == 0 && !connection->was_up);
}

static void on_answer(struct pipeline *pipeline, struct db_query *query,
		      const struct db_result *result)
{
	struct connection *connection = container_of(pipeline, struct connection, pipeline);

	connection->role->on_answer(connection, query, result);
}

static void on_row(struct pipeline *pipeline, struct db_query *query, const struct db_result *row)
{
	struct connection *connection = container_of(pipeline, struct connection, pipeline);

	connection->role->on_row(connection, query, row);
}

static void on_locked(struct pipeline *pipeline, struct db_query *query, bool is_culprit)
{
	struct connection *connection = container_of(pipeline, struct connection, pipeline);

	connection->role->on_locked(connection, query, is_culprit);
}

static void on_return(struct pipeline *pipeline, struct db_query *query, bool may_repeat)
{
	struct connection *connection = container_of(pipeline, struct connection, pipeline);

	connection->role->on_return(connection, query,
				    may_repeat && connection->state != CONNECTION_CLOSED);
}

void connection_start_asleep(struct connection *connection)
{
	struct pipeline *pipeline = &connection->pipeline;

	pipeline_init(pipeline);
	pipeline->statements = connection->statements;
	pipeline->storage = connection->storage;
	pipeline->changes = connection->changes;
	pipeline->hook_notice.is_due = connection->hooks_are_due;
	pipeline->on_row = on_row;
	pipeline->on_answer = on_answer;
	pipeline->on_locked = connection->role->on_locked ? on_locked : NULL;
	pipeline->on_return = on_return;
	connection->state = CONNECTION_ASLEEP;
	list_init(&connection->asking.node);
	deadline_init(&connection->deadline, on_deadline);
	deadline_init(&connection->conflict_deadline, on_conflict_deadline);
}

void connection_start(struct connection *connection)
{
	connection_start_asleep(connection);
	connection_wake(connection);
}

void connection_wake(struct connection *connection)
{
	connection->prepares_none = connection->failures == 0 && !connection->gives_single_rows;
	move(connection, CONNECTION_PAUSED);
	deadline_set(connection->loop, &connection->deadline, 0);
}

static bool is_idle(const struct connection *connection)
{
	const struct pipeline *pipeline = &connection->pipeline;

	if (connection->state != CONNECTION_UP)
		return connection->state == CONNECTION_PAUSED;
	return pipeline->batch_count == 0 && list_is_empty(&pipeline->again) &&
	       list_is_empty(&pipeline->conflicted);
}

bool connection_sleep(struct connection *connection)
{
	if (connection->state == CONNECTION_ASLEEP || connection->state == CONNECTION_CLOSED)
		return true;
	if (!is_idle(connection))
		return false;
	log_debug("db", "closing an idle connection until it is needed",
		  LOG_TEXT("connection", connection->role->name),
		  LOG_INT("number", connection->number));
	drop(connection);
	move(connection, CONNECTION_ASLEEP);
	give_back(connection);
	connection->failures = 0;
	connection->unavailable = UNAVAILABLE_NOT;
	connection->role->on_down(connection);
	return true;
}

bool connection_is_asleep(const struct connection *connection)
{
	return connection->state == CONNECTION_ASLEEP;
}

bool connection_is_hopeful(const struct connection *connection)
{
	/* The loss of an unused connection counts as one failure. */
	return connection->failures <= connection->was_up && connection->state < CONNECTION_UP;
}

bool connection_returns(const struct connection *connection)
{
	return connection->state == CONNECTION_UP ? connection->pipeline.draining
						  : connection->was_up;
}

bool connection_is_up(const struct connection *connection)
{
	return connection->state == CONNECTION_UP && !connection->pipeline.draining;
}

void connection_pause(struct connection *connection)
{
	connection->pipeline.paused = true;
	deadline_clear(connection->loop, &connection->deadline);
}

void connection_resume(struct connection *connection)
{
	if (!connection->pipeline.paused)
		return;
	connection->pipeline.paused = false;
	if (connection->state != CONNECTION_UP)
		return;
	expect_answer(connection);
	step(connection);
}

bool connection_is_silent(const struct connection *connection, uint64_t since_ms)
{
	return connection->state == CONNECTION_UP && !connection->pipeline.paused &&
	       connection->heard_ms < since_ms;
}

void connection_cut_silent(struct connection *connection)
{
	/* Queries that have waited so long do not wait for another connection: a failure makes this
	 * one hopeless. */
	connection->failures++;
	lose(connection, UNAVAILABLE_SILENT, STR("the server does not answer"));
}

void connection_cut(struct connection *connection, struct str reason)
{
	lose(connection, UNAVAILABLE_OTHER, reason);
}

void connection_close(struct connection *connection)
{
	if (connection->state == CONNECTION_CLOSED)
		return;
	drop(connection);
	move(connection, CONNECTION_CLOSED);
	give_back(connection);
}
