/* What a result of libpq means: for the connections of this folder, and for displayctl, which asks
 * over a connection of its own. */
#pragma once

#include "db/query.h"

#include <libpq-fe.h>

enum result_class {
	RESULT_OK,
	RESULT_REFUSED, /* by a constraint that the statement names */
	RESULT_AGAIN,	/* lost against another transaction: nothing happened, worth repeating */
	RESULT_MOVE,	/* this connection cannot run it (any more): nothing happened */
	RESULT_AWAY,	/* the server is out of something, or too slow */
	RESULT_LOST,	/* the connection is gone or going */
	RESULT_FAILED,
};

/* result: of a statement that ran, not NULL. Sets *ret_refusal where it is refused. */
enum result_class result_class(const PGresult *result, const struct statement_entry *statement,
			       enum refusal *ret_refusal);

/* By which of the statement's refusals a failed result is one, else REFUSAL_NONE. */
enum refusal result_refusal(const PGresult *result, const struct statement_entry *statement);

/* The rows of a result that is PGRES_TUPLES_OK, for db_read_rows(). */
struct db_result result_rows(const PGresult *result);

/* Why it failed: the primary message of the server, else the first line of libpq's. Valid as long
 * as the result. */
struct str result_reason(const PGresult *result);
struct str result_sqlstate(const PGresult *result);

/* The first line of a text of libpq, which may have several. */
struct str result_first_line(const char *text);

/* Compares what a statement's header says with what the server makes of it.
 * description: of PQsendDescribePrepared(). False, and a sentence, where they disagree. */
__attribute__((warn_unused_result)) bool result_describes(const PGresult *description,
							  const struct statement_entry *statement,
							  char *ret_text, size_t text_size);
