/* The meaning of libpq's results, for the connections of this folder and for displayctl, which has
 * a connection of its own. */
#pragma once

#include "db/query.h"

#include <libpq-fe.h>

enum result_class {
	RESULT_OK,
	RESULT_CONSTRAINT, /* rejected by a constraint that the statement names */
	RESULT_AGAIN,  /* failed because of another transaction: nothing was changed, repeat it */
	RESULT_LOCKED, /* rows stayed locked for the connection's lock_timeout: nothing was changed
			*/
	RESULT_MOVE,   /* this connection can no longer run it: nothing was changed */
	RESULT_READ_ONLY,   /* the server was set to refuse writes: nothing was changed */
	RESULT_UNAVAILABLE, /* the server has no resources left, stops, or is too slow */
	RESULT_LOST,	    /* the connection is gone or going */
	RESULT_FAILED,
};

/* Classifies the result of an executed statement, which is not NULL. Sets *ret_error for
 * RESULT_CONSTRAINT. */
enum result_class result_class(const PGresult *result, const struct statement_entry *statement,
			       enum constraint_error *ret_error);

/* The constraint error that a failed result stands for, or CONSTRAINT_NONE. */
enum constraint_error result_constraint_error(const PGresult *result,
					      const struct statement_entry *statement);

/* Whether a write failed because the server has no room for it, or cannot write its files. The
 * server may be about to end because of that. */
bool result_is_full(const PGresult *result);

/* Whether the server reports a full disk. */
bool result_is_disk_full(const PGresult *result);

/* The rows of a result of status PGRES_TUPLES_OK, for db_read_rows(). */
struct db_result result_rows(const PGresult *result);

/* Why a statement failed: the server's primary message, else the first line of libpq's. Valid as
 * long as the result. */
struct str result_reason(const PGresult *result);
struct str result_sqlstate(const PGresult *result);

/* The first line of an error text of libpq, which may have several lines. */
struct str result_first_line(const char *text);

/* Compares the types and names in a statement's header with the server's. description: the result
 * of PQsendDescribePrepared(). False, and a sentence, where they disagree. */
__attribute__((warn_unused_result)) bool result_describes(const PGresult *description,
							  const struct statement_entry *statement,
							  char *ret_text, size_t text_size);
