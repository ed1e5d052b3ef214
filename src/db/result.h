/* What a result of libpq means to those above, who never see an SQLSTATE. */
#pragma once

#include "db/query.h"

#include <libpq-fe.h>

enum verdict {
	VERDICT_OK,
	VERDICT_REFUSED, /* by a constraint that the statement names */
	VERDICT_AGAIN,	 /* lost against another transaction: nothing happened, worth repeating */
	VERDICT_MOVE,	 /* this session cannot run it (any more): nothing happened */
	VERDICT_AWAY,	 /* the server is out of something, or too slow */
	VERDICT_LOST,	 /* the connection is gone or going */
	VERDICT_FAILED,
};

/* result: of a statement that ran, not NULL. Sets *ret_refusal where it is refused. */
enum verdict result_verdict(const PGresult *result, const struct statement_entry *statement,
			    enum refusal *ret_refusal);

/* Why it failed: the primary message of the server, else the first line of libpq's. Valid as long
 * as the result. */
struct str result_reason(const PGresult *result);
struct str result_sqlstate(const PGresult *result);

/* The first line of a text of libpq. */
struct str first_line(const char *text);

/* Compares what a statement's header says with what the server makes of it.
 * description: of PQsendDescribePrepared(). False, and a sentence, where they disagree. */
__attribute__((warn_unused_result)) bool result_describes(const PGresult *description,
							  const struct statement_entry *statement,
							  char *ret_text, size_t text_size);
