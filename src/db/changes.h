/* Reports the rows that a write has changed, before it is answered (db_on_change()). */
#pragma once

#include "db/db.h"

#include <libpq-fe.h>

/* result: NULL if it is unknown whether the write was made: then on_all() stands for rows that are
 * not in the parameters. Does nothing for a listener without a function. */
void changes_notify(const struct change_listener *listener, const struct statement_entry *statement,
		    const struct db_query *query, const PGresult *result);
