/* Connections that are cut from outside: their server hangs, or another one has replaced it. */
#pragma once

#include "db_private.h"

/* Cuts connections to servers that another one has replaced. Any worker may have found its newer
 * timeline. Call it in each turn: hints query the server several times a second, so one ends soon.
 */
void cuts_leave_replaced(struct db *db);

/* Callbacks of the hint connection, with the struct db as context, and of its deadline "silence".
 */
void cuts_on_silent(void *context);
void cuts_on_silence(struct deadline *deadline);
