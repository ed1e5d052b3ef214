/* The database as one worker sees it.
 *
 *   db_submit() -> queue -> read connection   one batch and one sync a turn, two batches under way
 *                        -> write connection  each write with its own sync, or with a shared one
 *                        -> retry connection  a write that met a locked row, by itself
 *   db_list()   -> list connections           one long list at a time each, see db/list_query.h
 *   db_hint()   -> hint connection            NOTIFY, many hints in one; and LISTEN
 *
 * At rest a worker has a connection for reads, one for writes and that of the hints. The others,
 * each a process of the server, are opened when they are needed, and closed a minute after they
 * were.
 *
 * A lost connection is made again, with back-off. When one that was up breaks, the reads that were
 * under way wait for the first attempt to make it again, and are repeated once. The writes that
 * were under way are answered DB_UNAVAILABLE: their effect is unknown. Queries that come meanwhile
 * wait for that attempt, too. Nothing waits for a database that is unavailable: once the attempt
 * has failed, and while no connection is up, queries are answered DB_UNAVAILABLE at once.
 *
 * A write that meets a locked row holds up others for 20 ms; then it waits apart, and behind it, in
 * their order, the later writes with the same first parameter. After 5 s, or where its account has
 * too many that wait so, it is answered DB_BLOCKED.
 *
 * A server from which nothing comes for 4 s, though the hint connection asks, counts as dead; and a
 * connection on which nothing comes for 10 s. Then queries are answered DB_UNAVAILABLE at once,
 * until it answers again. */
#pragma once

#include "db/hints.h"
#include "db/list_query.h"
#include "db/query.h"
#include "db/storage.h"
#include "db/unavailable.h"
#include "loop/loop.h"

struct db_settings {
	const char *url;	    /* libpq connection string or URI */
	unsigned read_connections;  /* 1 to 4 */
	unsigned write_connections; /* 1 to 4; the first parameter of a write chooses it. One is
				       always there, the others while writes come together */
	uint64_t on_demand_idle_ms; /* how long a connection that is not always there stays after
			       it was last needed; 0: the usual time */
	/* NULL: the statements of sql/query. Indexed by db_query.statement. */
	const struct statement_entry *statements;
	unsigned statement_count;
	struct storage *storage; /* shared by the workers; NULL: this db has its own */
	/* Memory where the supervisor reads which processes work for lists; NULL: it need not
	 * know. */
	struct background *background;
	bool session_pooler; /* one that keeps sessions may stand before the server */
	/* Fingerprint of the key for secret settings, SETTINGS_KEY_BYTES: writes need a database
	 * that admits it. NULL: any database will do. */
	const uint8_t *key_fingerprint;
};

/* Copies the settings. Connecting begins later, from the loop. NULL: the URL is no connection
 * string. */
struct db *db_create(struct loop *loop, const struct db_settings *settings);

/* Whoever keeps rows in memory. */
struct change_listener {
	/* The row with this ID was changed by a write that was committed, or may have been, and is
	 * not yet answered (the "changes:" of db/statement.h). is_hinted: other instances are to be
	 * told. */
	void (*on_change)(void *context, struct id id, bool is_hinted);
	void *context;
};

/* From now on calls the listener, which is copied, for all writes. */
void db_on_change(struct db *db, const struct change_listener *listener);

/* Reads and writes can be sent now. */
bool db_is_up(const struct db *db);
/* Why they cannot; UNAVAILABLE_NOT: they can, or nothing was tried yet. */
enum unavailable db_unavailable(const struct db *db);
/* Why no hints are heard; likewise. */
enum unavailable db_hints_unavailable(const struct db *db);
/* Statements that wait or run, without lists. */
unsigned db_outstanding(const struct db *db);
/* Sets the gauges of the metrics. */
void db_tell(const struct db *db);
/* Number of connections that are up, the hint connection included. At rest three: one for reads,
 * one for writes, and the hint connection. */
unsigned db_connections_up(const struct db *db);

/* Reads run in the order in which they were submitted, but for one that the database told to run
 * again: so it is with one read connection. The answers come in the order in which the reads ran.
 */
bool db_keeps_order_of_reads(const struct db *db);

/* Whether there is room for what is written. */
struct storage *db_storage(struct db *db);

/* Waits at most timeout_ms until all queries are answered, then closes the connections. Queries
 * that are left then, and new ones from now on, are answered DB_UNAVAILABLE. closed is called last,
 * from the loop. Call this once. */
void db_close(struct db *db, uint64_t timeout_ms, void (*closed)(void *context), void *context);
/* After closed. */
void db_destroy(struct db *db);
