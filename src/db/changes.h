/* Tells which rows a write has changed, before it is answered (db_on_change()). */
#pragma once

#include "db/db.h"

#include <libpq-fe.h>

/* result: NULL where it is not known whether the write has happened: then only rows that the
 * parameters name are told. A listener without a function is told nothing. */
void changes_tell(const struct change_listener *listener, const struct statement_entry *statement,
		  const struct db_query *query, const PGresult *result);
