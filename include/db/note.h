/* Writes that no request waits for. A failed one may be lost: its occasion comes up again. */
#pragma once

#include "db/db.h"

/* Write of this kind. It lives until the write is done. */
struct db_note {
	struct arena arena; /* for the statement's parameters */
	struct db_query query;
};

/* Fill the query by the function of a statement, without a row, with parameters that live in the
 * arena; then db_note_send(). */
__attribute__((warn_unused_result)) struct db_note *db_note_new(void);
void db_note_send(struct db *db, struct db_note *note);
