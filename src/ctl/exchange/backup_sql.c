#include "ctl/exchange/backup_sql.h"

static enum ctl_exit execute(struct ctl *ctl, const char *sql, ExecStatusType wanted,
			     PGresult **ret_result)
{
	PGresult *result = PQexec(ctl->connection, sql);
	ExecStatusType status = PQresultStatus(result);
	enum ctl_exit code;

	*ret_result = result;
	if (status == wanted || (status == PGRES_TUPLES_OK && wanted == PGRES_COMMAND_OK))
		return CTL_DONE;
	code = ctl_fail_statement(ctl, result);
	PQclear(result);
	*ret_result = NULL;
	return code;
}

enum ctl_exit backup_run(struct ctl *ctl, const char *sql)
{
	PGresult *result;
	enum ctl_exit code = execute(ctl, sql, PGRES_COMMAND_OK, &result);

	PQclear(result);
	return code;
}

enum ctl_exit backup_ask(struct ctl *ctl, const char *sql, PGresult **ret_result)
{
	return execute(ctl, sql, PGRES_TUPLES_OK, ret_result);
}

enum ctl_exit backup_start_copy(struct ctl *ctl, const char *sql)
{
	PGresult *result;
	enum ctl_exit code = execute(ctl, sql, PGRES_COPY_IN, &result);

	PQclear(result);
	return code;
}
