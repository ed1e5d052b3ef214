#include "sender.h"
#include "base/require.h"
#include "db/result.h"
#include "gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORD_BITS = 64 };

static int lose(struct pipeline *pipeline, const char *statement, struct str reason)
{
	snprintf(pipeline->reason, sizeof(pipeline->reason), "%s%s%.*s", statement,
		 *statement ? ": " : "", STR_ARG(reason));
	return -EIO;
}

static int lose_by_libpq(struct pipeline *pipeline)
{
	return lose(pipeline, "", result_first_line(PQerrorMessage(pipeline->pg)));
}

void sender_begin(struct pipeline *pipeline, unsigned count, bool prepares_none)
{
	require(count <= PIPELINE_STATEMENTS_MAX);
	memset(pipeline->unprepared, prepares_none ? 0xff : 0, sizeof(pipeline->unprepared));
}

/* The statement that runs for a query. */
static const struct statement_entry *statement_of(const struct pipeline *pipeline,
						  const struct db_query *query)
{
	const struct statement_entry *statement = &pipeline->statements[query->statement];

	return query->gathers ? statement->gathered_by : statement;
}

static int send_preparation(struct pipeline *pipeline, const struct statement_entry *statement,
			    struct batch *before)
{
	struct list none;
	struct batch *batch;

	list_init(&none);
	batch = batch_create(&none, 0);
	batch->prepares = statement;
	list_append(&before->node, &batch->node);
	if (!PQsendPrepare(pipeline->pg, statement->name, statement->text,
			   (int)statement->parameter_count, statement->parameter_types) ||
	    !PQsendDescribePrepared(pipeline->pg, statement->name) ||
	    pipeline_sync(pipeline->pg) < 0)
		return lose_by_libpq(pipeline);
	return 0;
}

int sender_prepare(struct pipeline *pipeline, struct batch *batch)
{
	list_for_each (node, &batch->queries) {
		const struct statement_entry *statement =
		    statement_of(pipeline, container_of(node, struct db_query, node));
		size_t index = (size_t)(statement - pipeline->statements);
		uint64_t *word = &pipeline->unprepared[index / WORD_BITS];
		uint64_t bit = UINT64_C(1) << index % WORD_BITS;

		if (!(*word & bit))
			continue;
		*word &= ~bit;
		if (send_preparation(pipeline, statement, batch) < 0)
			return -EIO;
	}
	return 0;
}

static int send_prepared(struct pipeline *pipeline, const struct statement_entry *statement,
			 const char *const *values, const int *lengths)
{
	static const int binary[DB_PARAMETERS_MAX] = {
	    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	};

	if (PQsendQueryPrepared(pipeline->pg, statement->name, (int)statement->parameter_count,
				values, lengths, binary, 1))
		return 0;
	return lose_by_libpq(pipeline);
}

static int send_gather(struct pipeline *pipeline, const struct gather *gather)
{
	struct buffer keys = {0};
	const char *value;
	int length;
	int error;

	gather_keys(gather, pipeline->statements, &keys);
	value = buffer_view(&keys).data;
	length = (int)buffer_length(&keys);
	error = send_prepared(pipeline, statement_of(pipeline, &gather->query), &value, &length);
	buffer_finish(&keys); /* libpq has copied it */
	return error;
}

int sender_send(struct pipeline *pipeline, struct db_query *query)
{
	const struct db_parameters *parameters = &query->parameters;

	if (query->gathers)
		return send_gather(pipeline, gather_of(query));
	if (send_prepared(pipeline, statement_of(pipeline, query), parameters->values,
			  parameters->lengths) < 0)
		return -EIO;
	/* libpq takes it only for the query that is answered next. Where it does not, the rows come
	 * together. */
	if (query->by_rows)
		(void)PQsetSingleRowMode(pipeline->pg);
	return 0;
}

int sender_take_preparation(struct pipeline *pipeline, struct batch *batch, const PGresult *result)
{
	const struct statement_entry *statement = batch->prepares;
	char text[160];
	bool is_described = batch->is_parsed;

	switch (PQresultStatus(result)) {
	case PGRES_PIPELINE_SYNC:
		list_remove(&batch->node);
		free(batch);
		return 0;
	case PGRES_COMMAND_OK:
		batch->is_parsed = true;
		if (!is_described || result_describes(result, statement, text, sizeof(text)))
			return 0;
		return lose(pipeline, statement->name, str_from(text));
	default:
		return lose(pipeline, statement->name, result_reason(result));
	}
}
