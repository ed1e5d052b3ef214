/* Lists the contents of a cluster, so that the old and the new one can be compared. */
#include "base/buffer.h"
#include "base/memory.h"
#include "db/result.h"
#include "transfer.h"

#include <libpq-fe.h>
#include <stdlib.h>

/* Quoted for use in SQL. COLLATE: the same order in every cluster. */
static const char tables_sql[] =
    "SELECT format('%I.%I', n.nspname, c.relname), c.relkind FROM pg_class c "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('r', 'm', 'S') AND n.nspname !~ '^pg_' "
    "AND n.nspname <> 'information_schema' "
    "ORDER BY n.nspname COLLATE \"C\", c.relname COLLATE \"C\"";

static PGresult *count_ask(PGconn *pg, const char *sql, struct cluster_error *reterr)
{
	PGresult *result = PQexec(pg, sql);
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return result;
	cluster_fail(reterr, "cannot read the database: %.*s",
		     STR_ARG(result_first_line(PQerrorMessage(pg))));
	PQclear(result);
	return NULL;
}

static bool count_table(PGconn *pg, const char *name, char kind, struct buffer *text,
			struct cluster_error *reterr)
{
	struct buffer sql = {0};
	PGresult *result;

	if (kind == 'S')
		buffer_printf(&sql, "SELECT last_value || ' ' || is_called FROM %s", name);
	else
		buffer_printf(&sql, "SELECT count(*) FROM ONLY %s", name);
	buffer_append_char(&sql, '\0');
	result = count_ask(pg, sql.data, reterr);
	buffer_finish(&sql);
	if (!result)
		return false;
	buffer_printf(text, "%s %s\n", name, PQgetvalue(result, 0, 0));
	PQclear(result);
	return true;
}

static bool count_tables(PGconn *pg, struct buffer *text, struct cluster_error *reterr)
{
	PGresult *tables = count_ask(pg, tables_sql, reterr);
	bool is_done = tables;

	for (int i = 0; is_done && i < PQntuples(tables); i++)
		is_done = !cluster_program_is_interrupted() &&
			  count_table(pg, PQgetvalue(tables, i, 0), *PQgetvalue(tables, i, 1), text,
				      reterr);
	PQclear(tables);
	return is_done;
}

char *cluster_count_rows(const struct cluster *cluster, struct cluster_error *reterr)
{
	PGconn *pg = PQconnectdb(cluster->url);
	struct buffer text = {0};
	char *copy = NULL;

	cluster_fail(reterr, "interrupted");
	if (count_tables(pg, &text, reterr)) {
		buffer_append_char(&text, '\0');
		copy = memory_strdup(text.data);
	}
	buffer_finish(&text);
	PQfinish(pg);
	return copy;
}

int cluster_analyze(const struct cluster *cluster, struct cluster_error *reterr)
{
	PGconn *pg = PQconnectdb(cluster->url);
	PGresult *result = count_ask(pg, "ANALYZE", reterr);

	PQclear(result);
	PQfinish(pg);
	return result ? 0 : -1;
}
