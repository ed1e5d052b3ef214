/* Writes of unknown outcome: their connection was lost while they were under way, and were answered
 * DB_UNAVAILABLE. The server's process may still commit them, a moment or minutes later, and then
 * nobody is told. So it is ended, and until it is surely gone nothing that they change is answered
 * from memory: within the instance by on_doubt(), elsewhere by hints that are repeated several
 * times a second.
 *
 *   connection lost -> doubts_take() -> pg_terminate_backend() -> is it gone? -> hint, end of doubt
 *                                       ^------ 4 times a second ----v
 *
 * A process of the server is named by its number and by when it began, since numbers are used
 * again. The hint connection asks (hint.c): if it is connected to another server than the lost
 * connection, the former server has been replaced, and what it had not committed is void.
 *
 * A worker that is killed leaves writes of unknown outcome, too: it notes the processes of its
 * connections for writes, and those in doubt, in memory that outlives it, and the next worker
 * doubts all rows until they are gone. */
#pragma once

#include "base/buffer.h"
#include "db/db.h"
#include "writer_slots.h"

/* Lost connections that are remembered. Beyond the first number, all rows are doubted instead of
 * those of one connection, until its process is gone. Beyond the second one, all rows are doubted
 * until no process is left in doubt: so many connections are lost only while none can be asked
 * about. */
enum { DOUBTS_WITH_ROWS_MAX = 64, DOUBTS_MAX = 1024 };

/* Rows that the writes of one connection may change. */
struct doubt {
	struct list node;
	struct buffer rows; /* of struct id, each followed by whether it is hinted */
	bool is_all;	    /* other rows, too */
	struct backend backend;
	struct writer_slot *slot; /* where the process is noted; or NULL */
};

/* Adds the rows of a write to *doubt, which is made if it is NULL. */
void doubt_add(struct doubt **doubt, const struct statement_entry *statement,
	       const struct db_query *query);
/* NULL is allowed. */
void doubt_destroy(struct doubt *doubt);

struct doubts {
	struct list list; /* of struct doubt, by when their process was last asked about */
	unsigned count;
	bool is_overfull;			/* a lost connection is not in the list */
	const struct change_listener *listener; /* set it before */
	struct writers *writers;		/* of this worker; or NULL */
};

void doubts_init(struct doubts *doubts);

/* Takes *doubt, what was under way on a lost connection, and sets it to NULL. doubts or *doubt may
 * be NULL. */
void doubts_take(struct doubts *doubts, struct doubt **doubt, struct backend backend);

/* Returns the process to end and to ask about next; NULL: none. */
const struct backend *doubts_next(const struct doubts *doubts);
/* Takes the answer about a process, which may not be in doubt any more. */
void doubts_answer(struct doubts *doubts, const struct backend *backend, bool is_gone);
/* Reports the rows once more, which others may have read meanwhile. */
void doubts_repeat(const struct doubts *doubts);

/* Forgets all. Rows that are still in doubt stay so for other workers of the instance, and their
 * processes are noted for the next worker. */
void doubts_finish(struct doubts *doubts);

/* Doubts all rows until the processes that the former worker has noted are gone, and notes its own
 * there. writers: NULL is allowed. */
void doubts_inherit(struct doubts *doubts, struct writers *writers);
