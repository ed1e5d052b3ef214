/* The database as one worker sees it.
 *
 *   db_submit() -> queue -> read connection   one batch and one sync a turn, two batches under way
 *                        -> write connection  each write with its own sync, or with a shared one
 *                        -> retry connection  a write that met a locked row, by itself
 *   db_list()   -> list connections           one long list at a time each, see db/listing.h
 *   db_hint()   -> hint connection            NOTIFY, many hints in one; and LISTEN
 *
 * A lost connection is made again, with back-off. Nothing waits for a database that is away: while
 * no connection is up, queries are answered DB_AWAY at once. When a working connection breaks, the
 * reads that were under way wait for the first attempt to make it again, and are repeated once. The
 * writes are answered DB_AWAY: their effect is unknown.
 *
 * A write that meets a locked row holds up others for 20 ms; then it waits apart, and behind it, in
 * their order, the later writes with the same first parameter. After 5 s, or where its account has
 * too many that wait so, it is answered DB_BLOCKED.
 *
 * A server that does not answer for 10 s counts as dead. */
#pragma once

#include "db/hints.h"
#include "db/listing.h"
#include "db/query.h"
#include "db/storage.h"
#include "loop/loop.h"

struct db_settings {
	const char *url;	    /* libpq connection string or URI */
	unsigned read_connections;  /* 1 to 4 */
	unsigned write_connections; /* 1 to 4; the first parameter of a write chooses it */
	/* NULL: the statements of sql/query. Indexed by db_query.statement. */
	const struct statement_entry *statements;
	unsigned statement_count;
	struct storage *storage; /* shared by the workers; NULL: this db has its own */
};

/* Copies the settings. Connecting begins later, from the loop. NULL: the URL is no connection
 * string. */
struct db *db_create(struct loop *loop, const struct db_settings *settings);

/* Reads and writes can be sent now. */
bool db_is_up(const struct db *db);
/* Statements that wait or run, without lists. */
unsigned db_outstanding(const struct db *db);
/* How many connections are up, those of lists and the hint connection included. */
unsigned db_connections_up(const struct db *db);

/* Reads run in the order in which they were submitted, but for one that the database told to run
 * again: so it is with one read connection. The answers come in the order in which the reads ran.
 */
bool db_keeps_order_of_reads(const struct db *db);

/* Whether there is room for what is written. */
struct storage *db_storage(struct db *db);

/* Waits at most timeout_ms until all queries are answered, then closes the connections. Queries
 * that are left then, and new ones from now on, are answered DB_AWAY. closed is called last, from
 * the loop. Call this once. */
void db_close(struct db *db, uint64_t timeout_ms, void (*closed)(void *context), void *context);
/* After closed. */
void db_destroy(struct db *db);
