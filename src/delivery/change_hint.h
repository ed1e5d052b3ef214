/* Change hints "<kind>:<id>:<generation>", see db/hints.h. */
#pragma once

#include "base/id.h"
#include "db/hints.h"

/* Sends a hint to all workers of all instances, this one included. */
void change_hint_send(struct db *db, struct str kind, struct id id, int64_t generation);
/* Parses "<id>:<generation>". Returns false if the text has another form. */
bool change_hint_parse(struct str text, struct id *ret_id, int64_t *ret_generation);
