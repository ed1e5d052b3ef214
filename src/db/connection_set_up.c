#include "connection_set_up.h"
#include "base/memory.h"
#include "base/require.h"
#include "db/result.h"
#include "domain/secret_settings.h"
#include "host_turns.h"
#include "sender.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* plan_cache_mode: else the server would plan an unnest of keys at each execution, which takes 100
 * us.
 *
 * enable_seqscan: a generic plan is kept until the table's statistics are renewed, which may be a
 * minute after it has grown. Workers' statements all find their rows by an index (a test ensures
 * it), but for a table of one page the planner prefers a sequential scan, no matter how a statement
 * is written. Measured with plans made at 10 devices and run at 20,000, before an ANALYZE:
 * device_by_id takes 2.1 ms instead of 0.004 by the index, panel_load of 64 panels 195 ms instead
 * of 0.23. The cost for tables of one page: 0.4 ms for that load instead of 0.05 by a scan.
 *
 * statement_timeout: in a healthy database no statement takes so long.
 *
 * synchronous_commit: answered writes are on the disk, even if the settings of a foreign server say
 * otherwise for our role. A value that also waits for standby servers stays. */
static const char settings[] = "SELECT pg_backend_pid(), "
			       "(SELECT (extract(epoch FROM backend_start) * 1000000)::int8 "
			       "FROM pg_stat_get_activity(pg_backend_pid())), "
			       "set_config('plan_cache_mode', 'force_generic_plan', false), "
			       "set_config('enable_seqscan', 'off', false), "
			       "set_config('jit', 'off', false), "
			       "set_config('statement_timeout', '8000', false), "
			       "set_config('synchronous_commit', replace("
			       "current_setting('synchronous_commit'), 'off', 'on'), false), "
			       "set_config('idle_in_transaction_session_timeout', '10000', false)";

static int connection_set_up_fail(struct set_up *set_up, enum unavailable unavailable,
				  const char *what, struct str why)
{
	set_up->unavailable = unavailable;
	snprintf(set_up->reason, sizeof(set_up->reason), "%s%s%.*s", what, *what ? ": " : "",
		 STR_ARG(why));
	return -EIO;
}

static int fail_by_libpq(struct set_up *set_up)
{
	const char *text = PQerrorMessage(set_up->pg);

	return connection_set_up_fail(set_up, unavailable_from_error(text, true), "",
				      result_first_line(text));
}

static bool is_wanted(const struct set_up *set_up, unsigned index)
{
	const struct statement_entry *statement = &set_up->statements[index];

	if (set_up->prepares_none)
		return false;
	if (statement->is_apart || set_up->is_apart)
		return statement->is_apart && set_up->is_apart;
	return statement->effect == set_up->effect && !statement->is_for_ctl;
}

/* Number of results before those of the prepared statements. */
static unsigned count_before(const struct set_up *set_up)
{
	return 1U + (set_up->key_fingerprint != NULL) + set_up->asks_timeline +
	       (set_up->first != NULL);
}

static bool send_key(const struct set_up *set_up)
{
	const char *value = (const char *)set_up->key_fingerprint;

	return !value || PQsendQueryParams(set_up->pg, "SELECT secret_key_admits($1)", 1,
					   (const Oid[]){17 /* bytea */}, &value,
					   (const int[]){SETTINGS_KEY_BYTES}, (const int[]){1}, 0);
}

/* A server that could not tell its timeline before, perhaps for lack of rights, is not asked again.
 */
static bool send_timeline(struct set_up *set_up)
{
	set_up->asks_timeline =
	    hosts_are_fenced(set_up->hosts) && timeline_get(hosts_known(set_up->hosts)).system;
	return !set_up->asks_timeline || PQsendQueryParams(set_up->pg, "SELECT " TIMELINE_COLUMNS,
							   0, NULL, NULL, NULL, NULL, 0);
}

int set_up_begin(struct set_up *set_up)
{
	PGconn *pg = set_up->pg;

	if (PQsetnonblocking(pg, 1) < 0 || !PQenterPipelineMode(pg))
		return fail_by_libpq(set_up);
	if (!PQsendQueryParams(pg, settings, 0, NULL, NULL, NULL, NULL, 0))
		return fail_by_libpq(set_up);
	if (!send_key(set_up) || !send_timeline(set_up))
		return fail_by_libpq(set_up);
	if (set_up->first && !PQsendQueryParams(pg, set_up->first, 0, NULL, NULL, NULL, NULL, 0))
		return fail_by_libpq(set_up);
	for (unsigned i = 0; i < set_up->statement_count; i++) {
		const struct statement_entry *statement = &set_up->statements[i];

		if (is_wanted(set_up, i) &&
		    (!PQsendPrepare(pg, statement->name, statement->text,
				    (int)statement->parameter_count, statement->parameter_types) ||
		     !PQsendDescribePrepared(pg, statement->name)))
			return fail_by_libpq(set_up);
	}
	set_up->result_count = 0;
	return sender_sync(pg) < 0 ? fail_by_libpq(set_up) : 0;
}

/* Returns the statement whose description is result number index; NULL for other results. */
static const struct statement_entry *described(const struct set_up *set_up, unsigned index)
{
	unsigned first = count_before(set_up);

	for (unsigned i = 0; i < set_up->statement_count; i++) {
		if (!is_wanted(set_up, i))
			continue;
		if (index == first || index == first + 1)
			return &set_up->statements[i];
		first += 2;
	}
	return NULL;
}

static int fail_by_result(struct set_up *set_up, const char *what, const PGresult *result)
{
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return connection_set_up_fail(set_up, unavailable_from_sqlstate(sqlstate ? sqlstate : ""),
				      what, result_reason(result));
}

/* Checks the answer to the settings. */
static int check_session(struct set_up *set_up, const PGresult *result)
{
	set_up->backend.pid = (int32_t)strtol(PQgetvalue(result, 0, 0), NULL, 10);
	set_up->backend.start_us = strtoll(PQgetvalue(result, 0, 1), NULL, 10);
	if (set_up->session_pooler || !unavailable_is_pooled(set_up->pg, PQgetvalue(result, 0, 0)))
		return 0;
	return connection_set_up_fail(set_up, UNAVAILABLE_POOLER, "",
				      str_from(unavailable_text(UNAVAILABLE_POOLER)));
}

static int check_key(struct set_up *set_up, const PGresult *result)
{
	if (PQgetvalue(result, 0, 0)[0] == 't')
		return 0;
	return connection_set_up_fail(set_up, UNAVAILABLE_KEY, "",
				      str_from(unavailable_text(UNAVAILABLE_KEY)));
}

static int check_timeline(struct set_up *set_up, const PGresult *result)
{
	enum unavailable unavailable;

	set_up->timeline = timeline_read(result, 0);
	unavailable = hosts_judge(set_up->hosts, set_up->timeline);
	if (unavailable == UNAVAILABLE_NOT)
		return 0;
	return connection_set_up_fail(set_up, unavailable, "",
				      str_from(unavailable_text(unavailable)));
}

/* Takes rows of what comes before the prepared statements. */
static int take_rows(struct set_up *set_up, unsigned index, const PGresult *result)
{
	unsigned key = 1, timeline = key + (set_up->key_fingerprint != NULL);

	if (index == 0)
		return check_session(set_up, result);
	if (set_up->key_fingerprint && index == key)
		return check_key(set_up, result);
	return set_up->asks_timeline && index == timeline ? check_timeline(set_up, result) : 0;
}

static int take(struct set_up *set_up, const PGresult *result)
{
	unsigned index = set_up->result_count++;
	const struct statement_entry *statement = described(set_up, index);
	char text[160];

	switch (PQresultStatus(result)) {
	case PGRES_PIPELINE_SYNC:
		return 1;
	case PGRES_TUPLES_OK:
		return take_rows(set_up, index, result);
	case PGRES_COMMAND_OK:
		break;
	default:
		return fail_by_result(set_up, statement ? statement->name : "", result);
	}
	/* Each statement has two results; the second is its description. */
	index -= count_before(set_up);
	if (!statement || index % 2 == 0)
		return 0;
	if (result_describes(result, statement, text, sizeof(text)))
		return 0;
	return connection_set_up_fail(set_up, UNAVAILABLE_SCHEMA, statement->name, str_from(text));
}

int set_up_receive(struct set_up *set_up)
{
	unsigned nulls = 0;

	while (!PQisBusy(set_up->pg)) {
		PGresult *result = PQgetResult(set_up->pg);
		int error;

		if (!result && ++nulls > 1)
			return connection_set_up_fail(set_up, UNAVAILABLE_OTHER, "",
						      STR("the server answered out of order"));
		if (!result)
			continue;
		nulls = 0;
		error = take(set_up, result);
		PQclear(result);
		if (error)
			return error;
	}
	return 0;
}

static const char *const usual[] = {
    "application_name",
    "displayd",
    "target_session_attrs",
    "primary", /* even if it was set to be read-only: it can be read */
    "keepalives_idle",
    "10",
    "keepalives_interval",
    "5",
    "keepalives_count",
    "3",
    "tcp_user_timeout",
    "10000",
    NULL,
};

const struct hosts_use set_up_use = {.settings = usual, .has_sqlstates = true};
