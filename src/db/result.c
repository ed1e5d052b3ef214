#include "db/result.h"
#include "base/require.h"

#include <stdio.h>

struct record_value db_value(const struct db_result *result, unsigned row, unsigned column)
{
	const PGresult *rows = result->rows;
	int r = (int)(result->first_row + row);
	int c = (int)column;
	uint32_t length;

	require(row < result->row_count && column < result->column_count);
	length = (uint32_t)PQgetlength(rows, r, c);
	/* Only an empty value can be NULL. */
	if (length == 0 && PQgetisnull(rows, r, c))
		return (struct record_value){.is_null = true};
	return (struct record_value){
	    .data = (const uint8_t *)PQgetvalue(rows, r, c),
	    .length = length,
	};
}

struct str result_first_line(const char *text)
{
	struct str s = str_from(text);

	s.length = str_find(s, '\n');
	return s;
}

static struct str error_field(const PGresult *result, int field)
{
	return str_from(PQresultErrorField(result, field));
}

struct str result_sqlstate(const PGresult *result)
{
	return error_field(result, PG_DIAG_SQLSTATE);
}

struct str result_reason(const PGresult *result)
{
	/* The detail is left out, since it contains values. */
	struct str primary = error_field(result, PG_DIAG_MESSAGE_PRIMARY);

	return primary.length ? primary : result_first_line(PQresultErrorMessage(result));
}

/* Appendix A of PostgreSQL's documentation lists the codes. */
static enum result_class sqlstate_class(const PGresult *result, struct str sqlstate)
{
	static const struct {
		struct str prefix;
		enum result_class class;
	} classes[] = {
	    {STR("40001"), RESULT_AGAIN},	/* serialization_failure */
	    {STR("40P01"), RESULT_AGAIN},	/* deadlock_detected */
	    {STR("55P03"), RESULT_LOCKED},	/* lock_not_available */
	    {STR("26000"), RESULT_MOVE},	/* the prepared statement is gone */
	    {STR("25006"), RESULT_READ_ONLY},	/* read_only_sql_transaction */
	    {STR("57014"), RESULT_UNAVAILABLE}, /* query_canceled: statement_timeout */
	    {STR("57P"), RESULT_UNAVAILABLE},	/* shutting down, starting up */
	    {STR("53"), RESULT_UNAVAILABLE},	/* no memory, disk or connection left */
	    {STR("08"), RESULT_LOST},		/* connection exceptions */
	};
	struct str severity = error_field(result, PG_DIAG_SEVERITY_NONLOCALIZED);

	/* An error without a code comes from libpq, which cannot go on. */
	if (!sqlstate.length || str_equal(severity, STR("FATAL")) ||
	    str_equal(severity, STR("PANIC")))
		return RESULT_LOST;
	/* "cached plan must not change result type": a migration ran since the statement was
	 * prepared. */
	if (str_equal(sqlstate, STR("0A000")) &&
	    str_equal(error_field(result, PG_DIAG_SOURCE_FUNCTION), STR("RevalidateCachedQuery")))
		return RESULT_MOVE;
	for (size_t i = 0; i < array_length(classes); i++) {
		if (str_starts_with(sqlstate, classes[i].prefix))
			return classes[i].class;
	}
	return RESULT_FAILED;
}

bool result_is_full(const PGresult *result)
{
	struct str sqlstate = result_sqlstate(result);

	/* Insufficient resources, errors of files. */
	return str_starts_with(sqlstate, STR("53")) || str_starts_with(sqlstate, STR("58")) ||
	       str_equal(error_field(result, PG_DIAG_SEVERITY_NONLOCALIZED), STR("PANIC"));
}

bool result_is_disk_full(const PGresult *result)
{
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	/* Some errors of files have no specific code. */
	return str_equal(result_sqlstate(result), STR("53100")) ||
	       (message && strstr(message, "No space left on device"));
}

enum { SQLSTATE_CLASS_LENGTH = 2 };

enum constraint_error result_constraint_error(const PGresult *result,
					      const struct statement_entry *statement)
{
	struct str constraint = error_field(result, PG_DIAG_CONSTRAINT_NAME);
	struct str sqlstate = result_sqlstate(result);

	enum constraint_error of_class = CONSTRAINT_NONE;

	for (unsigned i = 0; i < statement->constraint_count; i++) {
		struct str name = str_from(statement->constraints[i].constraint);

		if (str_equal(name, constraint) || str_equal(name, sqlstate))
			return statement->constraints[i].constraint_error;
		if (name.length == SQLSTATE_CLASS_LENGTH && str_starts_with(sqlstate, name))
			of_class = statement->constraints[i].constraint_error;
	}
	return of_class;
}

enum result_class result_class(const PGresult *result, const struct statement_entry *statement,
			       enum constraint_error *ret_error)
{
	ExecStatusType status = PQresultStatus(result);
	enum constraint_error constraint_error;

	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return RESULT_OK;
	if (status != PGRES_FATAL_ERROR)
		return RESULT_LOST;
	constraint_error = result_constraint_error(result, statement);
	if (constraint_error == CONSTRAINT_NONE)
		return sqlstate_class(result, result_sqlstate(result));
	*ret_error = constraint_error;
	return RESULT_CONSTRAINT;
}

struct db_result result_rows(const PGresult *result)
{
	return (struct db_result){
	    .outcome = DB_OK,
	    .rows = result,
	    .row_count = (unsigned)PQntuples(result),
	    .column_count = (unsigned)PQnfields(result),
	};
}

bool result_describes(const PGresult *description, const struct statement_entry *statement,
		      char *ret_text, size_t text_size)
{
	unsigned parameters = (unsigned)PQnparams(description);
	unsigned columns = (unsigned)PQnfields(description);

	if (parameters != statement->parameter_count || columns != statement->column_count) {
		snprintf(ret_text, text_size, "has %u parameters and %u columns, not %u and %u",
			 parameters, columns, statement->parameter_count, statement->column_count);
		return false;
	}
	for (unsigned i = 0; i < parameters; i++) {
		if (PQparamtype(description, (int)i) != statement->parameter_types[i]) {
			snprintf(ret_text, text_size, "takes $%u as type %u, not %u", i + 1,
				 PQparamtype(description, (int)i), statement->parameter_types[i]);
			return false;
		}
	}
	for (unsigned i = 0; i < columns; i++) {
		const char *name = PQfname(description, (int)i);
		unsigned type = PQftype(description, (int)i);

		if (strcmp(name, statement->column_names[i]) != 0 ||
		    type != statement->column_types[i]) {
			snprintf(ret_text, text_size,
				 "returns column \"%s\" of type %u, not \"%s\" of type %u", name,
				 type, statement->column_names[i], statement->column_types[i]);
			return false;
		}
	}
	return true;
}
