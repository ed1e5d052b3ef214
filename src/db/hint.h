/* Sends and receives change hints over a connection of their own, see db/hints.h. A hint is sent
 * after the commit, in a transaction of its own: a NOTIFY in the writing transaction would take a
 * server-wide lock at its commit, until the commit is on the disk (tools/statement_notify.py). The
 * connection also carries this worker's beat, and looks at those of other instances (beats.h):
 * on_heard() is called with the time until which the hints of all are there. Of several workers of
 * an instance one does all that for the others (hint_carrying.h). */
#pragma once

#include "hint_state.h"

/* connection: its loop, hosts, survey and session_pooler are taken. Set the members up to
 * worker_slots before, and zero the rest. */
void hints_start(struct hints *hints, const struct connection *connection);

/* See db_hint(). */
void hints_add(struct hints *hints, struct str word);

/* See db_hint_room(). */
size_t hints_room(const struct hints *hints);

/* Call it at the end of a turn: sends waiting hints. */
void hints_flush(struct hints *hints);

/* Whether no hint waits and no statement is under way. */
bool hints_are_idle(const struct hints *hints);

/* Call it again at the end of each turn until it returns true, once all writes are answered: sends
 * what waits, and tells other instances that this worker changes nothing more. */
bool hints_leave(struct hints *hints);

/* Notes that the row was renewed by a statement that was sent at this time. */
void hints_note_seen(struct hints *hints, uint64_t ms);
/* Whether other instances may have forgotten this worker, so that they would not notice that its
 * hints are missing: until its row is renewed it must not write. */
bool hints_are_forgotten(const struct hints *hints);

/* Ends the hints. Calls nothing afterwards. */
void hints_close(struct hints *hints);
