#include "pipeline.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/require.h"
#include "batch.h"
#include "batched_read.h"
#include "changes.h"
#include "db/result.h"
#include "doubts.h"
#include "failures.h"
#include "metric/metric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	CONFLICTS_MAX = 5,
	/* Moves of a query that surely did not run: all connections may be draining, one after
	 * another.
	 */
	MOVES_MAX = 4,
	/* Moves of a read that may have run: this read may have caused the connection's end. */
	READ_MOVES_MAX = 1,
};

void pipeline_init(struct pipeline *pipeline)
{
	list_init(&pipeline->batches);
	list_init(&pipeline->again);
	list_init(&pipeline->conflicted);
	pipeline->batch_count = 0;
	pipeline->doubt = NULL;
	pipeline->draining = pipeline->paused = false;
}

static int lose(struct pipeline *pipeline, struct str reason)
{
	snprintf(pipeline->reason, sizeof(pipeline->reason), "%.*s", STR_ARG(reason));
	return -EIO;
}

static struct db_query *query_of(struct list *node)
{
	return container_of(node, struct db_query, node);
}

static bool is_write(const struct pipeline *pipeline, struct list *node)
{
	return pipeline->statements[query_of(node)->statement].effect == EFFECT_WRITE;
}

static int lose_by_libpq(struct pipeline *pipeline)
{
	return lose(pipeline, result_first_line(PQerrorMessage(pipeline->pg)));
}

int pipeline_send(struct pipeline *pipeline, struct list *queries, unsigned max)
{
	/* All queries are in the batch before the first is sent: if sending fails, they are
	 * returned from there. */
	struct batch *batch = batch_create(queries, max);

	list_append(&pipeline->batches, &batch->node);
	pipeline->batch_count++;
	if (is_write(pipeline, batch->queries.next))
		batch_sort(batch);
	else
		batch_reads(&batch->queries, pipeline->statements);
	if (sender_prepare(&pipeline->sender, pipeline->pg, batch) < 0)
		return lose_by_libpq(pipeline);
	list_for_each (node, &batch->queries) {
		if (sender_send(&pipeline->sender, pipeline->pg, query_of(node)) < 0)
			return lose_by_libpq(pipeline);
	}
	if (sender_sync(pipeline->pg) < 0)
		return lose_by_libpq(pipeline);
	return 0;
}

void pipeline_wake_conflicted(struct pipeline *pipeline)
{
	list_move_all(&pipeline->again, &pipeline->conflicted);
}

int pipeline_send_again(struct pipeline *pipeline)
{
	while (!list_is_empty(&pipeline->again)) {
		if (pipeline_send(pipeline, &pipeline->again, 1) < 0)
			return -EIO;
	}
	return 0;
}

static void log_failure(const struct statement_entry *statement, const PGresult *result)
{
	log_error("db", "statement failed", LOG_TEXT("statement", statement->name),
		  LOG_STR("sqlstate", result_sqlstate(result)),
		  LOG_STR("error", result_reason(result)));
}

static void answer(struct pipeline *pipeline, struct db_query *query, const PGresult *result,
		   struct db_result *db_result)
{
	failures_count(db_result->outcome, pipeline->storage);
	if (db_result->outcome == DB_OK && !db_result->rows)
		*db_result = result_rows(result);
	if (db_result->outcome == DB_OK || db_result->outcome == DB_UNAVAILABLE)
		changes_notify(pipeline->changes, &pipeline->statements[query->statement], query,
			       result);
	pipeline->on_answer(pipeline, query, db_result);
}

/* Returns a query to its owner. never_ran: reported by the server, or the query was not sent. */
static void give_back(struct pipeline *pipeline, struct db_query *query, bool never_ran)
{
	bool read = pipeline->statements[query->statement].effect == EFFECT_READ;
	unsigned limit = never_ran ? MOVES_MAX : read && !query->has_rows ? READ_MOVES_MAX : 0;

	if (query->is_batched) {
		struct batched_read *batched = batched_read_of(query);

		while ((query = batched_read_take(batched)))
			give_back(pipeline, query, never_ran);
		return;
	}
	if (!never_ran)
		doubt_add(&pipeline->doubt, &pipeline->statements[query->statement], query);
	pipeline->on_return(pipeline, query, query->moves++ < limit);
}

/* Adds a query, or each member of a batched read, to a list of queries that will be sent alone. */
static void ask_alone(struct list *list, struct db_query *query)
{
	struct batched_read *batched;

	if (!query->is_batched) {
		list_append(list, &query->node);
		return;
	}
	batched = batched_read_of(query);
	while ((query = batched_read_take(batched)))
		list_append(list, &query->node);
}

/* Answers each member with its share of the rows. */
static void answer_batched(struct pipeline *pipeline, struct batched_read *batched,
			   const PGresult *result)
{
	struct db_result shares[BATCHED_READ_MAX];
	struct db_query *query;

	if (!batched_read_share(batched, result, shares)) {
		log_error(
		    "db", "rows returned out of order",
		    LOG_TEXT("statement",
			     pipeline->statements[batched->query.statement].batched_by->name));
		ask_alone(&pipeline->again, &batched->query);
		return;
	}
	for (unsigned i = 0; (query = batched_read_take(batched)); i++)
		answer(pipeline, query, result, &shares[i]);
}

static int settle_batched(struct pipeline *pipeline, struct batched_read *batched,
			  const PGresult *result)
{
	enum constraint_error none;

	switch (sender_result_class(&pipeline->sender, &batched->query, result, &none)) {
	case RESULT_OK:
		pipeline->useful = true;
		answer_batched(pipeline, batched, result);
		return 0;
	case RESULT_MOVE:
		lose(pipeline, result_reason(result));
		pipeline->draining = true;
		give_back(pipeline, &batched->query, true);
		return 0;
	case RESULT_LOST:
		give_back(pipeline, &batched->query, false);
		return lose(pipeline, result_reason(result));
	default:
		/* Send each member alone: only one is faulty, or the error is temporary. */
		ask_alone(&pipeline->again, &batched->query);
		return 0;
	}
}

static bool is_standby(const PGconn *pg)
{
	const char *status = PQparameterStatus(pg, "in_hot_standby");

	return status && strcmp(status, "on") == 0;
}

/* A primary that was set to be read-only may be read; another server may have replaced a standby.
 */
static enum result_class class_of(struct pipeline *pipeline, const struct db_query *query,
				  const PGresult *result, enum constraint_error *ret_error)
{
	enum result_class class = sender_result_class(&pipeline->sender, query, result, ret_error);
	bool is_write = pipeline->statements[query->statement].effect == EFFECT_WRITE;

	if (class == RESULT_READ_ONLY && is_standby(pipeline->pg))
		return RESULT_MOVE;
	if (is_write && (class == RESULT_OK || class == RESULT_READ_ONLY))
		pipeline->is_read_only = class == RESULT_READ_ONLY;
	return class;
}

/* Ends a query with its result, or sends it again. The query is in no list. */
static int settle(struct pipeline *pipeline, struct db_query *query, const PGresult *result)
{
	const struct statement_entry *statement = &pipeline->statements[query->statement];
	struct db_result db_result = {0};

	if (query->is_batched)
		return settle_batched(pipeline, batched_read_of(query), result);
	switch (class_of(pipeline, query, result, &db_result.constraint_error)) {
	case RESULT_OK:
		db_result.outcome = DB_OK;
		pipeline->useful = true;
		break;
	case RESULT_CONSTRAINT:
		db_result.outcome = DB_CONSTRAINT;
		break;
	case RESULT_AGAIN:
		if (!query->has_rows && ++query->conflicts <= CONFLICTS_MAX) {
			list_append(&pipeline->conflicted, &query->node);
			return 0;
		}
		log_failure(statement, result);
		db_result.outcome = DB_UNAVAILABLE;
		break;
	case RESULT_MOVE:
		lose(pipeline, result_reason(result));
		pipeline->draining = true;
		give_back(pipeline, query, true);
		return 0;
	case RESULT_READ_ONLY:
		db_result.outcome = DB_UNAVAILABLE;
		break;
	case RESULT_LOCKED:
		if (pipeline->on_locked) {
			pipeline->on_locked(pipeline, query, true);
			return 0;
		}
		/* fall through */
	case RESULT_UNAVAILABLE:
		log_failure(statement, result);
		db_result.outcome = DB_UNAVAILABLE;
		break;
	case RESULT_LOST:
		give_back(pipeline, query, false);
		return lose(pipeline, result_reason(result));
	case RESULT_FAILED:
		log_failure(statement, result);
		db_result.outcome = DB_FAILED;
		break;
	}
	answer(pipeline, query, result, &db_result);
	return 0;
}

static struct db_query *take_query(struct batch *batch)
{
	struct list *node = list_take_first(&batch->queries);

	return node ? query_of(node) : NULL;
}

/* Whether the last of the writes that were executed has met a lock. */
static bool has_met_lock(const struct pipeline *pipeline, const struct batch *batch)
{
	const struct db_query *last = query_of(batch->written.previous);
	enum constraint_error none;

	return pipeline->on_locked &&
	       sender_result_class(&pipeline->sender, last, last->uncommitted, &none) ==
		   RESULT_LOCKED;
}

/* Undoes a group commit in which one write has failed, so that none was committed. Each write is
 * sent again by itself, and gets its own result. If the failed write has met a lock, all return to
 * their owner. */
static void undo_writes(struct pipeline *pipeline, struct batch *batch)
{
	bool is_locked = has_met_lock(pipeline, batch);
	struct list *node;

	while ((node = list_take_first(&batch->written))) {
		struct db_query *query = query_of(node);

		PQclear(query->uncommitted);
		if (is_locked)
			pipeline->on_locked(pipeline, query, list_is_empty(&batch->written));
		else
			list_append(&pipeline->again, &query->node);
	}
	while (is_locked && (node = list_take_first(&batch->skipped)))
		pipeline->on_locked(pipeline, query_of(node), false);
}

static int settle_writes(struct pipeline *pipeline, struct list *written)
{
	struct list *node;
	int error = 0;

	while ((node = list_take_first(written))) {
		struct db_query *query = query_of(node);
		PGresult *result = query->uncommitted;

		if (error)
			give_back(pipeline, query, false);
		else
			error = settle(pipeline, query, result);
		PQclear(result);
	}
	return error;
}

/* Ends the first batch, whose sync was answered. */
static int end_batch(struct pipeline *pipeline, struct batch *batch)
{
	struct list written;

	if (!list_is_empty(&batch->queries))
		return lose(pipeline, STR("the server sent fewer results than requested"));
	list_init(&written);
	if (batch->has_failed && batch->count > 1)
		undo_writes(pipeline, batch);
	else
		list_move_all(&written, &batch->written);
	list_move_all(&pipeline->again, &batch->skipped);
	list_remove(&batch->node);
	pipeline->batch_count--;
	free(batch);
	return settle_writes(pipeline, &written);
}

/* Keeps the result of a write until its commit. query: NULL for a result that came after those of
 * all writes: that of a failed commit, which becomes the last write's. */
static void keep_result(struct pipeline *pipeline, struct batch *batch, struct db_query *query,
			PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	if (query) {
		list_append(&batch->written, &query->node);
	} else {
		query = query_of(batch->written.previous);
		PQclear(query->uncommitted);
	}
	query->uncommitted = result;
	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return;
	batch->has_failed = true;
	if (pipeline->storage && result_is_full(result))
		storage_failed(pipeline->storage);
}

static int take_row(struct pipeline *pipeline, struct batch *batch, const PGresult *result)
{
	struct db_query *query;
	struct db_result row = result_rows(result);

	if (list_is_empty(&batch->queries))
		return lose(pipeline, STR("the server sent more results than requested"));
	query = query_of(batch->queries.next);
	query->has_rows = pipeline->useful = true;
	pipeline->on_row(pipeline, query, &row);
	return 0;
}

/* Counts a batched read as one execution of the statement that reads by an array. Statements of the
 * hint connection are not counted. */
static void count_statement(const struct pipeline *pipeline, const struct batch *batch,
			    const struct db_query *query)
{
	const struct statement_entry *statement = &pipeline->statements[query->statement];

	if (pipeline->statements != statements)
		return;
	if (query->is_batched)
		statement = statement->batched_by;
	metric_observe(METRIC_STATEMENT_DURATION, (unsigned)(statement - statements),
		       pipeline->received_us - batch->sent_us);
}

/* Takes one result. Sets *result to NULL if the batch keeps it; else it stays the caller's. */
static int take_result(struct pipeline *pipeline, struct batch *batch, PGresult **result)
{
	ExecStatusType status = PQresultStatus(*result);
	struct db_query *query;

	if (batch->prepares)
		return sender_take_preparation(&pipeline->sender, batch, *result, pipeline->reason,
					       sizeof(pipeline->reason));
	if (status == PGRES_PIPELINE_SYNC) {
		hook_notice_synced(&pipeline->hook_notice);
		return end_batch(pipeline, batch);
	}
	if (status == PGRES_SINGLE_TUPLE)
		return take_row(pipeline, batch, *result);
	query = take_query(batch);
	if (query && status == PGRES_PIPELINE_ABORTED) { /* it was not executed */
		ask_alone(&batch->skipped, query);
		return 0;
	}
	if (query)
		count_statement(pipeline, batch, query);
	if (!query && list_is_empty(&batch->written)) {
		/* Reads have nothing to commit: only a dying connection sends another result. */
		return lose(pipeline, result_reason(*result));
	}
	if (query && !is_write(pipeline, &query->node))
		return settle(pipeline, query, *result);
	keep_result(pipeline, batch, query, *result);
	*result = NULL;
	return 0;
}

int pipeline_receive(struct pipeline *pipeline)
{
	unsigned nulls = 0;

	/* Once for all results: the clock is read at most once a turn. */
	pipeline->received_us = clock_monotonic_us();
	while (!pipeline->paused && !list_is_empty(&pipeline->batches) && !PQisBusy(pipeline->pg)) {
		PGresult *result = PQgetResult(pipeline->pg);
		struct list *first = pipeline->batches.next;
		int error;

		/* A NULL ends the results of a query. If libpq returns only NULLs it has lost
		 * count, as after two consecutive errors from a pooler. */
		if (!result && ++nulls > 1)
			return lose(pipeline, STR("the server answered out of order"));
		if (!result)
			continue;
		nulls = 0;
		pipeline->answer_count++;
		error = take_result(pipeline, container_of(first, struct batch, node), &result);
		PQclear(result);
		if (error)
			return error;
	}
	return 0;
}

unsigned pipeline_sent(const struct pipeline *pipeline)
{
	unsigned count = 0;

	list_for_each (node, &pipeline->batches)
		count += container_of(node, struct batch, node)->count;
	return count;
}

static void give_back_list(struct pipeline *pipeline, struct list *queries, bool never_ran)
{
	struct list *node;

	while ((node = list_take_first(queries)))
		give_back(pipeline, query_of(node), never_ran);
}

void pipeline_give_back(struct pipeline *pipeline)
{
	bool lacks_statement = false;
	struct list *node;

	while ((node = list_take_first(&pipeline->batches))) {
		struct batch *batch = container_of(node, struct batch, node);

		if (batch->prepares) {
			lacks_statement |= batch->has_failed;
			free(batch);
			continue;
		}
		list_for_each (written, &batch->written)
			PQclear(query_of(written)->uncommitted);
		give_back_list(pipeline, &batch->written, false);
		give_back_list(pipeline, &batch->skipped, true);
		give_back_list(pipeline, &batch->queries, lacks_statement);
		free(batch);
		lacks_statement = false;
	}
	give_back_list(pipeline, &pipeline->again, true);
	give_back_list(pipeline, &pipeline->conflicted, true);
	pipeline->batch_count = 0;
	pipeline->draining = pipeline->paused = false;
}
