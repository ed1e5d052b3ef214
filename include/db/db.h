/* Connections of one worker to the database.
 *
 *   db_submit() -> queue -> read connection   one batch and one sync a turn, two batches under way
 *                        -> write connection  each write with its own sync, or with a shared one
 *                        -> retry connection  a write that met a locked row, by itself
 *   db_list()   -> list connections           one long list at a time each, see db/list_query.h
 *   db_hint()   -> hint connection            NOTIFY, many hints in one; and LISTEN
 *
 * An idle worker has a connection for reads, one for writes and the hint connection. Each further
 * connection costs a process of the server, so it is opened when it is needed, and closed a minute
 * after its last use.
 *
 * A lost connection is opened again, with back-off. If a connection breaks, its reads wait for the
 * first attempt to reconnect and are repeated once. Its writes are answered DB_UNAVAILABLE: their
 * effect is unknown until the server's process is ended (src/db/doubts.h). New queries wait for
 * that attempt, too. After it has failed, and while no connection is up, queries are answered
 * DB_UNAVAILABLE at once.
 *
 * A write that meets a locked row delays others for 20 ms. Then it waits on another connection,
 * followed, in order, by later writes with the same first parameter. After 5 s, or if its account
 * has too many waiting writes, it is answered DB_BLOCKED.
 *
 * A server that sends nothing for 4 s, although the hint connection queries it, counts as dead; so
 * does a connection that is silent for 10 s. Then queries are answered DB_UNAVAILABLE at once,
 * until the server answers again. */
#pragma once

#include "db/hints.h"
#include "db/list_query.h"
#include "db/query.h"
#include "db/storage.h"
#include "db/timeline.h"
#include "db/unavailable.h"
#include "db/writers.h"
#include "loop/loop.h"

struct db_settings {
	const char *url;	   /* libpq connection string or URI */
	unsigned read_connections; /* 1 to 4 */
	/* 1 to 4. The first is always open, and writes that share a commit go to it. The others are
	 * open while other writes arrive together, whose first parameter chooses one. */
	unsigned write_connections;
	uint64_t on_demand_idle_ms; /* idle time after which an on-demand connection is closed; 0:
				       the default */
	/* NULL: the statements of sql/query. Indexed by db_query.statement. */
	const struct statement_entry *statements;
	unsigned statement_count;
	struct storage *storage;	 /* shared by the workers; NULL: this db makes its own */
	struct timeline_known *timeline; /* likewise */
	/* Memory in which the supervisor reads which processes run list queries; NULL: not
	 * reported. */
	struct background *background;
	bool session_pooler; /* a pooler in session mode may stand before the server */
	/* Fingerprint of the key for secret settings, SETTINGS_KEY_BYTES: writes need a database
	 * that accepts this key. NULL: any database. */
	const uint8_t *key_fingerprint;
	/* Name of the instance, and number of the worker in it, by which workers of other instances
	 * judge whether its hints arrive. None: it is not judged, and trusts all. */
	struct id instance;
	unsigned worker;
	/* Memory with hint_region, if one worker shall send and receive hints for all; else NULL.
	 * It needs an instance. worker_slots: its slots, worker is one of them. */
	struct region_map *hint_memory;
	unsigned worker_slots;
	/* Memory that outlives the worker, db/writers.h. NULL: none. */
	struct writers *writers;
};

/* Copies the settings. Connects later, from the loop. Returns NULL if the URL is not a connection
 * string. Free with db_close() and db_destroy(). */
struct db *db_create(struct loop *loop, const struct db_settings *settings);

/* Module that keeps rows in memory. */
struct change_listener {
	/* The row with this ID was changed by a write that was committed, or may have been, and is
	 * not yet answered (the "changes:" of db/statement.h). is_hinted: other instances need a
	 * hint. */
	void (*on_change)(void *context, struct id id, bool is_hinted);
	/* Begins or ends a time in which the row may change without on_change(): a write is under
	 * way whose outcome will never be known. It is called before the write is answered, and
	 * after the last on_change(). NULL: nothing is called. */
	void (*on_doubt)(void *context, struct id id, bool is_in_doubt);
	/* Rows were changed, or may have been, of which only the database knows. Other instances
	 * need a hint. NULL: nothing is called. */
	void (*on_all)(void *context);
	void *context;
};

/* Calls the listener, which is copied, for all writes from now on. */
void db_on_change(struct db *db, const struct change_listener *listener);

/* Whether reads and writes can be sent now. */
bool db_is_up(const struct db *db);
/* Why queries cannot be sent; UNAVAILABLE_NOT: they can, or nothing was tried yet. */
enum unavailable db_unavailable(const struct db *db);
/* Whether the database refused the last write since it was set to be read-only. Reads go on. */
bool db_is_read_only(const struct db *db);
/* Why hints do not arrive; UNAVAILABLE_NOT: they do, or nothing was tried yet. */
enum unavailable db_hints_unavailable(const struct db *db);
/* Number of statements that wait or run, without list queries. */
unsigned db_outstanding(const struct db *db);
/* Sets the database gauges of the metrics. */
void db_tell(const struct db *db);
/* Number of connections that are up, the hint connection included. Three if idle: one for reads,
 * one for writes, and the hint connection. */
unsigned db_connections_up(const struct db *db);

/* Whether reads run in the order in which they were submitted, except those that the database
 * requires to be repeated: true with one read connection. The answers come in the order in which
 * the reads ran.
 */
bool db_keeps_order_of_reads(const struct db *db);

/* Returns the record of the database's free space (db/storage.h). */
struct storage *db_storage(struct db *db);

/* Lets another worker of the instance send and receive hints for all, if this one does: it will
 * close the db. */
void db_retire(struct db *db);

/* Waits at most timeout_ms until all queries are answered, then closes the connections. Remaining
 * queries, and new ones from now on, are answered DB_UNAVAILABLE. closed is called last, from the
 * loop. Call this once. */
void db_close(struct db *db, uint64_t timeout_ms, void (*closed)(void *context), void *context);
/* Frees the db. Call it after closed(). */
void db_destroy(struct db *db);
