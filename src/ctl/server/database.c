#include "base/clock.h"
#include "ctl/ctl.h"
#include "ctl/server/database_fault.h"
#include "db/hosts.h"
#include "db/result.h"
#include "main/state_dir.h"

#include <poll.h>

enum { TRIES_MAX = 5, WAIT_FOR_SERVER_MS = 30 * 1000, LOOK_AGAIN_MS = 20 };

/* SQLSTATE of a deadlock, which the database ended: the statement may be tried again. */
#define DEADLOCK_DETECTED "40P01"
#define UNDEFINED_TABLE "42P01"
#define UNDEFINED_COLUMN "42703"

/* A server that starts, or whose PostgreSQL does again, is ready soon; an unready one is reported
 * by what fails then. */
static void wait_for_server(const char *state_dir, const char *url)
{
	uint64_t begun_ms = clock_monotonic_ms();

	while (state_dir_is_locked(state_dir) == 1 &&
	       clock_monotonic_ms() - begun_ms < WAIT_FOR_SERVER_MS) {
		char *public_url = state_dir_read_public_url(state_dir);
		bool is_ready = public_url && PQping(url) == PQPING_OK;

		free(public_url);
		if (is_ready)
			return;
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
}

static enum ctl_exit find_url(struct ctl *ctl, const char **ret_url)
{
	const char *state_dir = ctl->config.state_dir;
	struct cluster_error why;

	if (ctl->config.database) {
		*ret_url = ctl->config.database;
		return CTL_DONE;
	}
	if (cluster_url(state_dir, &ctl->cluster, &why) < 0)
		return ctl_fail(CTL_DATABASE,
				"%s; give the running server's --state-dir, or its --database",
				why.text);
	if (state_dir_is_locked(state_dir) == 0)
		return ctl_fail(CTL_DATABASE, "no displayd is running on %s: start it first",
				state_dir);
	wait_for_server(state_dir, ctl->cluster.url);
	*ret_url = ctl->cluster.url;
	return CTL_DONE;
}

enum ctl_exit ctl_connect(struct ctl *ctl, const char *url)
{
	const struct hosts_use use = HOSTS_USE("displayctl");
	struct hosts_failure failure;

	ctl->connection = hosts_connect_once(url, &use, &failure);
	if (ctl->connection)
		return CTL_DONE;
	return database_fault_lost(ctl, "the database cannot be reached", str_from(failure.words));
}

static enum ctl_exit connect_to_database(struct ctl *ctl)
{
	const char *url = NULL;
	enum ctl_exit code = find_url(ctl, &url);

	return code == CTL_DONE ? ctl_connect(ctl, url) : code;
}

static enum ctl_exit report(const PGresult *result, const struct ctl *ctl)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	if (state && (strcmp(state, UNDEFINED_TABLE) == 0 || strcmp(state, UNDEFINED_COLUMN) == 0))
		return ctl_fail(CTL_DATABASE,
				"the database is not migrated: run displayctl migrate");
	return database_fault_of(ctl, result);
}

static PGresult *execute(struct ctl *ctl)
{
	const struct db_parameters *parameters = &ctl->query.parameters;
	const struct statement_entry *entry = &statements[ctl->query.statement];
	int formats[DB_PARAMETERS_MAX];

	for (unsigned i = 0; i < parameters->count; i++)
		formats[i] = 1;
	return PQexecParams(ctl->connection, entry->text, (int)parameters->count,
			    entry->parameter_types, parameters->values, parameters->lengths,
			    formats, /* resultFormat= */ 1);
}

static bool met_a_deadlock(const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return state && strcmp(state, DEADLOCK_DETECTED) == 0;
}

enum ctl_exit ctl_transaction(struct ctl *ctl, enum ctl_moment moment)
{
	enum ctl_exit code = ctl->connection ? CTL_DONE : connect_to_database(ctl);
	PGresult *result;

	if (code != CTL_DONE)
		return code;
	result = PQexec(ctl->connection, moment == CTL_BEGIN ? "BEGIN" : "COMMIT");
	ctl->is_in_transaction = moment == CTL_BEGIN;
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		code = report(result, ctl);
	PQclear(result);
	return code;
}

struct db_query *ctl_new_query(struct ctl *ctl)
{
	db_query_init(&ctl->query, &ctl->arena);
	return &ctl->query;
}

enum ctl_exit ctl_query(struct ctl *ctl, struct ctl_rows *ret_rows)
{
	const struct statement_entry *entry = &statements[ctl->query.statement];
	enum ctl_exit code = ctl->connection ? CTL_DONE : connect_to_database(ctl);
	PGresult *result;

	if (code != CTL_DONE)
		return code;
	result = execute(ctl);
	for (int tries = 1; tries < TRIES_MAX && !ctl->is_in_transaction && met_a_deadlock(result);
	     tries++) {
		PQclear(result);
		result = execute(ctl);
	}
	*ret_rows = (struct ctl_rows){.constraint_error = CONSTRAINT_NONE};
	if (PQresultStatus(result) == PGRES_TUPLES_OK) {
		struct db_result rows = result_rows(result);

		ret_rows->count = rows.row_count;
		ret_rows->rows = db_read_rows(&rows, ctl->query.record, &ctl->arena);
	} else {
		ret_rows->constraint_error = result_constraint_error(result, entry);
		if (ret_rows->constraint_error == CONSTRAINT_NONE)
			code = report(result, ctl);
	}
	PQclear(result);
	return code;
}
