/* Statements of the hint connection. */
#pragma once

#include "db/statement.h"

enum hint_statement {
	HINT_NOTIFY,
	HINT_END,  /* ends a process of the server; a row: it is not gone yet */
	HINT_PING, /* of a worker that neither beats nor looks */
	HINT_LOOK,
	HINT_BEAT,
	HINT_LEAVE,
	HINT_TIDY,
	HINT_LISTEN,
	HINT_UNLISTEN,
	HINT_STATEMENTS,
	HINT_STATEMENTS_WITHOUT_BEATS = HINT_LOOK,
};

/* Columns of the rows of HINT_LOOK and HINT_BEAT. */
enum { LOOK_INSTANCE, LOOK_WORKER, LOOK_THROUGH, LOOK_SEEN, LOOK_LEFT, LOOK_CLOCK, LOOK_COLUMNS };

extern const struct statement_entry hint_statements[HINT_STATEMENTS];
