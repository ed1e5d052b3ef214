#include "connection_set_up.h"
#include "db/result.h"

#include <errno.h>
#include <stdio.h>

/* plan_cache_mode: else the server would plan an unnest of keys at each execution, which takes 100
 * us.
 *
 * enable_seqscan: a generic plan is kept until the table's statistics are renewed, which may be a
 * minute after it has grown. Workers' statements all find their rows by an index (a test holds
 * that), but for a table of one page the planner prefers to read it whole, no matter how a
 * statement is written. Measured with plans made at 10 devices and run at 20,000, before an
 * ANALYZE: device_by_id takes 2.1 ms where the index takes 0.004, panel_load of 64 panels 195 ms
 * where it takes 0.23. The price is paid by tables of one page: 0.4 ms for that load where a scan
 * takes 0.05.
 *
 * statement_timeout: in a healthy database no statement takes so long. */
static const char settings[] = "SELECT set_config('plan_cache_mode', 'force_generic_plan', false), "
			       "set_config('enable_seqscan', 'off', false), "
			       "set_config('jit', 'off', false), "
			       "set_config('statement_timeout', '8000', false), "
			       "set_config('idle_in_transaction_session_timeout', '10000', false)";

static int fail(struct connection *connection, const char *what, struct str why)
{
	struct pipeline *pipeline = &connection->pipeline;

	snprintf(pipeline->reason, sizeof(pipeline->reason), "%s%s%.*s", what, *what ? ": " : "",
		 STR_ARG(why));
	return -EIO;
}

static int fail_by_libpq(struct connection *connection)
{
	return fail(connection, "", result_first_line(PQerrorMessage(connection->pg)));
}

static bool is_wanted(const struct connection *connection, unsigned index)
{
	const struct statement_entry *statement = &connection->statements[index];

	return statement->effect == connection->effect && !statement->is_for_ctl;
}

int set_up_begin(struct connection *connection)
{
	PGconn *pg = connection->pg;
	const char *first = connection->role->first;

	if (PQsetnonblocking(pg, 1) < 0 || !PQenterPipelineMode(pg))
		return fail_by_libpq(connection);
	if (!PQsendQueryParams(pg, settings, 0, NULL, NULL, NULL, NULL, 0))
		return fail_by_libpq(connection);
	if (first && !PQsendQueryParams(pg, first, 0, NULL, NULL, NULL, NULL, 0))
		return fail_by_libpq(connection);
	for (unsigned i = 0; i < connection->statement_count; i++) {
		const struct statement_entry *statement = &connection->statements[i];

		if (is_wanted(connection, i) &&
		    (!PQsendPrepare(pg, statement->name, statement->text,
				    (int)statement->parameter_count, statement->parameter_types) ||
		     !PQsendDescribePrepared(pg, statement->name)))
			return fail_by_libpq(connection);
	}
	connection->set_up_results = 0;
	return pipeline_sync(pg) < 0 ? fail_by_libpq(connection) : 0;
}

/* The statement whose description is result number index; NULL for other results. */
static const struct statement_entry *described(const struct connection *connection, unsigned index)
{
	unsigned first = connection->role->first ? 2 : 1;

	for (unsigned i = 0; i < connection->statement_count; i++) {
		if (!is_wanted(connection, i))
			continue;
		if (index == first || index == first + 1)
			return &connection->statements[i];
		first += 2;
	}
	return NULL;
}

static int take(struct connection *connection, const PGresult *result)
{
	unsigned index = connection->set_up_results++;
	const struct statement_entry *statement = described(connection, index);
	char text[160];

	switch (PQresultStatus(result)) {
	case PGRES_PIPELINE_SYNC:
		return 1;
	case PGRES_TUPLES_OK:
		return 0;
	case PGRES_COMMAND_OK:
		break;
	default:
		return fail(connection, statement ? statement->name : "", result_reason(result));
	}
	/* Each statement has two results; the second is its description. */
	index -= connection->role->first ? 2 : 1;
	if (!statement || index % 2 == 0)
		return 0;
	if (result_describes(result, statement, text, sizeof(text)))
		return 0;
	return fail(connection, statement->name, str_from(text));
}

int set_up_receive(struct connection *connection)
{
	unsigned nulls = 0;

	while (!PQisBusy(connection->pg)) {
		PGresult *result = PQgetResult(connection->pg);
		int error;

		if (!result && ++nulls > 1)
			return fail(connection, "", STR("the server answered out of order"));
		if (!result)
			continue;
		nulls = 0;
		error = take(connection, result);
		PQclear(result);
		if (error)
			return error;
	}
	return 0;
}
