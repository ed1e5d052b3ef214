/* The database as one worker sees it.
 *
 *   db_submit() -> queue -> read connection   a batch a turn, one sync a batch, two batches out
 *                        -> write connection  each write its own sync, but those that share one
 *   db_hint()   -> hint connection            NOTIFY, many hints in one; and LISTEN
 *
 * Connections are made and made again by themselves, with back-off. Nothing waits for a database
 * that is away: queries are answered DB_AWAY at once while no connection stands. Only what was
 * under way when a working connection broke waits for the first attempt to make it again: reads,
 * which are repeated once. A write is DB_AWAY then: its effect is unknown.
 *
 * A server that says nothing for 10 s is taken for dead. */
#pragma once

#include "db/hints.h"
#include "db/query.h"
#include "loop/loop.h"

struct db_settings {
	const char *url;	    /* libpq connection string or URI */
	unsigned read_connections;  /* 1 to 4 */
	unsigned write_connections; /* 1 to 4; a query keeps to one by its first parameter, so that
				       writes to one device stay in order */
	/* NULL: those of sql/query. Indexed by db_query.statement. */
	const struct statement_entry *statements;
	unsigned statement_count;
};

/* The settings are copied. Begins to connect, later. NULL where the URL is no connection string. */
struct db *db_create(struct loop *loop, const struct db_settings *settings);

/* Reads and writes can be sent now. */
bool db_is_up(const struct db *db);
/* How many connections stand, the one for hints included. */
unsigned db_connections_up(const struct db *db);

/* Lets what is queued finish, at most timeout_ms, then closes; what is left is answered DB_AWAY
 * before closed is called, later. New queries are DB_AWAY at once. Called once. */
void db_close(struct db *db, uint64_t timeout_ms, void (*closed)(void *context), void *context);
/* After closed. */
void db_destroy(struct db *db);
