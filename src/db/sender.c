#include "sender.h"
#include "base/log.h"
#include "base/require.h"
#include "batched_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORD_BITS = 64 };

void sender_begin(struct sender *sender, const struct statement_entry *table, unsigned count,
		  bool prepares_none)
{
	require(count <= SENDER_STATEMENTS_MAX);
	sender->statements = table;
	memset(sender->unprepared, prepares_none ? 0xff : 0, sizeof(sender->unprepared));
	memset(sender->failed, RESULT_OK, sizeof(sender->failed));
}

int sender_sync(PGconn *pg)
{
#ifdef HAVE_SEND_PIPELINE_SYNC
	return PQsendPipelineSync(pg) ? 0 : -EIO;
#else
	return PQpipelineSync(pg) ? 0 : -EIO;
#endif
}

/* Returns the statement that runs for a query. */
static const struct statement_entry *statement_of(const struct sender *sender,
						  const struct db_query *query)
{
	const struct statement_entry *statement = &sender->statements[query->statement];

	return query->is_batched ? statement->batched_by : statement;
}

static size_t index_of(const struct sender *sender, const struct statement_entry *statement)
{
	return (size_t)(statement - sender->statements);
}

static int send_preparation(PGconn *pg, const struct statement_entry *statement,
			    struct batch *before)
{
	struct list none;
	struct batch *batch;

	list_init(&none);
	batch = batch_create(&none, 0);
	batch->prepares = statement;
	list_append(&before->node, &batch->node);
	if (!PQsendPrepare(pg, statement->name, statement->text, (int)statement->parameter_count,
			   statement->parameter_types) ||
	    !PQsendDescribePrepared(pg, statement->name) || sender_sync(pg) < 0)
		return -EIO;
	return 0;
}

int sender_prepare(struct sender *sender, PGconn *pg, struct batch *batch)
{
	list_for_each (node, &batch->queries) {
		const struct statement_entry *statement =
		    statement_of(sender, container_of(node, struct db_query, node));
		size_t index = index_of(sender, statement);
		uint64_t *word = &sender->unprepared[index / WORD_BITS];
		uint64_t bit = UINT64_C(1) << index % WORD_BITS;

		if (!(*word & bit))
			continue;
		*word &= ~bit;
		if (send_preparation(pg, statement, batch) < 0)
			return -EIO;
	}
	return 0;
}

static int send_prepared(PGconn *pg, const struct statement_entry *statement,
			 const char *const *values, const int *lengths)
{
	static const int binary[DB_PARAMETERS_MAX] = {[0 ... DB_PARAMETERS_MAX - 1] = 1};

	return PQsendQueryPrepared(pg, statement->name, (int)statement->parameter_count, values,
				   lengths, binary, 1)
		   ? 0
		   : -EIO;
}

static int send_batched(const struct sender *sender, PGconn *pg, const struct batched_read *batched)
{
	struct buffer keys = {0};
	const char *value;
	int length;
	int error;

	batched_read_keys(batched, sender->statements, &keys);
	value = buffer_view(&keys).data;
	length = (int)buffer_length(&keys);
	error = send_prepared(pg, statement_of(sender, &batched->query), &value, &length);
	buffer_finish(&keys); /* libpq has copied it */
	return error;
}

int sender_send(const struct sender *sender, PGconn *pg, struct db_query *query)
{
	const struct db_parameters *parameters = &query->parameters;

	if (query->is_batched)
		return send_batched(sender, pg, batched_read_of(query));
	if (send_prepared(pg, statement_of(sender, query), parameters->values,
			  parameters->lengths) < 0)
		return -EIO;
	/* libpq accepts single-row mode only for the query that is answered next. Otherwise the
	 * rows come together. */
	if (query->by_rows)
		(void)PQsetSingleRowMode(pg);
	return 0;
}

/* Whether a statement could not be prepared for an unrelated, temporary reason. The connection
 * continues without the statement. */
static bool note_failure(struct sender *sender, const struct batch *batch, const PGresult *result)
{
	const struct statement_entry *statement = batch->prepares;
	size_t index = index_of(sender, statement);
	enum constraint_error none;
	enum result_class failure = result_class(result, statement, &none);

	if (failure != RESULT_AGAIN && failure != RESULT_LOCKED && failure != RESULT_UNAVAILABLE)
		return false;
	log_error("db", "statement could not be prepared", LOG_TEXT("statement", statement->name),
		  LOG_STR("sqlstate", result_sqlstate(result)),
		  LOG_STR("error", result_reason(result)));
	sender->unprepared[index / WORD_BITS] |= UINT64_C(1) << index % WORD_BITS;
	sender->failed[index] = (uint8_t)failure;
	return true;
}

static int take_error(struct sender *sender, struct batch *batch, const PGresult *result,
		      char *ret_reason, size_t size)
{
	/* The server skips the description of a statement that it could not prepare. */
	if (batch->has_failed && PQresultStatus(result) == PGRES_PIPELINE_ABORTED)
		return 0;
	batch->has_failed = !batch->is_parsed;
	if (batch->has_failed && note_failure(sender, batch, result))
		return 0;
	snprintf(ret_reason, size, "%s: %.*s", batch->prepares->name,
		 STR_ARG(result_reason(result)));
	return -EIO;
}

int sender_take_preparation(struct sender *sender, struct batch *batch, const PGresult *result,
			    char *ret_reason, size_t size)
{
	const struct statement_entry *statement = batch->prepares;
	bool is_described = batch->is_parsed;
	char text[160];

	switch (PQresultStatus(result)) {
	case PGRES_PIPELINE_SYNC:
		list_remove(&batch->node);
		free(batch);
		return 0;
	case PGRES_COMMAND_OK:
		batch->is_parsed = true;
		sender->failed[index_of(sender, statement)] = RESULT_OK;
		if (!is_described || result_describes(result, statement, text, sizeof(text)))
			return 0;
		snprintf(ret_reason, size, "%s: %s", statement->name, text);
		return -EIO;
	default:
		return take_error(sender, batch, result, ret_reason, size);
	}
}

enum result_class sender_result_class(const struct sender *sender, const struct db_query *query,
				      const PGresult *result, enum constraint_error *ret_error)
{
	enum result_class class =
	    result_class(result, &sender->statements[query->statement], ret_error);
	enum result_class failed = sender->failed[index_of(sender, statement_of(sender, query))];

	return failed != RESULT_OK && str_equal(result_sqlstate(result), STR("26000")) ? failed
										       : class;
}
