/* The meaning of libpq's results, for the connections of this folder and for displayctl, which has
 * a connection of its own. */
#pragma once

#include "db/query.h"

#include <libpq-fe.h>

enum result_class {
	RESULT_OK,
	RESULT_CONSTRAINT, /* by a constraint that the statement names */
	RESULT_AGAIN,	   /* it lost against another transaction: nothing happened, repeat it */
	RESULT_LOCKED, /* rows stayed locked for the connection's lock_timeout: nothing happened */
	RESULT_MOVE,   /* this connection can no longer run it: nothing happened */
	RESULT_UNAVAILABLE, /* the server has no resources left, stops, or is too slow */
	RESULT_LOST,	    /* the connection is gone or going */
	RESULT_FAILED,
};

/* result: of a statement that was executed, not NULL. Sets *ret_error for RESULT_CONSTRAINT. */
enum result_class result_class(const PGresult *result, const struct statement_entry *statement,
			       enum constraint_error *ret_error);

/* The constraint error that a failed result stands for, or CONSTRAINT_NONE. */
enum constraint_error result_constraint_error(const PGresult *result,
					      const struct statement_entry *statement);

/* A write has failed since the server has no room for it, or cannot write its files; it may be
 * about to end for that. */
bool result_is_full(const PGresult *result);

/* The server says that its disk is full. */
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
